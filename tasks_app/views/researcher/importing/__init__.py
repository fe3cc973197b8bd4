"""Pages that import ratings, and the parts that pages with an upload share."""
