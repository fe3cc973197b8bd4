"""The example of a Likert scale as a draft of rosa's, loaded once for each file of tests (tests/once.py)."""

import pytest
from django.contrib.auth.models import User

from tasks_app import studyfile
from tasks_app.models import Setup, Study
from tasks_app.setup import changes


@pytest.fixture(scope="module")
def module_draft(module_rosa: User) -> int:
    """The id of `draft`."""
    return studyfile.load("examples/likert", owner=module_rosa).pk


@pytest.fixture(scope="module")
def module_setup(module_draft: int) -> int:
    """The id of `setup`."""
    return changes.begin(Study.objects.get(pk=module_draft)).pk


@pytest.fixture
def draft(module_draft: int, rosa: User) -> Study:
    """A draft with 36 texts of three systems; nobody has looked at its form."""
    return Study.objects.get(pk=module_draft)


@pytest.fixture
def setup(module_setup: int, rosa: User) -> Setup:
    """The set-up of a draft with 36 texts of three systems."""
    return Setup.objects.select_related("study").get(pk=module_setup)
