"""Commands about results, one module each."""
