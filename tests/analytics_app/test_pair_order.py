"""A pair of texts counts once, in whichever order ratings name its two texts."""

import json
from functools import partial
from importlib import import_module
from pathlib import Path
from typing import Any

import krippendorff
import numpy as np
import pandas as pd
import pytest
from django.db import connection
from hypothesis import given
from hypothesis import strategies as st

from analytics_app import analyses, quality
from analytics_app.analyses.base import Common, Question, QuestionCriterion, Sample
from analytics_app.archive import comparing, corrections
from analytics_app.exports import ratings, results
from analytics_app.models import Run
from analytics_app.quality.base import Asking, RuleSample, Scope
from analytics_app.ratings import Extras, Table
from analytics_app.ratings.extras.screens import Screens
from analytics_app.ratings.pair_order import concerned_tasks, in_one_order
from analytics_app.ratings.table import COLUMNS
from analytics_app.results import UNCORRECTED_NOTE, Row
from analytics_app.views import standing
from tasks_app import task_types
from tasks_app.models import Rating, Study
from tasks_app.task_types.base import Scale
from tests import chance
from tests.analytics_app import pair_tables
from tests.analytics_app.by_commands import analysed, load
from tests.analytics_app.pair_tables import CRITERIA, LABELS, PAIRS, other_sides, relabelled
from tests.deviations import assert_each
from tests.tasks_app.importing.kit import bring, problems_of

# The settings with which simulations and resampling take little time.
FEWER = {"rounds": 2, "n_runs": 40, "trueskill_runs": 40}


def orders_of(table: Table, seed: int) -> np.ndarray:
    """Draw which ratings name their texts in the other order."""
    return np.random.default_rng(seed).random(len(table)) < 0.5


def questions() -> list[Question]:
    """The questions of a task that asks which text is better and how much: each by itself, and both."""
    params = task_types.registry["pairwise"]({"both_bad": True, "strength": "quality"}).params
    asked = (
        QuestionCriterion("quality", "Quality", Scale.NOMINAL, 0, labels=LABELS),
        QuestionCriterion("strength-quality", "Strength", Scale.ORDINAL, 1, (1.0, 2.0), (1.0, 2.0)),
    )
    common: dict[str, Any] = {"task": "main", "task_type": "pairwise", "params": params}
    return [
        Question(scale=Scale.NOMINAL, criterion="quality", labels=LABELS, **common),
        Question(scale=Scale.ORDINAL, criterion="strength-quality", domain=(1.0, 2.0), limits=(1.0, 2.0), **common),
        Question(scale=Scale.NOMINAL, whole=True, criteria=asked, **common),
    ]


def rows_of(name: str, answers: Table, screens: Screens) -> list[Row]:
    """Return the rows of an analysis on every question that it fits."""
    member = analyses.registry[name]
    found: list[Row] = []
    analysis = member({key: FEWER[key] for key in FEWER if key in member.Settings.base_fields})
    for question in questions():
        if not member.fits(question):
            continue
        code = CRITERIA.index(question.criterion) if question.criterion else None
        table = answers if code is None else answers.where(answers.criterion == code)
        extras = Extras({kind: screens if kind is Screens else kind.empty(table) for kind in member.needs})
        common = Common(n_resamples=50, n_permutations=49, seed=3)
        found += analysis.rows(Sample(table, table.z(), question, common, "kept", extras=extras))
    return found


def removed_by(name: str, table: Table, screens: Screens) -> list[Any]:
    """Return the ratings that a quality rule removes, with the reasons."""
    rule = quality.registry[name]
    extras = Extras({kind: screens if kind is Screens else kind.empty(table) for kind in rule.needs})
    task = Asking("main", {}, (Scope("strength-quality", 1, 1.0, 2.0, 1.0),))
    removal = rule().remove(RuleSample(table, table.z(), extras=extras, task=task))
    return [removal.mask.tolist(), removal.ids.tolist(), removal.reasons, removal.notes]


FITTING = [name for name, member in analyses.registry.items() if any(map(member.fits, questions()))]
drawn = partial(given, items=st.integers(1, 6), raters=st.integers(1, 5), seed=st.integers(0, 999), sided=st.booleans())


def test_the_analyses_of_pairs_are_tried() -> None:
    assert {"agreement", "kappa", "krippendorff", "pairwise", "pairwise_strength", "order_effects", "trueskill"} <= set(
        FITTING
    )


@drawn()
def test_ratings_are_what_a_raters_own_answers_would_be(items: int, raters: int, seed: int, sided: bool) -> None:
    own = pair_tables.table(items=items, raters=raters, seed=seed, sided=sided)
    read = in_one_order(relabelled(own, orders_of(own, seed)), PAIRS)
    for name in COLUMNS:
        np.testing.assert_array_equal(getattr(read, name), getattr(own, name), name)
    assert read.names == own.names or read.names.labels == own.names.labels
    assert in_one_order(own, PAIRS).label is own.label, "nothing to turn"


@chance.slow()
@drawn()
def test_relabelling_changes_no_figure(items: int, raters: int, seed: int, sided: bool) -> None:
    own = pair_tables.table(items=items, raters=raters, seed=seed, sided=sided)
    screens = pair_tables.screens(own)
    turned = in_one_order(relabelled(own, orders_of(own, seed)), PAIRS)
    assert turned.n_texts == len(np.unique(own.unit))

    def same_rows(name: str) -> None:
        assert rows_of(name, turned, screens) == rows_of(name, own, screens)

    def same_removals(name: str) -> None:
        assert removed_by(name, turned, screens) == removed_by(name, own, screens)

    assert_each(same_rows, ((name, {"name": name}) for name in FITTING))
    assert_each(same_removals, ((name, {"name": name}) for name in quality.registry))


def test_alpha_is_that_of_who_preferred_which_system() -> None:
    own = pair_tables.table(items=12, raters=6, seed=11)
    stored = relabelled(own, orders_of(own, 11)).where(own.criterion == 0)
    # An independent reading of the stored rows: the first answer of a rater to a pair, as the system that is better.
    systems = np.array(pair_tables.SYSTEMS)[stored.names.shown_system]
    answers = pd.DataFrame(
        {
            "rater": stored.rater,
            "pair": stored.unit,
            "system": systems[stored.part],
            "system_b": systems[stored.part_b],
            "label": np.array(LABELS)[stored.label],
        }
    )
    better = answers["label"].map({"both_bad": "both bad", "tie": "tie"})
    better = better.fillna(answers["system"].where(answers["label"] == "first", answers["system_b"]))
    # Who is better has a name of its own in each pair; alpha compares "the first by name" and "the second by name".
    names = answers[["system", "system_b"]].apply(sorted, axis=1, result_type="expand")
    said = better.where(better != names[0], "one").where(better != names[1], "other")
    matrix = (
        answers.assign(said=said).drop_duplicates(["rater", "pair"]).pivot(index="rater", columns="pair", values="said")
    )
    codes = matrix.apply(lambda column: column.map({word: n for n, word in enumerate(sorted(set(said)))}))
    expected = krippendorff.alpha(codes.to_numpy(dtype=float), level_of_measurement="nominal")
    read = in_one_order(stored, PAIRS)
    (alpha,) = shares_of(rows_of("krippendorff", read, pair_tables.screens(read)), "alpha")[:1]
    assert alpha.value == pytest.approx(expected, abs=1e-12)


@chance.slow()
@drawn()
def test_exchanging_the_shown_sides_turns_only_order_effects(items: int, raters: int, seed: int, sided: bool) -> None:
    own = pair_tables.table(items=items, raters=raters, seed=seed, sided=sided)
    here, there = (pair_tables.screens(own, exchanged=exchanged) for exchanged in (False, True))
    exchanged = other_sides(own)

    def same_rows(name: str) -> None:
        assert rows_of(name, exchanged, there) == rows_of(name, own, here)

    def same_removals(name: str) -> None:
        assert removed_by(name, exchanged, there) == removed_by(name, own, here)

    assert_each(same_rows, ((name, {"name": name}) for name in FITTING if name not in {"order_effects", "pairwise"}))
    assert_each(same_removals, ((name, {"name": name}) for name in quality.registry))
    before, after = (rows_of("pairwise", table, screens) for table, screens in ((own, here), (exchanged, there)))
    assert [row for row in before if row.statistic != "left_share"] == [
        row for row in after if row.statistic != "left_share"
    ]
    for row, other in zip(*(shares_of(rows, "left_share") for rows in (before, after)), strict=True):
        assert row.value + other.value == pytest.approx(1)
    before, after = (rows_of("order_effects", table, screens) for table, screens in ((own, here), (exchanged, there)))
    sides = ({row.label: row.value for row in shares_of(rows, "chosen_place_share")} for rows in (before, after))
    one, two = sides
    other_place = {"place 1": "place 2", "place 2": "place 1"}
    assert two == pytest.approx({other_place[label or ""]: value for label, value in one.items()})


def shares_of(rows: list[Row], statistic: str) -> list[Row]:
    """Return the rows of a statistic."""
    return [row for row in rows if row.statistic == statistic]


ITEMS = [
    {"item": str(number), "system": system, "output": f"Text {system} of {number}."}
    for number in range(1, 5)
    for system in ("A", "B")
]
# Two raters who agree on four pairs; the second names their texts in the other order.
AGREED = [
    {"rater": rater, "item": str(item), "system": a, "system_b": b, "label": "first" if better == a else "second"}
    for item, better in enumerate("AABB", start=1)
    for rater, (a, b) in (("r1", "AB"), ("r2", "BA"))
]
TASK = {"type": "pairwise", "criteria": ["quality"]}
MORE = {
    "criteria": [{"key": "quality", "name": "Quality", "question": "Which is better?"}],
    "flow": {"imported": True},
}
SHOWN = ({"analysis": "krippendorff"}, {"analysis": "kappa"}, {"analysis": "agreement"}, {"analysis": "pairwise"})
# What two raters who agree have in full.
FULL = ("alpha", "cohen_kappa", "fleiss_kappa", "gwet_ac1", "percent_agreement")


@pytest.mark.django_db
def test_raters_who_agree_about_pairs_in_both_orders_agree_also_where_they_were_imported_earlier(
    tmp_path: Path,
) -> None:
    load(tmp_path, TASK, ITEMS, AGREED, **MORE)
    imported = analysed(tmp_path, *SHOWN)
    parts = Rating.objects.order_by("id").values_list("part__number", "part_b__number", "label")
    assert list(parts) == [
        (0, 1, label) for label in ("first", "first", "first", "first", "second", "second", "second", "second")
    ]
    values = {row["statistic"]: row["value"] for row in imported}
    assert {name: values[name] for name in FULL} == dict.fromkeys(FULL, 1.0)
    collected = next(row for row in imported if row["statistic"] == "collected")
    assert (collected["n_items"], collected["n_ratings"]) == (4, 8)
    # Imports of earlier versions stored the order of the file, and a run over the same ratings is not computed twice.
    Run.objects.all().delete()
    with connection.cursor() as cursor:
        cursor.execute("SET LOCAL evalweb.erasing = 'on'")
    for rating in Rating.objects.filter(rater__pseudonym="r2"):
        Rating.objects.filter(pk=rating.pk).update(
            part=rating.part_b_id, part_b=rating.part_id, label=pair_tables.EXCHANGED[rating.label or ""]
        )
    earlier = analysed(tmp_path, *SHOWN)
    assert earlier == imported
    run = Run.objects.order_by("pk")[0]
    assert concerned_tasks(run) == ("main",)
    (correction,) = (one for one in corrections.CORRECTIONS if one.name == "order-of-pairs")
    assert correction.applies(run)
    assert not run.uncorrected_tasks
    exported = b"".join(ratings.stream(run.study)).decode()
    assert [line.split(",")[5:8:2] for line in exported.splitlines()[1:]] == [["A", "B"]] * 8
    # The runs of an earlier version say so on the page and in both files, and keep their numbers.
    import_module("analytics_app.migrations.0009_mark_runs_before_pairs_had_one_order").mark(None, connection)
    run.refresh_from_db()
    assert run.uncorrected_tasks == ("main",)
    assert "Computed before a correction: in “Pairwise comparison”, a pair" in standing.standing(run, run.study)
    document = json.loads(b"".join(results.stream(run)))
    assert document["run"]["facts"]["tasks"]["main"]["uncorrected"] == ["pair_order"]
    assert all(row["note"].endswith(UNCORRECTED_NOTE) for row in document["rows"])
    assert [row["value"] for row in document["rows"]] == [row["value"] for row in imported]


@pytest.mark.django_db
def test_a_second_answer_in_the_other_order_is_refused_or_kept_as_such(tmp_path: Path) -> None:
    head = "rater,item,system,system_b,label\n"
    twice = f"{head}r2,1,A,B,first\nr2,1,B,A,first\nr3,1,A,B,tie\nr3,1,B,A,tie\n"
    load(tmp_path, TASK, ITEMS, AGREED[:1], **MORE)
    study = Study.objects.get(slug="small")
    lines = problems_of(study, tmp_path, twice)
    assert [line.split(". To keep")[0] for line in lines] == [
        "ratings.csv:3:1: rater: This rater has already rated this, in line 2: 'first' there, 'second' here",
        "ratings.csv:5:1: rater: This rater has already rated this, in line 4: 'tie' there, 'tie' here",
    ]
    assert "already imported" in problems_of(study, tmp_path, f"{head}r1,1,B,A,second\n")[0]
    assert bring(study, tmp_path, twice, "repeats: keep").counts["judgments"] == 4
    of_r2 = Rating.objects.filter(rater__pseudonym="r2").order_by("id")
    assert list(of_r2.values_list("label", flat=True)) == ["first", "second"]
    assert len(set(of_r2.values_list("judgment", flat=True))) == 2


@pytest.mark.django_db
def test_pairs_and_strengths_that_name_fewer_texts_are_stored_as_raters_answers_are(tmp_path: Path) -> None:
    task = {**TASK, "params": {"strength": "quality"}}
    named = {"system": "B", "system_b": "A"}
    answers = [
        {"rater": "r1", "unit": "1/A+B", "criterion": "quality", "label": "first"},
        {"rater": "r1", "unit": "1/A+B", "criterion": "strength-quality", "value": 2},
        {"rater": "r2", "item": "1", **named, "criterion": "quality", "label": "second", "shown_value": 1},
        {"rater": "r2", "item": "1", **named, "criterion": "strength-quality", "value": 1},
        {"rater": "r3", "item": "1", "system": "B", "criterion": "quality", "label": "second"},
    ]
    load(tmp_path, task, ITEMS, answers, **MORE)
    columns = ("rater__pseudonym", "part__number", "part_b__number", "label", "value", "shown_value")
    assert list(Rating.objects.order_by("id").values_list(*columns)) == [
        ("r1", 0, 1, "first", None, None),
        ("r1", None, None, None, 2.0, None),
        ("r2", 0, 1, "first", None, 1.0),
        ("r2", None, None, None, 1.0, None),
        ("r3", 0, 1, "first", None, None),
    ]


def test_verify_knows_earlier_ratings_that_only_name_the_texts_in_the_other_order() -> None:
    row = {"rater": "r2", "system": "A", "variant": "", "system_b": "B", "label": "first"}
    turned = row | {"system": "B", "system_b": "A", "label": "second"}
    tie = row | {"label": "tie"}
    now = [row, row, tie]
    (known,) = comparing.rating_differences([turned, row, tie | {"system": "B", "system_b": "A"}], now, hidden=False)
    assert (known.n, known.fact) == (2, comparing.PAIR_ORDER)
    assert all(one.explains(known) for one in corrections.CORRECTIONS if one.name == "order-of-pairs")
    for falsified in (turned | {"label": "first"}, turned | {"rater": "r1"}, row | {"label": "second"}):
        differences = list(comparing.rating_differences([falsified, row, tie], now, hidden=False))
        assert differences
        assert not any(one.explains(found) for one in corrections.CORRECTIONS for found in differences)
