"""Pages of results, through their addresses."""
