"""Every test's surroundings.

How examples are drawn (tests/chance.py), and tokens and codes (tests/draws.py), how much of the suite runs
(tests/extent.py), what becomes of a test that hangs (tests/limits.py), what a search for garbage leaves out
(tests/garbage.py), what becomes of rows that were taken back (tests/leftovers.py), how pages are rendered
(tests/rendering.py), rows that stay for a module (tests/once.py), the program that reads uploads (tests/reading.py),
which process runs which tests (tests/scheduling.py), servers of the run's own (tests/servers.py), a browser
(tests/browsing.py), the cast (tests/cast.py), what is said where no published data are at hand
(tests/absent_data.py), and how much processor time a run took (tests/budget.py).
"""

pytest_plugins = [
    "tests.chance",
    "tests.draws",
    "tests.extent",
    "tests.limits",
    "tests.garbage",
    "tests.leftovers",
    "tests.rendering",
    "tests.cast",
    "tests.once",
    "tests.reading",
    "tests.scheduling",
    "tests.budget",
    "tests.servers",
    "tests.browsing",
    "tests.absent_data",
]
