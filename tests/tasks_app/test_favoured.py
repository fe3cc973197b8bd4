"""Evaluated texts that raters read as an example: found in any edit, and not where there are none."""

import csv
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import yaml

from tasks_app import readiness
from tasks_app.readiness import Facts, Level, Point
from tasks_app.studyfile.checking import check
from tasks_app.studyfile.files.source import open_files
from tasks_app.studyfile.files.yaml_text import dump_given
from tasks_app.texts import favoured
from tasks_app.texts.favoured import Evaluated, Example, favoured_in

Given = dict[str, Any]
# The text of "neural" for the notice of the library, in examples/checked.
TEXT = "While its roof is mended, the library is closed until 14 August, and books can be returned at the town hall."


def points(folder: Path, plant: Callable[[Given], None] | None = None, practice: str = "") -> list[Point]:
    """Return the findings of Review about examples in a study file with a planted fault, or with a practice text."""
    example = Path("examples/checked")
    given: Given = yaml.safe_load((example / "study.yaml").read_text(encoding="utf-8"))
    if plant is not None:
        plant(given)
    (folder / "study.yaml").write_text(dump_given(given), encoding="utf-8")
    for table in example.glob("*.csv"):
        rows = list(csv.DictReader(table.read_text(encoding="utf-8").splitlines()))
        if table.name == "items.csv" and practice:
            next(row for row in rows if row["item"] == "practice-1")["output"] = practice
        with (folder / table.name).open("w", encoding="utf-8", newline="") as file:
            writer = csv.DictWriter(file, list(rows[0]))
            writer.writeheader()
            writer.writerows(rows)
    with open_files(folder) as files:
        reading = check(files)
    found = readiness.points(Facts(reading.document, reading.workload, {}, reading.text_findings))
    return [point for point in found if point.kind == "favoured"]


@pytest.mark.django_db
def test_the_text_of_a_system_in_instructions_definition_or_practice_is_marked(tmp_path: Path) -> None:
    def plant(given: Given) -> None:
        given["tasks"][1]["instructions"] = f"Rate each text.\n\n*Example.* A very good one is: **{TEXT}**"
        given["criteria"][0]["definition"] = f"A clear message is, for example: {TEXT.lower()}"

    practice, instructions, criterion = sorted(
        points(tmp_path, plant, practice=TEXT.replace("mended", "repaired")), key=lambda point: point.path[::-1]
    )
    assert instructions.sentence.startswith("The instructions contain an evaluated text by “Fine-tuned model”, word")
    assert "“While its roof is mended, the library is closed until" in instructions.sentence
    assert "(library, Fine-tuned model)" in practice.sentence
    assert practice.sentence.startswith("Practice or the test shows an evaluated text by")
    paths = [criterion.path, instructions.path, practice.path]
    assert paths == [("criteria", 0, "question"), ("tasks", 1, "instructions"), ("tasks", 1, "checks")]
    assert {point.level for point in (criterion, instructions, practice)} == {Level.PROBLEM}


@pytest.mark.django_db
def test_examples_of_their_own_are_not_marked(tmp_path: Path) -> None:
    assert points(tmp_path) == []


def places(example: str, text: str, kind: str = "in_practice") -> list[str]:
    evaluated = [Evaluated("i1", "A", text), Evaluated("i2", "B", "Nothing of the kind is said in this sentence.")]
    found = favoured_in([Example(kind, "texts", example)], evaluated)
    return [place for finding in found for place in finding.first]


EDITS = {
    "the same": (TEXT, True),
    "case, space and punctuation": (f"  {TEXT.upper().replace(',', ' —').replace(' ', '  ')}!!", True),
    "a word changed": (TEXT.replace("mended", "repaired"), True),
    "words changed, added and left out": (
        TEXT.replace("mended", "repaired").replace("and books", "and all books").replace("the town hall", "town hall"),
        True,
    ),
    "part of a longer text": (f"Here is one. {TEXT} It says all. And more of it follows, at some length.", True),
    "half of the words": (" ".join(TEXT.split()[:10]) + " but it opens again as soon as the work is done there", False),
    "the same words in another order": (" ".join(sorted(TEXT.split())), False),
    "the subject only": ("The library is closed while its roof is mended; return books to the town hall.", False),
}


@pytest.mark.parametrize(("example", "is_found"), EDITS.values(), ids=list(EDITS))
def test_a_text_is_found_in_any_edit(example: str, is_found: bool) -> None:
    assert places(example, TEXT) == (["i1, A"] if is_found else [])


def test_short_texts_are_compared_as_a_whole_and_signs_without_spaces_one_by_one() -> None:
    assert places("Good morning!", "good morning") == ["i1, A"]
    assert places("Say good morning to them.", "good morning") == []
    assert places("yes", "Yes.") == []
    assert places("例えば、図書館は八月十四日まで休館します。", "図書館は８月十四日まで休館します") == ["i1, A"]
    assert places("図書館は今日も開いています。どうぞ。", "図書館は八月十四日まで休館します") == []


def test_many_texts_are_thinned_and_the_number_that_was_looked_at_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    evaluated = [Evaluated(f"i{number}", "A", TEXT) for number in range(10)]
    (all_of_them,) = favoured_in([Example("in_practice", "texts", TEXT)], evaluated)
    assert (all_of_them.n, all_of_them.of, all_of_them.systems) == (10, 10, ("texts", "A"))
    monkeypatch.setattr(favoured, "MOST_CHARACTERS", 4 * len(TEXT))
    (some,) = favoured_in([Example("in_practice", "texts", TEXT)], evaluated)
    assert (some.n, some.of) == (4, 4)
