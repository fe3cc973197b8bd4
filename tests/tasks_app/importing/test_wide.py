"""Files as they are published: several ratings in a row, and times written in other ways."""

from datetime import UTC, datetime
from pathlib import Path

import pytest
from django.contrib.auth.models import User
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client

from tasks_app.models import Assignment, Judgment, Membership, Study
from tests.tasks_app.importing import kit
from tests.tasks_app.importing.kit import bring, mapped, problems_of

pytestmark = pytest.mark.django_db

# A row a screen, as RankME's and many forms are.
SCREENS = """\
worker,segment,sys1,fluency1,style1,sys2,fluency2,style2
w1,i1,alpha,4,3,beta,2,1
w2,i1,beta,5,,alpha,,4
w2,i2,alpha,3,3,,,
"""
OF_SCREENS = """\
columns: {rater: worker, item: segment}
wide:
  system: sys*
  value: {fluency: fluency*, style: style*}
"""


def test_columns_with_numbers(draft: Study, tmp_path: Path) -> None:
    said = bring(draft, tmp_path, SCREENS, OF_SCREENS)
    assert sorted(kit.ratings(draft)) == [
        ("w1", "i1/alpha", "fluency", 4.0), ("w1", "i1/alpha", "style", 3.0),
        ("w1", "i1/beta", "fluency", 2.0), ("w1", "i1/beta", "style", 1.0),
        ("w2", "i1/alpha", "style", 4.0), ("w2", "i1/beta", "fluency", 5.0),
        ("w2", "i2/alpha", "fluency", 3.0), ("w2", "i2/alpha", "style", 3.0),
    ]  # fmt: skip
    # One answer about one text, whatever the columns its ratings stand in.
    assert (said.counts["rows"], said.counts["judgments"]) == (8, 5)
    assert said.notes[0] == "4 empty ratings of wide rows were left out."
    lines = Judgment.objects.order_by("id").values_list("answer__imported__line", flat=True)
    assert list(lines) == [2, 2, 3, 3, 4]


def test_a_column_for_each_criterion_or_system(draft: Study, tmp_path: Path) -> None:
    rows = "rater,item,system,flu,sty\nw1,i1,alpha,4,3\n"
    bring(draft, tmp_path, rows, "wide: {value: {fluency: flu, style: sty}}")
    assert kit.ratings(draft) == [("w1", "i1/alpha", "fluency", 4.0), ("w1", "i1/alpha", "style", 3.0)]
    rows = "rater,item,a,b\nw2,i1,4,3\n"
    mapping = "constant: {criterion: style}\nwide: {of: system, value: {alpha: a, beta: b}}"
    bring(draft, tmp_path, rows, mapping)
    assert kit.ratings(draft)[2:] == [("w2", "i1/alpha", "style", 4.0), ("w2", "i1/beta", "style", 3.0)]


def test_letters_for_the_star_and_json_lines(draft: Study, tmp_path: Path) -> None:
    row = '{"rater": "w1", "item": "i1", "modelA": "alpha", "scoreA": 4, "modelB": "beta", "scoreB": 9}\n'
    mapping = "constant: {criterion: style}\nwide: {system: model*, value: score*}"
    (line,) = problems_of(draft, tmp_path, row, mapping, "r.jsonl")
    column = row.index('"scoreB"') + 1
    assert line.startswith(f"r.jsonl:1:{column}: value: must be from 1 to 5")
    assert bring(draft, tmp_path, row.replace("9", "5"), mapping, "r.jsonl").counts["ratings"] == 2


@pytest.mark.parametrize(
    ("header", "wide"),
    [
        ("annotator1,annotator2", "{of: rater, value: annotator*}"),
        ("by ann,by bob", "{of: rater, value: 'by *'}"),
        ("ann,bob", "{of: rater, value: [ann, bob]}"),
        ("a,b", "{of: rater, value: {ann: a, bob: b}}"),
    ],
)
def test_a_column_for_each_rater(draft: Study, tmp_path: Path, header: str, wide: str) -> None:
    rows = f"id,mt,{header}\ni1,alpha,4,3\ni1,beta,,5\n"
    mapping = f"columns: {{item: id, system: mt}}\nconstant: {{criterion: style}}\nwide: {wide}"
    bring(draft, tmp_path, rows, mapping)
    first, second = ("1", "2") if header.startswith("annotator") else ("ann", "bob")
    assert sorted(kit.ratings(draft)) == [
        (first, "i1/alpha", "style", 4.0), (second, "i1/alpha", "style", 3.0), (second, "i1/beta", "style", 5.0),
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ("beta,2,1", "beta,2,6", "r.csv:2:8: value: must be from 1 to 5, the scale of this task; it is 6."),
        ("beta,2,1", "beta,two,1", "r.csv:2:7: value (fluency2): Expected a number, such as 4 or 62.5; this is 'two'."),
        ("beta,2,1", "gamma,2,1", "r.csv:2:6: system: There is no such system."),
        ("beta,2,1", "alpha,2,1", "r.csv:2:1: rater: This rater has already rated this, in line 2:"),
        ("style2", "style3", "r.csv:1:1: wide: the file has no column “style2”. Did you mean “style"),
        (
            "style",
            "manner",
            "r.csv:1:1: wide: the file has no column like “style*” (the star is a number or a letter).",
        ),
    ],
)
def test_what_is_wrong_is_named_with_its_place(draft: Study, tmp_path: Path, old: str, new: str, said: str) -> None:
    lines = problems_of(draft, tmp_path, SCREENS.replace(old, new), OF_SCREENS, "r.csv")
    assert lines[0].startswith(said), lines


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("wide: {}", "wide: needs at least one column, such as value: quality*."),
        ("wide: {value: '*a*'}", "wide.value: “*a*” has more than one star."),
        ("columns: {value: v}\nwide: {value: 'v*'}", "wide.value: This is mapped elsewhere as well."),
        ("constant: {criterion: style}\nwide: {value: {style: s}}", "wide.of: This is mapped elsewhere as well."),
        ("wide: {of: rater, value: v}", "wide.of: Say which columns: by a star, such as value: score_*, or by their"),
        ("wide: {worth: 'v*'}", "wide.worth: unknown name."),
        ("format: {submitted_at: '%H:%M'}", "format.submitted_at: This is not a time format."),
        ("format: {submitted_at: '%Q'}", "format.submitted_at: This is not a time format."),
        ("format: {seconds: '%S'}", "format.seconds: unknown name."),
    ],
)
def test_a_mapping_that_cannot_be(text: str, said: str) -> None:
    with pytest.raises(kit.StudyFileError) as refused:
        mapped(text)
    assert said in str(refused.value)


def test_times_as_platforms_write_them(draft: Study, tmp_path: Path) -> None:
    """The study's own zone is Berlin, an hour before UTC in November."""
    rows = "worker,segment,model,score,_started_at,_created_at\nw1,i1,alpha,4,11/28/2017 14:50:43,11/28/2017 14:51:43\n"
    mapping = (
        "columns: {rater: worker, item: segment, system: model, value: score, started_at: _started_at, "
        "submitted_at: _created_at}\nconstant: {criterion: style}\n"
    )
    lines = problems_of(draft, tmp_path, rows, mapping)
    assert len(lines) == 2
    assert lines[1].endswith(
        "this is '11/28/2017 14:51:43'. If the file writes times in another way, the mapping can say how: "
        'format: {submitted_at: "%m/%d/%Y %H:%M:%S"}.'
    )
    times = '"%m/%d/%Y %H:%M:%S"'
    mapping += f"format: {{started_at: {times}, submitted_at: {times}}}\n"
    (line,) = problems_of(draft, tmp_path, rows.replace("14:51:43", "2 p.m."), mapping)
    assert "Expected a time such as 12/30/2031 23:58:57, by the format in the mapping" in line
    (line,) = problems_of(draft, tmp_path, rows.replace("14:51:43", "14:50:42"), mapping)
    assert line == "ratings.csv:2:5: started_at: This is later than submitted_at."
    bring(draft, tmp_path, rows, mapping)
    answer = Judgment.objects.get()
    assert answer.submitted_at == datetime(2017, 11, 28, 13, 51, 43, tzinfo=UTC)
    assert Assignment.objects.get().first_shown == datetime(2017, 11, 28, 13, 50, 43, tzinfo=UTC)
    assert (answer.seconds_active, answer.seconds_elapsed) == (None, 60.0)


def test_the_page_asks_for_the_format_of_times(draft: Study, tmp_path: Path, rosa: User, rosas_browser: Client) -> None:
    """It also says that item and system suffice, and takes a platform's own unit for nothing."""
    Membership.objects.create(study=draft, user=rosa, role="editor")
    address = f"/admin/studies/{draft.slug}/import/"
    rows = "_unit_id,rater,item,system,value,submitted_at\n77,w1,i1,alpha,4,11/28/2017 14:51:43\n"
    sent = rosas_browser.post(address, {"action": "upload", "file": SimpleUploadedFile("r.csv", rows.encode())})
    page = rosas_browser.get(sent["Location"]).content.decode()
    assert "Item and system say which text was rated" in page
    assert '<option value="_unit_id" selected>' not in page
    assert '<option value="item" selected>' in page
    given = {
        "file": sent["Location"].partition("file=")[2], "mode": "columns", "repeats": "refuse",
        "constant-criterion": "style",
        **{f"column-{name}": name for name in ("rater", "item", "system", "value", "submitted_at")},
    }  # fmt: skip
    refused = rosas_browser.post(address, {**given, "action": "import"})
    assert "the mapping can say how" in refused.content.decode()
    given["format"] = "%m/%d/%Y %H:%M:%S"
    text = rosas_browser.post(address, {**given, "action": "text"}).content.decode()
    assert "format:\n  submitted_at: &quot;%m/%d/%Y %H:%M:%S&quot;" in text
    assert rosas_browser.post(address, {**given, "action": "import"}).status_code == 302
    assert Judgment.objects.get().submitted_at == datetime(2017, 11, 28, 13, 51, 43, tzinfo=UTC)
