"""Secret links: tokens of raters and of forms, and the parts of addresses that no log may hold."""
