"""Deleting studies: what may be deleted when, what goes, what stays, and that a restore does not bring it back."""

from io import StringIO
from pathlib import Path

import pytest
from django.apps import apps
from django.contrib.auth.models import User
from django.core.files.base import ContentFile
from django.core.files.storage import default_storage
from django.core.management import call_command
from django.db import DatabaseError, connection, transaction
from django.test import Client
from pytest_django import DjangoCaptureOnCommitCallbacks, Settings

from analytics_app.models import Run
from tasks_app.models import DeletedStudy, Event, Judgment, KeptPayment, Payment, Project, Rater, Study
from tasks_app.services import events, tombstones
from tasks_app.services.judging import assignments
from tasks_app.services.study import deleting, lifecycle, projects
from tests import walk
from tests.analytics_app.builders import build_run
from tests.builders import build_study
from tests.cast import browser_of
from tests.counting import rows_of
from tests.tasks_app.services.test_erasure import take_part
from tests.tasks_app.services.test_pay import work
from tests.tasks_app.views.test_absence import words_of

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def own_folder(tmp_path: Path, settings: Settings) -> Path:
    """Keep lists, files and backups of this test apart."""
    settings.ERASURES, settings.MEDIA_ROOT = tmp_path / "erasures.jsonl", tmp_path / "media"
    settings.BACKUPS = tmp_path / "backups"
    settings.BACKUPS.mkdir()
    return tmp_path


@pytest.fixture
def committed(django_capture_on_commit_callbacks: DjangoCaptureOnCommitCallbacks) -> DjangoCaptureOnCommitCallbacks:
    """Do what waits for the commit, which a test never makes."""
    return django_capture_on_commit_callbacks


def page(study: Study) -> str:
    return f"/admin/studies/{study.slug}/delete/"


def counts() -> dict[str, int]:
    """Return the number of rows of every table of both apps, without those of what is kept."""
    models = [
        model
        for name in ("tasks_app", "analytics_app")
        for model in apps.get_app_config(name).get_models(include_auto_created=True)
    ]
    return {
        model._meta.label: n
        for model, n in rows_of(models).items()
        if n and model not in {DeletedStudy, KeptPayment, Event}
        if not model._meta.label.startswith("tasks_app.Deleted")
    }


def test_a_draft_goes_with_one_press_and_its_project_with_it(
    rosa: User,
    rosas_browser: Client,
    own_folder: Path,
    committed: DjangoCaptureOnCommitCallbacks,
) -> None:
    before = counts()
    study = build_study(rosa, opened=False)
    rosas_browser.get(f"/admin/studies/{study.slug}/set-up/task/")
    projects.put_into_new(study=study, name="Mine", by=rosa)
    default_storage.save(f"studies/{study.pk}/imports/a/form.json", ContentFile(b"{}"))
    words = words_of(rosas_browser.get(page(study)).content.decode())
    assert "It has no judgments by people." in words
    assert "Type this title" not in words
    with committed(execute=True):
        assert rosas_browser.post(page(study))["Location"] == "/admin/studies/"
    assert counts() == before
    assert not Project.objects.exists()
    assert not default_storage.exists(f"studies/{study.pk}")
    assert rosas_browser.post(page(study))["Location"] == "/admin/deleted-studies/", "the same form, sent twice"
    assert rosas_browser.get(page(study)).status_code == 404
    kept = DeletedStudy.objects.get()
    assert (kept.number, kept.slug, kept.state, kept.by, kept.n_judgments) == (study.pk, study.slug, "draft", rosa, 0)
    assert [event.verb for event in kept.events.order_by("pk")][-1] == "deleted"
    assert tombstones.read_studies(own_folder / "erasures.jsonl") == [tombstones.of_study(study)]
    assert build_study(rosa, slug=study.slug).pk != study.pk, "the short name is free again"


def test_tries_and_simulated_raters_hold_nothing_up(rosa: User, rosas_browser: Client) -> None:
    study = build_study(rosa)
    work(study, kind=Rater.Kind.SANDBOX)
    work(study, kind=Rater.Kind.SIMULATED)
    assert "judgments from trying it out or by simulated raters go, too" in words_of(
        rosas_browser.get(page(study)).content.decode()
    )
    assert rosas_browser.post(page(study)).status_code == 302
    assert not Study.objects.exists()
    assert not KeptPayment.objects.exists(), "simulated raters are owed nothing"


def test_a_study_with_answers_is_closed_paid_and_archived_first(rosa: User, rosas_browser: Client) -> None:
    before = counts()
    study = build_study(rosa)
    rater, token = take_part(study)
    other = build_study(rosa, slug="later", opened=False)
    Study.objects.filter(pk=other.pk).update(follows=study.versions.get())
    each_step_before_it_is_asked_for(study, rater, rosa, rosas_browser)
    its_page_says_what_goes_and_asks_for_its_title(study, rosas_browser)
    amounts = sorted(Payment.objects.values_list("amount", flat=True))
    n_events = Event.objects.filter(study=study).count()
    assert rosas_browser.post(page(study), {"name": f" {study.title} "}).status_code == 302

    other.refresh_from_db()
    assert other.follows is None
    other_only = deleting.delete(study_id=other.pk, by=rosa)
    assert counts() == before
    kept = DeletedStudy.objects.get(number=study.pk)
    assert (kept.n_raters, kept.n_judgments, kept.currency) == (1, 3, "EUR")
    assert sorted(kept.payments.values_list("amount", flat=True)) == amounts != []
    assert kept.events.count() == n_events + 1
    assert other_only.title in words_of(rosas_browser.get("/admin/deleted-studies/").content.decode())
    its_payments_and_log_can_be_fetched(study, rater, rosas_browser)
    strangers_see_nothing_of_it(study)
    raters_are_told_that_it_is_gone(study, token)


def each_step_before_it_is_asked_for(study: Study, rater: Rater, owner: User, browser: Client) -> None:
    """Assert that a study is not deleted before it is closed, paid and archived; take these steps one after another."""

    def refused(*sentences: str) -> None:
        answer = browser.post(page(study), {"name": study.title})
        words = words_of(answer.content.decode())
        assert answer.status_code == 422
        assert all(sentence in words for sentence in sentences), words
        assert Judgment.objects.exists()

    refused("Raters take part in it. Close the study first.")
    lifecycle.move(study_id=study.pk, action="close", by=owner)
    Run.objects.filter(study=study).update(state="done")
    refused("1 rater has begun and not ended", "are still to be paid", "There is no archive")
    assignments.stop(rater=rater)
    Payment.objects.update(settled_at="2026-01-01T00:00Z")
    build_run(study)
    Run.objects.filter(study=study).update(state="running")
    refused("There is no archive", "A run is being computed")
    Run.objects.filter(study=study).update(state="done")
    events.log(study, owner, "exported", about="archive of run 1")


def its_page_says_what_goes_and_asks_for_its_title(study: Study, browser: Client) -> None:
    """Assert that the page names what is deleted and what stays, and that a wrong title deletes nothing."""
    words = words_of(browser.get(page(study)).content.decode())
    assert "3 judgments by people are deleted with it" in words
    assert "1 changed version of this study stays" in words
    assert "To do first" not in words
    refused_name = browser.post(page(study), {"name": study.slug})
    assert "This is not the title of the study. Nothing was deleted." in words_of(refused_name.content.decode())
    with pytest.raises(DatabaseError, match="append-only"), transaction.atomic():
        Judgment.objects.all()._raw_delete(connection.alias)


def its_payments_and_log_can_be_fetched(study: Study, rater: Rater, browser: Client) -> None:
    """Assert that whoever deleted a study finds its payments and its log, and nothing else."""
    assert study.title in words_of(browser.get("/admin/deleted-studies/").content.decode())
    payments = browser.get(f"/admin/deleted-studies/{study.pk}/payments.csv").content.decode()
    assert f"{rater.pseudonym},prolific,bonus,1.00,EUR," in payments
    assert "archive of run 1" in browser.get(f"/admin/deleted-studies/{study.pk}/log.csv").content.decode()
    assert browser.get(f"/admin/deleted-studies/{study.pk}/texts.csv").status_code == 404


def strangers_see_nothing_of_it(study: Study) -> None:
    """Assert that a researcher who was no member learns nothing of a deleted study."""
    stranger = browser_of(User.objects.create_user("stranger", is_staff=True))
    assert stranger.get(f"/admin/deleted-studies/{study.pk}/payments.csv").status_code == 404
    assert study.title not in stranger.get("/admin/deleted-studies/").content.decode()


def raters_are_told_that_it_is_gone(study: Study, token: str) -> None:
    """Assert that links to a deleted study say so, without its title."""
    for address in (f"/r/{token}/", f"/join/{study.link_code}/", f"/join/{study.link_code}/prolific/"):
        gone = Client().get(address)
        assert gone.status_code == 410
        assert "This study was deleted" in gone.content.decode()
        assert study.title not in gone.content.decode()


def test_a_restored_backup_does_not_bring_a_deleted_study_back(own_folder: Path) -> None:
    study, other = build_study(None), build_study(None, slug="other")
    walk.arrive(study)
    elsewhere = tombstones.StudyTombstone(other.pk, "of another site")
    tombstones.add(own_folder / "erasures.jsonl", [tombstones.of_study(study), elsewhere])
    said = StringIO()
    call_command("repeat_erasures", stdout=said)
    assert said.getvalue() == "Deleted 1 study again, which an older backup had brought back\n"
    assert list(Study.objects.all()) == [other]
    said = StringIO()
    call_command("repeat_erasures", stdout=said)
    assert said.getvalue() == ""


def test_backups_since_the_study_was_created_are_counted(own_folder: Path) -> None:
    study = build_study(None, opened=False)
    for name in ("evalweb-20200101T000000000000Z.tar.gz", "evalweb-29990101T000000000000Z.tar.gz"):
        (own_folder / "backups" / name).touch()
    assert any(note.startswith("1 backup on this server") for note in deleting.prospect(study).notes)


def test_the_log_keeps_the_deletion_of_a_draft_for_its_owner_alone(rosa: User, rosas_browser: Client) -> None:
    draft = build_study(rosa, slug="never-opened", opened=False)
    title = draft.title
    deleting.delete(study_id=draft.pk, by=rosa)
    for filters in ({}, {"words": title}, {"what": deleting.DELETED}):
        said = words_of(rosas_browser.get("/admin/log/", filters).content.decode())
        assert f"rosa deleted · {title} (deleted)" in said, filters
    other = User.objects.create_user("other", is_staff=True)
    assert "never-opened" not in browser_of(other).get("/admin/log/").content.decode()
