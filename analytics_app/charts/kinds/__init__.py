"""Charts of analyses, found by themselves; each is a function with `@chart`."""
