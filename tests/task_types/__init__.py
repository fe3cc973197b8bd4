"""Tests of the task types: each by itself, without a database."""
