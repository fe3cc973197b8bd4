"""Comparisons of systems that generalise to further raters and further texts."""
