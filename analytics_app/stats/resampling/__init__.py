"""Bootstrap and permutation."""
