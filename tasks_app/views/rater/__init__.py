"""Pages for raters."""
