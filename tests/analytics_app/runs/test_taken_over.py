"""Only parts that new judgments touch are computed again; the others are taken over, and are the same to the digit."""

from collections.abc import Mapping
from typing import Any

import pytest
from django.contrib.auth.models import User

from analytics_app import plan
from analytics_app.models import Exclusion, Plan, Plot, ResultRow, Run, RunPart
from analytics_app.results import COLUMNS
from analytics_app.runs import claim, compute, start, store
from analytics_app.services import exclusions
from tasks_app.models import Rating, Study
from tests.analytics_app.filling import Filler
from tests.builders import build_study
from tests.undrawn import undrawn

pytestmark = pytest.mark.django_db


# Digits are compared, not how near they are to anything.
FEW = {"n_resamples": 100, "n_permutations": 99}
# Rows and charts are taken over in one way, whatever wrote them: every analysis runs in the first test alone.
# Analyses with few charts.
FEW_CHARTS = {**FEW, "analyses": [{"analysis": name} for name in ("krippendorff", "raters")]}
QUICK = {**FEW, "analyses": [{"analysis": name} for name in ("systems", "krippendorff", "raters")]}


@pytest.fixture(scope="module")
def rated_once(module_rosa: User) -> int:
    """Make a study whose two raters gave every text a value on each of two criteria."""
    study = build_study(module_rosa, criteria=("fluency", "content"))
    filler = Filler(study)
    for number, (item, system) in enumerate(sorted(filler.parts)):
        for place, rater in enumerate(("R-0001", "R-0002")):
            values = {"fluency": 1 + (number + place) % 5, "content": 5 - number % 5}
            filler.judge(rater, item, system, values)
    Plan.objects.update_or_create(study=study, version=1, defaults={"document": plan.check(QUICK, study)})
    return study.pk


def run_of(study: Study, settings: Mapping[str, Any] | None = None) -> Run:
    return start.compute_here(run=start.start(study=study, by=None, settings=settings, trigger="command"))


def taken_from(run: Run) -> dict[str, int | None]:
    found = run.parts.filter(kind="criterion").select_related("criterion")
    return {one.criterion.key: one.taken_from for one in found}


def rows_of(run: Run, criterion: str) -> list[tuple[Any, ...]]:
    return list(ResultRow.objects.filter(run=run, criterion=criterion).order_by("order").values_list(*COLUMNS))


def plots_of(run: Run) -> list[tuple[Any, ...]]:
    return list(Plot.objects.filter(run=run).order_by("order").values_list("key", "order", "title", "svg", "spec"))


def judged_again(study: Study) -> None:
    """A third rater judges one text, on fluency alone."""
    filler = Filler(study)
    filler.judge("R-0003", *sorted(filler.parts)[0], {"fluency": 2})


def test_a_criterion_that_no_new_judgment_touches_is_taken_over(rated: Study) -> None:
    first = run_of(rated, FEW)
    assert taken_from(first) == {"fluency": None, "content": None}
    judged_again(rated)
    second = run_of(rated, FEW)
    assert (second.state, second.number) == ("done", 2)
    assert taken_from(second) == {"fluency": None, "content": 1}
    assert rows_of(second, "content") == rows_of(first, "content") != []
    assert rows_of(second, "fluency") != rows_of(first, "fluency")

    # What a third run takes over was still computed by the first.
    Filler(rated).judge("R-0004", *sorted(Filler(rated).parts)[1], {"fluency": 5})
    assert taken_from(run_of(rated, FEW)) == {"fluency": None, "content": 1}


def test_rows_that_are_taken_over_stand_where_their_part_does(rated: Study) -> None:
    first = run_of(rated)
    judged_again(rated)
    second = start.start(study=rated, by=None, trigger="command")
    content = second.parts.get(criterion__key="content")
    RunPart.objects.filter(pk=content.pk).update(number=content.number + 7)
    second = start.compute_here(run=second)
    assert taken_from(second)["content"] == first.number

    def placed(run: Run) -> list[tuple[Any, ...]]:
        """Return the rows of the part, each with its place in it."""
        begin = run.parts.get(criterion__key="content").number * store.ROWS_OF_A_PART
        rows = ResultRow.objects.filter(run=run, order__range=(begin, begin + store.ROWS_OF_A_PART - 1))
        return [(order - begin, *rest) for order, *rest in rows.order_by("order").values_list("order", *COLUMNS)]

    assert placed(second) == placed(first) != []


@pytest.mark.charts
def test_it_is_what_would_have_been_computed(rated: Study) -> None:
    run_of(rated, FEW_CHARTS)
    judged_again(rated)
    taken = run_of(rated, FEW_CHARTS)
    kept = rows_of(taken, "content"), plots_of(taken)
    assert all(kept)
    RunPart.objects.update(inputs="")
    Run.objects.filter(pk=taken.pk).update(state="failed")
    computed = run_of(rated, FEW_CHARTS)
    assert taken_from(computed) == {"fluency": None, "content": None}
    assert (rows_of(computed, "content"), plots_of(computed)) == kept


@pytest.mark.charts
def test_what_a_system_is_called_stands_in_plots_and_changes_it(rated: Study) -> None:
    with undrawn():
        run_of(rated)
    rated.systems.filter(key="alpha-mt").update(name="The new model")
    judged_again(rated)
    second = run_of(rated)
    assert taken_from(second) == {"fluency": None, "content": None}
    means = Plot.objects.get(run=second, key="main/content/means")
    assert "The new model" in means.svg
    assert "alpha-mt" not in means.svg
    assert ResultRow.objects.filter(run=second, system="alpha-mt").exists()


def test_who_is_excluded_changes_it(rated: Study, rosa: User) -> None:
    run_of(rated)
    rating = Rating.objects.filter(task__study=rated, criterion__key="content").order_by("id").first()
    exclusions.exclude_judgment(judgment=rating.judgment, by=rosa, reason="Pressed at random")
    assert taken_from(run_of(rated)) == {"fluency": None, "content": None}


def test_what_a_rule_took_on_another_criterion_gives_two_bases(rated: Study) -> None:
    """Rows stand twice, for all and for kept ratings, as soon as anything of the task was left out."""
    first = run_of(rated)
    assert {row.basis for row in ResultRow.objects.filter(run=first, criterion="content")} == {"kept"}
    rule = {"rule": "simple_items", "most": 1}
    settings = first.settings | {"rules": [rule]}
    second = start.compute_here(run=start.start(study=rated, by=None, settings=settings, trigger="command"))
    # Raters gave the same on content, and differ on fluency.
    assert {one.rating.criterion.key for one in Exclusion.objects.filter(run=second)} == {"fluency"}
    assert taken_from(second) == {"fluency": None, "content": None}
    assert {row.basis for row in ResultRow.objects.filter(run=second, criterion="content")} == {"all", "kept"}


@pytest.mark.parametrize("name", ["n_resamples", pytest.param("ddof", marks=pytest.mark.exhaustive)])
def test_other_settings_change_it(rated: Study, name: str) -> None:
    first = run_of(rated)
    settings = first.settings | {name: {"n_resamples": 200, "ddof": 0}[name]}
    second = start.compute_here(run=start.start(study=rated, by=None, settings=settings, trigger="command"))
    assert taken_from(second) == {"fluency": None, "content": None}


def test_an_earlier_run_that_is_removed_meanwhile(rated: Study, monkeypatch: pytest.MonkeyPatch) -> None:
    """Between the look and the copy the earlier run goes; the part is put back and computed."""
    first = run_of(rated)
    judged_again(rated)
    usual = compute.compute

    def removing(part: RunPart, **how: bool) -> compute.Outcome:
        outcome = usual(part, **how)
        if outcome.same_as is not None:
            Run.objects.filter(pk=first.pk).delete()
        return outcome

    monkeypatch.setattr(compute, "compute", removing)
    second = run_of(rated)
    assert second.state == "done"
    assert taken_from(second) == {"fluency": None, "content": None}
    again = second.parts.get(criterion__key="content")
    assert (again.attempt, again.error) == (2, "")


def test_rows_that_are_gone_are_not_taken_over(rated: Study) -> None:
    first = run_of(rated)
    judged_again(rated)
    run = start.start(study=rated, by=None, trigger="command")
    claim.work(run.parts.get(kind="quality").pk)
    part = claim.claim(run.parts.get(criterion__key="content").pk)
    outcome = compute.compute(part)
    first.delete()
    with pytest.raises(store.SourceRunRemoved):
        store.store(part, outcome, seconds=0.1)
    assert not ResultRow.objects.filter(run=run, criterion="content").exists()
