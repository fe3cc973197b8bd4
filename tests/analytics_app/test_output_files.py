"""Outputs that are pictures and sounds, to whoever analyses: their words are not read, and the datasheet knows them."""

from itertools import pairwise

import pytest
from django.conf import settings

from analytics_app import ratings
from analytics_app.analyses.features.rules import read_features
from analytics_app.heds.answers import in_words
from analytics_app.heds.filling import known_of
from analytics_app.heds.questions import questions
from analytics_app.ratings.extras.shown import Shown
from analytics_app.ratings.extras.shown_texts import ShownTexts
from analytics_app.ratings.extras.words import Words
from analytics_app.selectors.coverage import coverage_of
from tasks_app import studyfile
from tasks_app.models import Output, Study
from tasks_app.services.study import degrading
from tests.analytics_app.filling import new_run
from tests.house.examples import opened

pytestmark = pytest.mark.django_db


@pytest.fixture
def draft() -> Study:
    """The example of pictures in pairs and of single sounds."""
    return studyfile.load(settings.BASE_DIR / "examples" / "pictures_and_sounds", owner=None)


def test_features_that_are_computed_from_texts_have_no_value(draft: Study) -> None:
    for covered in coverage_of(draft, read_features("length: words"), 3):
        assert "".join(covered.notes).startswith("No output has a value of “length”.")


def test_what_says_what_a_file_shows_is_no_text_of_an_analysis(draft: Study) -> None:
    study = opened(draft)
    run = new_run(study)
    table = ratings.load(run, "sounds")
    extras = ratings.load_extras(run, "sounds", table, [Words, Shown, ShownTexts])
    assert set(extras[Words].shown.tolist()) == {0.0}
    assert extras[ShownTexts].files == set(range(8))
    assert sorted(extras[Shown].of_part) == sorted(
        Output.objects.filter(item__study=study, kind="audio").values_list("digest", flat=True)
    )
    assert all(one != other for one, other in pairwise(sorted(extras[Shown].of_part))), "no two sounds are identical"


def test_the_datasheet_knows_that_systems_draw_and_speak(draft: Study) -> None:
    answers = known_of(draft).answers
    assert in_words(questions()["2.2"], answers["2.2"].answer) == "Speech; Pictures or video"
    assert "2.1" not in answers


def test_no_degraded_copy_is_made_of_a_file(draft: Study) -> None:
    draft.tasks.update(checks={"degraded": 1})
    assert degrading.make_copies(study=draft) == 0
