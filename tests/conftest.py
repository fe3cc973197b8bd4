"""Every test's surroundings.

How examples are drawn (tests/chance.py), how much of the suite runs (tests/extent.py), what becomes of a test that
hangs (tests/limits.py), what a search for garbage leaves out (tests/garbage.py), what becomes of rows that were
taken back (tests/leftovers.py), rows that stay for a module (tests/once.py), which process runs which tests
(tests/scheduling.py), servers of the run's own (tests/servers.py), a browser (tests/browsing.py) and the cast
(tests/cast.py).
"""

pytest_plugins = [
    "tests.chance",
    "tests.extent",
    "tests.limits",
    "tests.garbage",
    "tests.leftovers",
    "tests.cast",
    "tests.once",
    "tests.scheduling",
    "tests.servers",
    "tests.browsing",
]
