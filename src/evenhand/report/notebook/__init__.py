"""What a notebook shows: cards, pages and charts."""
