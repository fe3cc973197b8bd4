"""Figures that quality rules look at: inconsistency, fences, straight-lining, trust."""
