"""Questions for raters: a library of published criteria, and a check for leading questions."""
