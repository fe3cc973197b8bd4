"""Limit how often somebody does something, counted in the memory of each web process (docs/decisions/0037).

Counts stand under digests for a while and are forgotten then: no name and no address is stored, and raters' pages wait
for no other server. Each process counts for itself.
"""

from django.core.cache import cache
from django.utils.crypto import salted_hmac


def key_of(purpose: str, about: str) -> str:
    """Return the name under which something is counted."""
    return salted_hmac(f"tasks_app.counting.{purpose}", about).hexdigest()


def count(key: str, seconds: int) -> int:
    """Count one more under a key that is forgotten so many seconds after the first, and return how many."""
    cache.add(key, 0, seconds)
    try:
        return int(cache.incr(key))
    except ValueError:  # expired, or pushed out by others, between the two lines
        return 1
