"""How hypothesis draws examples in every test of the suite.

A failure must mean that the code is wrong, on any machine and in every run. So no example has a time limit (the limit
of a whole test is in pyproject.toml), every run draws the same examples, and none are remembered from earlier runs.
How many are drawn is decided here alone: 6 in every run, 200 in an exhaustive one (tests/extent.py),
and half of these by tests whose examples take long.
To look for new examples by hand: `pytest --hypothesis-profile=default`.
"""

from typing import Any

from hypothesis import settings

PROFILE, EXHAUSTIVE_PROFILE = "suite", "exhaustive"
EXAMPLES = {PROFILE: 6, EXHAUSTIVE_PROFILE: 200}

for name, number in EXAMPLES.items():
    settings.register_profile(
        name, max_examples=number, deadline=None, derandomize=True, print_blob=True, database=None
    )
settings.load_profile(PROFILE)

# The share of the examples that is drawn where each takes long, such as one that is stored and read again.
SHARE_OF_SLOW = 0.5


def slow(**options: Any) -> settings:
    """Return the settings of a test whose examples take long, which draws fewer of them: 3, or 100."""
    return settings(max_examples=round(SHARE_OF_SLOW * settings().max_examples), **options)


def load(*, exhaustive: bool) -> None:
    """Choose how many examples are drawn from now on."""
    settings.load_profile(EXHAUSTIVE_PROFILE if exhaustive else PROFILE)
