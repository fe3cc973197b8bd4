"""Work done at the same time, each on a connection of its own to the real database."""

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from threading import Barrier
from typing import Any

from django.db import connection


def together(*works: Callable[[], Any], refusals: tuple[type[Exception], ...] = ()) -> list[Any]:
    """Start these at the same moment, and return their results; a refusal is returned by its name."""
    start = Barrier(len(works))

    def run(work: Callable[[], Any]) -> Any:
        try:
            start.wait(timeout=60)
            return work()
        except refusals as refused:
            return type(refused).__name__
        finally:
            connection.close()

    with ThreadPoolExecutor(len(works)) as pool:
        return list(pool.map(run, works))
