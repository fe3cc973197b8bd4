"""Exports: one module for each document; all of them stream."""
