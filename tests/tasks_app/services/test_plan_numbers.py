"""What the plan page promised before opening is what was collected: counts from the database, counted apart."""

import csv
import io
from collections import Counter
from collections.abc import Iterator
from random import Random
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.test import Client

from tasks_app.models import Assignment, Document, Item, Judgment, PartOutput, RaterSet, Study, Unit
from tasks_app.selectors.screens import RaterScreen
from tasks_app.services.judging import judgments
from tasks_app.services.plan import reports
from tasks_app.services.plan.reports import Report
from tasks_app.services.study import degrading, lifecycle, units
from tests import walk
from tests.builders import build_study
from tests.walk import next_for

pytestmark = pytest.mark.django_db

SYSTEMS = ("a-mt", "b-mt", "c-mt")
Purpose = Assignment.Purpose


def judge_everything(study: Study, raters: int) -> None:
    """Let so many raters take a set each and answer all of it."""
    rng = Random(4)
    for _rater in range(raters):
        rater = walk.arrive(study)
        while found := next_for(rater=rater):
            judgments.submit(screen=RaterScreen(rater, found), submission=walk.answer(study, found, rng))
            rater.refresh_from_db()


def settled(design: str, type: str, *, items: int, set_size: int, **task: Any) -> Study:
    """Make a draft with the settings of one task, in which items are documents of three where those are needed."""
    known = {purpose: 2 for purpose in ("control",) if task.get("checks", {}).get("controls")}
    built: dict[str, Any] = {name: task.pop(name) for name in ("criteria", "criteria_mode", "params") if name in task}
    study = build_study(
        None,
        items=items,
        systems=SYSTEMS,
        type=type,
        k=2,
        set_size=set_size,
        spacing=task.pop("spacing", 1),
        known=known,
        opened=False,
        **built,
    )
    if design == "documents":
        for number, item in enumerate(Item.objects.filter(study=study).order_by("id")):
            document, _made = Document.objects.get_or_create(study=study, key=f"d{number // 3}")
            Item.objects.filter(pk=item.pk).update(document=document, position=number % 3)
    if design == "batches":
        keys = list(Unit.objects.filter(gold=None).order_by("id").values_list("key", flat=True))
        batches = [{"batch": str(n), "units": keys[n : n + set_size]} for n in range(0, len(keys), set_size)]
        task["design_params"] = {"batches": batches}
    study.tasks.update(design=design, **task)
    if not known:
        Unit.objects.all().delete()
        units.make_units(study=study)
    degrading.make_copies(study=study)
    return study


def answered(*purposes: str) -> Iterator[Judgment]:
    """Every answer to units of these purposes, in the order they came."""
    found = Judgment.objects.filter(skip_reason="", assignment__purpose__in=purposes)
    yield from found.select_related("assignment__unit").order_by("id")


def texts_of_units() -> dict[int, list[list[str]]]:
    """The systems of every text of every unit."""
    shown: dict[int, list[list[str]]] = {}
    parts = PartOutput.objects.order_by("part__number", "id")
    for unit, number, system in parts.values_list("part__unit", "part__number", "output__system__key"):
        texts = shown.setdefault(unit, [])
        texts.extend([] for _ in range(number + 1 - len(texts)))
        texts[number].append(system)
    return shown


def check_units(promised: Report) -> None:
    """Compare judgments of units, items and systems, at every place and in every column."""
    answers, shown = list(answered(Purpose.MAIN)), texts_of_units()
    assert len(answers) == promised.places
    per_unit = Counter(one.assignment.unit.key for one in answers)
    assert promised.balance is not None
    assert per_unit == promised.balance.unit_totals == Counter({unit.key: unit.k for unit in promised.units})
    assert sorted(Counter(per_unit.values()).items()) == promised.units_by_judgments
    per_item = Counter(one.assignment.unit.item.key for one in answers if one.assignment.unit.item)
    assert per_item == {item: judgments for item, _units, judgments in promised.item_lines}
    per_system: Counter[str] = Counter()
    at: Counter[tuple[str, int]] = Counter()
    columns: Counter[tuple[str, int]] = Counter()
    places: Counter[int] = Counter()
    for one in sorted(answers, key=lambda one: (one.assignment.set_id or 0, one.assignment.order)):
        places[one.assignment.set_id or 0] += 1
        texts = shown[one.assignment.unit_id]
        for system in {system for text in texts for system in text}:
            per_system[system] += 1
            at[system, places[one.assignment.set_id or 0]] += 1
        order = one.assignment.arrangement.get("parts", ())
        for column, part in enumerate(order if len(order) > 1 else ()):
            columns.update((system, column) for system in texts[part])
    assert per_system == dict(promised.systems)
    assert (min(places.values()), max(places.values())) == (promised.least_size, promised.most_size)
    for line in promised.lines:
        assert line.judgments == per_system[line.key]
        assert line.places == tuple(at[line.key, place] for place in range(1, len(line.places) + 1))
        assert line.columns == tuple(columns[line.key, column] for column in range(promised.columns.width))


def check_sets(promised: Report) -> None:
    """Compare what every set held, and the systems of repeats and degraded copies."""
    assert promised.extras is not None
    shown = texts_of_units()
    held: dict[int, Counter[str]] = {
        one: Counter() for one in RaterSet.objects.order_by("id").values_list("id", flat=True)
    }
    repeats: Counter[str] = Counter()
    degraded: Counter[str] = Counter()
    for one in answered(*Purpose.values):
        assignment = one.assignment
        is_copy = "degraded_of" in assignment.unit.features
        held[assignment.set_id or 0]["degraded" if is_copy else assignment.purpose] += 1
        if is_copy:
            degraded.update(assignment.unit.features["systems"])
        elif assignment.purpose == Purpose.REPEAT:
            repeats.update({system for text in shown[assignment.unit_id] for system in text})
    names = ("training", "exam", "warm_up", "main", "control", "attention", "repeat", "degraded")
    found = [tuple(one[name] for name in names) for one in held.values()]
    assert found == [
        (s.training, s.exam, s.warm_up, s.units, s.controls, s.attention, s.repeats, s.degraded)
        for s in promised.extras.sets
    ]
    assert (repeats, degraded) == (promised.extras.repeats, promised.extras.degraded)
    assert {line.key: line.repeats for line in promised.lines} == {key: repeats[key] for key in SYSTEMS}
    assert promised.in_sets["screens"][2] == Judgment.objects.count()


CHECKS = {"repeats": 2, "warm_up": 1, "controls": 1, "degraded": 2}


# Each design with one type and most checks; further types and settings only in an exhaustive run.
FURTHER = pytest.mark.exhaustive


@pytest.mark.parametrize(
    ("design", "type", "items", "set_size", "task"),
    [
        pytest.param("independent", "likert", 4, 6, {"checks": CHECKS, "spacing": 3}, id="all checks"),
        pytest.param(
            "independent",
            "likert",
            10,
            6,
            {"k_more": 4, "k_more_share": 0.4},
            marks=FURTHER,
            id="k differs",
        ),
        pytest.param(
            "independent",
            "slider",
            8,
            6,
            {"checks": {"repeats": 3}, "spacing": 2},
            marks=FURTHER,
            id="sliders",
        ),
        pytest.param(
            "comparisons", "pairwise", 4, 6, {"checks": {"repeats": 1, "warm_up": 2}}, marks=FURTHER, id="pairs"
        ),
        pytest.param("comparisons", "best_worst", 8, 4, {}, marks=FURTHER, id="triads"),
        pytest.param("comparisons", "triangle", 4, 5, {"k_more": 4, "k_more_share": 0.4}, id="triangles"),
        pytest.param("latin_square", "likert", 4, 4, {"checks": CHECKS, "spacing": 2}, id="latin square, all checks"),
        pytest.param("documents", "likert", 6, 7, {"checks": {"repeats": 1}, "spacing": 4}, id="documents"),
        pytest.param(
            "documents",
            "likert",
            6,
            9,
            {"design_params": {"all_systems": True}},
            marks=FURTHER,
            id="by all systems",
        ),
        pytest.param("batches", "likert", 4, 5, {"checks": {"warm_up": 1}}, id="batches"),
        pytest.param(
            "independent",
            "likert",
            2,
            8,
            {"criteria": ("fluency", "adequacy"), "criteria_mode": "block", "checks": {"repeats": 2}},
            id="criteria in blocks",
        ),
        pytest.param(
            "latin_square",
            "likert",
            6,
            4,
            {"criteria": ("fluency", "adequacy"), "criteria_mode": "rater", "checks": {"repeats": 1}},
            marks=FURTHER,
            id="one criterion a rater",
        ),
    ],
)
def test_what_was_promised_is_what_was_collected(
    design: str, type: str, items: int, set_size: int, task: dict[str, Any]
) -> None:
    study = settled(design, type, items=items, set_size=set_size, **task)
    (promised,) = reports.reports(study)
    assert not promised.refusal
    assert all(line.holds for line in promised.promises if line.promised)
    study = lifecycle.move(study_id=study.pk, action="open", by=None)
    judge_everything(study, promised.booklets)
    check_units(promised)
    check_sets(promised)
    (collected,) = reports.reports(study)
    assert (collected.is_stored, collected.lines, collected.promises) == (True, promised.lines, promised.promises)
    assert collected.extras == promised.extras


def test_the_file_lists_every_judgment_in_its_place(rosa: User, rosas_browser: Client) -> None:
    study = build_study(rosa, items=3, systems=SYSTEMS, k=2, set_size=5, opened=False)
    told = rosas_browser.get(f"/admin/studies/{study.slug}/design/plan.csv").getvalue().decode()
    study = lifecycle.move(study_id=study.pk, action="open", by=rosa)
    judge_everything(study, 4)
    given = Assignment.objects.filter(purpose=Purpose.MAIN).order_by("place__booklet__number", "place__order")
    found = given.values_list("place__booklet__number", "order", "unit__key", "place__number")
    listed = [(one["booklet"], one["order"], one["unit"], one["place"]) for one in csv.DictReader(io.StringIO(told))]
    assert listed == [tuple(map(str, one)) for one in found]
