"""The datasheet."""
