"""The processor time of a run, also as it would be on the machine that the budget of `make test` is stated for."""

import os
import time

# What `make test` may take, with lint, on a machine where the loop below takes REFERENCE: decision 90.
BUDGET, REFERENCE = 1_200, 2.4
ADDITIONS, OF = 4_000_000, 20_000_000


def seconds_so_far() -> float:
    """Return the processor seconds of this process and of the children that have ended, user and system."""
    spent = os.times()
    return spent.user + spent.system + spent.children_user + spent.children_system


def loop_seconds() -> float:
    """Return the processor seconds in which this machine now adds 20 million numbers, by adding a fifth of them."""
    names: dict[str, float] = {}
    began = time.process_time()
    # With names of a module, as in a script: those of a function are found twice as fast.
    exec(f"total = 0\nfor number in range({ADDITIONS}):\n    total += number", names)  # noqa: S102
    return (time.process_time() - began) * OF / ADDITIONS


def said(what: str, seconds: float, loop: float) -> str:
    """Return a sentence with the seconds that something took here and would take on the machine of the budget."""
    return (
        f"{what}: {seconds:,.0f} processor seconds, where 20 million additions take {loop:.1f}; "
        f"{seconds * REFERENCE / loop:,.0f} where they take {REFERENCE}, and `make test` may take {BUDGET:,} there "
        "on a machine that does nothing else."
    )
