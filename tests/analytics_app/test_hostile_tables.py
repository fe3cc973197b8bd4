"""Tables as programs and people leave them: nothing is lost or misread without a word."""

import json
from io import StringIO
from pathlib import Path

import pytest
from django.core.management import CommandError, call_command

from tasks_app.models import Rating, Study

pytestmark = pytest.mark.django_db

HEAD = "who,seg,model,text,score\n"
ROWS = "ann,s1,A,One text here.,5\nbob,s1,A,One text here.,4\nann,s2,B,Two texts here.,2\nbob,s2,B,Two texts here.,3\n"
WORDS = "who,seg,text,label\nann,s1,One text here.,{}\nbob,s1,One text here.,NA\nann,s2,Two texts here.,null\n"

# What the command prints: all of it, with refusals and the sentence that it ends with.
SAID: dict[str, tuple[str, str | bytes, tuple[str, ...]]] = {
    "a hyphen among scores is asked about, and the scores stay numbers": (
        "t.csv", HEAD + ROWS + "cat,s1,A,One text here.,-\n",
        ("value: score", "t.csv:6:5: value: Expected a number", "values: {value: {-: ''}}"),
    ),
    "a number without end is no label": (
        "t.csv", HEAD + ROWS + "cat,s1,A,One text here.,inf\n", ("value: score", "t.csv:6:5: value: Expected a number"),
    ),
    "labels that a program would read as numbers": (
        "t.csv", WORDS.format("1e3"), ("rating: read as labels: 1e3, NA, null.", "3 ratings"),
    ),
    "decimals behind a comma": (
        "t.csv", (HEAD + ROWS).replace(",", ";").replace(";5\n", ";4,5\n"),
        ('decimal: ","', "from 2 to 5", "4 ratings"),
    ),
    "keys that may be the same": (
        "t.csv", HEAD + "ann,1,A,One text here.,5\nbob,1.0,A,One text here.,5\ncat,01,a,One text here.,4\n",
        ("“1” – “1.0”", "“A” – “a”"),
    ),
    "more columns than any table has": (
        "t.csv", ",".join(f"c{n}" for n in range(100_000)) + "\n", ("There are more than", "columns"),
    ),
    "a first record that is long": (
        "t.jsonl", json.dumps({"who": "ann", **dict.fromkeys(("src", "ref", "text"), "A word. " * 12_000), "score": 4}),
        ("1 ratings",),
    ),
    "an object that is no label": (
        "t.json", '[{"a": {"b": [1, 2]}}]', ("No column holds ratings.",),
    ),
    "a first line of data": ("t.csv", ROWS, ("The first line looks like data.", "add --no-header")),
    "nothing": ("t.csv", b"", ("This file is empty.",)),
    "line ends of other machines, within cells too": (
        "t.csv", (HEAD + ROWS.replace("One text here.", '"One\ntext here."')).replace("\n", "\r\n").encode("utf-16"),
        ("2 texts", "4 ratings"),
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", SAID)
def test_what_is_said_of_a_table(name: str, tmp_path: Path) -> None:
    file, content, sentences = SAID[name]
    (tmp_path / file).write_bytes(content if isinstance(content, bytes) else content.encode())
    out = StringIO()
    try:
        call_command("analyse_file", str(tmp_path / file), "--check", stdout=out, stderr=out)
    except CommandError as error:
        out.write(str(error))
    for sentence in sentences:
        assert sentence in out.getvalue()
    lines = out.getvalue().splitlines()
    assert len(lines) == len(set(lines)), "a sentence stands here twice"
    assert not Study.objects.exists()


def test_scores_that_are_missing_are_counted_and_left_out(tmp_path: Path) -> None:
    (tmp_path / "t.csv").write_text(HEAD + ROWS + "cat,s1,A,One text here.,-\n")
    (tmp_path / "map.yaml").write_text(
        "columns: {rater: who, item: seg, system: model, output: text, value: score}\nvalues: {value: {'-': ''}}\n"
    )
    out = StringIO()
    call_command("analyse_file", str(tmp_path / "t.csv"), "--map", str(tmp_path / "map.yaml"), stdout=out)
    assert "1 rating is empty and was left out (line 6)." in out.getvalue()
    assert list(Rating.objects.order_by("value").values_list("value", flat=True)) == [2.0, 3.0, 4.0, 5.0]


def test_a_file_without_a_header_is_read_by_numbers(tmp_path: Path) -> None:
    (tmp_path / "t.csv").write_text(ROWS)
    out = StringIO()
    call_command("analyse_file", str(tmp_path / "t.csv"), "--no-header", "--check", stdout=out)
    assert 'header: none\ncolumns:\n  value: "5"' in out.getvalue()
    assert "4 ratings" in out.getvalue()
