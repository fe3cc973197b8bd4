"""Typos corrected in an open study: what raters read, who may do it, what is kept, and how the study is copied."""

import csv
import io

import pytest
from django.contrib.auth.models import User
from django.db import IntegrityError, transaction
from django.test import Client
from django.urls import reverse

from analytics_app.heds import formats
from analytics_app.heds.questions import Version as SheetVersion
from analytics_app.heds.sheet import sheet_of
from tasks_app.hooks import sections
from tasks_app.models import ConsentText, Correction, Criterion, Event, Membership, Rater, Study, Task, Version
from tasks_app.services import erasure
from tasks_app.services.study import correcting, lifecycle
from tasks_app.setup import changed_versions
from tasks_app.setup.starting import Names, copy_of
from tests.about import ABOUT
from tests.builders import build_study
from tests.cast import browser_of
from tests.pages import join_by_pages
from tests.tasks_app.api.conftest import script_of

pytestmark = pytest.mark.django_db

WRONG, RIGHT = "Read each text twize.", "Read each text twice."
HELP, HELPED = "Grammer and choice of words.", "Grammar and choice of words."
ADDRESS = "help@uni-trier.de"


@pytest.fixture
def opened(rosa: User) -> Study:
    """An open study whose instructions and help texts have typos; its consent text names the contact."""
    study = build_study(rosa, criteria=("fluency", "adequacy"), opened=False)
    Task.objects.filter(study=study).update(instructions=WRONG)
    Criterion.objects.filter(study=study).update(definition=HELP)
    body = f"You agree. Write to {ABOUT['contact']}, not to x{ABOUT['contact']}."
    ConsentText.objects.filter(study=study).update(body=body)
    return lifecycle.move(study_id=study.pk, action="open", by=rosa)


def page_of(study: Study) -> str:
    return reverse("researcher:corrections", args=[study.slug])


def sent(study: Study, name: str, text: str, reason: str = "A typo.") -> dict[str, str]:
    """Return the fields that the form of a text sends."""
    correctable = next(one for one in correcting.texts_of(study) if one.name == name)
    return {"name": name, "shown": correctable.shown, "text": text, "reason": reason}


def correct(browser: Client, study: Study, name: str, text: str) -> Study:
    answer = browser.post(page_of(study), sent(study, name, text))
    assert answer.status_code == 302, answer.content.decode()
    study.refresh_from_db()
    return study


def test_raters_read_the_corrected_text_and_the_frozen_one_stays(
    opened: Study, rosa: User, rosas_browser: Client, somebody: Client
) -> None:
    frozen = sections.snapshot(opened)
    token = join_by_pages(somebody, opened)
    unit = f"/r/{token}/judge/"
    assert WRONG in (before := somebody.get(unit).content.decode())
    assert HELP in before

    study = correct(rosas_browser, opened, "instructions:main", RIGHT)
    study = correct(rosas_browser, study, "help:fluency", HELPED)
    study = correct(rosas_browser, study, "contact:", ADDRESS)

    after = somebody.get(unit).content.decode()
    assert (WRONG in after, HELP in after) == (False, False)
    assert RIGHT in after
    assert after.count(HELPED) == 2  # both questions had the same help text
    told = somebody.get(f"/r/{token}/help/").content.decode()
    assert RIGHT in told
    assert f"Write to {ADDRESS}, not to x{ABOUT['contact']}." in told
    assert told.count(ABOUT["contact"]) == 1
    joining = Client().get(f"/join/{study.link_code}/").content.decode()
    assert f"Write to {ADDRESS}, not" in joining

    # What was frozen is as it was, and so is its digest; the log and the rows have both texts.
    version = Version.objects.get(study=study)
    assert version.document == frozen == sections.snapshot(study)
    assert version.digest == sections.digest(frozen)
    rows = Correction.objects.filter(study=study).order_by("id").values_list("kind", "key", "before", "after", "by")
    assert list(rows) == [
        ("instructions", "main", WRONG, RIGHT, rosa.pk),
        ("help", "fluency", HELP, HELPED, rosa.pk),
        ("help", "adequacy", HELP, HELPED, rosa.pk),
        ("contact", "", ABOUT["contact"], ADDRESS, rosa.pk),
    ]
    event = Event.objects.filter(study=study, verb="corrected").earliest("pk")
    assert (event.actor, event.object, event.before) == (rosa, "instructions main", {"text": WRONG})
    assert event.after == {"text": RIGHT, "reason": "A typo."}
    assert not list(correcting.contradictions(study))

    # A correction is corrected: the newest text counts, and nothing of the first is lost.
    study = correct(rosas_browser, study, "instructions:main", "Read each text once.")
    assert "Read each text once." in somebody.get(unit).content.decode()
    assert Correction.objects.filter(study=study).count() == 5


def test_what_is_refused_leaves_everything_as_it_was(opened: Study, rosas_browser: Client) -> None:
    good = sent(opened, "instructions:main", RIGHT)
    for wrong, sentence in (
        ({"text": " "}, "Enter the corrected text."),
        ({"text": WRONG}, "The text is the same as before."),
        ({"text": "a\0b"}, "NUL character"),
        ({"text": "x" * 100_001}, "at most 100,000 characters"),
        ({"text": "Write to TODO."}, "“TODO”"),
        ({"reason": " "}, "Enter a reason"),
        ({"reason": "x" * 501}, "at most 500 characters"),
        ({"reason": "a\0b"}, "NUL character"),
        ({"shown": "0" * 16}, "Somebody has corrected this text meanwhile."),
        ({"name": "help:nobody"}, "There is no such text in this study."),
        ({"name": "labels:fluency"}, "There is no such text in this study."),
        ({"name": "complaints:", **sent(opened, "complaints:", "study@example.org")}, "study@example.org"),
        ({"name": "contact:", **sent(opened, "contact:", "x" * 301)}, "at most"),
    ):
        answer = rosas_browser.post(page_of(opened), good | wrong)
        assert answer.status_code == 422, wrong
        assert sentence in answer.content.decode(), wrong
    # What was typed is still there.
    assert (
        'value="Because."'
        in rosas_browser.post(page_of(opened), good | {"text": "", "reason": "Because."}).content.decode()
    )
    opened.refresh_from_db()
    assert "corrected" not in opened.settings
    assert not Correction.objects.exists()
    assert not Event.objects.filter(verb="corrected").exists()

    # A paused study can be corrected, a closed one and a draft cannot.
    lifecycle.move(study_id=opened.pk, action="pause", by=None)
    study = correct(rosas_browser, opened, "instructions:main", RIGHT)
    lifecycle.move(study_id=study.pk, action="close", by=None)
    answer = rosas_browser.post(page_of(study), sent(study, "instructions:main", WRONG))
    assert (answer.status_code, "This study is neither." in answer.content.decode()) == (422, True)
    assert "<textarea" not in rosas_browser.get(page_of(study)).content.decode()
    draft = build_study(User.objects.get(username="rosa"), slug="a-draft", opened=False)
    assert rosas_browser.get(page_of(draft)).status_code == 404
    assert rosas_browser.post(page_of(draft), {}).status_code == 404


def test_viewers_see_corrections_and_texts_without_an_own_one_are_not_offered(
    opened: Study, rosas_browser: Client, mallory: User
) -> None:
    study = correct(rosas_browser, opened, "help:fluency", HELPED)
    Membership.objects.create(study=study, user=mallory, role=Membership.Role.VIEWER)
    viewer = browser_of(mallory)
    page = viewer.get(page_of(study)).content.decode()
    assert "“Fluency”, “Adequacy”" in page
    assert "<del>" in page
    assert "rosa" in page
    assert 'name="reason"' not in page
    assert viewer.post(page_of(study), sent(study, "contact:", ADDRESS)).status_code == 404
    file = viewer.get(reverse("researcher:corrections_csv", args=[study.slug])).content.decode()
    (row,) = csv.DictReader(io.StringIO(file))
    assert (row["kind"], row["keys"], row["before"], row["after"]) == ("help", "fluency adequacy", HELP, HELPED)
    assert (row["reason"], row["by"]) == ("A typo.", "rosa")
    assert {one.name for one in correcting.texts_of(study)} == {
        "instructions:main", "help:fluency", "contact:", "complaints:",
    }  # fmt: skip

    found = script_of(mallory, study).get(f"/api/v1/studies/{study.slug}/").json()
    assert [entry["definition"] for entry in found["criteria"]] == [HELPED, HELPED]
    assert found["tasks"][0]["instructions"] == WRONG
    assert [(one["keys"], one["before"], one["by"]) for one in found["corrections"]] == [
        (["fluency", "adequacy"], HELP, "rosa")
    ]
    sheet = sheet_of(study)
    for write in (formats.WRITERS["markdown"], formats.WRITERS["latex"]):
        text = write(sheet, SheetVersion.THREE)
        assert f"Before: {HELP}" in text
        assert f"After: {HELPED}" in text
        assert "Reason: A typo." in text
    datasheet = viewer.get(reverse("analytics:datasheet", args=[study.slug])).content.decode()
    assert "Texts corrected while the study was open" in datasheet


def test_a_copy_and_a_changed_version_begin_with_the_corrected_text(
    opened: Study, rosa: User, rosas_browser: Client
) -> None:
    study = correct(rosas_browser, opened, "instructions:main", RIGHT)
    study = correct(rosas_browser, study, "contact:", ADDRESS)
    copy = copy_of(origin=study, by=rosa, names=Names("A copy", "Texts"))
    changed = changed_versions.prepare(study=study, by=rosa)
    for draft in (copy, changed):
        given = draft.setup.given
        assert given["tasks"][0]["instructions"] == RIGHT
        assert given["about"]["contact"] == ADDRESS
        assert f"Write to {ADDRESS}," in given["consent"]["en"]
        assert "corrected" not in draft.settings
    # Nothing that somebody changed differs from the study that it follows.
    differences = changed_versions.differences_of(changed.setup).settings
    assert [difference.label for difference in differences] == ["The study › Title"]
    # The form of the opened study shows what was frozen, and says that texts were corrected.
    form = rosas_browser.get(reverse("researcher:step", args=[study.slug, "consent"])).content.decode()
    assert ABOUT["contact"] in form
    assert f'href="{page_of(study)}"' in form


def test_corrections_are_not_changed_but_for_the_name_of_an_erased_rater(
    opened: Study, rosas_browser: Client, somebody: Client, rosa: User
) -> None:
    join_by_pages(somebody, opened)
    rater = Rater.objects.get(study=opened)
    answer = rosas_browser.post(
        page_of(opened), sent(opened, "instructions:main", RIGHT, f"Found by {rater.pseudonym}.")
    )
    assert answer.status_code == 302
    row = Correction.objects.get(study=opened)
    for change in ({"after": "Else"}, {"reason": "Else"}):
        with pytest.raises(IntegrityError, match="append-only"), transaction.atomic():
            Correction.objects.filter(pk=row.pk).update(**change)
    with pytest.raises(IntegrityError, match="append-only"), transaction.atomic():
        row.delete()
    erasure.erase(rater=rater, by=rosa)
    row.refresh_from_db()
    assert (row.reason, row.after) == ("Found by [erased rater].", RIGHT)
    # What a deleted account corrected stays.
    Correction.objects.filter(pk=row.pk).update(by=None)
    opened.refresh_from_db()
    (corrected,) = correcting.corrections_of(opened)
    assert corrected.by == ""
    assert "Deleted account" in rosas_browser.get(page_of(opened)).content.decode()


def test_a_text_that_no_correction_explains_contradicts_the_record(opened: Study, rosas_browser: Client) -> None:
    study = correct(rosas_browser, opened, "instructions:main", RIGHT)
    study.settings = {**study.settings, "corrected": {"instructions": {"main": "Rate everything 5."}}}
    assert list(correcting.contradictions(study)) == [
        "instructions main: raters read another text than the corrections say."
    ]
    Correction.objects.create(study=study, kind="help", key="fluency", before="Else", after=HELPED, reason="x")
    assert len(list(correcting.contradictions(study))) == 3
