"""A rater's GET and POST by layer: milliseconds and CPU in templates, forms, the ORM, statements, commits and the rest.

Every layer has its own time, without that of the layers it calls, so that they add up. The measuring itself costs a few
per cent, most where a layer is called often. The pages are asked for through Django's whole request handling in one
process, with `Accept-Encoding: gzip`. The time of the front is measured apart, without a network.
"""

import asyncio
import gzip
import statistics
import time
import uuid
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from functools import wraps
from random import Random
from typing import Any
from unittest.mock import patch
from urllib.parse import urlencode

from django import forms
from django.core import signing
from django.core.wsgi import get_wsgi_application
from django.db.backends.base.base import BaseDatabaseWrapper
from django.db.backends.utils import CursorWrapper
from django.db.models import QuerySet
from django.db.models.base import Model
from django.db.models.sql import compiler
from django.template.backends.django import Template
from django.test import Client

from bench import judging
from evalweb import compression
from evalweb.front.application import Front
from tasks_app.management.simulated_raters import Visitor, hidden_fields
from tasks_app.management.transports import InProcess
from tasks_app.models import Study
from tasks_app.task_types.base import Quality
from tasks_app.views.rater import visit

ROUNDS = 5
CYCLES = 18

# Layer: the functions in which its time is spent. What is in none of them is the rest: middleware, addresses, views.
LAYERS: dict[str, list[tuple[object, str]]] = {
    "template": [(Template, "render")],
    "forms": [(forms.BaseForm, "__init__"), (forms.BaseForm, "full_clean")],
    "signatures": [(signing, "dumps"), (signing, "loads")],
    "ORM: queries built": [
        (QuerySet, "_filter_or_exclude"), (QuerySet, "select_related"), (QuerySet, "_values"), (QuerySet, "order_by"),
        (QuerySet, "annotate"), (QuerySet, "__getitem__"),
    ],
    "ORM: SQL written": [
        (cls, "as_sql")
        for cls in (compiler.SQLCompiler, compiler.SQLInsertCompiler, compiler.SQLUpdateCompiler)
    ],
    "ORM: rows read": [(QuerySet, "_fetch_all"), (QuerySet, "get"), (Model, "save_base")],
    "statements": [(CursorWrapper, "execute")],
    "commit": [(BaseDatabaseWrapper, "_commit")],
    "compression": [(compression, "compress_string")],
    "rater and language": [(visit.access, "rater_for_token"), (visit, "framed")],
}  # fmt: skip
REST = "the rest"


class Stopwatch:
    """The time in each layer, without that of the layers called from it: seconds passed, and seconds of CPU."""

    def __init__(self) -> None:
        self.layers = [REST]
        self.clear()

    def clear(self) -> None:
        """Begin again from nothing."""
        self.passed: dict[str, float] = defaultdict(float)
        self.cpu: dict[str, float] = defaultdict(float)
        self.calls: dict[str, int] = defaultdict(int)
        self._last = time.perf_counter(), time.thread_time()

    def taken(self) -> tuple[Mapping[str, float], Mapping[str, float], Mapping[str, int]]:
        """Return the seconds passed, those of CPU and the calls of each layer so far, and begin again."""
        self.book()
        taken = self.passed, self.cpu, self.calls
        self.clear()
        return taken

    def book(self) -> None:
        """Give the time since the last change of layers to the current one."""
        now = time.perf_counter(), time.thread_time()
        self.passed[self.layers[-1]] += now[0] - self._last[0]
        self.cpu[self.layers[-1]] += now[1] - self._last[1]
        self._last = now

    def timed(self, layer: str, function: Callable[..., Any]) -> Callable[..., Any]:
        """Return a function that adds its own time to that of a layer."""

        @wraps(function)
        def timed(*args: Any, **kwargs: Any) -> Any:
            self.book()
            self.layers.append(layer)
            self.calls[layer] += 1
            try:
                return function(*args, **kwargs)
            finally:
                self.book()
                self.layers.pop()

        return timed


@contextmanager
def measured(watch: Stopwatch) -> Iterator[None]:
    """Let every layer be timed meanwhile."""
    patches = [
        patch.object(place, name, watch.timed(layer, getattr(place, name)))
        for layer, functions in LAYERS.items()
        for place, name in functions
    ]
    for layer in patches:
        layer.start()
    try:
        yield
    finally:
        for layer in patches:
            layer.stop()


class Rater:
    """A rater of a study who judges one unit after the other."""

    def __init__(self, study: Study, seed: int) -> None:
        visitor = Visitor(study, InProcess(), Quality.CAREFUL, Random(seed))
        assert visitor.arrive(), "the study is full"
        self.path = f"/r/{visitor.token}/judge/"
        self.answers = {f"p1-c{number}": "4" for number in range(judging.CRITERIA)} | {"seconds_active": "4.2"}

    def form(self, page: str) -> dict[str, str]:
        """Return the filled form of a page."""
        return {"submission": str(uuid.uuid4()), **hidden_fields(page, "answer"), **self.answers}


def by_layer(study: Study, seed: int) -> dict[str, dict[str, tuple[float, ...]]]:
    """Return for GET and POST the median milliseconds, CPU milliseconds and calls of each layer of one rater."""
    rater, client, watch = Rater(study, seed), Client(), Stopwatch()
    seen: dict[str, list[Any]] = {"GET": [], "POST": []}
    with measured(watch):
        for _cycle in range(CYCLES + 1):
            watch.clear()
            page = client.get(rater.path, secure=True, headers={"accept-encoding": "gzip"})
            seen["GET"].append(watch.taken())
            form = rater.form(gzip.decompress(page.content).decode())
            watch.clear()
            answer = client.post(rater.path, form, secure=True)
            seen["POST"].append(watch.taken())
            assert answer.status_code == 302
    return {
        method: {
            layer: tuple(
                factor * statistics.median(cycle[column][layer] for cycle in cycles[1:])
                for column, factor in enumerate((1000, 1000, 1))
            )
            for layer in (*LAYERS, REST)
        }
        for method, cycles in seen.items()
    }


class Fronted:
    """The WSGI application behind the front, asked as gunicorn's event loop asks; `inner` is the application's time."""

    def __init__(self) -> None:
        self.application, self.inner = get_wsgi_application(), 0.0
        self.front = Front(self._timed, lambda _environ: 0, threads=1)

    def _timed(self, environ: Any, start: Any) -> Any:
        started = time.perf_counter()
        try:
            return self.application(environ, start)
        finally:
            self.inner = time.perf_counter() - started

    async def ask(self, path: str, method: str, body: bytes = b"") -> tuple[float, bytes]:
        """Return the milliseconds that the front takes beside the application, and the body of the answer."""
        received: list[bytes] = []

        async def receive() -> dict[str, Any]:
            return {"type": "http.request", "body": body, "more_body": False}

        async def send(message: dict[str, Any]) -> None:
            received.append(message.get("body", b""))

        names = {"host": "testserver", "x-forwarded-proto": "https", "content-length": str(len(body))}
        if body:
            names["content-type"] = "application/x-www-form-urlencoded"
        scope = {
            "type": "http", "method": method, "http_version": "1.1", "scheme": "https", "raw_path": path.encode(),
            "query_string": b"", "headers": [(name.encode(), value.encode()) for name, value in names.items()],
            "server": ("127.0.0.1", 8000), "client": ("127.0.0.1", 50_000),
        }  # fmt: skip
        started = time.perf_counter()
        await self.front(scope, receive, send)
        return 1000 * (time.perf_counter() - started - self.inner), b"".join(received)


async def in_front(rater: Rater) -> dict[str, float]:
    """Return for GET and POST the median milliseconds that the front takes beside the application."""
    fronted = Fronted()
    taken: dict[str, list[float]] = {"GET": [], "POST": []}
    for _cycle in range(CYCLES + 1):
        elapsed, page = await fronted.ask(rater.path, "GET")
        taken["GET"].append(elapsed)
        elapsed, _answer = await fronted.ask(rater.path, "POST", urlencode(rater.form(page.decode())).encode())
        taken["POST"].append(elapsed)
    fronted.front.threads.shutdown()
    fronted.front.file_threads.shutdown()
    return {method: statistics.median(times[1:]) for method, times in taken.items()}


def main() -> None:
    """Measure several raters in turn; print for each layer the least of their medians."""
    study = judging.load("layers", items=20, systems=5, k=30)
    rounds = [by_layer(study, seed) for seed in range(ROUNDS)]
    for method in ("GET", "POST"):
        print(f"{method:<20} {'ms':>7} {'CPU ms':>7} {'calls':>6}")
        least = {
            layer: tuple(min(of_round[method][layer][column] for of_round in rounds) for column in range(3))
            for layer in (*LAYERS, REST)
        }
        for layer, (passed, cpu, calls) in sorted(least.items(), key=lambda entry: -entry[1][0]):
            print(f"{layer:<20} {passed:7.2f} {cpu:7.2f} {calls:6.0f}")
        total = [sum(column) for column in zip(*least.values(), strict=True)]
        print(f"{'together':<20} {total[0]:7.2f} {total[1]:7.2f}")
    fronts = [asyncio.run(in_front(Rater(study, ROUNDS + seed))) for seed in range(ROUNDS)]
    for method in ("GET", "POST"):
        print(f"front, beside the application, {method}: {min(front[method] for front in fronts):.2f} ms")
