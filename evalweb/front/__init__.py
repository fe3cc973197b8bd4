"""Between gunicorn's event loop and Django's threads: a slow client costs a connection and never a thread."""
