"""Rating a draft on trial: the real pages from Review to the end, nothing that counts, and nothing that stays."""

from datetime import timedelta
from pathlib import Path

import pytest
from django.apps import apps
from django.contrib.auth.models import User
from django.db.models.functions import Now
from django.test import Client
from pytest_django import DjangoCaptureOnCommitCallbacks, Settings

from analytics_app.runs import upkeep
from tasks_app import access, jobs
from tasks_app.hooks import sections
from tasks_app.links.credentials import hash_token
from tasks_app.models import ConsentText, DeletedStudy, Event, Judgment, Membership, Rater, Setup, Study
from tasks_app.services.study import deleting, lifecycle, projects, rehearsals
from tests.builders import build_study
from tests.cast import browser_of
from tests.counting import rows_of
from tests.pages import hidden, join
from tests.tasks_app.services.test_pay import work
from tests.tasks_app.views.test_absence import words_of

pytestmark = pytest.mark.django_db

BANNER = "This is a trial."


@pytest.fixture(autouse=True)
def own_folder(tmp_path: Path, settings: Settings) -> Path:
    """Keep the list of deleted studies and the files of this test apart."""
    settings.ERASURES, settings.MEDIA_ROOT = tmp_path / "erasures.jsonl", tmp_path / "media"
    return tmp_path


def review(study: Study) -> str:
    return f"/admin/studies/{study.slug}/set-up/review/"


def page(study: Study) -> str:
    return f"{review(study)}rehearsal/"


def copies() -> list[Study]:
    return list(Study.with_rehearsals.exclude(rehearses=None).order_by("pk"))


def counts() -> dict[str, int]:
    """Return the number of rows of every table but the log."""
    models = [
        model
        for name in ("tasks_app", "analytics_app")
        for model in apps.get_app_config(name).get_models(include_auto_created=True)
    ]
    return {model._meta.label: n for model, n in rows_of(models).items() if n and model is not Event}


def begin(browser: Client, study: Study) -> tuple[str, str]:
    """Press the button of Review and agree; return the token of the rater and the consent page."""
    assert browser.post(page(study))["Location"] == page(study)
    consent = browser.get(page(study))
    words = consent.content.decode()
    action = words.split('<form id="agree" method="post" action="', 1)[1].split('"', 1)[0]
    answer = browser.post(action, hidden(consent))
    assert answer.status_code == 302, answer.content.decode()
    return answer["Location"].strip("/").split("/")[1], words


def test_a_draft_is_rated_on_its_real_pages_and_nothing_else_shows_it(rosa: User, rosas_browser: Client) -> None:
    study = build_study(rosa, opened=False)
    ConsentText.objects.filter(study=study).update(body="You agree. Write to [your address].")
    projects.put_into_new(study=study, name="Mine", by=rosa)
    assert "Rate it yourself" in words_of(rosas_browser.get(review(study)).content.decode())
    digest, before = sections.digest(sections.snapshot(study)), Study.objects.values().get()
    token, consent = begin(rosas_browser, study)
    assert BANNER in consent
    opening = words_of(rosas_browser.get(f"{review(study)}?opening=1").content.decode())
    assert "rosa began to rate it on trial on" in opening
    assert "[your address]" in consent, "a point that keeps it closed does not matter here"
    (copy,) = copies()
    rater = Rater.objects.select_related("study").get(study=copy)
    assert (rater.kind, rater.token_hash) == ("sandbox", hash_token(token))
    pages_beside_the_texts_say_that_it_is_a_trial(study, token, rosas_browser)
    assert work(copy, rater=rater).outcome == "completed"
    the_last_page_promises_nothing(study, token, rosas_browser)
    # The open link of the copy makes raters on trial, too, without a form of ours.
    other = join(copy)
    assert Rater.objects.get(token_hash=hash_token(other)).kind == "sandbox"
    assert Judgment.objects.filter(assignment__rater__study=copy).count() == 4
    assert Study.objects.values().get() == before
    assert sections.digest(sections.snapshot(study)) == digest
    assert not Rater.objects.filter(study=study).exists()
    assert upkeep.due_studies() == []
    nobody_meets_the_copy(copy, study, rosas_browser)
    assert not Event.objects.filter(study=copy).exists()
    assert list(study.events.filter(verb=Event.TRIED).values_list("object", "actor__username")) == [
        ("whole rehearsal", None),
        ("rehearsal", "rosa"),
    ]
    opening = words_of(rosas_browser.get(f"{review(study)}?opening=1").content.decode())
    assert "The draft was rated on trial to the end on" in opening


def pages_beside_the_texts_say_that_it_is_a_trial(study: Study, token: str, browser: Client) -> None:
    """Assert that each page of a rater on trial has the banner, with a way back to Review."""
    for place in ("instructions/", "help/", "stop/", "stored/", "withdraw/"):
        shown = browser.get(f"/r/{token}/{place}").content.decode()
        assert BANNER in shown, place
        assert f'href="{review(study)}"' in shown, place


def the_last_page_promises_nothing(study: Study, token: str, browser: Client) -> None:
    """Assert that the page after the last text offers no code, and says when the answers go."""
    end = browser.get(f"/r/{token}/end/").content.decode()
    assert BANNER in end
    assert end.count(f'href="{review(study)}"') == 2
    assert "Nobody on trial gets a code" in end
    assert "Your answers are deleted within a day." in end
    assert "answers are saved on our server" not in end
    assert "the platform" not in end, "the study has the open link only"


def nobody_meets_the_copy(copy: Study, study: Study, owners_browser: Client) -> None:
    """Assert that no list and no address shows the copy to the owner of a draft on trial, or to an administrator."""
    admin = browser_of(User.objects.create_superuser("root", password="x"))
    assert list(access.studies_for_researcher(User.objects.get(username="root"))) == [study], "as in the API"
    for browser in (owners_browser, admin):
        for address in ("/admin/studies/", "/admin/projects/mine/", "/admin/log/", "/admin/planning/"):
            listed = browser.get(address, follow=True)
            assert listed.status_code == 200, address
            assert copy.slug not in listed.content.decode(), address
        for place in ("", "recruit/", "pay/", "monitor/", "data/", "delete/"):
            assert browser.get(f"/admin/studies/{copy.slug}/{place}").status_code == 404, place


def test_a_rehearsal_goes_without_a_trace(
    rosa: User,
    mallory: User,
    rosas_browser: Client,
    own_folder: Path,
    django_capture_on_commit_callbacks: DjangoCaptureOnCommitCallbacks,
) -> None:
    study = build_study(rosa, opened=False)
    Membership.objects.create(study=study, user=mallory, role="editor")
    before = counts()
    mine, theirs = (rehearsals.rehearse(study_id=study.pk, by=user) for user in (rosa, mallory))
    work(mine, units=2)
    token, _consent = begin(rosas_browser, study)
    first, second = copies()
    assert first == theirs, "a colleague's stays"
    assert second.pk > mine.pk, "one's own is made anew"
    assert rosas_browser.get(f"/r/{token}/instructions/").status_code == 200
    Study.with_rehearsals.filter(pk=theirs.pk).update(created_at=Now() - timedelta(hours=23))
    jobs.upkeep()
    assert len(copies()) == 2
    Study.with_rehearsals.exclude(rehearses=None).update(created_at=Now() - timedelta(hours=25))
    with django_capture_on_commit_callbacks(execute=True):
        jobs.upkeep()
    assert counts() == before
    assert rosas_browser.get(f"/r/{token}/instructions/").status_code == 404
    over = rosas_browser.get(page(study), follow=True)
    assert over.request["PATH_INFO"] == review(study)
    assert "This trial is over." in words_of(over.content.decode())
    rehearsals.rehearse(study_id=study.pk, by=rosa)
    lifecycle.move(study_id=study.pk, action="open", by=rosa)
    assert copies() == []
    other = build_study(rosa, slug="other", opened=False)
    work(rehearsals.rehearse(study_id=other.pk, by=rosa))
    with django_capture_on_commit_callbacks(execute=True):
        deleting.delete(study_id=other.pk, by=rosa)
    assert copies() == []
    assert list(DeletedStudy.objects.values_list("slug", flat=True)) == ["other"]
    assert len((own_folder / "erasures.jsonl").read_text().splitlines()) == 1


def test_what_keeps_a_draft_from_being_rated_is_said_on_review(
    rosa: User, rosas_browser: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    study = build_study(rosa, opened=False)
    earlier = rehearsals.rehearse(study_id=study.pk, by=rosa)

    def refused(sentence: str) -> None:
        answer = rosas_browser.post(page(study), follow=True)
        assert answer.request["PATH_INFO"] == review(study)
        assert sentence in words_of(answer.content.decode())
        assert [copy.pk for copy in copies()] == [earlier.pk], "the earlier one can be gone on with"

    study.tasks.update(design="latin_square", set_size=7)
    refused("Choose a set size of")
    study.tasks.update(design="independent", set_size=4)
    monkeypatch.setattr(rehearsals, "MOST_OUTPUTS", 7)
    refused("The study has 8 texts; with more than 7, nobody can rate it on trial.")
    monkeypatch.undo()
    Setup.objects.filter(study=study).update(revision=3)
    assert "Rate it yourself" not in rosas_browser.get(review(study)).content.decode()
    refused("The set-up was changed since it was last checked.")
    Setup.objects.filter(study=study).delete()
    lifecycle.move(study_id=study.pk, action="open", by=rosa)
    opened = rosas_browser.post(page(study), follow=True)
    assert "Use “Try it out” under Recruit" in words_of(opened.content.decode())
    assert copies() == []


def test_trying_out_a_draft_leads_to_the_trial_and_every_page_of_an_open_one_says_so(
    rosa: User, rosas_browser: Client
) -> None:
    draft, study = build_study(rosa, slug="draft", opened=False), build_study(rosa)
    tried = rosas_browser.get(f"/admin/studies/{draft.slug}/recruit/try/").content.decode()
    assert f'href="{review(draft)}#rehearse"' in tried
    assert "you can go through the whole study" not in tried
    address = f"/admin/studies/{study.slug}/recruit/try/"
    assert "you can go through the whole study" in rosas_browser.get(address).content.decode()
    consent = rosas_browser.get(address, {"channel": "link", "example": "0"})
    assert "Your answers do not count and take nobody" in consent.content.decode()
    answer = rosas_browser.post(f"/join/{study.link_code}/link/", hidden(consent))
    shown = rosas_browser.get(answer["Location"], follow=True).content.decode()
    assert BANNER in shown
    assert "Back to Review" not in shown
    assert BANNER not in rosas_browser.get(f"/r/{join(study)}/judge/", follow=True).content.decode()
