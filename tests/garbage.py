"""What a search for garbage need not look at.

After collection a process holds some hundred thousand objects that stay to the end: modules, and every test. Python's
full search for garbage goes through all of them, again and again, for a fifteenth of the time of the tests.
"""

import gc

import pytest


@pytest.hookimpl(trylast=True)
def pytest_collection_finish() -> None:
    """Set aside whatever there is before the first test."""
    gc.collect()
    gc.freeze()
