"""Means, differences and tests between systems, groups and times."""
