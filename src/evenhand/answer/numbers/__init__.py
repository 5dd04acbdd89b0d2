"""Numbers in text: one tokenizer for what is claimed and for what it is held against."""
