"""Scores that other tools gave each question, under names that mean what they meant there."""
