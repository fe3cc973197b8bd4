"""Tables of values from elsewhere: each kind declares its columns and stores its values."""
