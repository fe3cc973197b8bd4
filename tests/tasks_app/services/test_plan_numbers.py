"""What the plan page promised before opening is what was collected: counts from the database, counted apart."""

from collections import Counter
from random import Random

import pytest

from tasks_app.models import Judgment, PartOutput, Study, Unit
from tasks_app.services import assignments, judgments, lifecycle, plan_reports, units
from tests import walk
from tests.builders import build_study

pytestmark = pytest.mark.django_db

SYSTEMS = ("a-mt", "b-mt", "c-mt")


def judge_everything(study: Study, raters: int) -> None:
    """Let so many raters take a set each and answer all of it."""
    rng = Random(4)
    for _rater in range(raters):
        rater = walk.arrive(study)
        while found := assignments.next_for(rater=rater):
            judgments.submit(assignment=found, rater=rater, given=walk.answer(study, found, rng))
            rater.refresh_from_db()


@pytest.mark.parametrize(
    ("design", "type", "items", "set_size", "more"),
    [
        ("independent", "likert", 12, 12, None),
        ("independent", "likert", 10, 6, 4),
        ("comparisons", "pairwise", 8, 6, None),
        ("comparisons", "triangle", 10, 5, 5),
        ("latin_square", "likert", 9, 6, None),
    ],
)
def test_what_was_promised_is_what_was_collected(
    design: str, type: str, items: int, set_size: int, more: int | None
) -> None:
    study = build_study(None, items=items, systems=SYSTEMS, type=type, k=2, set_size=set_size, opened=False)
    study.tasks.update(design=design, k_more=more, k_more_share=more and 0.4)
    Unit.objects.all().delete()
    units.make_units(study=study)
    (promised,) = plan_reports.reports(study)
    balance = promised.balance
    assert balance is not None
    assert promised.keeps_all
    study = lifecycle.move(study_id=study.pk, action="open", by=None)
    judge_everything(study, promised.booklets)

    answers = list(Judgment.objects.filter(skip_reason="").select_related("assignment__unit").order_by("id"))
    assert len(answers) == promised.places
    shown: dict[int, list[list[str]]] = {}
    parts = PartOutput.objects.order_by("part__number", "id")
    for unit, number, system in parts.values_list("part__unit", "part__number", "output__system__key"):
        texts = shown.setdefault(unit, [])
        texts.extend([] for _ in range(number + 1 - len(texts)))
        texts[number].append(system)
    per_unit = Counter(one.assignment.unit.key for one in answers)
    assert per_unit == balance.unit_totals
    assert promised.wanted == sorted(Counter(Unit.objects.values_list("k", flat=True)).items())
    assert set(per_unit.values()) == {2} | ({more} if more else set())

    per_system: Counter[str] = Counter()
    at: Counter[tuple[str, int]] = Counter()
    columns: Counter[tuple[str, int]] = Counter()
    for one in answers:
        texts = shown[one.assignment.unit_id]
        for system in {system for text in texts for system in text}:
            per_system[system] += 1
            at[system, one.assignment.order] += 1
        order = one.assignment.arrangement["parts"]
        for column, part in enumerate(order if len(order) > 1 else ()):
            columns.update((system, column) for system in texts[part])
    assert per_system == dict(promised.systems)
    for line in promised.lines:
        assert line.judgments == per_system[line.key]
        assert line.places == tuple(at[line.key, place] for place in range(1, len(line.places) + 1))
        assert line.columns == tuple(columns[line.key, column] for column in range(promised.columns.width))
    (collected,) = plan_reports.reports(study)
    assert (collected.is_stored, collected.lines, collected.promises) == (True, promised.lines, promised.promises)
