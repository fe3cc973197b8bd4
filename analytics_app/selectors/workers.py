"""The state of workers and of the broker."""

from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Literal, TypeAlias

import redis
from django.conf import settings
from django.db import connection

BROKER_PATIENCE_SECONDS = 0.5

# Celery beat pings each queue every 15 seconds, and a running part renews its heartbeat every 5.
SILENT_AFTER = timedelta(seconds=60)

# Starts a worker, for installations that do not use `make run`, which starts one itself. A test compares it to the
# command of evalweb.serve.
COMMAND = (
    "EVALWEB_STATEMENT_SECONDS=900 "
    "python -m celery -A evalweb worker -Q quick,analysis --without-gossip --without-mingle"
)

BrokerState: TypeAlias = Literal["ok", "unreachable"]

_SIGNS = """
SELECT GREATEST((SELECT max(at) FROM analytics_app_workerbeat),
                (SELECT max(heartbeat) FROM analytics_app_runpart WHERE state = 'running')),
       clock_timestamp()
"""


@dataclass(frozen=True, slots=True)
class WorkerStatus:
    """Whether a worker answers, the last sign of one (None: never), and the command that starts one."""

    alive: bool
    since: datetime | None
    command: str
    broker: BrokerState

    @property
    def are_well(self) -> bool:
        """Whether a worker answers, and new work reaches it."""
        return self.alive and self.broker == "ok"


def workers(now: datetime | None = None) -> WorkerStatus:
    """Check workers by their heartbeats in the database, and the broker by a ping of at most half a second.

    Only for pages that show an unfinished run, since an unreachable broker costs the half second.
    """
    with connection.cursor() as cursor:
        cursor.execute(_SIGNS)
        since, clock = cursor.fetchone()
    alive = since is not None and (now or clock) - since < SILENT_AFTER
    return WorkerStatus(alive=alive, since=since, command=COMMAND, broker=broker_state())


def broker_state() -> BrokerState:
    """Ping the broker."""
    client = redis.Redis.from_url(
        settings.CELERY_BROKER_URL,
        socket_connect_timeout=BROKER_PATIENCE_SECONDS,
        socket_timeout=BROKER_PATIENCE_SECONDS,
        retry=None,
    )
    try:
        client.ping()
    except (redis.RedisError, OSError):
        return "unreachable"
    finally:
        client.close()
    return "ok"
