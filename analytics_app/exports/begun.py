"""Read the beginning of a file before the response starts, so that early failures can still be refused."""

from __future__ import annotations

from collections.abc import Generator, Iterator
from itertools import islice

# The second piece shows whether the first was all. A small file is read whole then, and no connection stays busy.
PIECES = 2


class Begun(Iterator[bytes]):
    """The pieces of a file, of which the first have been read; closing it closes the rest."""

    def __init__(self, pieces: Generator[bytes, None, None]) -> None:
        """Read the beginning. Raises whatever the pieces raise meanwhile, such as django.db.DatabaseError."""
        self._pieces = pieces
        self._waiting = list(islice(pieces, PIECES))

    def __next__(self) -> bytes:
        """Return the next piece."""
        return self._waiting.pop(0) if self._waiting else next(self._pieces)

    def close(self) -> None:
        """Let go of what is not wanted any more."""
        self._waiting.clear()
        self._pieces.close()
