"""What tests of pages of results share."""

import pytest
from django.contrib.auth.models import User

from analytics_app.models import Plan
from tasks_app.models import Study
from tasks_app.services.study import lifecycle
from tests.analytics_app.builders import SETTINGS
from tests.builders import build_study
from tests.once import study_made_once

study_once, study = study_made_once("study", build_study)


@pytest.fixture
def closed(study: Study, rosa: User) -> Study:
    """Rosa's study, closed; its plan is that of the builders, and it has no run yet."""
    return shut(study, rosa)


def shut(study: Study, rosa: User) -> Study:
    """Close a study; its plan is that of the builders, and it has no run yet."""
    Plan.objects.update_or_create(study=study, version=1, defaults={"document": SETTINGS})
    study = lifecycle.move(study_id=study.pk, action="close", by=rosa)
    study.runs.all().delete()
    return study
