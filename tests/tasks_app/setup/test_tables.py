"""Tables of texts as people have them: what the columns are guessed to be, and what becomes of the rows."""

import gzip
from collections import Counter
from dataclasses import replace
from io import BytesIO

import pytest

from tasks_app.importing import RatingsFile
from tasks_app.setup.tables.checking import CheckedTexts, UploadedMedia, check_file
from tasks_app.setup.tables.guessed_uses import guess_layout
from tasks_app.setup.tables.layout import FEATURE, KEEP, SYSTEM, ColumnUse, Layout, feature_name, key_of
from tasks_app.setup.tables.marking import marked_rows
from tasks_app.setup.tables.sampling import draw, length_strata
from tasks_app.setup.tables.source import TextsFile, look, open_file
from tasks_app.studyfile.problems import StudyFileError
from tests.workbooks import Cell, Day, Formula, workbook

LONG = "id,model,hyp,src\n" + "".join(
    f"{n},{model},The text number {n} of {model}.,The input of number {n}.\n" for n in range(1, 4) for model in "ab"
)


def a_file(content: str | bytes, name: str = "texts.csv") -> TextsFile:
    """Return an uploaded table."""
    data = content if isinstance(content, bytes) else content.encode()
    return open_file(RatingsFile(name, lambda: BytesIO(data)))


def uses_of(layout: Layout) -> dict[str, str]:
    """Return the use of each column, without those that are not used."""
    return {one.column: one.use for one in layout.uses if one.use}


def read(content: str | bytes, name: str = "texts.csv", **changes: object) -> CheckedTexts:
    """Check a table as it is guessed to be, with changes to that."""
    file = a_file(content, name)
    return check_file(file, replace(guess_layout(look(file)), **changes))


def refusals(checked: CheckedTexts) -> str:
    """Return the problems of a table as text."""
    assert checked.refusal is not None
    assert not checked.rows, "nothing may be stored"
    return str(checked.refusal)


def test_a_long_table_is_recognised_by_names() -> None:
    layout = guess_layout(look(a_file(LONG)))
    assert uses_of(layout) == {"id": "item", "model": "system", "hyp": "output", "src": "source"}
    checked = read(LONG)
    assert (len(checked.rows), checked.items, checked.systems) == (6, 3, {"a": "", "b": ""})
    assert checked.rows[0] == {
        "item": "1", "system": "a", "output": "The text number 1 of a.", "source": "The input of number 1.",
    }  # fmt: skip


def test_wide_columns_are_systems_under_their_names() -> None:
    """21 systems x 60 items in 60 rows; their names are their keys, whatever signs they have."""
    systems = [f"E2E NLG #{n}" for n in range(1, 22)]
    header = ["MR", *systems, "ref"]
    lines = [
        [f"name[Place {n}], food[kind {n}]", *(f"Place {n} has food, says {system}." for system in systems), "Ref here"]
        for n in range(60)
    ]
    table = "\n".join("\t".join(line) for line in [header, *lines])
    layout = guess_layout(look(a_file(table, "texts.tsv")))
    assert Counter(uses_of(layout).values()) == {SYSTEM: 21, "source": 1, "reference": 1}
    checked = read(table, "texts.tsv")
    assert checked.refusal is None
    assert (len(checked.rows), checked.items) == (1260, 60)
    assert list(checked.systems)[2] == "E2E NLG #3"
    assert checked.rows[0]["item"] == checked.rows[20]["item"] == "item-0001"


def test_a_column_that_numbers_outputs_is_not_the_item() -> None:
    """Each output of RankME has an id of its own; the outputs of one input share its number."""
    table = "item_id,system,mr_id,meaning_representation,output_text\n" + "".join(
        f"rk-{mr}-{system},{system},{mr},name[Blue {mr}] area[centre],Blue {mr} is a nice place ({system}).\n"
        for mr in range(4)
        for system in ("one", "two", "three")
    )
    assert uses_of(guess_layout(look(a_file(table)))) == {
        "system": "system", "mr_id": "item", "meaning_representation": "source", "output_text": "output",
    }  # fmt: skip


@pytest.mark.parametrize(
    ("table", "items"),
    [
        ("system,source,output\na,x y z,first text\nb,x y z,second text\na,w,third text\n", [1, 1, 2]),
        ("system,output\na,first text\na,second text\nb,third text\n", [1, 2, 1]),
        ("output\nfirst text\nsecond text\nthird text\n", [1, 2, 3]),
    ],
    ids=["equal sources", "the order within systems", "every row"],
)
def test_items_without_names_are_numbered(table: str, items: list[int]) -> None:
    checked = read(table)
    assert [row["item"] for row in checked.rows] == [f"item-{n:04d}" for n in items]
    assert any("numbered" in note for note in checked.notes)


@pytest.mark.parametrize(
    "content",
    [
        LONG.replace(",", ";").encode(),
        LONG.encode("utf-8-sig"),
        LONG.encode("utf-16"),
        LONG.replace("\n", "\r\n").encode(),
        gzip.compress(LONG.encode(), mtime=0),
        ("row,,\n" + LONG).partition("\n")[2].encode(),
        "".join(f"{n},{line}\n" if n else f",{line}\n" for n, line in enumerate(LONG.splitlines())).encode(),
    ],
    ids=["semicolons", "BOM", "UTF-16", "CRLF", "gzip", "plain", "pandas index"],
)
def test_tables_are_read_however_they_are_written(content: bytes) -> None:
    assert read(content).rows == read(LONG).rows


def test_search_results_are_told_apart_by_their_rank() -> None:
    table = "item,system,rank,query,result text\n" + "".join(
        f"q{query},{system},{rank},what is {query},the text of result {rank} of {system}\n"
        for query in (1, 2) for system in "ab" for rank in (1, 2)
    )  # fmt: skip
    rows = read(table, "results.csv").rows
    assert len(rows) == 8
    assert [(row["system"], row["variant"], row["source"]) for row in rows[:3]] == [
        ("a", "1", "what is 1"), ("a", "2", "what is 1"), ("b", "1", "what is 1"),
    ]  # fmt: skip


def test_quoted_line_breaks_stay_in_the_text() -> None:
    rows = read('item,system,output\n1,a,"two\nlines"\n2,a,one line\n').rows
    assert [row["output"] for row in rows] == ["two\nlines", "one line"]


def test_json_lines_keep_their_values() -> None:
    table = '{"id": 1, "model": "a", "output": "A text here", "options": {"x": [1]}, "position": 2, "doc": "d"}\n'
    (row,) = read(table, "texts.jsonl").rows
    assert row == {
        "item": "1", "system": "a", "output": "A text here", "options": '{"x": [1]}', "position": "2", "document": "d",
    }  # fmt: skip


@pytest.mark.parametrize(
    "table",
    [
        '[\n {"id": 1, "hyp": "A text here"},\n {"id": 2, "hyp": "Another text"}]',
        '{"version": 1, "data": [{"id": 1, "hyp": "A text here"}, {"id": 2, "hyp": "Another text"}]}',
        '{"id": 1, "hyp": "A text here"}\n{"id": 2, "hyp": "Another text"}\n',
    ],
    ids=["a list", "a list within an object", "lines"],
)
def test_json_is_a_list_of_objects_or_lines(table: str) -> None:
    rows = [("1", "A text here"), ("2", "Another text")]
    assert [(row["item"], row["output"]) for row in read(table, "texts.json").rows] == rows


def test_a_workbook_gives_values_dates_and_merged_cells() -> None:
    """Formulas give the value they were saved with, whole numbers no decimals, merged cells all their rows a value."""
    sheet: list[list[Cell]] = [
        ["item", "system", "output", "source", "seen on", "n"],
        [1, "a", "The first text", "shared input", Day(46000), 3],
        [1, "b", Formula("A1&B1", "a computed text"), None, Day(46000.5), 3],
        [2, "a", "two\nlines", "other", None, True],
    ]
    content = workbook({"Texts": sheet, "Notes": [["nothing"], [1]]}, merged=["D2:D3"])
    file = a_file(content, "texts.xlsx")
    assert file.sheets == ("Texts", "Notes")
    layout = replace(guess_layout(look(file)), unused=KEEP)
    checked = check_file(file, layout)
    assert checked.refusal is None
    assert [row["item"] for row in checked.rows] == ["1", "1", "2"]
    assert checked.rows[1]["output"] == "a computed text"
    assert checked.rows[1]["source"] == "shared input"
    assert checked.rows[2]["output"] == "two\nlines"
    assert [row["feature_n"] for row in checked.rows] == ["3", "3", "true"]
    assert any("merged over several rows" in note for note in checked.notes)
    assert any("differ between the rows of one item: seen on" in note for note in checked.notes)
    assert look(file, sheet="Notes").columns == ["nothing"]


def test_places_in_a_workbook_are_its_rows_and_columns() -> None:
    sheet = [["item", "system", "output"], [], ["1", "a", "text\nwith lines"], ["", "a", "second text"]]
    assert "texts.xlsx:6:1: item:" in refusals(read(workbook({"A": sheet}, start=3), "texts.xlsx"))


def test_a_file_is_what_it_holds_whatever_its_name() -> None:
    sheet = [["item", "system", "output"], ["1", "a", "A text here"]]
    checked = read(workbook({"A": sheet}), "texts.csv")
    assert checked.rows[0]["output"] == "A text here"
    assert checked.notes[0] == "texts.csv is a workbook, although its name says otherwise, and was read as one."
    checked = read("item,system,output\n1,a,A text here\n", "texts.xlsx")
    assert checked.notes[0] == "texts.xlsx is not a workbook, although its name says so; it was read as CSV."


@pytest.mark.parametrize(
    ("content", "name", "sentence"),
    [
        (b"", "texts.csv", "This file is empty. Its first line must name the columns."),
        (b"PK\x03\x04 no zip", "texts.xlsx", "This workbook is damaged"),
        (workbook({"A": []}), "texts.xlsx", "The sheet “A” is empty."),
        (b"\xd0\xcf\x11\xe0 old", "texts.xlsx", "Save it as .xlsx without a password."),
        (b"text", "texts.docx", "Use CSV, TSV, JSON, JSON Lines (.jsonl) or a workbook"),
        (b"[1, 2", "texts.json", "texts.json:1:"),
        (b"7", "texts.json", "Expected a list of objects"),
        (b"", "texts.json", "This file is empty."),
        (gzip.compress(LONG.encode(), mtime=0)[:40], "texts.csv.gz", "damaged"),
    ],
)
def test_files_that_cannot_be_read_say_what_to_do(content: bytes, name: str, sentence: str) -> None:
    with pytest.raises(StudyFileError) as refused:
        look(a_file(content, name))
    assert sentence in str(refused.value)


def test_a_workbook_that_unpacks_to_too_much_is_not_opened(settings: object) -> None:
    settings.STUDY_FILE_LIMITS = {"unpacked_bytes": 2_000}
    with pytest.raises(StudyFileError, match="unpacks to more than"):
        look(a_file(workbook({"A": [["output"], ["x" * 5_000]]}), "texts.xlsx"))


def test_the_same_text_twice_is_a_problem_of_its_row() -> None:
    text = refusals(read("item,system,output\n1,a,first text\n1,a,second text\n2,a,third text\n", items="column"))
    assert "texts.csv:3:2: system: Item “1”, system “a”" in text


def test_an_item_that_has_two_lines_in_a_wide_table_is_one_problem() -> None:
    table = "id,alpha,beta\n1,a first text,a second text\n1,a third text,a fourth text\n"
    uses = [ColumnUse("id", "item"), ColumnUse("alpha", SYSTEM), ColumnUse("beta", SYSTEM)]
    text = refusals(read(table, uses=uses, items="column"))
    assert text == "texts.csv:3:1: item: The item “1” stands in line 2 already. Remove one of the two rows."


def test_names_that_may_be_meant_to_be_the_same_are_pointed_out() -> None:
    table = "item,system,output\n1,GPT #4,first text\n1,GPT-4,second text\n1,gpt-4,third text\n"
    checked = read(table)
    assert list(checked.systems) == ["GPT #4", "GPT-4", "gpt-4"]
    assert any("may be meant to be the same: “GPT-4” – “gpt-4”." in note for note in checked.notes)


def test_sources_that_differ_within_an_item_are_told() -> None:
    table = "item,system,output,source\n1,a,first text,one\n1,b,second text,two\n"
    layout = Layout([ColumnUse(name, name) for name in ("item", "system", "output", "source")])
    assert "has another value here in line 2" in str(check_file(a_file(table), layout).refusal)


def test_what_is_said_once_about_an_item_stands_in_all_its_rows() -> None:
    table = "item,system,output,source,doc,position\n1,a,first text,one,d,\n1,b,second text,,,\n2,a,third text,,d,\n"
    assert [(row.get("source"), row.get("document"), row.get("position")) for row in read(table).rows] == [
        ("one", "d", None), ("one", "d", None), (None, "d", None),
    ]  # fmt: skip


def test_media_are_named_as_they_were_uploaded() -> None:
    table = "item,system,output,image\n1,a,first text,one.png\n2,a,second text,two.png\n3,a,third text,one.wav\n"
    media = UploadedMedia(
        {"one.png": "media/1.png", "one.wav": "media/2.wav"}, {"media/1.png": "image/png", "media/2.wav": "audio/wav"}
    )
    file = a_file(table)
    text = str(check_file(file, guess_layout(look(file)), media).refusal)
    assert ":3:4: context_image: There is no file “two.png”. Upload it first" in text
    assert "media/2.wav is audio/wav, which does not belong into context_image." in text
    only = a_file(table.partition("2,a")[0])
    assert check_file(only, guess_layout(look(only)), media).rows[0]["context_image"] == "media/1.png"


@pytest.mark.parametrize(
    "table",
    [
        "item,system,output_file,captions\n1,a,one.png,\n1,b,call.wav,call.vtt\n2,a,two.png,\n",
        "item,a,b\n1,one.png,call.wav\n2,two.png,What the text says about one.png\n",
    ],
    ids=["one row per output", "one column per system"],
)
def test_outputs_that_are_files_are_named_as_they_were_uploaded(table: str) -> None:
    media = UploadedMedia(
        {"one.png": "media/1.png", "call.wav": "media/2.wav", "call.vtt": "media/3.vtt"},
        {"media/1.png": "image/png", "media/2.wav": "audio/wav", "media/3.vtt": "text/vtt"},
    )
    file = a_file(table)
    text = str(check_file(file, guess_layout(look(file)), media).refusal)
    assert "output_file: There is no file “two.png”. Upload it first" in text
    rest = a_file(table.replace("two.png", "one.png"))
    rows = check_file(rest, guess_layout(look(rest)), media).rows
    assert [row.get("output_file") for row in rows][:3] == ["media/1.png", "media/2.wav", "media/1.png"]
    assert [row.get("output") for row in rows[3:]] in ([], ["What the text says about one.png"])
    assert rows[1].get("captions") == ("media/3.vtt" if "captions" in table else None)


def test_the_marked_table_is_the_own_table_with_a_column_more() -> None:
    """It can be corrected and uploaded again: cells are as they were, and the column of problems is left out."""
    table = 'item;system;output;extra\n1;a;"=first; text";x\n;a;second text;y\n1;a;third text;z\n'
    file = a_file(table)
    layout = guess_layout(look(file))
    checked = check_file(file, layout)
    lines = "".join(marked_rows(file, layout, checked.problems.by_line)).splitlines()
    assert lines[0] == "\ufeffproblem,item,system,output,extra"
    assert lines[1] == ",1,a,=first; text,x"
    assert lines[2].startswith("item: A value is needed here in every row.,,a,second text")
    again = a_file("\n".join(lines))
    assert uses_of(guess_layout(look(again))) == uses_of(layout)
    kept = check_file(again, replace(guess_layout(look(again)), unused=KEEP))
    assert "feature_problem" not in str(kept.rows)
    assert next(iter(marked_rows(again, layout, {}))) == "\ufeff"


def test_unused_columns_become_features_where_an_item_has_one_value() -> None:
    table = "item,system,output,Text Type,score\n1,a,first text,news,3\n1,b,second text,news,4\n2,a,third text,chat,3\n"
    checked = read(table, unused=KEEP)
    assert [row.get("feature_Text_Type") for row in checked.rows] == ["news", "news", "chat"]
    assert any("differ between the rows of one item: score" in note for note in checked.notes)
    assert "feature_Text_Type" not in str(read(table).rows)


@pytest.mark.parametrize(
    ("name", "key"),
    [
        ("E2E NLG #3", "E2E-NLG-3"),
        ("Müller", "Muller"),
        ("gpt-4o", "gpt-4o"),
        ("机器", ""),
        ("# 1 ", "1"),
        ("a" * 101, ""),
    ],
)
def test_keys_are_made_of_names_where_enough_of_them_stays(name: str, key: str) -> None:
    assert key_of(name) == key


def test_names_of_features_fit_their_columns() -> None:
    assert feature_name("Text Type (coarse)") == "Text_Type_coarse"


@pytest.mark.parametrize(
    ("layout", "sentence"),
    [
        (Layout([ColumnUse("x")]), "Choose the column that holds the outputs"),
        (Layout([ColumnUse("x", "output"), ColumnUse("y", "output")]), "Only one column can be “output"),
        (Layout([ColumnUse("x", "output"), ColumnUse("y", SYSTEM)]), "not both"),
        (Layout([ColumnUse("x", "output")]), "Choose the column that names the item"),
        (Layout([ColumnUse("x", "output")], items="source"), "choose the column that holds the source"),
        (Layout([ColumnUse("x", "output")], items="order"), "choose the column that names the system"),
        (Layout([ColumnUse("x", "output")], items="row", system=" "), "Write down the name of the system"),
        (Layout([ColumnUse("x", FEATURE, "a b"), ColumnUse("y", FEATURE, "a_b")]), "Two features are called “a_b”"),
        (Layout([ColumnUse("x", SYSTEM), ColumnUse("y", "system")]), "no other column can name the system"),
    ],
)
def test_choices_that_do_not_go_together_are_told(layout: Layout, sentence: str) -> None:
    assert any(sentence in fault for fault in layout.faults())


def test_a_sample_is_drawn_again_by_its_seed() -> None:
    items = {f"i{n}": "" for n in range(100)}
    drawn = draw(items, 10, 7)
    assert len(set(drawn)) == 10
    assert drawn == draw(items, 10, 7) != draw(items, 10, 8)
    assert drawn == sorted(drawn, key=list(items).index), "in the order of the table"


@pytest.mark.parametrize(
    ("equal", "expected"), [(False, {"news": 6, "chat": 3, "mail": 1}), (True, {"news": 4, "chat": 3, "mail": 3})]
)
def test_strata_give_equal_shares_or_numbers(equal: bool, expected: dict[str, int]) -> None:
    sizes = {"news": 60, "chat": 30, "mail": 10}
    items = {f"{stratum}{n}": stratum for stratum, size in sizes.items() for n in range(size)}
    counts = Counter(items[key] for key in draw(items, 10, 3, equal=equal))
    if equal:
        assert sorted(counts.values()) == [3, 3, 4]
    else:
        assert counts == expected


@pytest.mark.parametrize("n", [1, 4, 7, 12, 99])
@pytest.mark.parametrize("equal", [False, True])
def test_a_stratified_sample_has_the_size_asked_for(n: int, equal: bool) -> None:
    """However small the strata are: 1 of one, 2 of another, and so on to 5, 15 in all."""
    items = {f"{stratum}-{k}": stratum for stratum in range(1, 6) for k in range(stratum)}
    drawn = draw(items, n, 1, equal=equal)
    assert len(drawn) == len(set(drawn)) == min(n, 15)


def test_lengths_are_split_into_thirds() -> None:
    strata = length_strata({"a": 5, "b": 1, "c": 9, "d": 2, "e": 7, "f": 3})
    assert strata == {"a": "middle", "b": "short", "c": "long", "d": "short", "e": "long", "f": "middle"}
