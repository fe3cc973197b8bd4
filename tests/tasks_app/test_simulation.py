"""Simulated raters go through the pages as people do."""

from io import StringIO

import pytest
from django.contrib.auth.models import User
from django.core.management import call_command
from django.core.management.base import CommandError

from tasks_app.models import Assignment, Judgment, Rater, Study
from tasks_app.task_types.simulation import latent_quality, planted
from tests import invariants
from tests.builders import build_study
from tests.elsewhere import study_elsewhere

pytestmark = pytest.mark.django_db


def simulate(slug: str, **options: object) -> dict[str, int]:
    """Run the command and read the numbers it prints."""
    out = StringIO()
    call_command("simulate_raters", slug, stdout=out, **options)
    return {line.split(": ")[0]: int(line.split(": ")[1]) for line in out.getvalue().splitlines()}


def test_a_crowd_with_drop_outs_fills_every_place_once() -> None:
    study = build_study(None, items=4, k=3, set_size=8)
    seen = simulate(study.slug, raters=7, drop_out=0.5, late=0.5, twice=0.3, second_tab=0.3)
    invariants.check(study)
    assert seen["arrived"] == Rater.objects.count() <= 7
    assert set(Rater.objects.values_list("kind", flat=True)) == {"simulated"}
    assert seen["answered"] == Judgment.objects.count()
    assert seen["dropped out"] > 0
    assert seen["sent twice"] > 0
    assert Assignment.objects.filter(state="submitted").count() <= 24


def test_pages_of_several_texts_are_answered_whole() -> None:
    study = build_study(None, items=6, k=1, set_size=6, params={"texts_per_page": 4})
    seen = simulate(study.slug, raters=3, drop_out=0.5, late=0.5, twice=1, second_tab=1)
    invariants.check(study)
    assert seen["answered"] == Judgment.objects.count() == Assignment.objects.filter(state="submitted").count() > 6
    assert seen["second tab refused"] > 0
    assert all(3 <= judgment.seconds_active <= 25 for judgment in Judgment.objects.all())


def test_texts_with_a_set_time_are_shown_by_the_button_and_some_lapse() -> None:
    params = {"set_seconds": 10, "set_time_for": "answering"}
    study = build_study(None, items=6, k=1, set_size=6, params=params, criteria=("fluency", "style"))
    seen = simulate(study.slug, raters=3)
    invariants.check(study)
    timings = list(Judgment.objects.values_list("timing", "skip_reason"))
    assert seen["answered"] == len(timings)
    assert 0 < seen["ran out of time"] == sum(timing["lapsed"] for timing, _reason in timings) < len(timings)
    unfinished = [timing for timing, reason in timings if reason == "time_over"]
    assert len(unfinished) == seen["ran out of time"]
    assert all(len(timing["unfinished"]) == 1 for timing in unfinished)


def test_tasks_on_another_site_are_opened_and_reported() -> None:
    study = study_elsewhere(None, k=4)
    seen = simulate(study.slug, raters=4)
    invariants.check(study)
    told = [judgment.elsewhere for judgment in Judgment.objects.all()]
    assert seen["answered"] == len(told)
    events = [[event["event"] for event in one["events"]] for one in told]
    assert seen["reported"] == sum(map(len, events))
    assert all(1 <= names.count("query") <= 4 for names in events)
    assert any("done" in names for names in events)
    assert all(one["events"][-1]["at"] >= 2 for one in told)


def test_a_study_that_is_not_open_or_not_there_is_refused() -> None:
    build_study(None, slug="draft", opened=False)
    with pytest.raises(CommandError, match="Open it first"):
        simulate("draft")
    with pytest.raises(CommandError, match="no study 'nowhere'"):
        simulate("nowhere")


def test_raters_come_by_the_channel_that_is_open(rosa: User) -> None:
    study = build_study(rosa)
    cases: list[tuple[dict[str, object], str]] = [
        ({"prolific": {}}, "prolific"),
        ({"prolific": {}, "link": {}}, "link"),
    ]
    for channels, used in cases:
        Study.objects.filter(pk=study.pk).update(settings={**study.settings, "channels": channels})
        simulate(study.slug, raters=1, seed=len(channels))
        assert Rater.objects.latest("pk").channel == used
    Study.objects.filter(pk=study.pk).update(settings={**study.settings, "channels": {"invited": {}}})
    with pytest.raises(CommandError, match="by invitation only"):
        simulate(study.slug)


def test_planted_levels_are_found_by_every_type_that_asks_for_the_quality_of_a_text() -> None:
    texts = [f"Text {number}." for number in range(40)]
    before = [latent_quality(text, "style") for text in texts]
    with planted({text: {"style": 0.8, "": 0.3} for text in texts}):
        style = [latent_quality(text, "style") for text in texts]
        others = [latent_quality(text, "other") for text in texts]
        assert latent_quality("Another text.", "style") not in style
    assert all(abs(level - 0.8) <= 0.2 for level in style)
    assert all(abs(level - 0.3) <= 0.2 for level in others)
    assert [latent_quality(text, "style") for text in texts] == before


def test_nothing_is_planted_in_a_study_of_ones_own() -> None:
    study = build_study(None, slug="own")
    with pytest.raises(CommandError, match="Nothing is planted in 'own', only in example-"):
        simulate(study.slug, planted=True)
