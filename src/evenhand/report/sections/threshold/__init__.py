"""What passes a threshold."""
