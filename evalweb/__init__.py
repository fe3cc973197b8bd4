"""The project's wiring: settings, addresses, background work and the private servers. Nothing imports it."""

from evalweb import checks  # registers them in every process
from evalweb.celery import app as celery_app

__all__ = ["celery_app", "checks"]
