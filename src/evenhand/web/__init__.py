"""Pages over HTTP: the blind desk, and how far all desks are. Only this package serves."""
