"""Texts: limits on stored texts, their display, their languages, and patterns that people write."""
