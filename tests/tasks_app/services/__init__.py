"""Tests of the services that collect judgments."""
