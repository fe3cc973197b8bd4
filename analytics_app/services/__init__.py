"""Writes about results besides the runs: exclusions, erasure, scores of metrics, texts sent to experts."""
