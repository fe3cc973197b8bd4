"""Charts of analyses, found automatically; each is a function with `@chart`."""
