"""Bad input: each gives a message with file, line and column that a person can act on, and nothing is stored.

Every case spoils one passage of a study that is accepted as it stands.
"""

# ruff: noqa: E501  one case a line: a message cut in two cannot be compared with what a person reads

from pathlib import Path
from shutil import copytree

import pytest

from tasks_app import studyfile
from tests.tasks_app.studyfile.kit import ITEMS, problems_of, put, spoil, stored

# What is replaced, by what, and the message; § marks where it must say the problem stands.
YAML_CASES = {
    "wrong type": ("k: 2", "k: §three", "tasks[0].k: must be a whole number from 1 to 10000; it is 'three'."),
    "truth for a number": ("k: 2", "k: §true", "tasks[0].k: must be a whole number from 1 to 10000; it is true."),
    "out of range": ("k: 2", "k: §0", "tasks[0].k: must be a whole number from 1 to 10000; it is the number 0."),
    "number for text": ("name: Style", "name: §5", "criteria[1].name: must be text; it is the number 5. Put it in quotes."),
    "missing": ("study:\n  slug: fluency\n", "§study:\n", "study.slug: is missing: text is needed."),
    "missing section": ("evalweb: 1\nstudy:\n", "§evalweb: 1\nstuddy:\n", "study: is missing: a group of settings (name: value) is needed."),
    "unknown section": ("tasks:\n", "§task:\n", "task: unknown name. Did you mean “tasks”?"),
    "unknown name": ("set_size: 4", "§setsize: 4", "tasks[0].setsize: unknown name. Did you mean “set_size”?"),
    "unknown parameter": ("points: 5", "§point: 5", "tasks[0].params.point: unknown name. Did you mean “points”?"),
    "parameter off": ("points: 5", "points: §12", "tasks[0].params.points: must be a whole number from 2 to 11; it is the number 12."),
    "unknown type": ("type: likert", "type: §lickert", "tasks[0].type: must be one of: "),
    "unknown criterion": ("[fluency, style]", "[fluency, §stile]", "tasks[0].criteria[1]: There is no “stile” in this file. Did you mean “style”?"),
    "criterion twice": ("[fluency, style]", "§[fluency, fluency]", "tasks[0].criteria: names one twice. Keep it once."),
    "same key twice": ("key: style", "key: §fluency", "criteria[1].key: “fluency” is the key in line 15 already."),
    "criteria that do not fit": ("[fluency, style]\n    params:\n      points: 5", "§[fluency, style]\n    params:\n      points: 4", "tasks[0].criteria: Criterion 'style' words 5 steps, but the scale has 4."),
    "bad key": ("key: style", "key: §my style", "criteria[1].key: Use letters, digits, dots, hyphens and underscores"),
    "bad slug": ("slug: fluency", "slug: §Flu ency", "study.slug: Use letters, digits, hyphens and underscores only."),
    "too long": ("title: Fluency of two systems", f"title: §{'x' * 201}", "study.title: Ensure this value has at most 200 characters (it has 201)."),
    "time zone": ("Europe/Berlin", "§Europe/Berlim", "study.timezone: There is no time zone “Europe/Berlim”. Did you mean “Europe/Berlin”?"),
    "language": ("language: en", "language: §english please", "study.language: This is not a language tag. Write one such as en, pt-BR or zh-Hant."),
    "money": ("amount: 1.50", "amount: §1.505", "pay.amount: Ensure that there are no more than 2 decimal places."),
    "date": ("pay:", "about:\n  withdraw_until: §2026-02-30\npay:", "about.withdraw_until: Enter a valid date."),
    "criteria mode": ("k: 2", "k: 2\n    criteria_mode: §pages", "tasks[0].criteria_mode: must be one of"),
    "closes before it opens": ("k: 2", "k: 2\n    opens_after_days: 3\n    closes_after_days: §2", "tasks[0].closes_after_days: The task would close before it opens."),
    "format from the future": ("evalweb: 1", "evalweb: §2", "evalweb: This file is of format 2; this installation reads format 1. Update evalweb."),
    "no format": ("evalweb: 1\nstudy:", "§study:", "evalweb: The first line must be “evalweb: 1”, the version of this format."),
    "sets too large": ("set_size: 4", "set_size: §9", "tasks[0].set_size: Sets of 9 are too large"),
    "spacing too large": ("spacing: 1", "spacing: §4", "tasks[0].spacing: Units of one item cannot stand 4 apart in sets of 4"),
    "key twice": ("seed: 7", "§slug: other", "“slug” stands in line 3 already. Keep one of the two."),
    "anchor": ("seed: 7", "seed: §&x 7", "&x is an anchor. Write the value out."),
    "alias": ("seed: 7", "seed: §*x", "*x repeats an anchor. Write the value out."),
    "tag": ("seed: 7", "seed: §!!python/name:os.system 7", "tag:yaml.org,2002:python/name:os.system is a tag. Leave it out"),
    "infinity": ("minutes: 8", "minutes: §.inf", ".inf is not a number that can be stored."),
    "not a number": ("minutes: 8", "minutes: §.nan", ".nan is not a number that can be stored."),
    "too great a number": ("minutes: 8", "minutes: §1e999", "1e999 is not a number that can be stored."),
    "endless digits": ("minutes: 8", f"minutes: §{'9' * 5000}", f"{'9' * 40} is not a number that can be stored."),
    "NUL by escape": ("name: Style", 'name: §"Sty\\0le"', "Character 4 is a NUL character, which no text may contain. Remove it."),
    "NUL in a key": ("    name: Style", '    §"na\\0me": Style', "Character 3 is a NUL character"),
    "NUL itself": ("name: Style", "name: Sty§\0le", "Here is a NUL character, which no text may contain. Remove it."),
    "lone surrogate": ("name: Style", 'name: §"Sty\\ud800le"', "Character 4 is half of a broken character (a lone surrogate)."),
    "control character": ("name: Style", "name: Sty§\x07le", "Here is a character that YAML does not allow (U+0007). Remove it."),
    "indentation": ("  seed: 7", " §seed: 7", "This is not YAML ("),
    "bracket between braces": ("  seed: 7", "  seed: {question: [How fluent§}", "This is not YAML (while parsing a flow sequence, expected ',' or ']', but got '}'). Between { } or [ ], put text that holds any of , : ? [ ] { } in quotes"),
    "not closed": ("[a, b, c, d, e]\ntasks:", "[a, b, c, d, e\ntasks§:", "This is not YAML ("),
    "second document": ("pay:", "§---\npay:", "A second document begins here."),
    "too deep": ("seed: 7", f"seed: {'[' * 18}§{'[' * 60}", "This is nested more than 20 deep."),
    "a list as a name": ("seed: 7", "? §[seed]\n  : 7", "A name is expected here, not a list or group."),
    "consent in no language": ("consent: |\n  You", "consent:\n  §the-best-language-of-all: |\n    You", "consent.the-best-language-of-all: This is not a language tag."),
    "consent in another language": ("consent: |\n  You", "consent:\n  §de: |\n    You", "consent: There is no text in the study's own language (en)"),
}  # fmt: skip

ITEM_CASES = {
    "missing column": ("item,system,output,source", "item,system,text,source", "items.csv:1:1: The column “output” is missing. The columns here, separated by commas, are: 'item, system, text, source'."),
    "unknown column": ("output,source", "output,soruce", "items.csv:1:4: Unknown column “soruce”. Did you mean “source”?"),
    "own column": ("output,source", "output,domain", "items.csv:1:4: Unknown column “domain”. Name a column of your own feature_…, such as feature_domain."),
    "column twice": ("output,source", "output,output", "items.csv:1:4: There are two columns “output”. Keep one."),
    "line for Excel": ("item,system,output,source", "sep=;\nitem,system,output,source", "items.csv:1:1: This line is an instruction to Excel. Remove it: the separator is found without it."),
    "column without a name": ("output,source", "output,source,,feature_x", "items.csv:1:5: Column 5 has no name. Name it, or remove it."),
    "duplicate": ("i1,beta", "i1,alpha", "items.csv:3:2: system: Item “i1”, system “alpha” and variant “” stand in line 2 already."),
    "too few cells": ("i1,alpha,First text.,One", "i1,alpha,First text.", "items.csv:2:4: This row has 3 cells, the header 4."),
    "too many cells": ("First text.,One", "First, text.,One", "items.csv:2:5: This row has 5 cells, the header 4."),
    "quote not closed": ('"A text, with a comma."', '"A text, with a comma.', "items.csv:4:1: The quotation marks of this row do not match (noticed in line 5)."),
    "quote at the end": ("Same.,Three\ni3,beta", '"Same.,Three\ni3,beta', "items.csv:6:1: The quotation marks of this row do not match"),
    "no system": ("i1,beta", "i1,", "items.csv:3:2: system: A value is needed here in every row."),
    "no item": ("i1,beta", ",beta", "items.csv:3:1: item: A value is needed here in every row."),
    "bad item": ("i1,beta", "i\u200b1,beta", "items.csv:3:1: item: Use at most 100 characters that can be seen, without line breaks; this is 'i\u200b1'."),
    "two sources": ("Another text.,", "Another text.,Uno", "items.csv:3:4: source: The item “i1” has another value here in line 2 ('One')."),
    "long text": ("First text.", "x" * 100_001, "items.csv:2:3: output: has 100,001 characters; at most 100,000 can be stored. Split the text, or cut it."),
    "far too long": ("First text.", "x" * 300_000, "items.csv:2:1: A cell that begins here is far too long"),
    "NUL": ("First text.", "First\0text.", "items.csv:2:15: Here is a NUL character, which no text may contain. Remove it."),
}  # fmt: skip


@pytest.mark.django_db
@pytest.mark.parametrize(("old", "new", "expected"), YAML_CASES.values(), ids=YAML_CASES)
def test_study_yaml_is_refused(tmp_path: Path, old: str, new: str, expected: str) -> None:
    refused(tmp_path, "study.yaml", old, new, expected)


@pytest.mark.django_db
@pytest.mark.parametrize(("old", "new", "expected"), ITEM_CASES.values(), ids=ITEM_CASES)
def test_items_are_refused(tmp_path: Path, old: str, new: str, expected: str) -> None:
    refused(tmp_path, "items.csv", old, new, expected)


def refused(tmp_path: Path, file: str, old: str, new: str, expected: str) -> None:
    """Assert that the study is accepted, and refused with the expected line once a passage is changed."""
    folder = put(tmp_path / "study")
    studyfile.read(folder)
    spoil(folder, file, old, new)
    text = (folder / file).read_text()
    if "§" in text:
        before = text[: text.index("§")]
        (folder / file).write_text(text.replace("§", ""))
        column = len(before) - (before.rfind("\n") + 1) + 1
        expected = f"{file}:{before.count(chr(10)) + 1}:{column}: {expected}"
    lines = problems_of(folder)
    assert [line for line in lines if line.startswith(expected)], "\n".join([expected, *lines])
    assert not stored()


@pytest.mark.django_db
def test_the_sound_study_is_stored(tmp_path: Path) -> None:
    studyfile.load(put(tmp_path / "study"), owner=None)
    assert stored() == {
        "study": 1, "event": 2, "consenttext": 1, "criterion": 2, "task": 1, "taskcriterion": 2, "system": 2,
        "item": 3, "output": 6, "unit": 5, "part": 5, "partoutput": 6,
    }  # fmt: skip


@pytest.mark.django_db
def test_yaml_is_read_as_people_mean_it(tmp_path: Path) -> None:
    """Norwegian is a language, a date is text, an empty value is none, and a leading zero changes nothing."""
    folder = put(tmp_path / "study")
    spoil(folder, "study.yaml", "  language: en\n", "  language: no\n")
    spoil(folder, "study.yaml", "timezone: Europe/Berlin", "timezone:")
    spoil(folder, "study.yaml", "pay:", "about:\n  withdraw_until: 2031-02-28\n  kept: ~\n  institution: 007 Ltd\npay:")
    spoil(folder, "study.yaml", "set_size: 4", "set_size: 04")
    spoil(folder, "study.yaml", "name: Style", "name: off")
    document = studyfile.read(folder).document
    assert (document["study"]["language"], document["study"]["timezone"]) == ("no", "UTC")
    assert (document["about"]["withdraw_until"], document["about"]["kept"]) == ("2031-02-28", "")
    assert (document["tasks"][0]["set_size"], document["criteria"][1]["name"]) == (4, "off")


@pytest.mark.django_db
def test_every_problem_is_listed_once(tmp_path: Path) -> None:
    folder = put(tmp_path / "study")
    spoil(folder, "study.yaml", "timezone: Europe/Berlin", "timezone: Nowhere")
    spoil(folder, "study.yaml", "k: 2", "k: three")
    spoil(folder, "study.yaml", "[fluency, style]", "[fluency, stile]")
    spoil(folder, "items.csv", "i1,beta", "i1,alpha")
    spoil(folder, "items.csv", "Two\ni2,beta", "Two,more\ni2,beta")
    assert [line.split(": ")[0] for line in problems_of(folder)] == [
        "items.csv:3:2", "items.csv:4:5", "study.yaml:7:13", "study.yaml:26:25", "study.yaml:29:8",
    ]  # fmt: skip


@pytest.mark.django_db
def test_many_problems_are_counted(tmp_path: Path) -> None:
    rows = "".join(f"i{n},alpha,Text,Source,more\n" for n in range(250))
    lines = problems_of(put(tmp_path / "study", items_csv=ITEMS + rows))
    assert len(lines) == 1
    assert lines[0].startswith("items.csv:8:5: ")
    assert lines[0].endswith(" 250 problems like this, first at 8:5, 9:5, 10:5.")


@pytest.mark.django_db
@pytest.mark.parametrize(
    ("content", "expected"),
    [
        (b"", "items.csv: This file is empty. Its first line must name the columns: item, system, output."),
        (b"\r\n\r\n", "items.csv: This file is empty."),
        (b"item,system,output\n", "items.csv:1:1: There are no outputs below the header."),
        (ITEMS.encode("latin-1") + b"i4,alpha,caf\xe9,x\n", f"items.csv:8:13: Byte {len(ITEMS) + 13} (0xE9) is not UTF-8. Save the file as UTF-8: in Excel"),
        (ITEMS.encode("utf-16-le"), "items.csv: looks like UTF-16 without a byte order mark. Save the file as UTF-8"),
        (b"\xff\xfe" + ITEMS.encode("utf-16-le")[:-1], "items.csv:7:20: Byte 381 (0x0A) is not UTF-16-LE."),
        (ITEMS.encode("utf-32"), "items.csv: is encoded in UTF-32. Save the file as UTF-8"),
        (b"\xed\xa0\x80" + ITEMS.encode(), "items.csv:1:1: Byte 1 (0xED) is not UTF-8."),
    ],
    ids=["0 bytes", "blank lines", "0 outputs", "Latin-1", "UTF-16 bare", "UTF-16 cut", "UTF-32", "surrogate bytes"],
)  # fmt: skip
def test_encodings_and_empty_files_are_refused(tmp_path: Path, content: bytes, expected: str) -> None:
    lines = problems_of(put(tmp_path / "study", items_csv=content))
    assert lines[0].startswith(expected), lines
    assert not stored()


@pytest.mark.django_db
@pytest.mark.parametrize(
    ("content", "expected"),
    [
        (b"", "study.yaml: This file is empty."),
        (b"# nothing\n", "study.yaml: This file is empty."),
        (b"- a list", "study.yaml:1:1: must be a group of settings (name: value); it is a list."),
        (b"caf\xe9: 1", "study.yaml:1:4: Byte 4 (0xE9) is not UTF-8."),
        (b"a: " + b"x" * 1_100_000, "study.yaml: has 1 MiB; at most 1 MiB can be read. Texts belong in items.csv."),
        (
            b"a: &a [x,x,x,x,x]\nb: &b [*a,*a,*a,*a]\nc: [*b,*b,*b,*b]\n",
            "study.yaml:1:4: &a is an anchor. Write the value out.",
        ),
    ],
    ids=["0 bytes", "comments only", "a list", "Latin-1", "too large", "bomb"],
)
def test_unusable_study_yaml_is_refused(tmp_path: Path, content: bytes, expected: str) -> None:
    lines = problems_of(put(tmp_path / "study", study_yaml=content))
    assert lines[0].startswith(expected), lines
    assert not stored()


@pytest.mark.django_db
@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ('{"item": "i9", "system": "a", "output": "x"', "items.jsonl:3:45: This is not JSON (Expecting ',' delimiter)."),
        ('{"item": "i9", "item": "i8"}', "items.jsonl:3:1: “item” stands here twice. Keep one of the two."),
        ('["i9", "a", "x"]', "items.jsonl:3:1: Each line must be one JSON object; this is a list."),
        ('{"item": "i9", "system": "a", "output": NaN}', "items.jsonl:3:1: NaN is not a number that can be stored."),
        ('{"item": "i9", "system": "a", "output": -Infinity}', "items.jsonl:3:1: -Infinity is not a number"),
        ('{"item": "i9", "system": "a", "output": 1e999}', "items.jsonl:3:1: output: inf is not a number"),
        ('{"item": "i9", "system": "a", "output": "x\\u0000"}', "items.jsonl:3:1: output: Character 2 is a NUL character"),
        ('{"item": "i9", "system": "a", "output": "\\ud800x"}', "items.jsonl:3:1: output: Character 1 is half of a broken character"),
        ('{"item": "i9", "system": "a", "output": ["x"]}', "items.jsonl:3:31: output: Expected text; this is a list."),
        ('{"item": "i9", "system": "a", "outptu": "x"}', "items.jsonl:3:31: Unknown column “outptu”. Did you mean “output”?"),
        ('{"item": "i9", "output": "x"}', "items.jsonl:3:1: system: A value is needed here in every row."),
        ('{"item": "i9", "system": "a", "position": -1}', "items.jsonl:3:31: position: Expected a whole number, 0 or more; this is the number -1."),
        ('{"item": "i9", "system": "a", "options": [1]}', "items.jsonl:3:31: options: Expected a JSON object"),
        ("[" * 100_000, "items.jsonl:3:1: This is nested too deeply."),
        ('{"item": "i9", "system": "a", "position": ' + "9" * 5000 + "}", "items.jsonl:3:1: A number here is too long"),
        ('{"item": "i1", "system": "beta", "source": "other"}', "items.jsonl:3:34: source: The item “i1” has another value here in line 1"),
        ('{"item": "i1", "system": "alpha"}', "items.jsonl:3:16: system: Item “i1”, system “alpha” and variant “” stand in line 1 already."),
    ],
)  # fmt: skip
def test_json_lines_are_refused(tmp_path: Path, line: str, expected: str) -> None:
    folder = put(tmp_path / "study")
    (folder / "items.csv").unlink()
    good = '{"item": "i1", "system": "alpha", "output": "a", "source": "s"}\n{"item": "i2", "system": "alpha", "output": "b"}\n'
    (folder / "study.yaml").write_text((folder / "study.yaml").read_text().replace("set_size: 4", "set_size: 2"))
    (folder / "items.jsonl").write_text(good)
    studyfile.read(folder)
    (folder / "items.jsonl").write_text(good + line + "\n")
    lines = problems_of(folder)
    assert lines[0].startswith(expected), lines
    assert not stored()


@pytest.mark.django_db
def test_a_file_that_is_missing_or_there_twice_is_named(tmp_path: Path) -> None:
    folder = put(tmp_path / "study", items_tsv=ITEMS.replace(",", "\t"))
    assert problems_of(folder) == ["items.tsv: There is items.csv as well. Keep one of them."]
    (folder / "items.tsv").unlink()
    (folder / "study.yaml").rename(folder / "study.yml")
    assert problems_of(folder)[0] == (
        "study: There is no study.yaml here. It describes the study; see docs/study-file.md. "
        "Is it study.yml? Rename or move it."
    )
    (folder / "items.csv").unlink()
    assert any(line.startswith("study: There is no items.csv (or items.tsv") for line in problems_of(folder))


@pytest.mark.django_db
def test_unknown_names_of_two_columns_do_not_hide_each_other(tmp_path: Path) -> None:
    folder = put(tmp_path / "study")
    spoil(folder, "items.csv", "item,system,output,source", "item,sytem,output,souce")
    assert [line.split(": ")[0] for line in problems_of(folder)] == ["items.csv:1:1", "items.csv:1:2", "items.csv:1:4"]


LABELS_CASES = {
    "a number for a choice": (
        "order: rater",
        "order: §1",
        "tasks[0].params.order: must be one of: fixed, rater, drawn; it is the number 1.",
    ),
    "an unknown question": (
        "ordered: [tone, message]",
        "ordered: §[nope, tone]",
        "tasks[0].params.ordered: ordered names 'nope', which is none of the criteria: tone, message, topic.",
    ),
    "a question twice": (
        "ordered: [tone, message]",
        "ordered: §[tone, tone]",
        "tasks[0].params.ordered: names one twice. Keep it once.",
    ),
    "no number at all": (
        "k: 6",
        "k: §.nan",
        ".nan is not a number that can be stored. Give a finite one, or put text in quotes.",
    ),
}


@pytest.mark.django_db
@pytest.mark.parametrize("case", LABELS_CASES)
def test_a_mistake_is_told_once_and_where_it_stands(case: str, tmp_path: Path) -> None:
    old, new, sentence = LABELS_CASES[case]
    folder = tmp_path / "study"
    copytree("examples/labels", folder)
    spoil(folder, "study.yaml", old, new)
    before, _mark, behind = (folder / "study.yaml").read_text().partition("§")
    (folder / "study.yaml").write_text(before + behind)
    place = f"study.yaml:{before.count(chr(10)) + 1}:{len(before) - before.rfind(chr(10))}"
    assert problems_of(folder) == [f"{place}: {sentence}"]
