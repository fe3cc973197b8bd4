"""What templates of raters and researchers load."""
