"""Ratings, runs and results for scripts."""
