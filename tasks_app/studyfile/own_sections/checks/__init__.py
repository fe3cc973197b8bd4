"""Checks of sections of the study file that look at other parts of the file."""
