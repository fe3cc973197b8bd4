"""Template tags and filters for the pages of raters and researchers."""
