"""The Pay page: its table of raters, its forms and its files."""
