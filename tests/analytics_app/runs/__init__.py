"""Runs: started, worked on by anybody, stored once."""
