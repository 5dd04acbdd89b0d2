"""The form of report.json, a module a section."""
