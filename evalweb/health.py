"""/healthz and /readyz: answered before anything else, so that a probe needs no host name, session or page."""

import logging
from collections.abc import Callable

from django.db import DatabaseError, connection
from django.db.migrations.executor import MigrationExecutor
from django.http import HttpRequest, HttpResponse, JsonResponse

from analytics_app.selectors.workers import broker_state

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
            # Reading every migration takes long, and an applied one stays applied while this process lives.
            self.migrated = self.migrated or not pending_migrations()
        except DatabaseError as error:
            log.warning("The database does not answer", exc_info=error)
            connection.close()
            return "unreachable"
        return "ok" if self.migrated else "not migrated"


def pending_migrations() -> list[str]:
    """Return the names of migrations that the database has not seen yet, as `app.name`."""
    executor = MigrationExecutor(connection)
    plan = executor.migration_plan(executor.loader.graph.leaf_nodes())
    return [f"{migration.app_label}.{migration.name}" for migration, _backwards in plan]
