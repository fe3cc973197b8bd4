"""Scores of metrics that are computed here, from the texts and references of a study."""
