"""The scheduler that `celery -A evalweb.beat beat` runs: it sends messages that name jobs, and loads none of them."""

import logging
import os
from pathlib import Path
from typing import Any

from celery import Celery
from celery.beat import PersistentScheduler, ScheduleEntry
from celery.loaders.app import AppLoader
from django.conf import settings
from django.utils.log import configure_logging
from kombu.exceptions import ChannelError

# A worker takes its messages within seconds. If more than this many wait, no worker is running, and further messages
# would only fill the broker's memory: an expired message stays there until a worker takes it.
MOST_WAITING = 20

log = logging.getLogger("evalweb.beat")

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "evalweb.settings")


class SendsOnly(AppLoader):
    """Sets logging up, and imports no job: with Django's models and all pages, they would take another 80 MiB."""

    def import_default_modules(self) -> list[Any]:
        """Import nothing."""
        configure_logging(settings.LOGGING_CONFIG, settings.LOGGING)
        return []


app = Celery("evalweb", loader=SendsOnly, fixups=[], set_as_current=False)
app.config_from_object("django.conf:settings", namespace="CELERY")


class Scheduler(PersistentScheduler):
    """Beat that adds nothing to a queue without workers, and has a schedule that only its owner can read."""

    def setup_schedule(self) -> None:
        """Open the schedule; the library would make its files readable for everybody."""
        umask = os.umask(0o077)
        try:
            super().setup_schedule()
        finally:
            os.umask(umask)
        schedule = Path(self.schedule_filename)  # type: ignore[attr-defined]  # set in the library's constructor
        for file in schedule.parent.glob(f"{schedule.name}*"):  # the ending depends on the system's database library
            file.chmod(0o600)

    def apply_async(self, entry: ScheduleEntry, producer: Any = None, advance: bool = True, **kwargs: Any) -> Any:
        """Send a due message, unless its queue is full of earlier ones."""
        queue = (entry.options or {}).get("queue") or self.app.conf.task_default_queue
        if _waiting(producer, queue) >= MOST_WAITING:
            log.debug("Nobody takes messages from the queue %s; %s is left out", queue, entry.name)
            return None
        return super().apply_async(entry, producer=producer, advance=advance, **kwargs)


def _waiting(producer: Any, queue: str) -> int:
    try:
        return int(producer.channel.queue_declare(queue=queue, passive=True).message_count)
    except ChannelError:  # there is no such queue while it is empty
        return 0
