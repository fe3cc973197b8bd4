"""What tests of pages of results share."""

import pytest
from django.contrib.auth.models import User

from analytics_app.models import Plan
from tasks_app.models import Study
from tasks_app.services.study import lifecycle
from tests.analytics_app.builders import SETTINGS
from tests.builders import build_study


@pytest.fixture(scope="module")
def study_once(module_rosa: User) -> int:
    """Make the study that tests of a module begin with."""
    return build_study(module_rosa).pk


@pytest.fixture
def study(study_once: int, db: None) -> Study:
    """An open study of rosa's, as that of the cast."""
    return Study.objects.get(pk=study_once)


@pytest.fixture
def closed(study: Study, rosa: User) -> Study:
    """Rosa's study, closed; its plan is that of the builders, and it has no run yet."""
    Plan.objects.update_or_create(study=study, version=1, defaults={"document": SETTINGS})
    study = lifecycle.move(study_id=study.pk, action="close", by=rosa)
    study.runs.all().delete()
    return study
