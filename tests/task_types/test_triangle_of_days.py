"""A triangle of three items with one text each: three days with their own pictures, two by one forecaster."""

from collections import Counter
from itertools import islice
from pathlib import Path
from random import Random

import pytest
from django.test import Client

from tasks_app import studyfile
from tasks_app.models import Assignment, Judgment, Place, Rating, Study
from tasks_app.task_types.base import ItemTexts, OutputText
from tasks_app.task_types.triangle import Triangle
from tests import pages
from tests.house.examples import judged, opened
from tests.media import png
from tests.round_trip import comes_back_unchanged
from tests.tasks_app.studyfile.kit import problems_of

STUDY = """\
evalweb: 1
study: {slug: days, title: Days, public_title: Days, language: en, seed: 3}
consent: You take part.
pay: {minutes: 2, amount: 0.50}
tasks:
  - key: days
    type: triangle
    params: {variant: three, goal: similarity, motive: true}
    k: 6
    set_size: 1
    spacing: 1
"""
# The forecasters by day.
DAYS = ("ada", "ada", "bert", "ada", "bert", "bert", "bert")


def day(key: str, system: str, text: str = "") -> ItemTexts:
    return ItemTexts.collapsed(key, [OutputText(system, "", text or f"Text of {key}.")])


def folder_of(path: Path, study: str = STUDY, rows: str = "") -> Path:
    """Write the study file, with a picture of its own for each day."""
    path.mkdir(exist_ok=True)
    (path / "study.yaml").write_text(study, encoding="utf-8")
    table = ["item,system,output,context_image,options"]
    for number, system in enumerate(DAYS):
        table.append(f'd{number},{system},Forecast {number}.,sky{number}.png,"{{""alt"": ""Sky {number}""}}"')
        (path / f"sky{number}.png").write_bytes(png(shade=number * 10))
    (path / "items.csv").write_text("\n".join(table) + "\n" + rows, encoding="utf-8")
    return path


@pytest.mark.parametrize("counts", [(2, 2), (3, 3), (4, 4), (2, 7), (5, 3), (10, 10)])
def test_every_day_is_in_a_triad_and_either_system_is_odd_in_half_of_them(counts: tuple[int, int]) -> None:
    items = [day(f"{system}{number}", system) for system, n in zip("ab", counts, strict=True) for number in range(n)]
    made = list(Triangle({"variant": "three"}).units(items, Random(4)))
    assert {key for unit in made for key in unit.part_items} == {item.key for item in items}
    assert len({unit.key for unit in made}) == len(made)
    shapes = Counter("".join(key[0] for key in unit.part_items) for unit in made)
    assert shapes == {"aba": len(made) / 2, "bab": len(made) / 2}
    assert all(len(set(unit.part_items)) == 3 and unit.parts == ((0,),) * 3 for unit in made)


def test_three_systems_are_compared_two_at_a_time_or_with_the_anchor() -> None:
    items = [day(f"{system}{number}", system) for system in "abc" for number in range(3)]
    pairs = Counter(
        frozenset(key[0] for key in unit.part_items) for unit in Triangle({"variant": "three"}).units(items, Random(1))
    )
    assert pairs == {frozenset("ab"): 2, frozenset("ac"): 2, frozenset("bc"): 2}
    with_anchor = Triangle({"variant": "three", "anchor": "b"}).units(items, Random(1))
    assert all("b" in {key[0] for key in unit.part_items} for unit in with_anchor)


def test_the_odd_text_stands_everywhere_equally_often_and_the_others_take_turns() -> None:
    drawn: list[tuple[int, ...]] = [
        tuple(one["parts"]) for one in islice(Triangle({"variant": "three"}).arrange(3, Random(5)), 600)
    ]
    assert Counter(drawn).total() == 600
    assert set(Counter(drawn).values()) == {100}
    assert all({parts.index(1) for parts in drawn[start : start + 3]} == {0, 1, 2} for start in range(0, 600, 3))


@pytest.mark.parametrize(
    ("items", "expected"),
    [
        ([day("i", "a"), day("j", "b"), day("k", "b")], "“a” has one text"),
        ([day("i", "a"), day("j", "a"), day("k", "a")], "all of these are by “a”"),
        (
            [day("i", "a", "Sun."), day("j", "a"), day("k", "b", "Sun. "), day("l", "b")],
            "“i” by “a” and of “k” by “b” look",
        ),
        (
            [day("i", "a"), ItemTexts.collapsed("j", [OutputText("a", "", "x"), OutputText("b", "", "y")])],
            "Some items have texts by only one system (1, first “i”)",
        ),
    ],
)
def test_days_that_make_no_triads_are_refused(items: list[ItemTexts], expected: str) -> None:
    kind = Triangle({"variant": "three"})
    assert not [sentence for item in items for sentence in kind.item_problems(item)]
    (sentence,) = kind.problems_together(items)
    assert expected in sentence
    assert not list(Triangle().problems_together(items)), "with one item for all three texts it is refused elsewhere"
    assert list(Triangle({"variant": "three", "anchor": "x"}).problems_together([day("i", "a"), day("j", "b")]))


@pytest.mark.django_db
def test_problems_of_days_are_reported_with_their_place(tmp_path: Path) -> None:
    folder = folder_of(tmp_path / "study", rows="d7,cleo,Wind.,,\n")
    assert problems_of(folder) == [
        "study.yaml:6:5: tasks[0]: The system “cleo” has one text, but a triad shows two texts by one system."
    ]
    folder_of(tmp_path / "study", rows="d0,ada,Wind.,,\nd0,bert,Wind.,,\n")
    assert "items.csv:9:2: system: Item “d0”" in problems_of(folder)[0]


@pytest.mark.django_db
def test_a_study_of_days_is_judged_with_a_picture_beside_each_text(tmp_path: Path) -> None:
    study, _loaded = studyfile.load_with_notes(folder_of(tmp_path / "study"), owner=None)
    study = opened(study)
    places = Place.objects.filter(unit__task__study=study)
    assert places.count() == 6 * 4, "four triads: the seven days are in two of either kind"
    somebody = Client()
    token = pages.join(study)
    body = somebody.get(f"/r/{token}/judge/").content.decode()
    assignment = Assignment.objects.get(rater__study=study)
    shown = list(assignment.unit.parts.order_by("number").values_list("part_outputs__output__item__key", flat=True))
    order = [shown[number] for number in assignment.arrangement["parts"]]
    assert [body.index(f'alt="Sky {key[1:]}"') < body.index(f"Forecast {key[1:]}.") for key in order] == [True] * 3
    assert sorted(order, key=lambda key: body.index(f"Forecast {key[1:]}.")) == order
    for item in study.items.all():
        name = item.item_media.get().media.sha256
        answer = somebody.get(f"/r/{token}/media/{name}")
        assert answer.getvalue()  # a file is closed once it is read
        assert answer.status_code == (200 if item.key in order else 404)


@pytest.mark.django_db
def test_answers_about_days_are_right_where_the_odd_one_was_chosen(tmp_path: Path) -> None:
    study = judged(studyfile.load_with_notes(folder_of(tmp_path / "study"), owner=None)[0])
    answered = Judgment.objects.filter(assignment__rater__study=study, skip_reason="").select_related("assignment")
    assert answered.exists()
    for one in answered:
        systems = dict(one.assignment.unit.parts.values_list("number", "part_outputs__output__system__key"))
        shown = [systems[number] for number in one.assignment.arrangement["parts"]]
        odd = next(place for place, system in enumerate(shown, start=1) if shown.count(system) == 1)
        right = Rating.objects.get(judgment=one, criterion__key="correct").value
        assert right == (one.answer["odd-one-out"] == str(odd))
    copy, _loaded = studyfile.load_with_notes(
        folder_of(tmp_path / "copy", STUDY.replace("slug: days", "slug: again")), owner=None
    )
    comes_back_unchanged(study, copy, tmp_path)
    assert Study.objects.count() >= 2
