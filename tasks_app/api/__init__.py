"""The REST API under /api/v1/, which calls the same access and service functions as the pages."""
