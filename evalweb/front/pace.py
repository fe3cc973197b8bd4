"""The slowest pace that a client may have: a number of seconds, plus one for every two kilobytes transferred."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

PATIENCE_SECONDS = 30
# Bytes per second; a phone with one bar of reception has ten times as much.
SLOWEST = 2_000


class ClientGone(Exception):
    """The client has left, or is too slow to be waited for."""


class Pace:
    """The time one client has taken so far for one body, and the bytes that have moved meanwhile."""

    def __init__(self) -> None:
        self.moved = 0
        self._waited = 0.0

    @asynccontextmanager
    async def waiting(self) -> AsyncIterator[None]:
        """Wait for the client within these lines; TimeoutError once it has been slower than it may be."""
        loop = asyncio.get_running_loop()
        started = loop.time()
        try:
            async with asyncio.timeout(PATIENCE_SECONDS + self.moved / SLOWEST - self._waited):
                yield
        finally:
            self._waited += loop.time() - started
