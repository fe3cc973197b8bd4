"""What tests draw is the same in every run: tokens, codes, submission numbers and seeds.

The product draws from the system, through `secrets` and `uuid`. In the processes of the tests both get their bytes from
a generator that begins anew before each test, seeded by the test's name. So a test that fails once in a thousand
draws fails in every run or in none, and what it drew is drawn again when it is run alone. To look for such tests:

    pytest --draws 1 tests/tasks_app     other draws, as often as other numbers are given
    pytest --draws AA tests/tasks_app    each draw ends in bytes of zero, which tokens show as AA

Sites and workers that tests start draw from the system, and so do names of temporary folders. Processes of xdist,
and whatever tests start, hash texts alike (PYTHONHASHSEED), so that sets have one order.
"""

import os
import random
import sys

import pytest

OPTION = "--draws"
HASHING = "PYTHONHASHSEED"
# What every longer draw ends in under `--draws AA`.
ENDS = b"\0" * 3

_from_system = os.urandom
_drawing = random.Random("before the first test")
_chosen = {"draws": "0"}
# Two processes never draw the same.
os.register_at_fork(after_in_child=lambda: _drawing.seed(_from_system(16)))


def drawn(size: int) -> bytes:
    """Return that many bytes, in place of the system's."""
    if _chosen["draws"] == "AA" and size > 2 * len(ENDS):
        return _drawing.randbytes(size - len(ENDS)) + ENDS
    return _drawing.randbytes(size)


def pytest_addoption(parser: pytest.Parser) -> None:
    """Take the option."""
    parser.addoption(OPTION, default="0", help="draw other tokens, codes and seeds than every run: any text, or AA")


@pytest.hookimpl(tryfirst=True)
def pytest_configure(config: pytest.Config) -> None:
    """Draw from the generator from now on."""
    _chosen["draws"] = config.getoption(OPTION)
    os.environ.setdefault(HASHING, "0")
    for module, name in ((os, "urandom"), (random, "_urandom")):
        setattr(module, name, drawn)


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_setup(item: pytest.Item) -> None:
    """Begin the draws of a test."""
    begin(f"{_chosen['draws']} {item.nodeid}")


def begin(name: str) -> None:
    """Begin the draws that belong to a name."""
    _drawing.seed(name)
    random.seed(name)
    if numpy := sys.modules.get("numpy"):
        numpy.random.seed(_drawing.getrandbits(32))


def pytest_unconfigure() -> None:
    """Draw from the system again."""
    for module, name in ((os, "urandom"), (random, "_urandom")):
        setattr(module, name, _from_system)
