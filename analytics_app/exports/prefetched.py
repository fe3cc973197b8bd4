"""Read the beginning of a file before the response starts, so that early failures can still be refused."""

from collections.abc import Generator, Iterator
from itertools import islice

# Reading two pieces shows whether the first is the whole file. Small files are then complete and free the connection.
PIECES = 2


class Prefetched(Iterator[bytes]):
    """The pieces of a file, of which the first are already read; closing it closes their source."""

    def __init__(self, pieces: Generator[bytes, None, None]) -> None:
        """Read the beginning. Raises the errors of the pieces, such as django.db.DatabaseError."""
        self._pieces = pieces
        self._waiting = list(islice(pieces, PIECES))

    def __next__(self) -> bytes:
        """Return the next piece."""
        return self._waiting.pop(0) if self._waiting else next(self._pieces)

    def close(self) -> None:
        """Drop the read pieces and close their source."""
        self._waiting.clear()
        self._pieces.close()
