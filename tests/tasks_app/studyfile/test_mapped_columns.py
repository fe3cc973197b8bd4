"""Tables whose columns are called otherwise: study.yaml says how."""

import io
from pathlib import Path

import pytest

from tasks_app import studyfile
from tasks_app.hooks import sections
from tests.tasks_app.studyfile.kit import ITEMS, STUDY, problems_of, put, spoil

pytestmark = pytest.mark.django_db

THEIRS = ITEMS.replace("item,system,output,source", "Segment id,MT system,hyp,src").replace("\ni1", "\ni1")

COLUMNS = """\
columns:
  items:
    item: Segment id
    system: MT system
    output: hyp
    source: src
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """The sound study with a table of others."""
    return put(tmp_path / "study", study_yaml=STUDY + COLUMNS, items_csv=THEIRS)


def test_it_is_the_study_it_would_be_with_our_names(tmp_path: Path, folder: Path) -> None:
    ours = studyfile.read(put(tmp_path / "ours"))
    theirs = studyfile.read(folder)
    assert theirs.document == ours.document
    assert theirs.notes == ours.notes
    assert theirs.counts == ours.counts


def test_an_export_has_our_names(tmp_path: Path, folder: Path) -> None:
    study = studyfile.load(folder, owner=None)
    studyfile.export(study, tmp_path / "copy")
    assert "columns" not in (tmp_path / "copy" / "study.yaml").read_text()
    assert (tmp_path / "copy" / "items.csv").read_text().startswith("item,system,output,source\n")
    again = studyfile.load(tmp_path / "copy", owner=None, replace=True)
    assert sections.snapshot(again) == sections.snapshot(study)


def test_columns_that_are_not_mapped_are_noted_once(folder: Path) -> None:
    table = (folder / "items.csv").read_text().splitlines()
    wide = [f"{table[0]},z,comment"] + [f"{line},1,x" for line in table[1:]]
    (folder / "items.csv").write_text("\n".join(wide) + "\n")
    notes = [note for note in studyfile.read(folder).notes if "mapped" in note]
    assert notes == ["items.csv: 2 columns are not mapped and were left out: z, comment."]


def test_our_own_names_count_only_where_they_are_mapped(folder: Path) -> None:
    text = (folder / "items.csv").read_text().replace("MT system,hyp", "MT system,output")
    (folder / "items.csv").write_text(text)
    assert [line.partition(" The columns")[0] for line in problems_of(folder)] == [
        "items.csv:1:1: The column “hyp” is missing."
    ]
    spoil(folder, "study.yaml", "    output: hyp\n", "")
    assert [line.partition(" The columns")[0] for line in problems_of(folder)] == [
        "items.csv:1:1: No column is mapped to “output”."
    ]


def test_one_column_can_be_two_of_ours(folder: Path) -> None:
    spoil(
        folder, "study.yaml", "    source: src\n", "    source: src\n    feature_src: src\n    document: Segment id\n"
    )
    items = studyfile.read(folder).document["items"]
    assert [(one["source"], one["features"], one["document"]) for one in items[:2]] == [
        ("One", {"src": "One"}, "i1"), ("Two", {"src": "Two"}, "i2"),
    ]  # fmt: skip


def test_problems_are_placed_in_the_file_as_it_is(folder: Path) -> None:
    spoil(folder, "items.csv", "i2,alpha", "i\u200b2,alpha")
    (line,) = problems_of(folder)
    assert line.startswith("items.csv:4:1: item: Use at most 100 characters")
    (folder / "items.csv").unlink()
    (folder / "items.jsonl").write_text('{"hyp": "x", "MT system": "a", "Segment id": "i\u200b1", "src": "y"}\n')
    (line,) = problems_of(folder)
    assert line.startswith("items.jsonl:1:32: item: Use at most 100 characters")


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ("output: hyp", "outputs: hyp", "36:5: columns.items.outputs: unknown name. Did you mean “output”?"),
        ("  items:", "  itmes:", "33:3: columns.itmes: unknown name. Did you mean “items”?"),
        ("output: hyp", "output: 3", "36:13: columns.items.output: must be text; it is the number 3."),
        ("output: hyp", "output: ''", "36:13: columns.items.output: must be text"),
        ("source: src", "feature_: src", "37:5: columns.items.feature_: unknown name."),
        ("columns:\n", "columns: items\nabout:\n", "32:10: columns: must be a group of settings"),
    ],
)
def test_a_mistake_in_it_is_named_with_its_place(folder: Path, old: str, new: str, said: str) -> None:
    spoil(folder, "study.yaml", old, new)
    lines = problems_of(folder)
    assert any(line.startswith(f"study.yaml:{said}") for line in lines), lines
    assert "items.csv: There is no" not in "".join(lines)


def test_controls_can_be_mapped_too(tmp_path: Path) -> None:
    columns = "columns:\n  controls: {unit: segment, purpose: use, kind: how, answer: gold}\n"
    folder = put(
        tmp_path / "study", study_yaml=STUDY.replace("set_size: 4", "set_size: 3") + columns,
        controls_csv="segment,use,how,gold,by\ni1/alpha,control,exact,3,me\ni1/beta,control,exact,2,me\n",
    )  # fmt: skip
    loaded = studyfile.read(folder)
    assert [one["answer"] for one in loaded.document["controls"]] == [3, 2]
    assert "controls.csv: 1 column is not mapped and was left out: by." in loaded.notes
    stream = io.BytesIO()
    studyfile.export(studyfile.load(folder, owner=None), stream)
    assert stream.getvalue()
