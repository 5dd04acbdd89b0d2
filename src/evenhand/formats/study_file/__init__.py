"""Study files: TOML to a `Plan`, a module a section, every problem told with its line."""
