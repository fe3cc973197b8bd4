"""Studies with ratings, and scripts."""

import pytest
from django.contrib.auth.models import User
from django.test import Client

from tasks_app.models import Study
from tasks_app.services.study import lifecycle
from tests.analytics_app.filling import Filler
from tests.builders import build_study
from tests.once import study_made_once
from tests.tasks_app.api.conftest import script_of


def build_rated(rosa: User) -> Study:
    """Make an open study with two criteria: three raters judged every text, one skipped one."""
    study = build_study(rosa, items=3, criteria=("fluency", "content"))
    filler = Filler(study)
    for number, (item, system) in enumerate(sorted(filler.parts)):
        for rater in ("R-0001", "R-0002", "R-0003"):
            filler.judge(rater, item, system, {"fluency": 1 + number % 5, "content": 5 - number % 5})
    filler.judge("R-0004", "i0", "alpha-mt", {}, skip_reason="upsetting", state="skipped")
    return study


rated_once, rated = study_made_once("rated", build_rated)


@pytest.fixture
def closed(rated: Study, rosa: User) -> Study:
    """The same, closed."""
    return lifecycle.move(study_id=rated.pk, action="close", by=rosa)


@pytest.fixture
def script(rosa: User, rated: Study) -> Client:
    """A script of rosa's that may do everything."""
    return script_of(rosa, rated)


def address(study: Study, path: str = "") -> str:
    """An address of a study."""
    return f"/api/v1/studies/{study.slug}/{path}"
