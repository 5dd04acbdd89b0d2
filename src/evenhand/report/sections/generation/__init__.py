"""Generated answers: tables and charts."""
