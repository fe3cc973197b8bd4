"""Reads for pages and documents."""
