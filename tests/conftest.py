"""Every test's surroundings.

How examples are drawn (tests/chance.py), what becomes of a test that hangs (tests/limits.py), servers of the run's own
(tests/servers.py), a browser (tests/browsing.py) and the cast (tests/cast.py).
"""

pytest_plugins = ["tests.chance", "tests.limits", "tests.servers", "tests.browsing", "tests.cast"]
