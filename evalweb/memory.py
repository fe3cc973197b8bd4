"""Keep a web process from holding memory that it no longer uses.

glibc's malloc gives each thread a heap of its own, and each heap keeps what was freed behind the last block in use. A
process whose threads read uploads then holds several times what it needs. Where the C library is not glibc, such as
musl, nothing is changed.
"""

import ctypes
from collections.abc import Callable

# `mallopt`'s number for the largest number of heaps, as in glibc's malloc.h.
M_ARENA_MAX = -8
# One heap for the thread of the event loop and one for the others: these wait for Python's lock, not for a heap.
HEAPS = 2


def _of_c(name: str) -> Callable[..., int] | None:
    """Return a function of the C library that this process runs on; None where it has no such function."""
    function: Callable[..., int] | None = getattr(ctypes.CDLL(None), name, None)
    return function


_malloc_trim, _mallopt = _of_c("malloc_trim"), _of_c("mallopt")


def keep_few_heaps() -> None:
    """Limit the heaps of this process; called before its threads start."""
    if _mallopt is not None:
        _mallopt(M_ARENA_MAX, HEAPS)


def give_back() -> None:
    """Return memory that is free in any heap to the system."""
    if _malloc_trim is not None:
        _malloc_trim(0)
