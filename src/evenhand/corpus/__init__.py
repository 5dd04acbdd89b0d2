"""Documents and how they are split: chunkings, sentences, quotes found again, duplicates. Core: no I/O."""
