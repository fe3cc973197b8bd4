"""The same ratings whatever program wrote the file."""

import csv
import gzip
import io
import json
from pathlib import Path

import pytest

from tasks_app.importing.guessing import guess, peek
from tasks_app.importing.source import RatingsFile
from tasks_app.models import Rating, Study
from tasks_app.studyfile.files.decoding import scan
from tasks_app.studyfile.problems import Problems, StudyFileError
from tests.tasks_app.importing import kit
from tests.tasks_app.importing.kit import RATINGS, bring, ratings

TABLE = list(csv.DictReader(io.StringIO(RATINGS)))

FORMATS = [
    ("ratings.csv", RATINGS.encode("utf-8-sig")),
    ("ratings.csv", RATINGS.encode("utf-16")),
    ("ratings.csv", RATINGS.replace("\n", "\r\n").encode()),
    ("ratings.csv", RATINGS.replace("\n", "\r").encode()),
    ("ratings.csv", RATINGS.replace(",", ";").encode()),
    ("ratings.csv", RATINGS.replace(",", "\t").encode()),
    ("RATINGS.TSV", RATINGS.replace(",", "\t").encode()),
    ("ratings.csv", RATINGS.replace("value\n", "value,,\n").encode() + b"\n,,,,\n\n"),
    ("ratings.csv", RATINGS.replace(",5", ",5.0").replace(",i1", ", i1 ").encode()),
    ("ratings.csv.gz", gzip.compress(RATINGS.encode())),
    ("ratings.csv", gzip.compress(RATINGS.encode("utf-16"))),
    ("ratings.jsonl", "".join(json.dumps(row) + "\n" for row in TABLE).encode()),
    (
        "ratings.jsonl.gz",
        gzip.compress("\n\n".join(json.dumps({**row, "value": float(row["value"])}) for row in TABLE).encode()),
    ),
]  # fmt: skip


@pytest.mark.django_db
@pytest.mark.parametrize(("name", "content"), FORMATS, ids=[f"{n}-{one[0]}" for n, one in enumerate(FORMATS)])
def test_bytes_do_not_matter(draft: Study, tmp_path: Path, name: str, content: bytes) -> None:
    bring(draft, tmp_path, content, name=name)
    assert ratings(draft) == [
        (row["rater"], f"{row['item']}/{row['system']}", row["criterion"], float(row["value"])) for row in TABLE
    ]


@pytest.mark.django_db
@pytest.mark.parametrize(
    ("cell", "name"),
    [("'=cmd", "=cmd"), ("'+1", "+1"), ("'-x", "-x"), ("'@x", "@x"), ("''=x", "'=x"), ("'x", "'x"), ("'", "'"),
     ("=x", "=x"), ("''", "''")],
)  # fmt: skip
def test_what_an_export_made_safe_for_spreadsheets_is_undone(
    draft: Study, tmp_path: Path, cell: str, name: str
) -> None:
    bring(draft, tmp_path, f"rater,item,system,criterion,value\n{cell},i1,alpha,style,4\n")
    assert ratings(draft)[0][0] == name
    line = {"rater": cell, "item": "i2", "system": "alpha", "criterion": "style", "value": 4}
    bring(draft, tmp_path, json.dumps(line), name="r.jsonl")
    assert ratings(draft)[1][0] == cell, "JSON is for programs"


@pytest.mark.django_db
def test_in_a_file_of_others_an_apostrophe_belongs_to_the_text(draft: Study, tmp_path: Path) -> None:
    content = "who,item,system,criterion,value,set\n'-ann,i1,alpha,style,4,'+1\n'-ann,i1,beta,style,4,+1\n"
    columns = {"rater": "who", **{name: name for name in ("item", "system", "criterion", "value")}}
    mapping = {"columns": columns, "where": {"set": "'+1"}}
    bring(draft, tmp_path, content, json.dumps(mapping))
    assert ratings(draft) == [("'-ann", "i1/alpha", "style", 4.0)]
    # The page maps the columns of our own exports as well: to themselves.
    own = {"columns": {name: name for name in ("rater", "item", "system", "criterion", "value")}}
    bring(draft, tmp_path, content.replace("who", "rater").replace("i1", "i2"), json.dumps(own))
    assert {row[0] for row in ratings(draft)[1:]} == {"-ann"}


@pytest.mark.django_db
def test_numbers_come_to_the_last_digit(tmp_path: Path) -> None:
    study = kit.study(
        tmp_path, kind="type: likert=>type: slider", scale="points: 5=>minimum: -100\n      maximum: 100",
        labels="    labels: [a, b, c, d, e]\n=>",
    )  # fmt: skip
    values = [0.1 + 0.2, 1e-7, -99.99999999999999, 5e-324, -0.0]
    rows = "".join(f"r{number},i1,alpha,style,{value!r}\n" for number, value in enumerate(values))
    bring(study, tmp_path, "rater,item,system,criterion,value\n" + rows)
    assert list(map(repr, Rating.objects.order_by("id").values_list("value", flat=True))) == list(map(repr, values))


def chunked(content: bytes, size: int) -> io.BufferedIOBase:
    """Return a stream that gives little at a time, whatever is asked for."""

    class Little(io.BytesIO):
        def read(self, _size: int | None = -1) -> bytes:
            return super().read(size if self.tell() >= 4 else 4)

    return Little(content)


@pytest.mark.parametrize("size", [1, 2, 3, 7, 1000])
@pytest.mark.parametrize(
    ("content", "said"),
    [
        ("ä,ö\r\nü,".encode() + b"\xff", "f:2:3: Byte 11 (0xFF) is not UTF-8."),
        ("ä,ö\rü,".encode() + b"\xff", "f:2:3: Byte 10 (0xFF) is not UTF-8."),
        ("ä\n\nü\n".encode() + b"\xc3", "f:4:1: Byte 8 (0xC3) is not UTF-8."),
        (b"\xef\xbb\xbf" + "a\r\n€".encode() + b"\xe2\x82", "f:2:2: Byte 10 (0xE2) is not UTF-8."),
        ("abc\r\n€€".encode() + b"\x00x", "f:2:3: Here is a NUL character"),
        ("€\n".encode("utf-16") + b"\x00\xd8\x00\x00", "f:2:1: Byte 7 (0x00) is not UTF-16-LE."),
        (b"\xff\xfe\x00\x00a\x00\x00\x00", "f: is encoded in UTF-32."),
    ],
)  # fmt: skip
def test_a_wrong_byte_is_found_however_the_file_is_read(content: bytes, said: str, size: int) -> None:
    problems = Problems()
    assert scan("f", chunked(content, size), problems) is None
    with pytest.raises(Exception) as refused:  # noqa: PT011  the lines are looked at
        problems.raise_if_any()
    assert any(line.startswith(said) for line in refused.value.lines()), refused.value.lines()


@pytest.mark.parametrize("size", [1, 2, 3, 1000])
@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16"])
def test_a_sound_file_is_sound_however_it_is_read(encoding: str, size: int) -> None:
    problems = Problems()
    found = scan("f", chunked("ä€𝄞\r\n\r".encode(encoding), size), problems)
    assert found is not None
    assert found.name == {"utf-8-sig": "utf-8", "utf-16": "utf-16-le"}.get(encoding, encoding)
    assert not problems.count


def test_a_look_at_a_file_says_what_its_columns_are(tmp_path: Path) -> None:
    path = tmp_path / "r.csv"
    path.write_text("Worker ID;Doc;Model;Aspect;Score;WorkTimeInSeconds\n" + "w;d;m;a;1;2\n" * 9 + 'x;"broken')
    found = peek(RatingsFile.at(str(path)))
    assert list(found.columns) == ["Worker ID", "Doc", "Model", "Aspect", "Score", "WorkTimeInSeconds"]
    assert [list(row) for row in found.rows] == [["w", "d", "m", "a", "1", "2"]] * 5
    path = tmp_path / "r.jsonl"
    path.write_text('{"rater": "a", "value": 1}\nnot JSON\n{"rater": "b", "criterion": "x"}\n')
    found = peek(RatingsFile.at(str(path)))
    assert list(found.columns) == ["rater", "value", "criterion"]
    assert [list(row) for row in found.rows] == [["a", "1", ""], ["b", "", "x"]]
    path = tmp_path / "excel.csv"
    path.write_text("sep=;\nrater;item\n")
    with pytest.raises(StudyFileError, match=r"excel\.csv:1:1: This line is an instruction to Excel"):
        peek(RatingsFile.at(str(path)))


@pytest.mark.parametrize(
    ("columns", "expected"),
    [
        ("rater item system criterion value", "rater item system criterion value"),
        ("item_id system rater_id survey criterion value z_published", "item system rater - criterion value -"),
        ("annotator segment_id model aspect score created_at", "rater item system criterion value submitted_at"),
        ("WorkerId AssignmentId SystemName Criteron", "rater judgment system criterion"),
        ("Score score", "value -"),
        ("z foo", "- -"),
        # A unit of CrowdFlower is a row, and a position may be that of a text on its screen.
        ("_unit_id _worker_id page position item system score", "- rater - - item system value"),
        ("judgment unit position rater value", "judgment unit position rater value"),
    ],
)
def test_columns_are_guessed_by_their_names(columns: str, expected: str) -> None:
    guessed = {theirs: ours for ours, theirs in guess(columns.split()).items()}
    assert [guessed.get(name, "-") for name in columns.split()] == expected.split()
