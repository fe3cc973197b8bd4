"""Pages for researchers, in the admin's frame."""
