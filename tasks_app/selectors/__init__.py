"""Reads for pages: querysets and frozen dataclasses."""
