"""Pages that import ratings, and what pages with an upload share."""
