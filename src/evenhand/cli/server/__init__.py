"""``evenhand serve``, ``store``, ``cache`` and ``doctor``."""
