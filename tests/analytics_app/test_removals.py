"""Pairs that leave the factors one by one: what the settings hold, and what rows and tables say of them."""

from dataclasses import replace

import pytest
from django.template.loader import render_to_string

from analytics_app import analyses
from analytics_app.analyses.factors.removals import read_steps
from analytics_app.plan import BadPlan, complete
from analytics_app.selectors.reductions import reductions
from analytics_app.selectors.sections import ResultNames
from analytics_app.show.cells import DASH
from tasks_app.models import Study
from tests.analytics_app.builders import build_run
from tests.analytics_app.scales import moods, only, pairs, panas_table, rows_of, sample, semantic, words
from tests.analytics_app.test_scales import held_to_the_contract
from tests.analytics_app.views.test_scales_tables import cells, shown

GIVEN = ["warm=communality", "simple=content"]


def test_a_step_holds_a_pair_and_a_reason() -> None:
    assert [(step.pair, step.reason) for step in read_steps(["a=b = content"])] == [("a=b", "content")]
    for bad in (["warm"], ["warm=dull"], ["=content"], ["warm=content", "warm=communality"]):
        with pytest.raises(ValueError, match=r"must be key=reason|removed twice"):
            read_steps(bad)
    entry = {"analysis": "factors", "removed": ["warm=dull"]}
    with pytest.raises(BadPlan, match="must be key=reason"):
        complete({"analyses": [entry]}, criteria=(), systems=())


def test_rows_hold_every_step_and_the_loadings_before_the_last() -> None:
    given = sample("factors", semantic(), pairs())
    whole, first = rows_of("factors", given), rows_of("factors", given, removed=GIVEN[:1])
    rows = rows_of("factors", given, removed=GIVEN)
    held_to_the_contract(rows, "factors")
    assert {row.label for row in rows if row.statistic == "communality"} == {"clear", "precise", "lively", "vivid"}
    # Each step says what the run before it said.
    assert only(rows, "removed_pair", label="warm").value == only(whole, "communality", label="warm").value
    step = only(rows, "removed_pair", label="simple")
    assert step.value == only(first, "communality", label="simple").value
    assert step.settings is not None
    assert (step.settings["step"], step.settings["reason"], step.settings["n_factors"]) == (2, "content", 2)
    before = {(row.label, row.metric): row.value for row in first if row.statistic == "loading"}
    again = {(row.label, row.metric): row.value for row in rows if row.statistic == "loading_before"}
    # Factors may have changed places and directions since.
    assert sorted(abs(value or 0) for value in again.values()) == sorted(abs(value or 0) for value in before.values())
    # Four pairs have one factor: the second one of the step before is continued by none.
    assert {metric for _label, metric in again} in (
        {"factor 1", "earlier factor 1"},
        {"factor 1", "earlier factor 2"},
    )


def test_factors_keep_their_places_beside_those_of_the_step_before() -> None:
    given = sample("factors", semantic(), pairs())
    whole, rows = rows_of("factors", given), rows_of("factors", given, removed=GIVEN[:1])
    for label in ("clear", "simple", "precise", "lively", "vivid"):
        for metric in ("factor 1", "factor 2"):
            now = only(rows, "loading", label=label, metric=metric).value
            assert only(rows, "loading_before", label=label, metric=metric).value == pytest.approx(now, abs=0.2)
    assert only(rows, "communality_before", label="warm").value == only(whole, "communality", label="warm").value


def test_the_next_pair_is_named_with_its_criterion_or_a_sentence() -> None:
    given = sample("factors", semantic(), pairs())
    found = only(rows_of("factors", given), "next_removal")
    assert (found.value, found.label) == (None, None)
    assert "No pair has a communality below 0.4" in (found.note or "")
    strict = only(rows_of("factors", given, least_communality=0.99), "next_removal")
    assert strict.settings is not None
    assert strict.settings["reason"] == "communality"
    communalities = {row.label: row.value or 0 for row in rows_of("factors", given) if row.statistic == "communality"}
    assert strict.label == min(communalities, key=lambda label: communalities[label])


def test_without_factors_nothing_is_suggested_and_a_pair_that_is_not_asked_is_named() -> None:
    few = rows_of("factors", sample("factors", semantic(raters=8), pairs()), removed=GIVEN[:1])
    held_to_the_contract(few, "factors")
    assert not [row for row in few if row.statistic == "next_removal"]
    assert only(few, "removed_pair", label="warm").note
    rows = rows_of("factors", sample("factors", semantic(), pairs()), removed=["other=content"])
    assert only(rows, "removed_pair", label="other").note == "Not asked in this task, so not removed."
    assert len([row for row in rows if row.statistic == "communality"]) == 6


def test_a_questionnaire_is_left_alone_by_the_removals_of_another_task() -> None:
    given = sample("panas", panas_table(*moods(60, 1)), words())
    assert list(analyses.registry["factors"]({"removed": ["warm=content"]}).rows(given)) == []


@pytest.mark.parametrize("both", [False, True])
def test_tables_show_both_steps_side_by_side(*, both: bool) -> None:
    given = sample("factors", semantic(), pairs())
    found = shown("factors", rows_of("factors", given, removed=GIVEN[:1]), both=both)
    loadings = cells(found["Loadings"], "clear")
    assert {"Factor 1", "Factor 1, previous step", "Communality, previous step", "Loading gap"} <= loadings.keys()
    assert DASH not in loadings.values()
    gone = cells(found["Loadings"], "warm (removed)")
    assert gone["Factor 1"] == DASH
    assert gone["Communality, previous step"] != DASH
    steps = shown("factors", rows_of("factors", given, removed=GIVEN), both=both)["Pairs removed"]
    assert [[cell.text for cell in row[:3]] for row in steps.rows] == [
        ["1", "warm", "low communality"],
        ["2", "simple", "its content"],
    ]
    assert DASH not in {cell.text for row in steps.rows for cell in row}


SHOWN = ResultNames(tasks={"main": "Words"}, types={"main": "semantic_differential"})


@pytest.mark.django_db
def test_the_panel_is_about_the_ratings_that_the_settings_leave(study: Study) -> None:
    """Every row has a slice then, and those of each value of a feature come after them."""
    given = sample("factors", semantic(), pairs())
    rows = rows_of("factors", given, removed=GIVEN[:1], without_systems=["writer"])
    assert {row.slice for row in rows} == {"system!=writer"}
    others = [replace(row, slice="domain=news; system!=writer") for row in rows]
    (found,) = reductions(build_run(study, [*rows, *others]), SHOWN)
    assert [key for key, _name in found.pairs] == ["clear", "simple", "precise", "lively", "vivid"]
    assert found.removed == ["warm"]
    # Where all ratings have no factors, those of a part of them are not the ones to reduce.
    refused = [only(rows_of("factors", sample("factors", semantic(raters=8), pairs())), "kmo")]
    assert reductions(build_run(study, [*refused, *others]), SHOWN) == []


@pytest.mark.django_db
@pytest.mark.parametrize("may_edit", [False, True])
def test_without_factors_the_panel_offers_to_undo_and_claims_nothing(study: Study, *, may_edit: bool) -> None:
    few = rows_of("factors", sample("factors", semantic(raters=8), pairs()), removed=GIVEN[:1])
    run = build_run(study, few)
    (found,) = reductions(run, SHOWN)
    assert (found.pairs, found.removed) == ([], ["warm"])
    context = {"reductions": [found], "study": study, "run": run, "may_edit": may_edit}
    panel = render_to_string("researcher/_reductions.html", context)
    assert "This run found no factors." in panel
    assert "Every pair meets" not in panel
    assert "No further pair" not in panel
    assert ("You can undo the last removal" in panel, 'name="undo"' in panel) == (may_edit, may_edit)
