"""Every test's surroundings.

How examples are drawn (tests/chance.py), servers of the run's own (tests/servers.py), a browser (tests/browsing.py) and
the cast (tests/cast.py).
"""

pytest_plugins = ["tests.chance", "tests.servers", "tests.browsing", "tests.cast"]
