"""Marked errors, error labels and edited texts."""
