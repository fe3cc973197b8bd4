"""Tests of the statistics: each number against a published one, another library or a slow naive version."""
