"""Send jobs to workers. Each job is a row too, so that a message that gets lost is sent again."""

import logging
from collections.abc import Iterable

from celery import current_app
from kombu.exceptions import OperationalError
from redis import RedisError

# The queue of long jobs: the other one has what people wait for.
LONG = "analysis"

# A page waits for this: one try, a second to connect and a second for an answer. Workers have settings of their own,
# with which they wait for a broker for ever.
PATIENCE = {"max_retries": 0, "socket_connect_timeout": 1, "socket_timeout": 1}

AWAY = (OperationalError, RedisError, OSError)

log = logging.getLogger(__name__)


def send(job: str, ids: Iterable[int], *, queue: str = LONG, expires: int | None = None) -> None:
    """Send a job for each id; with `expires`, it counts for that many seconds. Never raises."""
    try:
        with current_app.connection_for_write(transport_options=PATIENCE) as connection:
            for id in ids:
                current_app.send_task(job, (id,), connection=connection, queue=queue, expires=expires)
    except AWAY as error:
        log.warning("The broker does not answer; %s starts when it does: %s", job, error)
