"""The front between gunicorn's event loop and Django's threads: a slow client occupies a connection, never a thread."""
