"""Sentences by which services report the progress of long work."""

from collections.abc import Callable

# Is called with a sentence that says what is being done, each time that this changes.
Tell = Callable[[str], None]


def tell_nobody(_sentence: str) -> None:
    """Say nothing."""
