"""The pages of a study before it opens: its facts, its plan in words, missing parts, and opening it."""
