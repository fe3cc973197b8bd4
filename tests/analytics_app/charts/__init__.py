"""Charts drawn from rows."""
