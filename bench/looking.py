"""A web process as the server has it after a start: each page is looked at in a fork that has shown nothing yet.

`python -m bench.looking` loads the code as the process does from which the web server is forked. It reads a request on
each line of its input, as JSON, and writes the cost of the first look and the least of several later ones on a line.
`Looker` runs it.
"""

import gzip
import json
import os
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, NamedTuple, Self

from evalweb.front.held_socket import NAME as SOCKET
from evalweb.serve import forks

# Statements of transactions, which tests and services wrap around queries.
TRANSACTIONS = ("SAVEPOINT", "RELEASE", "ROLLBACK", "BEGIN", "COMMIT")

# A page, and a form that says what is wrong with its fields; other answers are named, since they cost something else.
MEASURED = (200, 422)


class Cost(NamedTuple):
    """The cost of a request: CPU ms of the web process and of the database, queries, and kB of the answer."""

    web: float
    database: float
    queries: int
    kilobytes: float

    @property
    def ms(self) -> float:
        """CPU ms of both."""
        return self.web + self.database


class Looker:
    """Asks a loaded process for pages, each in a fork of its own."""

    def __init__(self, process: "subprocess.Popen[str]") -> None:
        self.process = process

    @classmethod
    @contextmanager
    def started(cls) -> Iterator[Self]:
        """Start the process, and end it with the block."""
        command = [sys.executable, "-m", "bench.looking"]
        variables = os.environ | {SOCKET: "none, but the code is loaded as where there is one"}
        with subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, env=variables
        ) as process:
            yield cls(process)
            assert process.stdin is not None
            process.stdin.close()

    def look(self, path: str, *, headers: dict[str, str], rounds: int) -> tuple[Cost, Cost]:
        """Return the cost of the first look at a page, and the least of so many later ones (of the first, for 0)."""
        assert self.process.stdin is not None
        assert self.process.stdout is not None
        self.process.stdin.write(json.dumps({"path": path, "headers": headers, "rounds": rounds}) + "\n")
        self.process.stdin.flush()
        answer = self.process.stdout.readline()
        if not answer:
            raise SystemExit(f"{path}: the page could not be looked at; the reason stands above")
        first, least = json.loads(answer)
        return Cost(*first), Cost(*least)


def main() -> None:
    """Load the code, and answer each line of the input from a fork."""
    forks.load()
    from evalweb.wsgi import application  # noqa: PLC0415  with Django's settings

    for line in sys.stdin:
        fork = os.fork()
        if not fork:
            _answer(json.loads(line), application)
        _pid, status = os.waitpid(fork, 0)
        if status:
            sys.exit(f"{line}: status {status}")


def _answer(request: dict[str, Any], application: Any) -> None:
    """Look at the page as often as asked, write the costs, and end this process."""
    meter = _Meter(application, request["path"], request["headers"])
    first = meter.look()
    least = min([meter.look() for _round in range(request["rounds"])] or [first], key=lambda cost: cost.ms)
    sys.stdout.write(json.dumps([first, least]) + "\n")
    sys.stdout.flush()
    os._exit(0)


class _Meter:
    """Measures a request, on a connection without parallel workers, since their CPU would hide."""

    def __init__(self, application: Any, path: str, headers: dict[str, str]) -> None:
        import psutil  # noqa: PLC0415  after Django's settings, as all below
        from django.db import connection  # noqa: PLC0415
        from django.test import RequestFactory  # noqa: PLC0415

        self.application, self.path, self.headers, self.requests = application, path, headers, RequestFactory()
        with connection.cursor() as cursor:
            cursor.execute("SET max_parallel_workers_per_gather = 0")
            cursor.execute("SELECT pg_backend_pid()")
            self.backend = psutil.Process(cursor.fetchone()[0])

    def look(self) -> Cost:
        """Request the page once, and roll back its writes."""
        from django.db import connection, transaction  # noqa: PLC0415
        from django.test.utils import CaptureQueriesContext  # noqa: PLC0415

        with transaction.atomic(), CaptureQueriesContext(connection) as captured:
            web, database = time.process_time(), self._database_seconds()
            answer = self.application.get_response(self.requests.get(self.path, headers=self.headers, secure=True))
            content = b"".join(answer) if answer.streaming else answer.content
            web, database = time.process_time() - web, self._database_seconds() - database
            transaction.set_rollback(True)
        if answer.status_code not in MEASURED:
            sys.stderr.write(f"{self.path} was answered with {answer.status_code}\n")
        queries = sum(not query["sql"].startswith(TRANSACTIONS) for query in captured.captured_queries)
        return Cost(1000 * web, 1000 * database, queries, len(gzip.compress(content)) / 1000)

    def _database_seconds(self) -> float:
        times = self.backend.cpu_times()
        return float(times.user + times.system)


if __name__ == "__main__":
    main()
