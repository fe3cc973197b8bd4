"""Writes about results other than runs: exclusions, erasure, scores of metrics, texts sent to experts."""
