"""How much work a call does, counted so that the figure is the same on every machine; nothing here is timed.

A time depends on the machine and on what else it does. What matters of a computation is how its work grows: a loop in
Python that visits every rating takes steps for each of them, and an algorithm that compares all ratings with all others
holds tables of their number squared. Both are counted for some data and for ten times as much.
"""

import math
import socket
import sys
import time
import tracemalloc
from collections.abc import Callable
from dataclasses import dataclass
from types import FrameType
from typing import Any

import numpy as np
import pytest

TIMES = 10
LIBRARIES = "site-packages"


@dataclass(frozen=True)
class Work:
    """Work of a call: `steps` are lines of our own Python and calls in libraries, `held` the most bytes at once."""

    steps: int
    held: int


def work_of(call: Callable[[], object]) -> Work:
    """Run a call and count its work."""
    steps = 0

    def count(frame: FrameType, event: str, _argument: Any) -> Any:
        nonlocal steps
        steps += event in {"call", "line"}
        # Lines of libraries are too many to be counted soon.
        return count if event == "line" or LIBRARIES not in frame.f_code.co_filename else None

    before = sys.gettrace()
    tracemalloc.start()
    sys.settrace(count)
    try:
        call()
    finally:
        sys.settrace(before)
        held = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
    return Work(steps, held)


def assert_work_grows_with_data(prepare: Callable[[int], Callable[[], object]], n: int, *, steps: float = 1.5) -> None:
    """Assert that ten times the data takes hardly more steps of Python, and at most fifteen times the memory.

    `prepare` makes data of a size and returns the call that is counted. `steps` is how many times the steps ten times
    the data may take: more where a search may go on for longer.
    """
    prepare(n)()  # what is imported and remembered with the first call is not counted
    small, large = work_of(prepare(n)), work_of(prepare(TIMES * n))
    assert large.steps <= steps * small.steps, f"{small.steps} steps for {n}, {large.steps} for {TIMES} times as much"
    assert large.held <= 1.5 * TIMES * small.held, f"{small.held} bytes for {n}, {large.held} for {TIMES} times as much"


class CountingGenerator(np.random.Generator):
    """A generator that counts the numbers it draws."""

    drawn = 0

    def __getattribute__(self, name: str) -> Any:
        """Return an attribute of the generator, so that what a method draws is counted."""
        attribute = super().__getattribute__(name)
        if name.startswith("_") or not callable(attribute):
            return attribute

        def draw(*arguments: Any, **settings: Any) -> Any:
            numbers = attribute(*arguments, **settings)
            self.drawn += np.size(numbers)
            return numbers

        return draw


def counting_generator(seed: int | None = None) -> CountingGenerator:
    """Return numpy's default generator for a seed, which counts the numbers that it has drawn."""
    return CountingGenerator(np.random.PCG64(seed))


def noted_waits(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    """Note the most seconds that each step on a socket of this process may take from now on, and each sleep.

    Their sum is the longest that somebody waits, whatever is at the other end; a step without a limit is infinite.
    PostgreSQL's library has sockets of its own.
    """
    waits: list[float] = []

    def note(method: Callable[..., Any]) -> Callable[..., Any]:
        def step(connected: socket.socket, *arguments: Any) -> Any:
            limit = connected.gettimeout()
            waits.append(math.inf if limit is None else limit)
            return method(connected, *arguments)

        return step

    for name in ("connect", "connect_ex", "recv", "recv_into"):
        monkeypatch.setattr(socket.socket, name, note(getattr(socket.socket, name)))
    sleep = time.sleep

    def sleep_noted(seconds: float) -> None:
        waits.append(seconds)
        sleep(seconds)

    for module in list(sys.modules.values()):
        if getattr(module, "__dict__", {}).get("sleep") is sleep:
            monkeypatch.setattr(module, "sleep", sleep_noted)
    return waits
