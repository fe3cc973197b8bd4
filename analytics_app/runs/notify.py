"""Notify workers of parts that are due. The rows in the database decide, so a notification may get lost.

Only ids are sent. A request never waits for an absent broker: beat repeats the notification for parts without one.
"""

import logging
from collections.abc import Sequence
from typing import Any

from celery import current_app
from django.db import DatabaseError
from django.db.models import Case, QuerySet, When
from django.db.models.functions import Now
from kombu import Connection
from kombu.exceptions import ChannelError

from analytics_app.models import RunPart
from tasks_app.services.broker import AWAY, PATIENCE

JOB = "analytics_app.jobs.compute_part"
QUEUE = "analysis"

# Seconds after which a repeated notification expires: before the next one.
AGAIN_EXPIRES = 120
# Above so many messages that nobody has taken, one more helps nobody.
MOST_WAITING = 500

log = logging.getLogger(__name__)


def longest_first(parts: QuerySet[RunPart]) -> QuerySet[RunPart]:
    """Order parts of runs with those of a whole task first.

    They take longest: if one of them began last, the other processes would have nothing to do until it ends.
    """
    return parts.order_by("run_id", Case(When(kind=RunPart.Kind.TASK, then=0), default=1), "number")


def notify_workers(part_ids: Sequence[int], *, again: bool = False) -> int:
    """Notify workers of queued parts, and return the number of successful notifications. Never raises."""
    notified: list[int] = []
    if not part_ids:
        return 0
    try:
        with current_app.connection_for_write(transport_options=PATIENCE) as broker:
            room = MOST_WAITING - waiting(broker) if again else len(part_ids)
            for part_id in part_ids[: max(0, room)]:
                expires = AGAIN_EXPIRES if again else None
                current_app.send_task(JOB, (part_id,), connection=broker, queue=QUEUE, expires=expires)
                notified.append(part_id)
    except AWAY as error:
        log.warning("The broker does not answer; queued parts start when it does: %s", error)
    try:
        RunPart.objects.filter(pk__in=notified).update(rung_at=Now())
    except DatabaseError as error:
        log.warning("The time of notifications could not be stored; they will be repeated: %s", error)
    return len(notified)


def waiting(broker: Connection, queue: str = QUEUE) -> int:
    """Return the number of messages in a queue that no worker has taken yet."""
    with broker.channel() as opened:
        channel: Any = opened
        try:
            return int(channel.queue_declare(queue=queue, passive=True).message_count)
        except ChannelError:  # there is no such queue while it is empty
            return 0
