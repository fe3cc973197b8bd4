"""Problems that are alike are told in one line, with their number and the first places; others one by one."""

import json
from io import StringIO
from pathlib import Path

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.core.management import CommandError, call_command
from django.test import Client

from tasks_app.models import Membership, Study
from tasks_app.studyfile import StudyFileError
from tasks_app.studyfile.problems import APART, SHOWN, Problems
from tests.tasks_app.importing import kit as ratings
from tests.tasks_app.studyfile import kit

LOAD = "/admin/studies/load/"


def told(problems: Problems) -> StudyFileError:
    """Return the refusal."""
    with pytest.raises(StudyFileError) as refused:
        problems.raise_if_any()
    return refused.value


def test_one_message_at_many_places_is_one_line() -> None:
    problems = Problems()
    for line in (9, 3, 5, 7, 3):
        problems.add("a.csv", line, 2, "value: must be from 1 to 5.")
    problems.add("a.csv", 4, 1, "rater: Who rated this?")
    error = told(problems)
    assert error.lines() == [
        "a.csv:3:2: value: must be from 1 to 5. 4 problems like this, first at 3:2, 5:2, 7:2.",
        "a.csv:4:1: rater: Who rated this?",
    ]
    assert (error.count, error.more) == (5, 0)


def test_a_few_places_are_all_named() -> None:
    problems = Problems()
    for line in (2, 3):
        problems.add("a.csv", line, 1, "rater: Who rated this?")
    assert told(problems).lines() == ["a.csv:2:1: rater: Who rated this? 2 problems like this, at 2:1, 3:1."]


def test_messages_that_differ_in_numbers_and_quoted_words() -> None:
    """A few may each need another repair; many are one problem."""
    problems = Problems()
    for line in range(2, 2 + APART):
        problems.add("a.csv", line, 2, f"The study has no item “i{line}”. It is '{line}'.")
    assert len(told(problems).lines()) == APART
    for line in range(2, 1002):
        problems.add("a.csv", line, 2, f"The study has no item “i{line}”. It is '{line}'.")
    assert told(problems).lines() == [
        "a.csv:2:2: The study has no item “i2”. It is '2'. 1,000 problems like this, first at 2:2, 3:2, 4:2."
    ]
    assert told(problems).count == problems.count == 1000


def test_other_columns_and_other_files_are_other_problems() -> None:
    problems = Problems()
    for file, column in (("a.csv", "item"), ("a.csv", "system"), ("b.csv", "item")):
        problems.add(file, 2, 1, f"{column}: Expected a name.")
    assert len(told(problems).lines()) == 3


def test_every_unknown_column_is_named() -> None:
    problems = Problems()
    for column in range(1, 21):
        problems.add("a.csv", 1, column, f"Unknown column “{column}”.")
    assert len(told(problems).lines()) == 20


def test_what_is_said_of_whole_files_stays_apart() -> None:
    problems = Problems()
    for n in range(20):
        problems.add("study.zip", 0, 0, f"There is no file “{n}”.")
    assert len(told(problems).lines()) == 20


def test_so_many_kinds_are_counted_only() -> None:
    problems = Problems()
    for n in range(SHOWN + 50):
        problems.add("a.csv", n + 1, 1, f"{'x' * n}: wrong")
    error = told(problems)
    assert (len(error.problems), error.more, error.count) == (SHOWN, 50, SHOWN + 50)
    assert problems.is_full("a.csv")


@pytest.mark.django_db
def test_commands_say_it_once(tmp_path: Path) -> None:
    study = ratings.study(tmp_path)
    rows = "".join(f"ann{n},i1,alpha,fluency,9\n" for n in range(500))
    path, out, err = tmp_path / "r.csv", StringIO(), StringIO()
    path.write_text("rater,item,system,criterion,value\n" + rows)
    with pytest.raises(CommandError):
        call_command("import_ratings", study.slug, str(path), stderr=err)
    assert err.getvalue() == (
        "r.csv:2:5: value: must be from 1 to 5, the scale of this task; it is 9. 500 problems like this, first at 2:5, "
        "3:5, 4:5.\n"
    )
    with pytest.raises(CommandError):
        call_command("import_ratings", study.slug, str(path), "--json", stdout=out)
    (problem,) = json.loads(out.getvalue())["problems"]
    assert (problem["count"], problem["places"]) == (500, [[2, 5], [3, 5], [4, 5]])


@pytest.mark.django_db
def test_conflicts_of_many_rows_say_it_once_and_count_all(tmp_path: Path) -> None:
    study = ratings.study(tmp_path)
    rows = "ann,i1,alpha,fluency,4\n" * 301
    (line,) = ratings.problems_of(study, tmp_path, "rater,item,system,criterion,value\n" + rows)
    assert line.startswith("ratings.csv:3:1: rater: This rater has already rated this, in line 2:")
    assert line.endswith(" 300 problems like this, first at 3:1, 4:1, 5:1.")


@pytest.mark.django_db
def test_pages_say_it_once(tmp_path: Path, rosa: object, rosas_browser: Client) -> None:
    study = ratings.study(tmp_path)
    Membership.objects.create(study=study, user=rosa, role="editor")
    address = f"/admin/studies/{study.slug}/import/"
    rows = "".join(f"ann{n},i1,alpha,fluency,9\n" for n in range(500))
    file = SimpleUploadedFile("r.csv", b"rater,item,system,criterion,value\n" + rows.encode())
    token = rosas_browser.post(address, {"action": "upload", "file": file})["Location"].partition("file=")[2]
    given = {f"column-{name}": name for name in ("rater", "item", "system", "criterion", "value")}
    answer = rosas_browser.post(
        address, {"file": token, "mode": "columns", "repeats": "refuse", "action": "check", **given}
    )
    page = answer.content.decode()
    assert "500 problems: nothing was stored" in page
    assert "<strong>500 problems like this, first at 2:5, 3:5, 4:5.</strong>" in page
    assert page.count("the scale of this task") == 1


@pytest.mark.django_db
def test_a_zip_is_called_as_it_was_uploaded(rosas_browser: Client) -> None:
    """Both where the zip as a whole is wrong, and where what is in it is."""
    broken = rosas_browser.post(LOAD, {"file": SimpleUploadedFile("our study (2).zip", b"x")})
    assert broken.status_code == 422
    assert "<td>our study (2).zip</td>" in broken.content.decode()
    items = kit.ITEMS.replace("item,system", "thing,system")
    bad = rosas_browser.post(
        LOAD, {"file": SimpleUploadedFile("mine.zip", kit.zipped({"items.csv": items}).getvalue())}
    )
    assert "There is no study.yaml here" in bad.content.decode()
    assert "<td>mine.zip</td>" in bad.content.decode()
    assert not Study.objects.exists()
