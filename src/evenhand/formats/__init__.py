"""Files to nouns and back; nothing else opens files of people or of other tools."""
