"""Checks of `manage.py check --database default` and `migrate`, made before anything runs."""

from collections.abc import Sequence

from django.apps import AppConfig
from django.conf import settings
from django.core import checks
from django.db import connections

# Beat, a command by hand, a backup and the probe: what connects besides web and workers.
SPARE_CONNECTIONS = 4


@checks.register(checks.Tags.database)
def enough_connections(
    app_configs: Sequence[AppConfig] | None, databases: Sequence[str] | None = None, **_kwargs: object
) -> list[checks.CheckMessage]:
    """Warn where web threads and workers together may open more connections than PostgreSQL grants."""
    if not databases or "default" not in databases:
        return []
    with connections["default"].cursor() as cursor:
        cursor.execute(
            "SELECT current_setting('max_connections')::int - current_setting('superuser_reserved_connections')::int"
        )
        (granted,) = cursor.fetchone()
    needed = settings.EVALWEB_CONNECTIONS_NEEDED + SPARE_CONNECTIONS
    if needed <= granted:
        return []
    return [
        checks.Warning(
            f"Web, workers and commands may open {needed} connections; PostgreSQL grants {granted}.",
            hint=(
                "Raise max_connections in PostgreSQL, or lower EVALWEB_WEB_PROCESSES, EVALWEB_WEB_THREADS "
                "or EVALWEB_WORKER_PROCESSES."
            ),
            id="evalweb.W001",
        )
    ]
