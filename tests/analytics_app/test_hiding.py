"""Results by system are hidden while a study is open, wherever somebody looks."""

import pytest
from django.contrib.auth.models import User

from analytics_app.runs import start
from analytics_app.selectors.results import plots_of, rows_of, systems_shown
from analytics_app.services import hiding
from tasks_app.models import Study
from tasks_app.services.study import lifecycle
from tests.analytics_app.filling import Filler

pytestmark = pytest.mark.django_db


@pytest.fixture
def filled(study: Study) -> Study:
    filler = Filler(study)
    for rater in ("ada", "bob"):
        for number, item in enumerate(("i0", "i1", "i2")):
            filler.judge(rater, item, "alpha-mt", {"fluency": 2 + number})
            filler.judge(rater, item, "beta-mt", {"fluency": 1 + number})
    return study


@pytest.mark.charts
def test_nothing_that_is_shown_while_open_tells_systems_apart(filled: Study) -> None:
    rules = [{"rule": "burn_in", "n": 1}]
    run = start.compute_here(run=start.start(study=filled, by=None, settings={"rules": rules}, trigger="command"))
    assert not systems_shown(filled)
    shown = list(rows_of(run, systems=False))
    assert {one.statistic for one in shown} >= {"alpha", "collected", "removed", "kept", "distribution", "rater_mean"}
    for row in shown:
        words = " ".join(
            str(getattr(row, name)) for name in ("system", "system_b", "label", "note", "settings", "slice")
        )
        assert "alpha-mt" not in words
        assert "beta-mt" not in words
    for plot in plots_of(run, systems=False):
        assert "alpha-mt" not in plot.svg + plot.title
    whole = list(rows_of(run, systems=True))
    assert {one.statistic for one in whole} - {one.statistic for one in shown} >= {"mean", "removed_by_system"}
    assert plots_of(run, systems=True).count() > plots_of(run, systems=False).count()


def test_closing_shows_them_and_opening_again_hides_them(filled: Study, rosa: User) -> None:
    for action, shown in (("pause", False), ("open", False), ("close", True), ("open", False)):
        assert systems_shown(lifecycle.move(study_id=filled.pk, action=action, by=rosa, reason="more raters")) is shown


def test_lifting_needs_a_reason_and_is_logged(filled: Study, rosa: User) -> None:
    with pytest.raises(ValueError, match="reason"):
        hiding.lift(study=filled, by=rosa, reason="  ")
    with pytest.raises(ValueError, match="NUL"):
        hiding.lift(study=filled, by=rosa, reason="because\0")
    assert not systems_shown(filled)
    hiding.lift(study=filled, by=rosa, reason="The funder asked for an interim report.")
    assert systems_shown(filled)
    lifted = filled.result_lifts.get()
    assert (lifted.by, lifted.reason) == (rosa, "The funder asked for an interim report.")
    event = filled.events.first()
    assert (event.verb, event.actor) == ("lifted", rosa)


def test_leaving_the_others_out_shows_no_system_either(filled: Study) -> None:
    settings = {"analyses": [{"analysis": "raters", "without_systems": ["beta-mt"]}, {"analysis": "distribution"}]}
    run = start.compute_here(run=start.start(study=filled, by=None, settings=settings, trigger="command"))
    shown = {(one.analysis, one.slice) for one in rows_of(run, systems=False)}
    assert ("distribution", None) in shown
    assert not any(about for _analysis, about in shown)
    assert rows_of(run, systems=True).filter(slice="system!=beta-mt", statistic="rater_mean").exists()


def test_the_mean_of_a_rater_who_saw_one_system_is_hidden(filled: Study) -> None:
    filler = Filler(filled)
    filler.judge("eve", "i0", "alpha-mt", {"fluency": 5})
    run = start.compute_here(run=start.start(study=filled, by=None, trigger="command"))
    shown = rows_of(run, systems=False).filter(statistic="rater_mean").values_list("rater", flat=True)
    assert set(shown) == {"ada", "bob"}
