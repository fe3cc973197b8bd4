"""Strengths and ranks of systems from comparisons and rankings."""
