"""Texts: what may be stored, how they are shown, their languages, and patterns that people write."""
