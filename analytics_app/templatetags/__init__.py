"""What templates of results load."""
