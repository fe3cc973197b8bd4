"""Set the frequency of Python's garbage collection, in every process.

What is loaded at a start stays. Searching through it after every 700 new objects, as Python does unless told
otherwise, takes a tenth of the start. A search also writes into each object: processes that were forked to share what
was loaded would then have copies of it.
"""

import gc

# New objects until the next search of the youngest, and searches until the next one of older objects.
gc.set_threshold(10_000, 20, 50)


def share_with_forks() -> None:
    """Leave all loaded objects out of every later search, so that forked processes go on sharing their memory."""
    gc.collect()
    gc.freeze()
