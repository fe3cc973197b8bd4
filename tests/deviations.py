"""One test over a table of cases: it goes through all of them, and lists every one that deviates."""

from collections.abc import Callable, Iterable
from typing import Any


def assert_each(check: Callable[..., None], cases: Iterable[tuple[str, dict[str, Any]]]) -> None:
    """Call a check that asserts with the arguments of every case, and fail with the names of those it fails for."""
    tried, deviations = 0, []
    for name, arguments in cases:
        tried += 1
        try:
            check(**arguments)
        except AssertionError as problem:
            deviations.append(f"{name}: {problem}")
    assert tried, "there are no cases"
    assert not deviations, f"{len(deviations)} of {tried} deviate\n" + "\n".join(deviations)
