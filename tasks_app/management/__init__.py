"""Commands about studies: load, open, simulate, import, export."""
