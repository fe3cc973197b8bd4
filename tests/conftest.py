"""Every test's surroundings: servers of the run's own (tests/servers.py) and a browser (tests/browsing.py)."""

pytest_plugins = ["tests.servers", "tests.browsing", "tests.cast"]
