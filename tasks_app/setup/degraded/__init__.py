"""Degraded copies of texts in a draft: five ways to make a text worse, and the rows that they add to the texts."""
