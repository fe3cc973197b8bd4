"""What a search for garbage need not look at, and how often there is one.

After collection a process holds some hundred thousand objects that stay to the end: modules, and every test. Python's
full search for garbage goes through all of them, again and again, for a fifteenth of the time of the tests. What a page
leaves behind is mostly freed without a search; to search after every 700 new objects takes a tenth of what is left.
"""

import gc

import pytest

# New objects until the next search of the youngest, and searches until the next one of older objects.
THRESHOLDS = (50_000, 20, 50)


@pytest.hookimpl(trylast=True)
def pytest_collection_finish() -> None:
    """Set aside whatever there is before the first test, and search less often from then on."""
    gc.collect()
    gc.freeze()
    gc.set_threshold(*THRESHOLDS)
