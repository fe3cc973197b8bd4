"""Tests of collecting judgments."""
