"""Changed copies of texts in a draft: ways to make a text worse or to reword it, and the rows that they add."""
