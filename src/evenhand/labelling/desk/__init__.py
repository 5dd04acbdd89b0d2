"""An annotator's queue: assigned, blinded, logged, agreed on, adjudicated."""
