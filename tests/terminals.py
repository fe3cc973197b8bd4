"""A terminal that keeps what is written to it."""

from io import StringIO


class Terminal(StringIO):
    """A stream that says that somebody looks at it."""

    def isatty(self) -> bool:
        return True

    @property
    def told(self) -> list[str]:
        """The sentences that were written one in place of the other."""
        return [sentence.removeprefix("\x1b[K") for sentence in self.getvalue().split("\r")][1:]
