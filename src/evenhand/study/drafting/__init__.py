"""Questions drafted for a study."""
