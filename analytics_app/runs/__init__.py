"""A run of the analyses, from the button to the stored rows: start, claim, compute, store, notify."""
