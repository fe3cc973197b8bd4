"""Scripts without a page: their pure parts, imported into a browser."""
