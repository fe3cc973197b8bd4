"""Tables as people's programs write them: the same items whatever the encoding, delimiter and line ends."""

import json
from pathlib import Path

import pytest

from tasks_app import studyfile
from tasks_app.hooks.sections import Json
from tests.tasks_app.studyfile.kit import ITEMS, STUDY, put

pytestmark = pytest.mark.django_db

SPECIAL = """\
item,system,output,source,feature_domain,variant
i1,alpha,"Zeile eins
Zeile zwei, mit ""Zitat""; und Semikolon",تجربة النص,news,
i1,beta,<script>alert(1)</script> & <b>fett</b>,,,
i2,alpha,"👩🏽‍🚀 emoji, \tTab",Zwei,,a
i2,alpha,מימין לשמאל,Zwei,,b
i3,alpha,  spaces stay  ,,,
i3,beta,=1+1,,,
"""


def items_of(folder: Path) -> list[dict[str, Json]]:
    items: list[dict[str, Json]] = studyfile.read(folder).document["items"]
    return items


@pytest.fixture
def expected(tmp_path: Path) -> list[dict[str, Json]]:
    """The items as plain UTF-8 with commas gives them."""
    items = items_of(put(tmp_path / "plain", items_csv=SPECIAL))
    texts = [output["text"] for item in items for output in item["outputs"]]
    assert texts == [
        'Zeile eins\nZeile zwei, mit "Zitat"; und Semikolon',
        "<script>alert(1)</script> & <b>fett</b>",
        "👩🏽‍🚀 emoji, \tTab",
        "מימין לשמאל",
        "  spaces stay  ",
        "=1+1",
    ]
    assert items[0]["features"] == {"domain": "news"}
    assert [one["variant"] for one in items[1]["outputs"]] == ["a", "b"]
    return items


@pytest.mark.parametrize(
    "content",
    [
        SPECIAL.encode("utf-8-sig"),
        SPECIAL.encode("utf-16"),
        b"\xfe\xff" + SPECIAL.encode("utf-16-be"),
        SPECIAL.replace("\n", "\r\n").encode(),
        SPECIAL.replace("\n", "\r").encode(),
        SPECIAL.replace("i2,beta", ",,,,,\n\ni2,beta").encode() + b"\n\n,,,,,\n",
        SPECIAL.replace("variant\n", "variant,,\n").replace("i3,beta,=1+1,,,", "i3,beta,=1+1,,,,,").encode(),
        SPECIAL.replace("item,", " item ,").replace("i3,beta", " i3 ,beta ").encode(),
    ],
    ids=["BOM", "UTF-16", "UTF-16 BE", "CRLF", "CR", "empty rows", "empty columns", "spaces around names"],
)
def test_bytes_do_not_matter(tmp_path: Path, expected: list[dict[str, Json]], content: bytes) -> None:
    assert items_of(put(tmp_path / "study", items_csv=content)) == expected


@pytest.mark.parametrize(("suffix", "delimiter"), [("csv", ";"), ("csv", "\t"), ("tsv", "\t")])
def test_delimiters_do_not_matter(tmp_path: Path, expected: list[dict[str, Json]], suffix: str, delimiter: str) -> None:
    import csv
    import io

    text = io.StringIO(newline="")
    csv.writer(text, delimiter=delimiter).writerows(csv.reader(io.StringIO(SPECIAL, newline="")))
    folder = put(tmp_path / "study")
    (folder / "items.csv").unlink()
    (folder / f"items.{suffix}").write_text(text.getvalue(), newline="")
    assert items_of(folder) == expected


def test_json_lines_say_the_same(tmp_path: Path, expected: list[dict[str, Json]]) -> None:
    folder = put(tmp_path / "study")
    (folder / "items.csv").unlink()
    rows = [
        {
            "item": item["key"],
            "system": output["system"],
            "output": output["text"],
            "source": item["source"] or None,
            "variant": output["variant"],
            **{f"feature_{name}": value for name, value in item["features"].items()},
        }
        for item in expected
        for output in item["outputs"]
    ]
    (folder / "items.jsonl").write_text("\n\n".join(json.dumps(row) for row in rows) + "\n")
    assert items_of(folder) == expected


def test_lines_count_as_editors_count_them(tmp_path: Path) -> None:
    """A quoted line break moves every row below it."""
    broken = SPECIAL.replace("i3,beta", "i3,alpha")
    with pytest.raises(studyfile.StudyFileError) as refused:
        studyfile.read(put(tmp_path / "study", items_csv=broken))
    assert refused.value.lines()[0].startswith("items.csv:8:2: system: Item “i3”, system “alpha”")


def test_values_of_json_lines_become_what_their_column_holds(tmp_path: Path) -> None:
    folder = put(tmp_path / "study", study_yaml=STUDY.replace("set_size: 4", "set_size: 1"))
    (folder / "items.csv").unlink()
    row = {
        "item": 12, "system": "a", "output": "x", "position": 3, "document": "d", "feature_length": 3.5,
        "feature_new": True, "options": {"labels": ["yes", "no"]}, "variant": None,
    }  # fmt: skip
    (folder / "items.jsonl").write_text(json.dumps(row))
    (item,) = items_of(folder)
    assert (item["key"], item["position"], item["document"]) == ("12", 3, "d")
    assert item["features"] == {"length": "3.5", "new": "true"}
    assert item["options"] == {"labels": ["yes", "no"]}


def test_documents_are_numbered_or_checked(tmp_path: Path) -> None:
    rows = "item,system,output,document,position\na,s,x,d,{0}\nb,s,y,d,{1}\nc,s,z,,\ne,s,w,d,{2}\n"
    folder = put(tmp_path / "study")

    def write(*positions: object) -> None:
        (folder / "items.csv").write_text(rows.format(*positions))

    write("", "", "")
    assert [item["position"] for item in items_of(folder)] == [1, 2, 0, 3]
    write(0, 7, 5)
    assert [item["position"] for item in items_of(folder)] == [0, 7, 0, 5]
    for positions, expected in (
        ((1, "", 2), "items.csv:3:1: position: document “d”: give every item a position, or none."),
        ((1, 2, 1), "items.csv:5:1: position: document “d” has an item at this position already, in line 2."),
        ((1, "two", 3), "items.csv:3:5: position: Expected a whole number, 0 or more; this is 'two'."),
    ):
        write(*positions)
        with pytest.raises(studyfile.StudyFileError) as refused:
            studyfile.read(folder)
        assert expected in refused.value.lines()


def test_a_very_long_text_is_kept_whole(tmp_path: Path) -> None:
    text = "word " * 10_000
    folder = put(tmp_path / "study", items_csv=ITEMS.replace("First text.", text))
    assert items_of(folder)[0]["outputs"][0]["text"] == text
