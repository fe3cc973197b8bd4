"""What leaves evalweb as files."""
