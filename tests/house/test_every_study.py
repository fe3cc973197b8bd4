"""A study of every task type, from its file to its results: judged by its pages, exported, imported again, analysed."""

import gzip
import json
import math
from contextlib import nullcontext
from io import StringIO
from pathlib import Path
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.core.management import call_command
from django.test import Client
from pytest_django import Settings

from analytics_app.exports import ratings as export
from analytics_app.exports.reference import PER, columns_of
from analytics_app.models import ResultRow, Run
from tasks_app.models import Judgment, Membership, Rating, Study
from tasks_app.selectors import screens
from tests import extent, invariants
from tests.analytics_app.complete import missing_settings
from tests.house import pairs, recipes, tables_in_files
from tests.house.examples import COVERING, LESS, judged, judged_examples, load
from tests.round_trip import comes_back_unchanged
from tests.undrawn import undrawn

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def own_media(tmp_path: Path, settings: Settings) -> None:
    """Point storage to an empty folder."""
    settings.MEDIA_ROOT = tmp_path / "storage"


# Settings under which a type stores what it does not store in its example.
OTHERWISE = [
    ("labels", {"params": {"multiple": True}}),
    pytest.param("error_labels", {"params": {"ask": "in_order"}}, marks=pytest.mark.exhaustive),
    ("likert", {"criteria_mode": "rater", "params": {"layout": "together"}}),
    pytest.param("semantic_differential", {"params": {"repeated_share": 0.4}}, marks=pytest.mark.exhaustive),
    pytest.param("magnitude", {"criteria_mode": "block"}, marks=pytest.mark.exhaustive),
    pytest.param("slider", {"criteria_mode": "page"}, marks=pytest.mark.exhaustive),
    pytest.param(
        "comprehension", {"criteria_mode": "page", "params": {"order": "fixed"}}, marks=pytest.mark.exhaustive
    ),
]


# Resamples and permutations of an ordinary run.
FEWER_DRAWS = {"n_resamples": 100, "n_permutations": 99}


def less_of(name: str) -> dict[str, Any]:
    """Return how an ordinary run loads an example, which has less to judge then."""
    return {} if extent.is_exhaustive() else LESS.get(name, {}) | {"analysis": FEWER_DRAWS}


@pytest.mark.parametrize(("name", "task"), OTHERWISE)
def test_it_comes_back_unchanged_otherwise_set(name: str, task: dict[str, object], tmp_path: Path) -> None:
    study = judged(load(name, tmp_path, f"first-{name}", **less_of(name), **task), raters=2)
    invariants.check(study)
    _every_rating_says_what_it_answers(study)
    comes_back_unchanged(study, load(name, tmp_path, f"copy-{name}", **less_of(name), **task), tmp_path)


# A page of results as it is sent, compressed: with its charts for a desk and for a telephone, its tables and links.
MOST_BYTES = 150_000

# Examples whose results compare systems pair by pair.
COMPARING = {
    "best_worst", "checked", "comprehension", "counting", "error_labels", "error_spans", "labels", "likert",
    "magnitude", "pairwise", "pictures_and_sounds", "post_edit", "predictions", "ranking", "semantic_differential",
    "slider", "triangle",
}  # fmt: skip

# The example whose charts an ordinary run draws: they compare systems and show checks. Charts of groups and waves are
# drawn by tests that are marked `charts`.
DRAWN = {"checked"}


@judged_examples
def test_it_is_judged_comes_back_unchanged_and_is_analysed(name: str, tmp_path: Path, rosa: User) -> None:
    study = judged(load(name, tmp_path, f"first-{name}", **less_of(name)), raters=4 if extent.is_exhaustive() else 3)
    invariants.check(study)
    stored = Rating.objects.filter(rater__study=study)
    assert stored.exists()
    _every_rating_says_what_it_answers(study)
    _only_columns_that_the_page_names_are_filled(study)
    comes_back_unchanged(study, load(name, tmp_path, f"copy-{name}", **less_of(name)), tmp_path)
    with nullcontext() if extent.is_exhaustive() or name in DRAWN else undrawn():
        _its_analysis_has_numbers(study, tmp_path / "results.json")
    _its_recipes_give_the_numbers(study, tmp_path)
    _its_funnel_adds_up(study)
    pages = _every_page_of_it_opens(name, study, rosa)
    tables_in_files.hold_the_same_numbers(study, pages)
    assert bool(pairs.hold_one_order(study, pages)) == (name in COMPARING)


def _every_rating_says_what_it_answers(study: Study) -> None:
    """Each rating belongs to a declared outcome, in its column, on its scale."""
    for task in study.tasks.all():
        asked = {one.key: one for one in screens.read_frame(task.pk).criteria}
        for rating in Rating.objects.filter(task=task).select_related("criterion"):
            criterion = asked[rating.criterion.key] if rating.criterion else None
            outcome = task.kind.outcome_of(criterion)
            assert outcome is not None, rating.criterion
            if outcome.per != "span":
                assert getattr(rating, outcome.column) is not None, (outcome, rating.criterion)
            scale = task.kind.scale_of(criterion) if outcome.column == "value" else None
            if scale is not None and rating.value is not None:
                assert scale[0] <= rating.value <= scale[1]
                assert task.kind.problem_in_value(rating.value, criterion) is None


def _only_columns_that_the_page_names_are_filled(study: Study) -> None:
    """Of the columns that depend on the task type, as docs/columns.md lists them."""
    tasks = {task.key: task for task in study.tasks.all()}
    asked = {task.key: {one.key: one for one in screens.read_frame(task.pk).criteria} for task in tasks.values()}
    differ = {name for outcomes in PER.values() for name in outcomes[1]} | {"value", "label", "text"}
    for line in b"".join(export.stream(study, format="jsonl")).splitlines():
        row = json.loads(line)
        if row["rating"] is not None:
            task = tasks[row["task"]]
            outcome = task.kind.outcome_of(asked[task.key].get(row["criterion"]))
            assert outcome is not None
            filled = {name for name in differ if row[name] is not None}
            assert filled <= set(columns_of(outcome)), (outcome.name, row)


def _its_analysis_has_numbers(study: Study, document: Path) -> None:
    call_command("analyse", study.slug, "--json", str(document), stdout=StringIO(), stderr=StringIO())
    found = json.loads(document.read_text(), parse_constant=lambda word: pytest.fail(f"{word} in the document"))
    assert found["run"]["state"] == "done"
    assert any(row["analysis"] for row in found["rows"])
    assert not {row["statistic"]: lack for row in found["rows"] if (lack := missing_settings(row))}
    assert not [row for row in found["rows"] if isinstance(row["value"], float) and not math.isfinite(row["value"])]


def _its_recipes_give_the_numbers(study: Study, folder: Path) -> None:
    """Run the recipes in docs/methods on the files of the study, and compare what they give with its results."""
    call_command("export", study.slug, output=str(folder / "ratings.csv"), stdout=StringIO())
    call_command("export", study.slug, output=str(folder / "results.csv"), results=Run.objects.get(study=study).number,
                 stdout=StringIO())  # fmt: skip
    for code in recipes.in_docs():
        again = recipes.run(code, folder)
        of_numbers = {(row["analysis"], row["statistic"]) for row in again}
        assert all(row["again"] == pytest.approx(row["value"], abs=1e-9) for row in again), study.slug
        with_values = ResultRow.objects.filter(run__study=study, value__isnull=False)
        analysed = set(with_values.values_list("analysis", "statistic"))
        assert of_numbers or not analysed & {("systems", "mean"), ("krippendorff", "alpha")}, study.slug


def _its_funnel_adds_up(study: Study) -> None:
    """From every rating that is stored to what counts and what is kept, each step says what it takes."""
    run = Run.objects.get(study=study)
    kept = 0
    for task in study.tasks.all():
        steps = ResultRow.objects.filter(run=run, analysis="funnel", task=task.key, by_system=False)
        n = {name: sum(row.n_ratings or 0 for row in steps if row.statistic == name) for name in FUNNEL}
        assert (n["stored"] or n["collected"]) == Rating.objects.filter(task=task).count()
        assert n["collected"] == (n["stored"] or n["collected"]) - n["left_out"]
        assert n["kept"] == n["collected"] - n["removed"]
        kept += n["collected"]
    assert run.n_counted == kept
    answers = Judgment.objects.filter(assignment__purpose="main", assignment__state="submitted")
    raters = answers.filter(assignment__rater__study=study).values("assignment__rater").distinct().count()
    assert run.facts["raters"] == run.facts["simulated_raters"] == raters


FUNNEL = ("stored", "left_out", "collected", "removed", "kept")


def _every_page_of_it_opens(name: str, study: Study, owner: User) -> list[str]:
    """Open the pages of a study, and return those of its results."""
    Membership.objects.create(study=study, user=owner, role=Membership.Role.OWNER)
    browser = Client()
    browser.force_login(owner)
    base = f"/admin/studies/{study.slug}/"
    rater = study.raters.filter(assignments__judgments__isnull=False).order_by("id")[0]
    of_rater = (f"raters/{rater}/timeline/", f"raters/{rater}/answers/")
    # The other tabs are alike for every type.
    alike = ("", "design/", "recruit/", "monitor/", "raters/", "data/")
    for tab in ("items/", *of_rater, *(alike if name in COVERING or extent.is_exhaustive() else ())):
        assert browser.get(base + tab).status_code == 200, tab
    number = Run.objects.filter(study=study).latest("number").number
    pages = [*pairs.pages_of_results(study, browser), browser.get(f"{base}results/{number}/raters/").content.decode()]
    for page in pages:
        assert len(gzip.compress(page.encode())) <= MOST_BYTES
    return pages
