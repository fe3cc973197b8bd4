"""What the pages of a study say before it opens: its facts, its plan in words, what is missing, and opening it."""
