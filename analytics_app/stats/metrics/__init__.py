"""Automatic metrics against the judgments of people."""
