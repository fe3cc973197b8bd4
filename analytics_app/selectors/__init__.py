"""Queries of pages and documents."""
