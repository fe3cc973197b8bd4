"""The size of requests that each address accepts, and whether it takes files: set by the view, held by the server."""

from collections.abc import Callable
from typing import Any, TypeVar

MIB = 1024 * 1024
# A rater's longest answer, with every letter percent-encoded; Django refuses forms without files above it as well.
ORDINARY = 2_621_440
# Bytes of a form besides its file: its fields, and the headers of its parts.
BESIDE_THE_FILE = MIB

# A list of fifty thousand people with their e-mail.
LARGEST_TABLE = 8 * MIB

View = TypeVar("View", bound=Callable[..., Any])


def largest_table() -> int:
    """Return the bytes of the largest list of raters, or of a platform's largest report."""
    return LARGEST_TABLE


def accepts_files(largest: Callable[[], int]) -> Callable[[View], View]:
    """Declare that a view reads uploaded files of up to `largest()` bytes, from people who are signed in."""

    def declare(view: View) -> View:
        view.largest_file = largest  # type: ignore[attr-defined]
        return view

    return declare


def largest_upload(view: Callable[..., Any]) -> int | None:
    """Return the bytes that a request with files may have; None for a view that accepts no files."""
    largest: Callable[[], int] | None = getattr(view, "largest_file", None)
    return None if largest is None else max(ORDINARY, largest() + BESIDE_THE_FILE)
