"""Settings of a site that is killed: its scheduler sends each message every second, so that nobody waits long."""

from evalweb.settings import *  # noqa: F403
from evalweb.settings import BEAT_SCHEDULE

CELERY_BEAT_SCHEDULE = {name: {**entry, "schedule": 1.0} for name, entry in BEAT_SCHEDULE.items()}
