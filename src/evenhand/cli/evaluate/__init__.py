"""``evenhand eval``, ``scores`` and ``convert``: files against files."""
