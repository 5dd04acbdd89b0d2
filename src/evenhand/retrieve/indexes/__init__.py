"""Databases as retrievers: an index that is there is searched, or one of ours is filled."""
