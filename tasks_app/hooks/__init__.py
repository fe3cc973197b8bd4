"""Hooks: registries and signals by which other apps and packages add to this app."""
