"""``evenhand run``, ``study``, ``check``, ``take``, ``new`` and ``demo``."""
