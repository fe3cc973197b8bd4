"""The REST API: ratings, runs and results."""
