"""Statistics for quality rules: inconsistency, fences, straight-lining, trust."""
