"""Show the seconds that a step has taken so far, every few seconds."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from threading import Event, Thread

FIRST_SECONDS, EVERY_SECONDS = 2, 5


@contextmanager
def elapsed_shown(say: Callable[[str], object]) -> Iterator[None]:
    """Say after two seconds, and then every five, how long the step inside has taken so far."""
    ended = Event()

    def watch() -> None:
        seconds, wait = 0, FIRST_SECONDS
        while not ended.wait(wait):
            seconds, wait = seconds + wait, EVERY_SECONDS
            say(f"  … {seconds} s")

    watcher = Thread(target=watch, daemon=True)
    watcher.start()
    try:
        yield
    finally:
        ended.set()
        watcher.join()
