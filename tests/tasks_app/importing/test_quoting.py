"""Quotation marks of tables with tabs: never guessed, and no row is swallowed by one that merely begins a text."""

import csv
from io import StringIO
from pathlib import Path

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.core.management import CommandError, call_command
from django.test import Client

from tasks_app.models import Membership, Study
from tasks_app.studyfile import StudyFileError
from tests.tasks_app.importing import kit
from tests.tasks_app.importing.kit import bring, problems_of
from tests.tasks_app.studyfile import kit as files

pytestmark = pytest.mark.django_db

# As WMT's files are: no cell is quoted, and texts may begin or end with a quotation mark.
UNQUOTED = (
    "rater\titem\tsystem\tcomment\tfluency\n"
    'ann\ti1\talpha\t"Hello\t4\n'
    "ann\ti1\tbeta\tnothing\t3\n"
    'ann\ti2\talpha\t"bye"\t5\n'
    'ann\ti2\tbeta\tsaid he"\t2\n'
)
MAP = "columns: {rater: rater, item: item, system: system, value: fluency}\nconstant: {criterion: fluency}\n"
ADVICE = (
    "If quotation marks are part of the texts in this file, set quoting: none; if they stand around cells, set "
    "quoting: double. Put this into the mapping."
)


def test_rows_between_two_quotation_marks_are_not_swallowed(draft: Study, tmp_path: Path) -> None:
    content = UNQUOTED.replace('"bye"', "bye")
    assert len(list(csv.reader(StringIO(content), delimiter="\t"))) == 2, "a header, and four rows that became one"
    lines = problems_of(draft, tmp_path, content, MAP, "r.tsv")
    assert lines == [
        "r.tsv:2:4: A cell begins with a quotation mark here, and the next one is 3 lines further down: these may be "
        f"separate rows that were read as one. {ADVICE}"
    ]
    assert bring(draft, tmp_path, UNQUOTED, MAP + "quoting: none\n", "r.tsv").counts["ratings"] == 4
    assert kit.ratings(draft)[0] == ("ann", "i1/alpha", "fluency", 4.0)


def test_the_same_in_a_file_that_is_called_csv(draft: Study, tmp_path: Path) -> None:
    (line,) = problems_of(draft, tmp_path, UNQUOTED.replace('"bye"', "bye"), MAP, "r.csv")
    assert line.startswith("r.csv:2:4: A cell begins with a quotation mark here")


def test_cells_between_two_quotation_marks(draft: Study, tmp_path: Path) -> None:
    content = 'rater\titem\tsystem\ta\tb\tfluency\nann\ti1\talpha\t"Hello\tbye"\t4\n'
    (line,) = problems_of(draft, tmp_path, content, MAP, "r.tsv")
    assert line.startswith("r.tsv:2:4: There are tabs between two quotation marks here")
    assert bring(draft, tmp_path, content, MAP + "quoting: none", "r.tsv").counts["ratings"] == 1


def test_quotation_marks_around_cells_and_within_them(draft: Study, tmp_path: Path) -> None:
    content = UNQUOTED.replace('"Hello', 'Say "yes"')
    (line,) = problems_of(draft, tmp_path, content, MAP, "r.tsv")
    assert line == (
        "r.tsv:4:4: Line 4 has a cell in quotation marks, and line 2 has quotation marks inside a cell, so it is not "
        f"clear what they mean. {ADVICE}"
    )
    assert bring(draft, tmp_path, content, MAP + "quoting: none", "r.tsv").counts["ratings"] == 4


def test_marks_that_do_not_match_say_what_can_be_done(draft: Study, tmp_path: Path) -> None:
    (line,) = problems_of(draft, tmp_path, UNQUOTED.replace('"bye"', '"bye" he'), MAP, "r.tsv")
    assert "The quotation marks of this row do not match" in line or "read as one" in line
    (line,) = problems_of(draft, tmp_path, 'rater\titem\tcomment\nann\ti1\t"a" b\n', "", "r.tsv")[-1:]
    assert "do not match" in line
    assert line.endswith(ADVICE)


def test_what_a_program_quotes_is_read_as_before(draft: Study, tmp_path: Path) -> None:
    """Line breaks, doubled quotation marks and tabs in quoted cells leave no doubt where no line is a row by itself."""
    rows = [["rater", "item", "system", "comment", "fluency"], ["ann", "i1", "alpha", 'two\nlines, "so"', "4"]]
    out = StringIO()
    csv.writer(out, delimiter="\t").writerows(rows)
    assert bring(draft, tmp_path, out.getvalue(), MAP, "r.tsv").counts["ratings"] == 1
    rows[1][0], rows[1][3] = "bob", "a\ttab"
    out = StringIO()
    csv.writer(out, delimiter="\t").writerows(rows)
    assert bring(draft, tmp_path, out.getvalue(), MAP, "r.tsv").counts["ratings"] == 1
    # The second line of this text could be a row.
    rows[1][0], rows[1][3] = "eve", "a\nb\tc\td\te\tf\ng"
    out = StringIO()
    csv.writer(out, delimiter="\t").writerows(rows)
    assert len(problems_of(draft, tmp_path, out.getvalue(), MAP, "r.tsv")) == 1
    assert bring(draft, tmp_path, out.getvalue(), MAP + "quoting: double", "r.tsv").counts["ratings"] == 1


def test_the_outputs_of_a_study_file(tmp_path: Path) -> None:
    table = 'item\tsystem\toutput\ni1\talpha\t"One\ni1\tbeta\tTwo\ni2\talpha\tThree\ni2\tbeta\tFour"\n'
    yaml = files.STUDY.replace("slug: fluency", "slug: outputs")
    folder = files.put(tmp_path / "study", study_yaml=yaml, items_tsv=table)
    (folder / "items.csv").unlink()
    (line,) = files.problems_of(folder)
    assert line.startswith("items.tsv:2:3: A cell begins with a quotation mark here, and the next one is 3 lines")
    assert line.endswith("Put this into study.yaml, as in quoting: {items: none}.")
    (folder / "study.yaml").write_text(yaml + "quoting: {items: none}\n")
    study = files.studyfile.load(folder, owner=None)
    texts = [one.text for item in study.items.order_by("key") for one in item.outputs.order_by("system__key")]
    assert texts == ['"One', "Two", "Three", 'Four"']


def test_the_command_and_the_page(draft: Study, tmp_path: Path, rosas_browser: Client, rosa: object) -> None:
    Membership.objects.create(study=draft, user=rosa, role="editor")
    path, mapping, said = tmp_path / "r.tsv", tmp_path / "map.yaml", StringIO()
    path.write_text(UNQUOTED)
    mapping.write_text(MAP)
    with pytest.raises(CommandError, match="Nothing was stored"):
        call_command("import_ratings", draft.slug, str(path), map=str(mapping), stderr=said)
    assert "quoting: none" in said.getvalue()
    address = f"/admin/studies/{draft.slug}/import/"
    file = SimpleUploadedFile("r.tsv", UNQUOTED.encode())
    sent = rosas_browser.post(address, {"action": "upload", "file": file})
    given = {
        "file": sent["Location"].partition("file=")[2], "mode": "columns", "column-rater": "rater",
        "column-item": "item", "column-system": "system", "column-value": "fluency", "constant-criterion": "fluency",
        "repeats": "refuse", "action": "import",
    }  # fmt: skip
    refused = rosas_browser.post(address, given)
    assert refused.status_code == 422
    assert "quoting: none" in refused.content.decode()
    shown = rosas_browser.post(address, {**given, "action": "check", "quoting": "none"}).content.decode()
    assert "&quot;Hello</td>" in shown
    assert rosas_browser.post(address, {**given, "quoting": "none"}).status_code == 302
    assert len(kit.ratings(draft)) == 4


def test_another_word_is_refused() -> None:
    with pytest.raises(StudyFileError, match="quoting: must be one of: double, none"):
        kit.mapped("quoting: maybe")
