"""Personal texts: who reads which, when they wait, what is refused and replaced, and who is forgotten."""

import uuid
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client

from analytics_app.archive.rows import TABLES
from analytics_app.services.uploads.flow import delete, upload
from analytics_app.services.uploads.personal_texts import PersonalTexts
from tasks_app import studyfile
from tasks_app.importing import RatingsFile
from tasks_app.models import Assignment, Membership, PersonalText, Rater, Study
from tasks_app.services import erasure
from tasks_app.services.arrival import enrolment, invitations
from tasks_app.services.study import lifecycle
from tasks_app.studyfile import StudyFileError
from tests import pages

pytestmark = pytest.mark.django_db

STUDY = """evalweb: 1
study: {slug: diaries, title: Diaries, public_title: Diaries, language: en}
about: {institution: U, contact: a@example.org, complaints: e@example.org, ethics: E-1}
pay: {minutes: 2, amount: 1.00, currency: EUR}
channels: {link: {}, invited: {}}
consent: "**Consent.** Press the button."
tasks:
  - key: report
    title: Your report
    type: questionnaire
    params:
      instrument: own
      personal_text: PERSONAL
      questions: [{key: useful, kind: single, question: "How useful is this report?", points: 5}]
    k: 9
    set_size: 1
"""
PATH = "/admin/studies/diaries/data/personal-texts/"
WAITING = "Your text is not ready yet"


def opened(folder: Path, setting: str = "wait") -> Study:
    (folder / "study.yaml").write_text(STUDY.replace("PERSONAL", setting), encoding="utf-8")
    study = studyfile.load(folder, owner=None)
    return lifecycle.move(study_id=study.pk, action="open", by=None)


@pytest.fixture
def study(tmp_path: Path) -> Study:
    """An open study, whose raters wait for a text of their own."""
    return opened(tmp_path)


def enrolled(study: Study, invitation: int | None = None, **more: Any) -> tuple[Rater, str]:
    """Let somebody begin; return the rater and their token."""
    arrival = enrolment.Arrival("invited", invitation=invitation) if invitation else None
    came = enrolment.enrol(study_id=study.pk, nonce=uuid.uuid4().hex, consent_text_id=None, arrival=arrival, **more)
    Rater.objects.filter(pk=came.rater.pk).update(state=Rater.State.JUDGING)
    return came.rater, came.token


def table(folder: Path, *lines: str, head: str = "rater,text,condition") -> RatingsFile:
    path = folder / "texts.csv"
    path.write_text("\n".join([head, *lines, ""]), encoding="utf-8")
    return RatingsFile.at(str(path))


def uploaded(study: Study, folder: Path, *lines: str, **more: str) -> dict[str, int]:
    return dict(upload(PersonalTexts, study=study, file=table(folder, *lines, **more), by=None).counts)


def problems(study: Study, folder: Path, *lines: str, **more: str) -> list[tuple[int, int, str]]:
    with pytest.raises(StudyFileError) as refused:
        uploaded(study, folder, *lines, **more)
    return [(problem.line, problem.column, problem.message) for problem in refused.value.problems]


def page(token: str) -> str:
    return Client().get(f"/r/{token}/judge/").content.decode()


def test_each_rater_waits_for_their_own_text_and_reads_no_other(study: Study, tmp_path: Path) -> None:
    (ann, anns), (ben, bens) = enrolled(study), enrolled(study)
    assert WAITING in page(anns)
    counts = uploaded(study, tmp_path, f"{ann.pseudonym},You slept <b>well</b>.,gpt")
    assert counts == {"texts": 1, "raters": 1, "conditions": 1}
    shown = page(anns)
    assert "You slept &lt;b&gt;well&lt;/b&gt;." in shown
    assert "gpt" not in pages.without_tokens(shown)
    assert WAITING in page(bens)
    uploaded(study, tmp_path, f"{ben.pseudonym},You walked a lot.,")
    shown = page(bens)
    assert "You walked a lot." in shown
    assert "slept" not in shown


def test_a_rater_without_a_text_goes_on_where_the_study_says_so(tmp_path: Path) -> None:
    study = opened(tmp_path, "go_on")
    rater, token = enrolled(study)
    shown = page(token)
    assert "How useful is this report?" in shown
    assert "Your text" not in shown
    answer = pages.hidden_fields(shown) | {"q-useful": "3"}
    assert Client().post(f"/r/{token}/judge/", answer).status_code == 302
    ((line, column, message),) = problems(study, tmp_path, f"{rater.pseudonym},Late.,")
    assert (line, column) == (2, 1)
    assert "answered this task already, without a text" in message


def test_a_text_is_replaced_until_its_rater_has_read_it(study: Study, tmp_path: Path) -> None:
    rater, token = enrolled(study)
    assert WAITING in page(token)
    an_hour_ago = Assignment.objects.get(rater=rater).first_shown - timedelta(hours=1)
    Assignment.objects.filter(rater=rater).update(first_shown=an_hour_ago)
    uploaded(study, tmp_path, f"{rater.pseudonym},First.,a")
    uploaded(study, tmp_path, f"{rater.pseudonym},Second.,b")
    assert "Second." in page(token)
    assert PersonalText.objects.get().shown_at is not None
    began = Assignment.objects.get(rater=rater).first_shown
    assert began > an_hour_ago, "the time of an answer begins with the text and not with the wait"
    for line in ("Third.,b", "Second.,c"):
        ((_line, _column, message),) = problems(study, tmp_path, f"{rater.pseudonym},{line}")
        assert "has read another text" in message
    # A file that has grown is uploaded again: what was read stands in it as it was.
    uploaded(study, tmp_path, f"{rater.pseudonym},Second.,b")
    assert delete(PersonalTexts, study=study, name="report", by=None) == 0
    assert PersonalText.objects.get().text == "Second."


def test_a_text_waits_for_who_was_invited(study: Study, tmp_path: Path) -> None:
    (made,) = invitations.invite(study=study, people=[invitations.Person("Bo")], by=None)
    uploaded(study, tmp_path, "Bo,You cooked every day.,")
    rater, token = enrolled(study, made.invitation.pk)
    assert PersonalText.objects.get().rater == rater
    assert "You cooked every day." in page(token)
    uploaded(study, tmp_path, "Bo,You cooked every day.,")


def test_every_problem_has_its_place_and_nothing_is_stored(study: Study, tmp_path: Path) -> None:
    rater, _token = enrolled(study)
    name = rater.pseudonym
    given = problems(
        study, tmp_path,
        f"{name},report,A.", f"{name},report,B.", f"{name},week-9,C.", "nobody,report,D.", f"{name},report,",
        ",report,E.",
        head="rater,task,text",
    )  # fmt: skip
    assert [(line, column) for line, column, _message in given] == [(3, 1), (4, 2), (5, 1), (6, 3), (7, 1)]
    assert "Line 2 already has a text" in given[0][2]
    assert "These are: “report”" in given[1][2]
    assert not PersonalText.objects.exists()
    ((_line, column, message),) = problems(study, tmp_path, f"{name},A.,{'x' * 101}")
    assert (column, "at most 100" in message) == (3, True)


def test_a_text_for_a_rater_of_a_group_that_does_not_do_the_task_is_refused(tmp_path: Path) -> None:
    groups = "groups: [{key: diary, name: Diary}, {key: control, name: Control}]\ntasks:"
    yaml = (
        STUDY.replace("PERSONAL", "wait").replace("tasks:", groups).replace("    k: 9", "    groups: [diary]\n    k: 9")
    )
    other = """  - key: other
    type: questionnaire
    params: {instrument: own, questions: [{key: mood, kind: single, question: "How are you?", points: 5}]}
    groups: [control]
    k: 9
    set_size: 1
"""
    (tmp_path / "study.yaml").write_text(yaml + other, encoding="utf-8")
    study = lifecycle.move(study_id=studyfile.load(tmp_path, owner=None).pk, action="open", by=None)
    raters = {rater.group.key: rater.pseudonym for rater in (enrolled(study)[0], enrolled(study)[0]) if rater.group}
    ((line, column, message),) = problems(study, tmp_path, f"{raters['control']},You slept well.,")
    assert (line, column) == (2, 1)
    assert "The task “report” is not for the group of this rater." in message
    assert uploaded(study, tmp_path, f"{raters['diary']},You slept well.,")["texts"] == 1


def test_a_study_without_such_a_questionnaire_takes_none(tmp_path: Path) -> None:
    study = opened(tmp_path, "none")
    ((line, _column, message),) = problems(study, tmp_path, "ann,A.,")
    assert line == 0
    assert "personal_text" in message


def test_whoever_tries_the_study_out_reads_a_placeholder(study: Study) -> None:
    _rater, token = enrolled(study, kind=Rater.Kind.SANDBOX)
    assert "This is a placeholder." in page(token)


def test_erasing_a_rater_erases_their_text_and_archives_leave_out_who_has_not_begun(
    study: Study, tmp_path: Path
) -> None:
    rater, _token = enrolled(study)
    invitations.invite(study=study, people=[invitations.Person("Bo")], by=None)
    uploaded(study, tmp_path, f"{rater.pseudonym},You slept well.,", "Bo,You cooked.,")
    archived = next(one for one in TABLES if one.model is PersonalText)
    assert [row["text"] for row in archived.rows(study)] == ["You slept well."]
    erasure.erase(rater=rater)
    assert list(PersonalText.objects.values_list("text", flat=True)) == ["You cooked."]


def test_upload_on_the_page_and_download(study: Study, tmp_path: Path, rosa: User, rosas_browser: Client) -> None:
    Membership.objects.create(study=study, user=rosa, role="owner")
    (ann, anns), (ben, _bens) = enrolled(study), enrolled(study)
    first = rosas_browser.get(PATH).content.decode()
    assert "raters wait" in first
    assert ann.pseudonym in first
    assert PATH in rosas_browser.get("/admin/studies/diaries/data/").content.decode()
    content = f"rater,text,condition\n{ann.pseudonym},=You slept.,gpt\n".encode()
    answer = rosas_browser.post(PATH, {"action": "upload", "file": SimpleUploadedFile("texts.csv", content)})
    token = answer["Location"].partition("file=")[2]
    assert '<option value="condition" selected>' in rosas_browser.get(answer["Location"]).content.decode()
    given = {"file": token, "rater": "rater", "text": "text", "condition": "condition", "task": ""}
    assert (
        "This column is chosen for “Text” already."
        in rosas_browser.post(PATH, {**given, "action": "check", "task": "text"}).content.decode()
    )
    checked = rosas_browser.post(PATH, {**given, "action": "check"}).content.decode()
    assert "1 text for 1 rater, 1 condition. Nothing is stored yet." in checked
    assert not PersonalText.objects.exists()
    stored = rosas_browser.post(PATH, {**given, "action": "import"}, follow=True).content.decode()
    assert "Stored: 1 text for 1 rater, 1 condition." in stored
    assert ann.pseudonym not in stored
    assert ben.pseudonym in stored
    assert "=You slept." in page(anns)
    file = rosas_browser.get("/admin/studies/diaries/data/personal-texts.csv").content.decode().splitlines()
    assert file[0] == "rater,group,task,condition,text,shown_at"
    assert file[1].startswith(f"{ann.pseudonym},,report,gpt,'=You slept.,20")
    unsure = rosas_browser.post(f"{PATH}delete/", {"task": "report"}, follow=True).content.decode()
    assert "Tick the box to confirm." in unsure
    deleted = rosas_browser.post(f"{PATH}delete/", {"task": "report", "sure": "on"}, follow=True).content.decode()
    assert "There are no texts of this task that nobody has been shown." in deleted
