"""How hypothesis draws examples in every test of the suite.

A failure must mean that the code is wrong, on any machine and in every run. So no example has a time limit (the limit
of a whole test is in pyproject.toml), every run draws the same examples, and none are remembered from earlier runs.
To look for new examples by hand: `pytest --hypothesis-profile=default`.
"""

from hypothesis import settings

PROFILE = "suite"

settings.register_profile(PROFILE, deadline=None, derandomize=True, print_blob=True, database=None)
settings.load_profile(PROFILE)
