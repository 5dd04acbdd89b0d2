"""Judgements in SQL, blobs and journals in files. Only this package speaks SQL."""
