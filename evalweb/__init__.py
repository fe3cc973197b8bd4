"""Settings, addresses, background work and the private servers. Nothing imports this app."""

__version__ = "0.2.0"

# Counts for whatever is loaded from here on. Everything else is loaded by the processes that need it
# (`evalweb.admin_site.Config`): the supervisor of `make run` needs neither Celery nor pages.
from evalweb import garbage

__all__ = ["garbage"]
