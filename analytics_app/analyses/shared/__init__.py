"""Shared modules of analyses: ratings, pairs and labels as columns, conditions, families of tests."""
