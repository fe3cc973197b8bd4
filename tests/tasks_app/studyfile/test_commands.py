"""load_study and export_study: what they print, where, and with which exit code."""

import json
from io import StringIO
from pathlib import Path

import pytest
from django.contrib.auth.models import User
from django.core.management import CommandError, call_command

from tasks_app import studyfile
from tasks_app.hooks import sections
from tasks_app.models import Study
from tests.tasks_app.studyfile.kit import problems_of, put, spoil, stored
from tests.terminals import Terminal

pytestmark = pytest.mark.django_db


def run(*args: object, **options: object) -> tuple[str, str]:
    out, err = StringIO(), StringIO()
    call_command("load_study", *map(str, args), stdout=out, stderr=err, **options)
    return out.getvalue(), err.getvalue()


def test_a_study_is_stored_and_said_in_numbers(tmp_path: Path, rosa: User) -> None:
    out, err = run(put(tmp_path / "study"), owner="rosa")
    assert out.splitlines()[-3:] == [
        "Stored as a draft: fluency (Fluency of two systems)",
        "3 items, 6 outputs, 2 identical, 2 systems, 5 units, 10 places, 3 booklets",
        "One rater gets 4 texts with 8 questions. You expect 8 minutes; the estimate is about 2.",
    ]
    assert out.startswith("2 of 6 outputs are identical")
    assert not err
    assert Study.objects.get().memberships.get().user == rosa


def test_a_terminal_is_told_how_far_loading_is(tmp_path: Path) -> None:
    err = Terminal()
    call_command("load_study", str(put(tmp_path / "study")), stdout=StringIO(), stderr=err)
    assert err.told == ["Reading the study file", "Drawing the plan", "Storing the study", ""]


def test_checking_stores_nothing(tmp_path: Path) -> None:
    out, _err = run(put(tmp_path / "study"), check=True)
    assert "Checked, not stored: fluency" in out
    assert not stored()


def test_problems_go_to_standard_error(tmp_path: Path) -> None:
    folder = put(tmp_path / "study")
    spoil(folder, "items.csv", "i1,beta", "i1,alpha")
    spoil(folder, "study.yaml", "k: 2", "k: three")
    expected = problems_of(folder)
    assert len(expected) == 2
    for options in ({}, {"check": True}):
        err = StringIO()
        with pytest.raises(CommandError, match=r"Nothing was stored\.") as refused:
            call_command("load_study", str(folder), stdout=StringIO(), stderr=err, **options)
        assert err.getvalue().splitlines() == expected
        assert refused.value.returncode == 1
    assert not stored()


def test_a_draft_is_replaced_only_when_asked(tmp_path: Path) -> None:
    folder = put(tmp_path / "study")
    run(folder)
    for options in ({}, {"check": True}):
        err = StringIO()
        with pytest.raises(CommandError):
            call_command("load_study", str(folder), stderr=err, **options)
        assert "There is a draft “fluency” already." in err.getvalue()
    assert "Checked" in run(folder, check=True, replace=True)[0]
    assert "Stored" in run(folder, replace=True)[0]
    assert Study.objects.count() == 1


def test_wrong_use_is_said(tmp_path: Path) -> None:
    with pytest.raises(CommandError, match="Say which folder or zip holds the study"):
        run()
    with pytest.raises(CommandError, match="There is no user 'nobody'"):
        run(put(tmp_path / "study"), owner="nobody")


def test_the_schema_is_printed() -> None:
    out, _err = run(schema=True)
    assert json.loads(out) == studyfile.schema()


def test_export_writes_what_loads_again(tmp_path: Path) -> None:
    run(put(tmp_path / "study"))
    before = sections.snapshot(Study.objects.get())
    for target in (tmp_path / "copy", tmp_path / "copy.zip"):
        out = StringIO()
        call_command("export_study", "fluency", str(target), stdout=out)
        assert out.getvalue() == f"Wrote fluency to {target}.\n"
        run(target, replace=True)
        assert sections.snapshot(Study.objects.get()) == before
    with pytest.raises(CommandError, match="already exists and is not an empty folder"):
        call_command("export_study", "fluency", str(tmp_path / "copy"))
    with pytest.raises(CommandError, match="Did you mean 'fluency'"):
        call_command("export_study", "fluenci", str(tmp_path / "other"))
