"""Many studies at once: make one per value of a column, and check, open, pause and close all of a project."""
