"""manage.py import_ratings: what it prints, where, and with which exit code."""

import json
from io import StringIO
from pathlib import Path
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.core.management import CommandError, call_command

from tasks_app.models import ImportMapping, Membership, Study
from tests.tasks_app.importing import kit
from tests.tasks_app.importing.test_mapping import MAP, THEIRS
from tests.terminals import Terminal

pytestmark = pytest.mark.django_db


def run(study: Study, path: Path, **options: object) -> tuple[str, str]:
    out, err = StringIO(), StringIO()
    call_command("import_ratings", study.slug, str(path), stdout=out, stderr=err, **options)
    return out.getvalue(), err.getvalue()


@pytest.fixture
def file(tmp_path: Path) -> Path:
    """A file of others."""
    path = tmp_path / "theirs.csv"
    path.write_text(THEIRS)
    return path


@pytest.fixture
def map_file(tmp_path: Path) -> Path:
    """The mapping that reads it."""
    path = tmp_path / "map.yaml"
    path.write_text(MAP)
    return path


def test_what_was_stored_is_said_in_numbers(draft: Study, file: Path, map_file: Path) -> None:
    out, err = run(draft, file, map=str(map_file))
    assert out.splitlines() == [
        "2 rows were left out by the mapping (where).",
        "These ratings are version 1 of the study, which is closed. It can be opened to raters later.",
        "Stored: fluency: 3 rows, 2 skipped, 2 raters, 2 judgments, 3 ratings",
    ]
    assert not err


def test_a_terminal_is_told_how_far_an_import_is(
    draft: Study, file: Path, map_file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("tasks_app.importing.TOLD", 2)
    out, err = StringIO(), Terminal()
    call_command("import_ratings", draft.slug, str(file), map=str(map_file), stdout=out, stderr=err)
    assert err.told == [
        "2 rows read and checked", "Comparing the rows with each other", "Storing the judgments",
        "3 ratings stored", "",
    ]  # fmt: skip
    assert "rows read" not in out.getvalue()


def test_a_mapping_can_be_saved_and_used_again(draft: Study, file: Path, map_file: Path) -> None:
    run(draft, file, map=str(map_file), save_map="pilot of June", check=True)
    assert not ImportMapping.objects.exists(), "checking stores nothing"
    run(draft, file, map=str(map_file), save_map="pilot of June")
    saved = ImportMapping.objects.get()
    assert (saved.study, saved.name, saved.document["constant"]) == (
        draft, "pilot of June", {"purpose": "main", "wave": 2},
    )  # fmt: skip
    file.write_text(THEIRS.replace("W1", "W3").replace("W2", "W4"))
    out, _err = run(draft, file, map="pilot of June")
    assert "3 ratings" in out
    assert draft.events.filter(verb="imported").first().after["mapping"] == "pilot of June"
    with pytest.raises(CommandError, match="Did you mean “pilot of June”"):
        run(draft, file, map="pilot of july")
    for name in (" ", "a\nb", "x" * 101):
        with pytest.raises(CommandError, match="--save-map: A name is needed"):
            run(draft, file, map=str(map_file), save_map=name)


def test_problems_go_to_standard_error(draft: Study, file: Path) -> None:
    err = StringIO()
    file.write_text(THEIRS.replace("segment", "item", 1))
    with pytest.raises(CommandError, match=r"Nothing was stored\.") as refused:
        call_command("import_ratings", "fluency", str(file), stdout=StringIO(), stderr=err)
    assert refused.value.returncode == 1
    lines = err.getvalue().splitlines()
    assert lines[0].startswith("theirs.csv:1:1: The column “rater” is missing.")
    assert lines[1].startswith("theirs.csv:1:1: Unknown column “worker”. A mapping says which columns to read")
    assert len(lines) == 7, "nothing below such a header is looked at"


def test_or_into_the_json(draft: Study, file: Path, map_file: Path) -> None:
    out = StringIO()
    with pytest.raises(CommandError):
        call_command("import_ratings", "fluency", str(file), json=True, stdout=out, stderr=StringIO())
    said = json.loads(out.getvalue())
    assert (said["stored"], said["more"]) == (False, 0)
    assert said["problems"][0] == {
        "file": "theirs.csv", "line": 1, "column": 1, "message": said["problems"][0]["message"], "count": 1,
        "places": [],
    }  # fmt: skip
    checked = json.loads(run(draft, file, map=str(map_file), json=True, check=True)[0])
    stored = json.loads(run(draft, file, map=str(map_file), json=True)[0])
    assert (checked["stored"], stored["stored"]) == (False, True)
    assert {name: stored[name] for name in ("study", "rows", "skipped", "raters", "judgments", "ratings")} == {
        "study": "fluency", "rows": 3, "skipped": 2, "raters": 2, "judgments": 2, "ratings": 3,
    }  # fmt: skip
    assert {**stored, "stored": False, "notes": None} == {**checked, "notes": None}


def test_who_imports_must_be_allowed_to(draft: Study, file: Path, map_file: Path, rosa: User, mallory: User) -> None:
    Membership.objects.create(study=draft, user=rosa, role="editor")
    for name, said in (("nobody", "There is no user"), ("mallory", "may not edit the study 'fluency'")):
        with pytest.raises(CommandError, match=said):
            run(draft, file, map=str(map_file), owner=name)
    run(draft, file, map=str(map_file), owner="rosa")
    assert draft.events.get(verb="imported").actor == rosa


def test_names_that_are_not_there_are_said(draft: Study, file: Path, tmp_path: Path) -> None:
    with pytest.raises(CommandError, match=r"There is no study 'fluencey'\. Did you mean 'fluency'"):
        call_command("import_ratings", "fluencey", str(file))
    with pytest.raises(CommandError, match="There is no file and no saved mapping 'nothing'"):
        run(draft, file, map="nothing")
    err = StringIO()
    with pytest.raises(CommandError):
        call_command("import_ratings", "fluency", str(tmp_path / "no.csv"), stderr=err)
    assert "There is no such file." in err.getvalue()


def test_a_file_that_may_not_be_read_says_so(
    draft: Study, file: Path, map_file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    whole = Path.open

    def forbidding(name: str) -> None:
        def opened(path: Path, *how: Any, **else_: Any) -> Any:
            if path.name == name:
                raise PermissionError(13, "Permission denied")
            return whole(path, *how, **else_)

        monkeypatch.setattr(Path, "open", opened)

    for name in ("theirs.csv", "map.yaml"):
        forbidding(name)
        err = StringIO()
        with pytest.raises(CommandError, match="Nothing was stored"):
            call_command("import_ratings", "fluency", str(file), map=str(map_file), stderr=err)
        assert err.getvalue().rstrip().endswith(f"{name}: cannot be read: Permission denied.")


def test_a_mapping_that_cannot_be_read_says_why(draft: Study, file: Path, tmp_path: Path) -> None:
    bad = tmp_path / "bad.yaml"
    for content, said in (
        (b"columns:\n  rate: worker\n", "bad.yaml:2:3: columns.rate: unknown name."),
        (b"columns: {rater: \xff}\n", "bad.yaml:1:18: Byte 18 (0xFF) is not UTF-8."),
        (b"#" * 2_000_000, "bad.yaml: has"),
    ):
        bad.write_bytes(content)
        err = StringIO()
        with pytest.raises(CommandError, match="Nothing was stored"):
            call_command("import_ratings", "fluency", str(file), map=str(bad), stderr=err, stdout=StringIO())
        assert err.getvalue().startswith(said)
    kit.bring(draft, tmp_path)


def test_a_file_with_other_names_is_answered_by_one_line_and_a_mapping(draft: Study, tmp_path: Path) -> None:
    """What the command prints on standard output is a mapping that reads the file as it is."""
    path = tmp_path / "raw.csv"
    path.write_text("worker_id,segment,mt_system,aspect,score\nann,i1,alpha,style,4\n")
    out, err = StringIO(), StringIO()
    with pytest.raises(CommandError, match="Nothing was stored"):
        call_command("import_ratings", draft.slug, str(path), "--check", stdout=out, stderr=err)
    assert err.getvalue() == (
        "raw.csv:1:1: No column has evalweb's name. Write a mapping; here is one to start from:\n"
    )
    (tmp_path / "map.yaml").write_text(out.getvalue())
    assert "1 ratings" in run(draft, path, map=str(tmp_path / "map.yaml"))[0]
