"""Writes that make a study: drafts, items, units, degraded copies, opening and closing, tokens for scripts."""
