"""Files of other shapes, each the smallest that could not be imported before, and their right ratings."""

import json
from pathlib import Path

import pytest

from tasks_app import studyfile
from tasks_app.models import Rating, Study
from tests.tasks_app.importing import kit
from tests.tasks_app.importing.kit import bring, problems_of
from tests.tasks_app.studyfile.kit import STUDY, put
from tests.workbooks import Day, Formula, Sheet, workbook

pytestmark = pytest.mark.django_db

STYLE = "constant: {criterion: style}\n"
RATED = [("ann", "i1/alpha", "style", 4.0), ("bob", "i1/alpha", "style", 3.0)]
NUMBERED = [("1", "i1/alpha", "style", 4.0), ("2", "i1/alpha", "style", 3.0)]

RECORD = {"id": "i1", "mt": "alpha"}
ANNOTATED = {**RECORD, "annotations": [{"worker": "ann", "score": 4}, {"worker": "bob", "score": 3}]}
OF_ANNOTATIONS = "columns: {item: id, system: mt, rater: 'annotations[*].worker', value: 'annotations[*].score'}\n"
BY_CRITERION = {**RECORD, "ratings": {"ann": {"style": 4, "fluency": 2}, "bob": {"style": 3}}}

SHAPES = {
    "columns of raters by a pattern": (
        "r.csv", "id,mt,score_ann,score_bob\ni1,alpha,4,3\n",
        "columns: {item: id, system: mt, value: 'score_{rater}'}\n" + STYLE, RATED,
    ),
    "criteria by raters": (
        "r.csv", "id,mt,style_ann,style_bob\ni1,alpha,4,3\n",
        "columns: {item: id, system: mt, value: '{criterion}_{rater}'}\n", RATED,
    ),
    "a list in a cell": (
        "r.csv", "id,mt,scores\ni1,alpha,\"[4, 3]\"\n",
        "columns: {item: id, system: mt, value: 'scores[{rater}]'}\n" + STYLE, NUMBERED,
    ),
    "numbers between semicolons": (
        "r.csv", "id,mt,scores\ni1,alpha,4;3\n",
        "columns: {item: id, system: mt, value: 'scores[{rater}]'}\n" + STYLE, NUMBERED,
    ),
    "nested JSON lines": ("r.jsonl", json.dumps(ANNOTATED) + "\n", OF_ANNOTATIONS + STYLE, RATED),
    "an array": ("r.json", json.dumps([ANNOTATED], indent=1), OF_ANNOTATIONS + STYLE, RATED),
    "objects by their ids": (
        "r.json", json.dumps({"i1": {"mt": "alpha", "annotations": ANNOTATED["annotations"]}}),
        OF_ANNOTATIONS.replace("item: id", "item: key") + STYLE, RATED,
    ),
    "objects of criteria by worker": (
        "r.jsonl", json.dumps(BY_CRITERION) + "\n",
        "columns: {item: id, system: mt, value: 'ratings.{rater}.{criterion}'}\n",
        [("ann", "i1/alpha", "style", 4.0), ("ann", "i1/alpha", "fluency", 2.0), RATED[1]],
    ),
    "no header": (
        "r.csv", "ann,i1,alpha,4\nbob,i1,alpha,3\n",
        "header: none\ncolumns: {rater: '1', item: '2', system: '3', value: '4'}\n" + STYLE, RATED,
    ),
    "names for a file without a header": (
        "r.tsv", "ann\ti1\talpha\t4\nbob\ti1\talpha\t3\n", "header: [rater, item, system, value]\n" + STYLE, RATED,
    ),
    "a column split by its signs": (
        "r.csv", "rater,id,value\nann,i1-alpha,4\nbob,i1-alpha,3\n",
        "columns: {rater: rater, value: value}\nsplit: {id: '{item}-{system}'}\n" + STYLE, RATED,
    ),
    "a column split by an expression": (
        "r.csv", "rater,id,value\nann,x-i1:alpha,4\nbob,y-i1:alpha,3\n",
        "columns: {rater: rater, value: value}\nsplit: {id: '.-(?P<item>[^:]+):(?P<system>.+)'}\n" + STYLE, RATED,
    ),
}  # fmt: skip


@pytest.mark.parametrize("shape", SHAPES)
def test_files_of_other_shapes(draft: Study, tmp_path: Path, shape: str) -> None:
    name, content, mapping, ratings = SHAPES[shape]
    bring(draft, tmp_path, content, mapping, name)
    assert kit.ratings(draft) == ratings


def test_files_that_stand_beside_a_table(draft: Study, tmp_path: Path) -> None:
    file = kit.a_file(tmp_path, "rater,seg,value\nann,7,4\nbob,7,3\n")
    folder = Path(file.folder)
    (folder / "segments.csv").write_text("segment,item\n7,i1\n8,i2\n")
    (folder / "systems.txt").write_text("alpha\nalpha\n")
    mapping = (
        "columns: {rater: rater, item: item, system: mt, value: value}\n"
        "join: [{file: segments.csv, on: {seg: segment}}]\nbeside: {mt: systems.txt}\n"
    )
    kit.importing.import_ratings(study=draft, file=file, mapping=kit.mapped(mapping + STYLE), by=None)
    assert kit.ratings(draft) == RATED


@pytest.mark.parametrize(
    ("name", "content", "mapping", "problems"),
    [
        ("r.jsonl", json.dumps(ANNOTATED), OF_ANNOTATIONS.replace("score", "points"), [
            "r.jsonl: The file has no “annotations[*].points”. It has: id, mt, annotations[*].worker, "
            "annotations[*].score."]),
        ("r.csv", "id,mt,scores\ni1,alpha,\"[4, 6]\"\ni1,alpha,\"[7, 8]\"\n",
         "columns: {item: id, system: mt, value: 'scores[{rater}]'}\n" + STYLE, [
             "r.csv:2:3: value: must be from 1 to 5, the scale of this task; it is 6.",
             "r.csv:3:3: value: must be from 1 to 5, the scale of this task; it is 7."]),
        ("r.csv", "rater,id,value\nann,i1,4\n", "columns: {rater: rater, value: value}\nsplit: {id: '{item}-{system}'}",
         ["r.csv:2:1: “i1” does not fit the pattern “{item}-{system}” of split."]),
        ("r.csv", "rater,id,value\nann,i1-alpha,4\n",
         "columns: {rater: rater, item: item, value: value}\nsplit: {id: '{item}-{system}'}",
         ["r.csv:1:0: The file has no “item”. It has: rater, id, value. The pattern under “split” fills “item” "
          "already: remove it from “columns”."]),
        ("r.csv", "ann,i1,alpha,4\n", "header: none\ncolumns: {rater: '1', item: '2', system: '3', value: '5'}\n",
         ["r.csv:1:0: The file has no “5”. It has: 1, 2, 3, 4."]),
        ("r.csv", "id,mt,x,y\ni1,alpha,4,3\n", "columns: {item: id, system: mt, value: '{criterion}_{rater}'}\n",
         ["r.csv:1:0: The file has no “{criterion}_{rater}”. It has: id, mt, x, y."]),
        ("r.csv", "id,mt,a_b_c\ni1,alpha,4\n", "columns: {item: id, system: mt, value: '{criterion}_{rater}'}\n",
         ["r.csv:2:1: “a_b_c” fits “{criterion}_{rater}” in several ways. Say by “only” which words there are."]),
        ("r.csv", "rater,seg,value\nann,7,4\n",
         "columns: {rater: rater, item: seg, value: value}\njoin: [{file: other.csv, on: seg}]\n",
         ["There is no such file."]),
    ],
)  # fmt: skip
def test_what_is_wrong_with_a_shape(
    draft: Study, tmp_path: Path, name: str, content: str, mapping: str, problems: list[str]
) -> None:
    lines = problems_of(draft, tmp_path, content, mapping, name)
    for line, problem in zip(lines, problems, strict=False):
        assert problem in line, lines


@pytest.mark.parametrize(
    ("mapping", "sentence"),
    [
        ("columns: {value: 'score_{rateer}'}", "columns.value: “{rateer}” is no column of evalweb's. Did you mean"),
        ("split: {id: '(?P<item>('}", "split.id: The regular expression is wrong"),
        ("split: {id: item}", "split.id: Write a pattern with words in braces"),
        ("header: first", "header: Write none for a file without a header"),
        ("prefer: {first: a}", "prefer.second: is missing"),
    ],
)
def test_a_shape_that_cannot_be(mapping: str, sentence: str) -> None:
    with pytest.raises(kit.StudyFileError) as refused:
        kit.mapped(mapping)
    assert sentence in str(refused.value)


SPANS = """\
rater,seg,mt,errors,score
ann,i1,alpha,"[{{""from"": {start}, ""to"": {end}, ""severity"": ""minor""}}]",70
bob,i1,alpha,[],90
"""
OF_SPANS = (
    "columns: {rater: rater, item: seg, system: mt, value: score, span_start: 'errors[*].from', "
    "span_end: 'errors[*].to', severity: 'errors[*].severity'}\nconstant: {span_side: output}\n"
)


@pytest.fixture
def marks(tmp_path: Path) -> Study:
    """A draft in which errors are marked and scored; before “late” stand a letter of two bytes and one of two units."""
    items = "item,system,output,source\ni1,alpha,Zü🙂 late.,Spät.\n"
    return kit.study(
        tmp_path, items=items, kind="type: likert=>type: error_spans", asks="criteria: [fluency, style]=>k: 1",
        params="points: 5=>scheme: esa", k="    k: 2\n=>", size="set_size: 4=>set_size: 1",
    )  # fmt: skip


@pytest.mark.parametrize(
    ("offsets", "start", "end"),
    [
        ("", 4, 8),
        ("offsets: {count: utf16}", 5, 9),
        ("offsets: {count: bytes}", 8, 12),
        ("offsets: {end: last, start: 1}", 5, 8),
    ],
)
def test_spans_in_a_cell_count_as_the_mapping_says(
    marks: Study, tmp_path: Path, offsets: str, start: int, end: int
) -> None:
    """The score beside the spans is a rating of its own, and an empty list says that nothing was found."""
    said = bring(marks, tmp_path, SPANS.format(start=start, end=end), OF_SPANS + offsets.replace("1}", "'1'}"))
    rows = Rating.objects.filter(task__study=marks).order_by("criterion__key", "rater__pseudonym")
    assert list(rows.values_list("rater__pseudonym", "criterion__key", "value", "span_start", "span_end")) == [
        ("ann", "errors", None, 4, 8), ("ann", "score", 70.0, None, None), ("bob", "score", 90.0, None, None),
    ]  # fmt: skip
    assert said.counts["judgments"] == 2


def test_an_offset_within_a_character_is_refused(marks: Study, tmp_path: Path) -> None:
    mapping = OF_SPANS + "offsets: {count: bytes}"
    (line, *_others) = problems_of(marks, tmp_path, SPANS.format(start=4, end=12), mapping, "r.csv")
    assert line.startswith("r.csv:2:4: span_start: If offsets count bytes, this is in the middle of a character.")


def test_a_preference_from_two_columns(tmp_path: Path) -> None:
    pairs = kit.study(
        tmp_path,
        kind="type: likert=>type: pairwise",
        params="    params:\n      points: 5\n=>",
        size="set_size: 4=>set_size: 1",
    )
    rows = "rater,item,rank_a,rank_b\nann,i1,1,2\nbob,i1,2,1\ncat,i1,2,2\n"
    mapping = (
        "columns: {rater: rater, item: item}\nprefer: {first: rank_a, second: rank_b, better: lower}\n"
        "constant: {system: alpha, system_b: beta, criterion: style}\n"
    )
    bring(pairs, tmp_path, rows, mapping)
    labels = Rating.objects.filter(task__study=pairs).order_by("id").values_list("label", flat=True)
    assert list(labels) == ["first", "second", "tie"]


def test_raters_that_nobody_knows(draft: Study, tmp_path: Path) -> None:
    rows = "item,system,value\ni1,alpha,4\ni1,alpha,3\n"
    said = bring(draft, tmp_path, rows, "unknown_raters: true\n" + STYLE)
    assert [name for name, *_rest in kit.ratings(draft)] == ["unknown-2", "unknown-3"]
    assert any("The file does not say who rated" in note for note in said.notes)


def test_a_workbook_of_ratings(draft: Study, tmp_path: Path) -> None:
    rows: Sheet = [["who", "item", "system", "value"], ["ann", "i1", "alpha", 4], ["bob", "i1", "alpha", 3]]
    mapping = "columns: {rater: who, item: item, system: system, value: value}\nsheet: Ratings\n" + STYLE
    bring(draft, tmp_path, workbook({"Notes": [["nothing"]], "Ratings": rows}), mapping, "r.xlsx")
    assert kit.ratings(draft) == RATED
    (line,) = problems_of(draft, tmp_path, workbook({"Ratings": rows}), mapping.replace("Ratings", "ratings"), "r.xlsx")
    assert line == "r.xlsx: The workbook has no sheet “ratings”. Did you mean “Ratings”?"


def test_a_workbook_says_what_it_may_have_lost(draft: Study, tmp_path: Path) -> None:
    """Digits of long numbers, formulas that were never computed, and sheets that nobody sees."""
    rows: Sheet = [
        ["rater", "item", "system", "value", "submitted_at", "text", "spare"],
        [12345678901234567, "i1", "alpha", Formula("2*2", "4"), Day(45992), None, Formula("1+1", None)],
        ["bob", "i1", "alpha", 3, Day(45992.5), None, True],
    ]
    content = workbook({"Drafts": [["rater"], ["nobody"]], "Ratings": rows}, hidden=["Drafts"])
    columns = ", ".join(f"{name}: {name}" for name in ("rater", "item", "system", "value", "submitted_at"))
    said = bring(draft, tmp_path, content, f"columns: {{{columns}}}\n{STYLE}", "r.xlsx")
    assert [(name, value) for name, _unit, _criterion, value in kit.ratings(draft)] == [
        ("12345678901234568", 4.0), ("bob", 3.0),
    ]  # fmt: skip
    notes = "\n".join(said.notes)
    assert "1 number has more than 15 digits (row 2). A workbook keeps 15 of them" in notes
    assert "1 cell of the workbook has a formula without a value, and is read as empty" in notes


def test_words_for_missing_values_are_counted_and_kept(tmp_path: Path) -> None:
    """A label or a text of such a name may be meant; a number cannot be."""
    words = ("None", "N/A", "null", "-", "None", "fine")
    items = "item,system,output\n" + "".join(f"i{n},alpha,{word}\n" for n, word in enumerate(words))
    text = STUDY.replace("slug: fluency", "slug: words")
    folder = put(tmp_path / "words", study_yaml=text, items_csv=items)
    _study, loaded = studyfile.load_with_notes(folder, owner=None)
    note = (
        "items.csv: “None” stands in 2 cells of output (first in lines 2, 6) and is kept as a word. If it means that a "
        "value is missing, leave the cells empty."
    )
    assert note in loaded.notes
    assert sum("is kept as a word" in said for said in loaded.notes) == 4


def test_a_number_that_is_missing_is_explained(draft: Study, tmp_path: Path) -> None:
    rows = "rater,item,system,value\nann,i1,alpha,nan\nbob,i1,alpha,4\n"
    (line,) = problems_of(draft, tmp_path, rows, STYLE)
    assert line.endswith("values: {value: {nan: ''}}.")
    (line,) = problems_of(draft, tmp_path, rows, STYLE + "values: {value: {nan: ''}}\n")
    assert "There is no rating here." in line
