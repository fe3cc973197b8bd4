"""Highlights of a study file: stored, shown, written again as they were, and refused at their cell."""

from pathlib import Path

import pytest

from tasks_app import studyfile
from tasks_app.hooks import sections
from tasks_app.models import Item, Output, Part, Unit
from tasks_app.selectors.screens import read_materials
from tasks_app.studyfile.files.writing import write
from tasks_app.task_types.highlights import Highlight
from tests.tasks_app.studyfile.kit import STUDY, problems_of, put

ITEMS = """\
item,system,output,source,source_highlight,highlight
i1,alpha,The bank is closed.,He sat on the bank.,14:18,bank
i1,beta,The shore is wide.,,,
i2,alpha,Ada saw her cat.,Two,,"[[0,3,1],[8,15,2],[8,11,1]]"
i2,beta,Ada saw her cat.,Two,,0:3=1;8:15=2;8:11=3
"""
STUDY_WITH = {"items_csv": ITEMS}

pytestmark = pytest.mark.django_db


def test_they_are_stored_and_shown(tmp_path: Path) -> None:
    studyfile.load(put(tmp_path / "a", **STUDY_WITH), owner=None)
    assert Item.objects.get(key="i1").highlights == {"source": [[14, 18]]}
    bank = Output.objects.get(text="The bank is closed.")
    assert bank.highlights == [[4, 8]]
    unit = Unit.objects.get(parts__part_outputs__output=bank)
    material = read_materials([unit.pk])[unit.pk]
    assert material.parts[0].highlights == (Highlight(4, 8),)
    assert material.highlights["source"] == (Highlight(14, 18),)


def test_two_annotations_of_one_text_are_two_units(tmp_path: Path) -> None:
    studyfile.load(put(tmp_path / "a", **STUDY_WITH), owner=None)
    assert Unit.objects.filter(item__key="i2").count() == 2
    assert len(set(Part.objects.filter(unit__item__key="i2").values_list("text_digest", flat=True))) == 2


def test_they_are_written_and_read_again(tmp_path: Path) -> None:
    document = sections.snapshot(studyfile.load(put(tmp_path / "a", **STUDY_WITH), owner=None))
    write(document, tmp_path / "b", lambda _digest: b"")
    assert studyfile.read(tmp_path / "b").document["items"] == document["items"]


def test_a_study_without_any_is_the_document_it_was(tmp_path: Path) -> None:
    document = sections.snapshot(studyfile.load(put(tmp_path / "a"), owner=None))
    assert "highlights" not in str(document["items"])


def test_json_lines_may_hold_lists(tmp_path: Path) -> None:
    row = '{"item": "i1", "system": "alpha", "output": "The bank", "highlight": [[4, 8]]}\n'
    folder = put(tmp_path / "a", items_jsonl=row, study_yaml=STUDY.replace("set_size: 4", "set_size: 1"))
    (folder / "items.csv").unlink()
    studyfile.load(folder, owner=None)
    assert Output.objects.get().highlights == [[4, 8]]


@pytest.mark.parametrize(
    ("old", "new", "problem"),
    [
        ("bank\ni1", "river\ni1", "items.csv:2:6: highlight: “river” does not occur in the text."),
        ("14:18", "14:99", "items.csv:2:5: source_highlight: 14:99 ends outside the text"),
        ("0:3=1;8:15=2;8:11=3", "0:3;1:4", "items.csv:5:6: highlight: 0:3 and 1:4 overlap."),
        ('"[[0,3,1],', '"[[0,3,', "items.csv:4:6: highlight: "),
    ],
)
def test_what_does_not_fit_is_reported_at_its_cell(tmp_path: Path, old: str, new: str, problem: str) -> None:
    assert ITEMS.count(old) == 1
    (line,) = problems_of(put(tmp_path / "a", items_csv=ITEMS.replace(old, new)))
    assert problem in line


def test_rows_of_an_item_agree_on_its_source(tmp_path: Path) -> None:
    items = ITEMS.replace("The shore is wide.,,,", "The shore is wide.,,0:2,")
    (line,) = problems_of(put(tmp_path / "a", items_csv=items))
    assert "items.csv:3:5: source_highlight: The item “i1” has another value here in line 2" in line


def test_markdown_has_no_positions(tmp_path: Path) -> None:
    first, *rest = ITEMS.splitlines()
    formats = ["", "markdown", "", ""]
    items = "\n".join([f"{first},format", *(f"{row},{given}" for row, given in zip(rest, formats, strict=True))])
    lines = problems_of(put(tmp_path / "a", items_csv=items))
    assert [line.split(": Words of a Markdown")[0] for line in lines] == [
        "items.csv:2:5: source_highlight",
        "items.csv:2:6: highlight",
    ]
