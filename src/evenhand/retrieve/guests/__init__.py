"""What somebody else brings: functions, classes, endpoints; hits found again in the corpus."""
