"""Messages of `make run`: to the terminal, and to a log file in case the terminal is closed."""

import os
from datetime import UTC, datetime
from pathlib import Path

STDOUT = 1


class Messages:
    """Writes each message to standard output and, once `log` is known, to that file.

    Neither may end the supervisor: a terminal can be closed and a disk full. What could not be written is counted,
    and the count is written as soon as there is room.
    """

    def __init__(self) -> None:
        self.log: Path | None = None
        self._lost = 0

    def say(self, message: str) -> None:
        """Write a message of one line or several."""
        shown = self.show(message)
        if self.log is not None:
            self._append(self.log, message)
        elif not shown:
            self._lost += 1

    def show(self, message: str) -> bool:
        """Write a message that may hold a password, and is therefore not logged. Return whether anybody got it."""
        try:
            _write_all(STDOUT, f"{message}\n")
        except OSError:  # a closed terminal, or a file on a full disk
            return False
        return True

    def _append(self, log: Path, message: str) -> None:
        now = f"{datetime.now(UTC):%Y-%m-%d %H:%M:%S} UTC"
        # The first of them may have been written in part.
        lost = f"\n{now} {self._lost} messages could not be written here\n" if self._lost else ""
        try:
            file = os.open(log, os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o600)
            try:
                _write_all(file, f"{lost}{now} {message}\n")
            finally:
                os.close(file)
        except OSError:
            self._lost += 1
        else:
            self._lost = 0


def _write_all(file: int, text: str) -> None:
    data = text.encode()
    while data:
        data = data[os.write(file, data) :]
