"""Questions for raters: a library of published criteria, and how a question may lead those who answer it."""
