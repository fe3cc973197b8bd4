"""Storing ratings from elsewhere."""
