"""Scales: standardised ratings, reliability, factors, scores."""
