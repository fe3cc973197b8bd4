"""Benchmarks, run by hand with `make bench`: ratios measured side by side in one run, never timed tests."""
