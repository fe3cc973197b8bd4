"""Template tags of result pages."""
