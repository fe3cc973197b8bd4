"""What a study file becomes in the database, who may replace what, and what stays when something fails."""

import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.db import connection
from django.test.utils import CaptureQueriesContext
from pytest_django import DjangoCaptureOnCommitCallbacks

from tasks_app import studyfile
from tasks_app.hooks import sections
from tasks_app.models import Event, Item, Membership, Output, Part, PartOutput, Study, Task, Unit
from tasks_app.services.plan import reports
from tasks_app.services.study import drafts, items, lifecycle
from tasks_app.studyfile import checking
from tasks_app.views.researcher import log_words
from tests.tasks_app.studyfile.kit import STUDY, files_in_storage, png, put, spoil, stored

pytestmark = pytest.mark.django_db


def test_rows_say_what_the_file_says(tmp_path: Path, rosa: User) -> None:
    study, loaded = studyfile.load_with_notes(put(tmp_path / "study"), owner=rosa)
    assert (study.slug, study.public_title, study.timezone, study.seed) == (
        "fluency", "Reading short texts", "Europe/Berlin", 7,
    )  # fmt: skip
    assert study.state == Study.State.DRAFT
    assert study.settings["pay"] == {
        "minutes": 8, "amount": 1.5, "currency": "EUR", "part_amount": 0, "part_by_time": False, "minimum_hourly": 0,
        "bonus": "", "accepted_bonus": 0, "paid": "",
    }  # fmt: skip
    assert study.options.expected_minutes == 8
    assert study.consent_texts.get().body == "You **agree** to take part."
    task = study.tasks.get()
    assert task.params == {
        "show_source": True, "show_reference": False, "context_before": 0, "context_shows": "sources",
        "layout": "single", "show_numbers": False, "page": "screen", "texts_per_page": 1, "points": 5, "lowest": 1,
        "agreement": False,
    }  # fmt: skip
    assert list(task.task_criteria.order_by("order").values_list("criterion__key", flat=True)) == ["fluency", "style"]
    assert list(study.systems.order_by("id").values_list("key", "kind")) == [("alpha", "machine"), ("beta", "machine")]
    assert Item.objects.get(key="i1").source == "One"
    assert list(Unit.objects.values_list("key", "k")) == [
        ("i1/alpha", 2), ("i1/beta", 2), ("i2/alpha", 2), ("i2/beta", 2), ("i3/alpha", 2),
    ]  # fmt: skip
    shared = Part.objects.get(unit__key="i3/alpha")
    assert list(shared.part_outputs.values_list("output__system__key", flat=True)) == ["alpha", "beta"]
    assert shared.text_digest == Output.objects.filter(text="Same.").first().digest
    assert loaded.counts == {
        "items": 3, "outputs": 6, "identical": 2, "systems": 2, "units": 5, "places": 10, "booklets": 3,
    }  # fmt: skip
    assert loaded.notes == (
        "2 of 6 outputs are identical to another system's for the same item; they are shown once and share the rating. "
        "Set keep_identical: true in a task to show each.",
    )
    assert list(Membership.objects.values_list("user__username", "role")) == [("rosa", "owner")]
    assert list(Event.objects.order_by("id").values_list("verb", "actor__username")) == [
        ("created", "rosa"), ("loaded", "rosa"),
    ]  # fmt: skip


def test_identical_outputs_can_be_kept_apart(tmp_path: Path) -> None:
    folder = put(tmp_path / "study")
    spoil(folder, "study.yaml", "k: 2", "k: 2\n    keep_identical: true")
    _study, loaded = studyfile.load_with_notes(folder, owner=None)
    assert loaded.counts["units"] == 6
    assert loaded.notes[0].endswith("item; each is shown and rated by itself.")
    assert PartOutput.objects.count() == 6


def test_texts_side_by_side_are_one_unit(tmp_path: Path) -> None:
    folder = put(tmp_path / "study")
    spoil(folder, "study.yaml", "points: 5", "points: 5\n      layout: together")
    spoil(folder, "study.yaml", "set_size: 4", "set_size: 3")
    study, loaded = studyfile.load_with_notes(folder, owner=None)
    assert loaded.counts["units"] == 3
    assert [(unit.key, unit.parts.count()) for unit in Unit.objects.order_by("id")] == [("i1", 2), ("i2", 2), ("i3", 1)]
    assert loaded.counts["places"] == sum(report.places for report in reports.reports(study)) == 6


def test_the_plan_that_was_checked_is_the_plan_of_opening(tmp_path: Path, rosa: User) -> None:
    study, loaded = studyfile.load_with_notes(put(tmp_path / "study"), owner=rosa)
    lifecycle.move(study_id=study.pk, action="open", by=rosa)
    (task,) = Task.objects.filter(study=study)
    assert loaded.counts["booklets"] == task.booklets.count()
    version = study.versions.get()
    assert version.document == loaded.document
    assert version.digest == sections.digest(loaded.document)


def test_a_draft_is_replaced_whole_by_its_editors_only(
    tmp_path: Path, rosa: User, mallory: User, django_capture_on_commit_callbacks: DjangoCaptureOnCommitCallbacks
) -> None:
    items_csv = "item,system,output,context_image\n" + "".join(f"i{n},alpha,Text {n},a.png\n" for n in range(4))
    folder = put(tmp_path / "study", items_csv=items_csv, a_png=png(1))
    study = studyfile.load(folder, owner=rosa)
    before, files = stored(), files_in_storage()
    taken = "study.yaml:3:9: study.slug: There is a draft “fluency” already."
    assert refusal(folder, rosa, replace=False).startswith(taken)
    for replace in (False, True):
        assert refusal(folder, mallory, replace=replace).startswith(
            "study.yaml:3:9: study.slug: “fluency” is the slug of somebody else's"
        )
    assert (stored(), files_in_storage()) == (before, files)

    (folder / "a.png").write_bytes(png(2))
    (folder / "items.csv").write_text(items_csv + "i5,beta,More,\n")
    with django_capture_on_commit_callbacks(execute=True):
        again = studyfile.load(folder, owner=rosa, replace=True)
    assert again.pk == study.pk
    assert stored() == {
        **before,
        "item": 5,
        "output": 5,
        "unit": 5,
        "part": 5,
        "partoutput": 5,
        "system": 2,
        "event": 4,
    }
    assert files_in_storage() != files
    assert len(files_in_storage()) == 1
    assert again.media.get().file.read() == png(2)


def refusal(folder: Path, owner: User, *, replace: bool) -> str:
    with pytest.raises(studyfile.StudyFileError) as refused:
        studyfile.load(folder, owner=owner, replace=replace)
    with pytest.raises(studyfile.StudyFileError) as checked:
        studyfile.read(folder, slot=studyfile.Slot(owner, replace))
    assert refused.value.lines() == checked.value.lines()
    return refused.value.lines()[0]


def test_the_same_media_survive_a_replacement(
    tmp_path: Path, rosa: User, django_capture_on_commit_callbacks: DjangoCaptureOnCommitCallbacks
) -> None:
    items_csv = "item,system,output,context_image\n" + "".join(f"i{n},alpha,Text {n},a.png\n" for n in range(4))
    folder = put(tmp_path / "study", items_csv=items_csv, a_png=png(1))
    studyfile.load(folder, owner=rosa)
    with django_capture_on_commit_callbacks(execute=True):
        again = studyfile.load(folder, owner=rosa, replace=True)
    with again.media.get().file.open("rb") as stream:
        assert stream.read() == png(1)


def test_an_opened_study_is_never_replaced(tmp_path: Path, rosa: User) -> None:
    folder = put(tmp_path / "study")
    study = studyfile.load(folder, owner=rosa)
    lifecycle.move(study_id=study.pk, action="open", by=rosa)
    before = stored()
    expected = "study.yaml:3:9: study.slug: There is a study “fluency” that was opened, so it is not replaced."
    assert refusal(folder, rosa, replace=True).startswith(expected)
    changes: list[Callable[[], None]] = [
        lambda: drafts.set_settings(study=study, block="pay", values={}),
        lambda: drafts.store_groups(study=study, groups=[]),
        lambda: items.erase_items(study=study),
        lambda: drafts.erase_tasks(study=study),
    ]
    for change in changes:
        with pytest.raises(drafts.NotADraft, match="its design is frozen"):
            change()
    assert stored() == before


def test_nothing_is_left_where_storing_fails(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The last section fails: rows are rolled back, and files are taken away again."""
    items_csv = "item,system,output,context_image\n" + "".join(f"i{n},alpha,Text {n},a.png\n" for n in range(4))
    folder = put(tmp_path / "study", items_csv=items_csv, a_png=png())

    def broken(study: Study, document: object) -> None:
        assert len(files_in_storage()) == 1
        raise RuntimeError("the disk is full")

    with monkeypatch.context() as patched:
        patched.setattr(sections, "store", broken)
        with pytest.raises(RuntimeError, match="the disk is full"):
            studyfile.load(folder, owner=None)
    assert not stored()
    studyfile.load(folder, owner=None)
    assert stored()["files"] == 1


@pytest.mark.django_db(transaction=True)
def test_of_two_loads_at_once_one_is_stored(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Both have found the slug free before either makes the study."""
    folder, create, both = put(tmp_path / "study"), drafts.create_draft, threading.Barrier(2, timeout=20)

    def late(**about: Any) -> Study:
        both.wait()
        return create(**about)

    monkeypatch.setattr(drafts, "create_draft", late)

    def load(_number: int) -> list[str]:
        try:
            studyfile.load(folder, owner=None)
        except studyfile.StudyFileError as error:
            return error.lines()
        finally:
            connection.close()
        return []

    with ThreadPoolExecutor(2) as pool:
        first, second = sorted(pool.map(load, range(2)))
    assert first == []
    assert second[0].startswith("study.yaml:3:9: study.slug: There is a draft “fluency” already.")
    assert stored()["study"] == 1


def test_what_changed_since_the_check_is_seen_when_storing(
    tmp_path: Path, rosa: User, mallory: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Between the check and the transaction somebody else takes the slug, or the study is opened."""
    folder = put(tmp_path / "study")
    monkeypatch.setattr(checking, "_check_slug", lambda _reading, _slot: None)
    study = studyfile.load(folder, owner=rosa)
    before = stored()
    assert "is the slug of somebody else's study" in refusal_when_stored(folder, mallory)
    assert stored() == before
    lifecycle.move(study_id=study.pk, action="open", by=rosa)
    before = stored()
    assert "that was opened, so it is not replaced" in refusal_when_stored(folder, rosa)
    assert stored() == before


def test_a_draft_is_locked_while_it_is_changed(tmp_path: Path) -> None:
    """Nobody can open it meanwhile: opening locks the same row."""
    study = studyfile.load(put(tmp_path / "study"), owner=None)
    with CaptureQueriesContext(connection) as captured:
        drafts.set_settings(study=study, block="pay", values={})
    assert "FOR UPDATE" in captured[1]["sql"]
    assert 'FROM "tasks_app_study"' in captured[1]["sql"]


def test_outputs_are_stored_in_few_queries(tmp_path: Path) -> None:
    def queries(n: int) -> int:
        rows = "".join(f"i{one},{system},Text {one} {system},S{one}\n" for one in range(n) for system in ("a", "b"))
        folder = put(
            tmp_path / f"study{n}",
            study_yaml=STUDY.replace("slug: fluency", f"slug: fluency-{n}"),
            items_csv="item,system,output,source\n" + rows,
        )
        with CaptureQueriesContext(connection) as captured:
            studyfile.load(folder, owner=None)
        return len(captured)

    few = queries(10)
    assert few < 120
    assert queries(300) == few


def test_somebody_who_tried_a_draft_out_is_not_wiped_away(tmp_path: Path, rosa: User) -> None:
    folder = put(tmp_path / "study")
    study = studyfile.load(folder, owner=rosa)
    text = study.consent_texts.get()
    rater = study.raters.create(pseudonym="s1", kind="sandbox", seed=1, token_hash="x", version=1)
    rater.consents.create(consent_text=text)
    before = stored()
    assert "Somebody has tried the study “fluency” out" in refusal_when_stored(folder, rosa)
    assert stored() == before


def refusal_when_stored(folder: Path, owner: User) -> str:
    with pytest.raises(studyfile.StudyFileError) as refused:
        studyfile.load(folder, owner=owner, replace=True)
    return str(refused.value)


def test_members_come_and_go_and_are_logged(tmp_path: Path, rosa: User, mallory: User) -> None:
    folder = put(tmp_path / "study")
    study = studyfile.load(folder, owner=rosa)
    drafts.set_member(study=study, user=mallory, role=Membership.Role.VIEWER, by=rosa)
    assert refusal(folder, mallory, replace=True).startswith(
        "study.yaml:3:9: study.slug: “fluency” is the slug of somebody"
    )
    drafts.set_member(study=study, user=mallory, role=Membership.Role.EDITOR, by=rosa)
    studyfile.load(folder, owner=mallory, replace=True)
    with pytest.raises(ValueError, match="the last owner"):
        drafts.remove_member(study=study, user=rosa, by=mallory)
    with pytest.raises(ValueError, match="king"):
        drafts.set_member(study=study, user=mallory, role="king", by=rosa)
    drafts.remove_member(study=study, user=mallory, by=rosa)
    drafts.remove_member(study=study, user=mallory, by=rosa)
    assert list(study.events.order_by("id").values_list("verb", "object", "before")) == [
        ("created", "fluency", None), ("loaded", "fluency", None), ("shared", "mallory", None),
        ("shared", "mallory", {"role": "viewer"}), ("replaced", "fluency", study.events.get(verb="replaced").before),
        ("loaded", "fluency", None), ("unshared", "mallory", {"role": "editor"}),
    ]  # fmt: skip


def test_triggers_read_by_index_however_small_the_tables_were_before(tmp_path: Path) -> None:
    """A connection that planned its triggers on empty tables must not read all rows for each row it adds later."""
    with connection.cursor() as cursor:
        # As in a new database: no pages of what other tests took back, which the planner would count.
        cursor.execute("TRUNCATE tasks_app_study CASCADE")
        cursor.execute("ANALYZE")
    studyfile.load(put(tmp_path / "small"), owner=None)
    with connection.cursor() as cursor:
        cursor.execute("RESET enable_seqscan")
    many = "item,system,output,source\n" + "".join(f"i{n // 2},s{n % 2},Text {n}.,S\n" for n in range(600))
    large = put(tmp_path / "large", study_yaml=STUDY.replace("slug: fluency", "slug: large"), items_csv=many)
    with connection.cursor() as cursor:
        cursor.execute("SELECT seq_tup_read FROM pg_stat_xact_user_tables WHERE relname = 'tasks_app_part'")
        before = cursor.fetchone()[0]
        studyfile.load(large, owner=None)
        cursor.execute("SELECT seq_tup_read FROM pg_stat_xact_user_tables WHERE relname = 'tasks_app_part'")
        assert cursor.fetchone()[0] - before < 10 * 600


def test_the_log_counts_the_texts_that_are_evaluated_apart_from_those_of_checks(rosa: User) -> None:
    """Of the example's four systems one has the texts with known answers only."""
    study = studyfile.load(Path("examples/checked"), owner=rosa)
    event = Event.objects.get(study=study, verb="loaded")
    known = Item.objects.filter(study=study, units__gold__isnull=False).distinct().count()
    assert (event.after["systems"], event.after["checks"]) == (3, known)
    assert event.after["items"] == study.items.count() - known
    assert dict(log_words.details(event))["items with known answers"] == str(known)
