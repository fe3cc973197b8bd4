"""A study that is made once for the tests of a module."""

import pytest
from django.contrib.auth.models import User

from tasks_app.models import Study
from tests.builders import build_study


@pytest.fixture(scope="module")
def study_once(module_rosa: User) -> int:
    """Make the study that tests of a module begin with."""
    return build_study(module_rosa).pk


@pytest.fixture
def study(study_once: int, db: None) -> Study:
    """An open study of rosa's, as that of the cast."""
    return Study.objects.get(pk=study_once)
