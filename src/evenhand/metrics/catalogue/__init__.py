"""Every metric by name, a family a module, with formula, aliases and documentation."""
