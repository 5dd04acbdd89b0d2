"""Everything derived anew, also by other libraries."""
