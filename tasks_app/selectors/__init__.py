"""Queries of pages: querysets and frozen dataclasses."""
