"""/healthz and /readyz, answered before any other code, without host name, session or page."""

import logging
from collections.abc import Callable

from django.db import DatabaseError, connection, transaction
from django.http import HttpRequest, HttpResponse, JsonResponse

from analytics_app.selectors.workers import broker_state
from evalweb.migration_state import newer_migrations, pending_migrations

log = logging.getLogger("evalweb.health")


class HealthMiddleware:
    """Say whether the process is up (/healthz), and whether it can serve raters (/readyz)."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self.get_response = get_response
        self.migrated = False

    def __call__(self, request: HttpRequest) -> HttpResponse:
        """Answer the two addresses; pass every other request on."""
        if request.path_info == "/healthz":
            return HttpResponse("ok\n", content_type="text/plain")
        if request.path_info == "/readyz":
            return self._readiness()
        return self.get_response(request)

    def _readiness(self) -> JsonResponse:
        """Report database and broker. Raters never need the broker, so a silent one does not make us unready."""
        database = self._database_state()
        ready = database == "ok"
        report = {"ready": ready, "database": database, "broker": broker_state()}
        return JsonResponse(report, status=200 if ready else 503, headers={"Cache-Control": "no-store"})

    def _database_state(self) -> str:
        try:
            with connection.cursor() as cursor:
                cursor.execute("SELECT 1")
            # Reading every migration takes long, and an applied one stays applied while this process lives. A newer
            # version may migrate the database at any time.
            self.migrated = self.migrated or not pending_migrations()
            newer = newer_migrations()
        except DatabaseError as error:
            log.warning("The database does not answer", exc_info=error)
            connection.close()
            return "unreachable"
        if newer:
            return "migrated by a newer version"
        if not self.migrated:
            return "not migrated"
        return "ok" if can_write() else "cannot write"


def can_write() -> bool:
    """Return whether the database has room to write, asked by sorting more than fits into its memory.

    The sort takes about a megabyte of temporary files for some milliseconds, and unlike a row or a temporary table
    leaves nothing behind.
    """
    try:
        with transaction.atomic(), connection.cursor() as cursor:
            cursor.execute("SET LOCAL work_mem = '64kB'")
            cursor.execute(
                "SELECT count(*) FROM (SELECT repeat(md5(n::text), 16) AS text FROM generate_series(1, 2000) AS n"
                " ORDER BY text OFFSET 0) AS sorted"
            )
    except DatabaseError as error:
        log.warning("The database cannot write", exc_info=error)
        return False
    return True
