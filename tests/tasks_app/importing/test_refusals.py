"""Everything that can be wrong with a file of ratings is named with its place, and nothing of it is stored."""

import gzip
import json
from pathlib import Path

import pytest
from django.contrib.auth.models import User
from pytest_django import Settings

from tasks_app.models import Rater, Study
from tasks_app.studyfile import StudyFileError
from tests import pages
from tests.builders import build_study
from tests.deviations import assert_each
from tests.tasks_app.importing import kit
from tests.tasks_app.importing.kit import RATINGS, bring, problems_of

pytestmark = pytest.mark.django_db

# (passage, what stands there instead, the line and column and a piece of the sentence)
SPOILT = [
    ("bob,i1,alpha,style,5", ",i1,alpha,style,5", "7:1: rater: Every row needs the pseudonym of its rater."),
    ("bob,i1,alpha,style,5", f"{'b' * 41},i1,alpha,style,5", "7:1: rater: A pseudonym has at most 40 characters."),
    ("bob,i1,alpha,style,5", "bob,i9,alpha,style,5", "7:2: item: There is no such item. Known are: i1, i2, i3."),
    ("bob,i1,alpha,style,5", "bob,,,style,5", "7:2: item: What was rated? Give item and system, or unit."),
    ("bob,i1,alpha,style,5", "bob,i1,,style,5", "7:3: system: The item has several texts."),
    ("bob,i1,alpha,style,5", "bob,i1,alfa,style,5", "7:3: system: There is no such system. Did you mean “alpha”?"),
    ("bob,i1,alpha,style,5", "bob,i1,alpha,Styl,5", "7:4: criterion: The task “reading” does not ask this. Did you"),
    ("bob,i1,alpha,style,5", "bob,i1,alpha,,5", "7:4: criterion: Which of these was rated: fluency, style?"),
    ("bob,i1,alpha,style,5", "bob,i1,alpha,style,6", "7:5: value: must be from 1 to 5, the scale of this task"),
    ("bob,i1,alpha,style,5", "bob,i1,alpha,style,2.5", "7:5: value: must be a whole step of the scale; it is 2.5."),
    ("bob,i1,alpha,style,5", "bob,i1,alpha,style,five", "7:5: value: Expected a number, such as 4 or 62.5; this"),
    ("bob,i1,alpha,style,5", 'bob,i1,alpha,style,"4,5"',
     "7:5: value: Expected a number, such as 4 or 62.5; this is '4,5'. Write it with a point."),
    ("bob,i1,alpha,style,5", "bob,i1,alpha,style,NaN", "7:5: value: Expected a number"),
    ("bob,i1,alpha,style,5", "bob,i1,alpha,style,1e999", "7:5: value: This number is too large to be stored."),
    ("bob,i1,alpha,style,5", "bob,i1,alpha,style,", "7:5: value: There is no rating here."),
    ("bob,i1,alpha,style,5", "bob,i1,alpha,style", "7:5: This row has 4 cells, the header 5."),
    ("bob,i1,alpha,style,5", "ann,i1,alpha,style,5", "7:1: rater: This rater has already rated this, in line 3:"),
    ("bob,i1,alpha,style,5", 'bob,i1,alpha,style,"5', "7:1: The quotation marks of this row do not match"),
    ("value\n", "rating value\n", "1:5: Unknown column “rating value”. Did you mean “rating”? A mapping says"),
    ("rater,item,", "sep=,\nrater,item,", "1:1: This line is an instruction to Excel. Remove it"),
    ("value\n", "item\n", "1:5: There are two columns “item”. Keep one."),
]  # fmt: skip


def test_a_mistake_is_named_with_its_place(draft: Study, tmp_path: Path) -> None:
    def check(old: str, new: str, said: str) -> None:
        assert RATINGS.count(old) == 1
        lines = problems_of(draft, tmp_path, RATINGS.replace(old, new))
        assert [line for line in lines if line.startswith(f"ratings.csv:{said}")], lines
        assert len(lines) == 1 or "Unknown" in said

    assert_each(check, ((said[:40], {"old": old, "new": new, "said": said}) for old, new, said in SPOILT))
    assert bring(draft, tmp_path).counts["ratings"] == 6


# (columns added, their cells, the column in question, a piece of the sentence)
ADDED = [
    (
        "purpose",
        "mian",
        "purpose: must be one of: screening, training, exam, warm_up, main, control, attention, repeat, exit; "
        "it is 'mian'.",
    ),
    (
        "purpose,repeat_of",
        "main,j1",
        "repeat_of: This names an earlier judgment, so the purpose of this row must be “repeat”.",
    ),
    ("state", "live", "state: must be one of: submitted, surplus, skipped, withdrawn; it is 'live'."),
    ("state", "skipped", "state: A skipped unit has no rating."),
    ("version", "2", "version: The study has versions 1 to 1."),
    ("version", "0", "version: The study has versions 1 to 1."),
    ("position", "0", "position: This counts from 1."),
    ("wave", "0", "wave: This counts from 1."),
    ("wave", "-1", "wave: Expected a whole number, 0 or more; this is '-1'."),
    ("position", "1000001", "position: This counts from 1, to 1,000,000 at most."),
    ("wave", "2147483647", "wave: This counts from 1, to 1,000,000 at most."),
    ("seconds", "-1", "seconds: A time cannot be negative."),
    ("seconds", "1.7e308", "seconds: No answer takes more than 604,800 active seconds (a week)."),
    ("submitted_at", "1900-01-01", "submitted_at: Only times from 1900 to 9000 (UTC) can be stored."),
    ("submitted_at", "31/12/2026", "submitted_at: Expected a time"),
    ("arrangement", "AAB", "arrangement: This is not JSON"),
    ("arrangement", "[1]", "arrangement: Expected a JSON object"),
    ("group", "experts", "group: The study has no such group."),
    ("task", "writing", "task: There is no such task. Known are: reading."),
    ("unit", "i1/gamma", "unit: There is no such unit."),
    ("unit", "i2/alpha", "item: The unit is of another item (i2)."),
    ("unit", "i1/beta", "system: This system has no text here."),
    ("variant", "b", "variant: There is no such variant."),
    ("system_b", "beta", "system_b: Its text is not shown together with the other one."),
    ("label", "good", "label: The ratings of the task “reading” stand in the column value."),
    ("label", "skip", "value: A row with the label “skip” holds nothing else."),
    ("text", "nice", "text: The ratings of the task “reading” stand in the column value."),
    ("span_start", "3", "span_start: Nothing is marked in the task “reading”."),
    ("category", "Accuracy", "category: Nothing is marked in the task “reading”."),
]


# Characters that nobody sees: a tab, an end of a line, a mark of direction, one without width, a separator.
HIDDEN = [("\t", "U+0009"), ("\n", "U+000A"), ("\u202e", "U+202E"), ("\u200b", "U+200B"), ("\u2028", "U+2028")]


def test_names_with_characters_that_nobody_sees_are_refused(draft: Study, tmp_path: Path) -> None:
    row = {"rater": "ann", "item": "i1", "system": "alpha", "criterion": "style", "judgment": "j1", "value": 4}

    def check(column: str, character: str, code: str) -> None:
        word = str(row.get(column, "g"))
        line = json.dumps(row | {column: f"{word[0]}{character}{word[1:]}x"}) + "\n"
        (said,) = problems_of(draft, tmp_path, line, name="r.jsonl")
        sentence = f"Character 2 ({code}) cannot be seen, so that two names may look alike. Remove it."
        assert said.endswith(f": {column}: {sentence}")
        with pytest.raises(StudyFileError, match="cannot be seen"):
            kit.mapped(json.dumps({"constant": {"rater": f"a{character}b"}}))

    assert_each(
        check,
        (
            (f"{code} in {column}", {"column": column, "character": character, "code": code})
            for column in ("rater", "judgment", "item", "criterion", "group")
            for character, code in HIDDEN
        ),
    )


def test_columns_that_few_files_have_are_checked_as_well(draft: Study, tmp_path: Path) -> None:
    def check(columns: str, cells: str, said: str) -> None:
        content = f"rater,item,system,criterion,value,{columns}\nann,i1,alpha,style,4,{cells}\n"
        lines = problems_of(draft, tmp_path, content)
        assert len(lines) == 1, lines
        assert said in lines[0]
        column = content.split("\n", maxsplit=1)[0].split(",").index(said.partition(":")[0]) + 1
        assert lines[0].startswith(f"ratings.csv:2:{column}: ")

    assert_each(
        check,
        ((f"{name}={cells}", {"columns": name, "cells": cells, "said": said}) for name, cells, said in ADDED),
    )


def test_a_slider_takes_finer_steps_than_its_own_but_nothing_off_its_range(tmp_path: Path, db: None) -> None:
    study = kit.study(
        tmp_path, kind="type: likert=>type: slider", scale="points: 5=>minimum: 0\n      maximum: 100",
        labels="    labels: [a, b, c, d, e]\n=>",
    )  # fmt: skip
    content = "rater,item,system,criterion,value\nann,i1,alpha,style,62.4\nann,i1,beta,style,{}\n"
    assert problems_of(study, tmp_path, content.format("100.1")) == [
        "ratings.csv:3:5: value: must be from 0 to 100, the scale of this task; it is 100.1."
    ]
    bring(study, tmp_path, content.format("0"))
    assert [row[3] for row in kit.ratings(study)] == [62.4, 0.0]


def test_every_problem_is_listed_and_many_are_counted(draft: Study, tmp_path: Path) -> None:
    rows = "".join(f"r{n},i9,alpha,style,{n}\n" for n in range(300))
    lines = problems_of(draft, tmp_path, "rater,item,system,criterion,value\n" + rows)
    (line,) = lines
    assert line.startswith("ratings.csv:2:2: item: There is no such item.")
    assert line.endswith(" 300 problems like this, first at 2:2, 3:2, 4:2.")
    twice = "".join("ann,i1,alpha,style,3\n" for _n in range(300))
    lines = problems_of(draft, tmp_path, "rater,item,system,criterion,value\n" + twice)
    assert lines[0].startswith("ratings.csv:3:1: rater: This rater has already rated this, in line 2:")
    (line,) = lines
    assert line.endswith(" 299 problems like this, first at 3:1, 4:1, 5:1.")


def test_ratings_of_texts_that_are_shown_once_are_not_mixed_up(tmp_path: Path, db: None) -> None:
    content = "rater,item,system,criterion,value\nann,i3,alpha,style,4\nann,i3,beta,style,2\nbob,i3,beta,style,2\n"
    study = kit.study(tmp_path)
    lines = problems_of(study, tmp_path, content)
    said = "ratings.csv:{}:3: system: The output named in line 2 has the same text, and this study shows it once"
    assert lines[0].startswith(said.format(3))
    assert lines[0].endswith("2 problems like this, at 3:3, 4:3.")
    assert "keep_identical: true" in lines[0]
    # Whatever becomes of second ratings, these are none.
    for repeats in ("first", "last", "keep"):
        assert said.format(3) in problems_of(study, tmp_path, content, f"repeats: {repeats}")[0]
    apart = kit.study(tmp_path, slug="apart", keep="spacing: 1=>spacing: 1\n    keep_identical: true")
    bring(apart, tmp_path, content)
    assert [row[1] for row in kit.ratings(apart)] == ["i3/alpha", "i3/beta", "i3/beta"]


def test_the_rows_of_a_judgment_have_to_agree(draft: Study, tmp_path: Path) -> None:
    head = "judgment,rater,item,system,criterion,value,seconds\n"
    assert problems_of(draft, tmp_path, head + "j,ann,i1,alpha,style,4,3\nj,bob,i1,alpha,fluency,4,3\n") == [
        "ratings.csv:3:2: rater: All rows of a judgment must agree on this; line 2 is of the same one and says "
        "otherwise."
    ]
    assert problems_of(draft, tmp_path, head + "j,ann,i1,alpha,style,4,3\nj,ann,i1,beta,fluency,4,3\n")[0].startswith(
        "ratings.csv:3:1: unit: All rows of a judgment must agree on this"
    )
    assert "seconds" in problems_of(draft, tmp_path, head + "j,ann,i1,alpha,style,4,3\nj,ann,i1,alpha,fluency,4,\n")[0]
    twice = problems_of(draft, tmp_path, head + "j,ann,i1,alpha,style,4,3\nj,ann,i1,alpha,style,4,3\n")
    assert len(twice) == 2
    assert any("The judgment that begins in line 2 has a rating of this already." in line for line in twice)


def test_somebody_who_took_part_here_is_not_somebody_elsewhere(rosa: User, tmp_path: Path) -> None:
    study = build_study(rosa)
    pages.join(study)
    name = Rater.objects.get().pseudonym
    assert problems_of(study, tmp_path, f"rater,unit,value\n{name},i0/alpha-mt,3\n") == [
        "ratings.csv:2:1: rater: The study has a rater of this name who took part here. Import into a study of its "
        "own, or give the raters of the file other names."
    ]


def test_who_was_erased_is_not_brought_back(draft: Study, tmp_path: Path) -> None:
    bring(draft, tmp_path)
    Rater.objects.filter(pseudonym="ann").update(erased_at="2026-01-01T00:00Z")
    assert "erased" in problems_of(draft, tmp_path, "rater,item,system,criterion,value\nann,i2,alpha,style,4\n")[0]


UNREADABLE = [
    (b"", "ratings.csv", "ratings.csv: This file is empty."),
    (b"rater,item,system,criterion,value\n", "ratings.csv", "ratings.csv: There are no ratings below the header."),
    (b"PK\x03\x04", "ratings.xlsx", "ratings.xlsx: This workbook is damaged"),
    (b"PK\x03\x04 and more", "ratings.csv", "ratings.csv: This workbook is damaged"),
    (b"x", "ratings.sav",
     "ratings.sav: is not a table that can be read here. Use CSV, TSV, JSON, JSON Lines (.jsonl) or a workbook (.xlsx, "
     ".ods); text files may be gzipped (.csv.gz), and several tables packed in one zip. Save the table as CSV (UTF-8)"),
    (b"PAR1\xff", "ratings.jsonl", "ratings.jsonl: This file is damaged or of another format (parquet: "),
    (b"x", "ratings.docx", "ratings.docx: is not a table that can be read here"),
    (b"\x1f\x8b\x08broken", "ratings.csv.gz", "ratings.csv.gz: This gzip file is damaged"),
    (gzip.compress(RATINGS.encode())[:-9], "ratings.csv.gz", "ratings.csv.gz: This gzip file is damaged"),
    (b"rater,item\nann,M\xfcller\n", "ratings.csv", "ratings.csv:2:6: Byte 17 (0xFC) is not UTF-8."),
    (b"rater,item\nann,M\x00ller\n", "ratings.csv", "ratings.csv:2:6: Here is a NUL character"),
    (RATINGS.encode("utf-16-le"), "ratings.csv", "ratings.csv: looks like UTF-16 without a byte order mark."),
    (b'{"rater": "ann"\n', "ratings.jsonl", "ratings.jsonl:1:17: This is not JSON"),
    (b'["ann"]\n', "ratings.jsonl", "ratings.jsonl:1:1: Each line must be one JSON object"),
    (b'{"rater": "ann", "itme": "i1"}\n', "ratings.jsonl",
     "ratings.jsonl:1:18: Unknown column “itme”. Did you mean “item”?"),
    (b'{"rater": "ann", "item": "i1", "system": "alpha", "criterion": "style", "value": true}\n', "ratings.jsonl",
     "ratings.jsonl:1:73: value: Expected a number"),
]  # fmt: skip


def test_a_file_that_cannot_be_read_says_why(draft: Study, tmp_path: Path) -> None:
    def check(content: bytes, name: str, said: str) -> None:
        lines = problems_of(draft, tmp_path, content, name=name)
        assert any(line.startswith(said) for line in lines), lines

    assert_each(check, ((said, {"content": content, "name": name, "said": said}) for content, name, said in UNREADABLE))


def test_limits_are_kept(draft: Study, tmp_path: Path, settings: Settings) -> None:
    settings.STUDY_FILE_LIMITS = {"ratings_rows": 5}
    assert problems_of(draft, tmp_path, RATINGS) == ["ratings.csv:7:1: There are more than 5 rows. Split the file."]
    settings.STUDY_FILE_LIMITS = {"ratings_bytes": 50}
    for name in ("ratings.csv", "ratings.csv.gz"):
        assert problems_of(draft, tmp_path, RATINGS, name=name) == [f"{name}: is larger than 50 bytes. Split it."]
    settings.STUDY_FILE_LIMITS = {"ratings_rows": 6, "ratings_bytes": len(RATINGS)}
    assert bring(draft, tmp_path).counts["ratings"] == 6


def test_a_study_without_tasks_takes_no_ratings(tmp_path: Path, db: None) -> None:
    empty = Study.objects.create(slug="empty", title="Empty", public_title="Empty")
    assert problems_of(empty, tmp_path, RATINGS) == ["ratings.csv: This study has no task yet. Add one under Set up."]
