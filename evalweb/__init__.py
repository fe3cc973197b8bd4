"""Settings, addresses, background work and the private servers. Nothing imports this app."""

__version__ = "0.2.0"

from evalweb import garbage

# isort: split
# The import above counts for whatever is loaded from here on.
from evalweb import checks  # registers them in every process
from evalweb.celery import app as celery_app

__all__ = ["celery_app", "checks", "garbage"]
