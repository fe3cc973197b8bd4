"""What a person does in a browser, on a live server with a real worker."""
