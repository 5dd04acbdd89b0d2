"""What fools the judges."""
