"""Documents out of every kind of file: text, HTML, PDF, office, archives, collections."""
