"""The command line: one folder a group of commands. Only this package prints."""
