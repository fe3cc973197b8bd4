"""The REST API under /api/v1/: what a script may ask, on the same access and services as the pages."""
