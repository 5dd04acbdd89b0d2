"""``evenhand answers``: generate, import, check, rate, diagnose and export."""
