"""The tab Recruit: what to paste where, statuses of a platform, invitations in bulk, and arrivals to try out."""

import csv
import io
import xml.etree.ElementTree as ET
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.core.files.uploadedfile import SimpleUploadedFile
from django.http import HttpResponse
from django.test import Client
from django.urls import reverse

from tasks_app.models import Assignment, Event, Group, Identity, Invitation, Judgment, Membership, Rater, Study
from tasks_app.selectors.fieldwork.raters import fieldwork_with
from tasks_app.selectors.fieldwork.tasks import study_progress
from tests import invariants, pages
from tests.builders import build_study
from tests.once import study_made_once
from tests.tasks_app.attack_kit import set_settings
from tests.tasks_app.views.test_arriving import CODES, arrive, open_study, prolific

pytestmark = pytest.mark.django_db


def build_recruited(rosa: User) -> Study:
    """Make a study of rosa's, open on every channel."""
    study = open_study(slug="recruited")
    Membership.objects.create(study=study, user=rosa, role=Membership.Role.OWNER)
    return study


recruited_once, recruited = study_made_once("recruited", build_recruited)


def path(study: Study, rest: str = "") -> str:
    """Return an address under Recruit."""
    return f"/admin/studies/{study.slug}/recruit/{rest}"


def test_the_page_has_for_each_channel_what_to_paste(recruited: Study, rosas_browser: Client) -> None:
    page = rosas_browser.get(path(recruited))
    body = page.content.decode().replace("&amp;", "&").replace("&lt;", "<").replace("&gt;", ">").replace("&quot;", '"')
    here = f"http://testserver/join/{recruited.link_code}/"
    assert f'id="rater-link" data-copy-source>{here}</code>' in body
    ids = "PROLIFIC_PID={{%PROLIFIC_PID%}}&STUDY_ID={{%STUDY_ID%}}&SESSION_ID={{%SESSION_ID%}}"
    assert f"{here}prolific/?{ids}" in body
    question = body[body.index("<?xml") : body.index("</ExternalQuestion>") + len("</ExternalQuestion>")]
    root = ET.fromstring(question.encode())
    names = "{http://mechanicalturk.amazonaws.com/AWSMechanicalTurkDataSchemas/2006-07-14/ExternalQuestion.xsd}"
    assert [(one.tag, one.text) for one in root] == [
        (f"{names}ExternalURL", f"{here}mturk/"),
        (f"{names}FrameHeight", "0"),
    ]
    for code in CODES.values():
        assert code in body
    assert "https only" in body, "MTurk shows no http pages"


def test_viewers_see_no_completion_code(recruited: Study, mallory: User, rosas_browser: Client) -> None:
    """They may rate in the study, and who has a code can enter it on the platform without a single answer."""
    set_settings(recruited, codes={**CODES, "stopped": CODES["completed"]})
    Membership.objects.create(study=recruited, user=mallory, role=Membership.Role.VIEWER)
    viewer = Client()
    viewer.force_login(mallory)
    arrive(Client(), recruited, "prolific", prolific())
    rater = Rater.objects.get()
    Rater.objects.update(state="ended", outcome="completed", completion_code=CODES["completed"])
    for address in (path(recruited), reverse("analytics:rater", args=[recruited.slug, rater.pseudonym])):
        seen, own = (browser.get(address).content.decode() for browser in (viewer, rosas_browser))
        assert CODES["completed"] in own, address
        assert [code for code in CODES.values() if code in seen] == [], address
        assert recruited.title in seen


def test_what_would_go_wrong_on_a_platform_is_said(rosa: User, rosas_browser: Client) -> None:
    study = open_study(codes={"completed": "SAME", "full": "SAME"}, channels={"prolific": {}})
    Membership.objects.create(study=study, user=rosa, role=Membership.Role.OWNER)
    assert "share the code SAME" in rosas_browser.get(path(study)).content.decode()
    other = open_study(codes={}, channels={"prolific": {}}, slug="other")
    Membership.objects.create(study=other, user=rosa, role=Membership.Role.OWNER)
    assert "Prolific needs a completion code for “Completed”" in rosas_browser.get(path(other)).content.decode()


def test_outcomes_that_prolific_has_no_code_for_are_named(rosa: User, rosas_browser: Client) -> None:
    study = open_study(codes={"completed": "DONE", "full": "FULL"}, channels={"prolific": {}}, known={"exam": 1})
    Membership.objects.create(study=study, user=rosa, role=Membership.Role.OWNER)
    page = rosas_browser.get(path(study)).content.decode()
    assert "Prolific needs a completion code for “Failed the exam”, “Stopped early”." in page
    study.settings["codes"] |= {"failed": "FAIL", "withdrawn": "STOP"}
    study.save()
    assert "needs a completion code" not in rosas_browser.get(path(study)).content.decode()


def test_codes_are_listed_for_the_outcomes_that_raters_can_have(rosa: User, rosas_browser: Client) -> None:
    for slug, channel, exam, words in (
        ("open-link", "link", 0, ()),
        ("on-prolific", "prolific", 1, ("Failed the exam", "raters are asked to give their place back")),
    ):
        study = open_study(slug=slug, codes={}, channels={channel: {}}, known={"exam": exam} if exam else None)
        Membership.objects.create(study=study, user=rosa, role=Membership.Role.OWNER)
        codes = rosas_browser.get(path(study)).content.decode().split('id="codes-h"', 1)[1]
        assert "Study full" in codes
        for each in ("Screened out", "Failed the exam", "raters are asked to give their place back"):
            assert (each in codes) == (each in words), (slug, each)


EXPORT = "Submission id,Participant id,Status,Custom study tncs accepted at,Started at,Time taken,Completion code\n"


def line(query: dict[str, str], status: str) -> str:
    """A line of Prolific's export."""
    return f"{query['SESSION_ID']},{query['PROLIFIC_PID']},{status},Not Applicable,2026-11-01T10:00:00Z,61,\n"


def enter(browser: Client, study: Study, text: str, name: str = "export.csv") -> Any:
    """Upload an export."""
    upload = SimpleUploadedFile(name, text.encode(), "text/csv")
    return browser.post(path(study, "statuses/prolific/"), {"file": upload})


def test_who_left_on_prolific_gives_their_places_back(recruited: Study, rosas_browser: Client) -> None:
    gone, late, done, stranger = (prolific() for _person in range(4))
    first = arrive(Client(), recruited, "prolific", gone)
    browser = Client()
    token = arrive(browser, recruited, "prolific", late)
    started = browser.get(f"/r/{token}/instructions/")
    browser.post(f"/r/{token}/instructions/", pages.hidden_fields(_form(started.content.decode(), "instructions")))
    browser.post(f"/r/{token}/judge/", {**pages.unit(browser, token), "p1-fluency": "4"})
    arrive(Client(), recruited, "prolific", done)
    assert Assignment.objects.filter(state__in=("reserved", "live")).count() == 11
    text = EXPORT + line(gone, "RETURNED") + line(late, "TIMED-OUT") + line(done, "APPROVED")
    answer = enter(rosas_browser, recruited, text + line(stranger, "RETURNED"))
    body = answer.content.decode()
    assert answer.status_code == 200
    assert "2 raters had not ended here" in body
    assert stranger["SESSION_ID"] in body
    assert list(Rater.objects.order_by("id").values_list("outcome", flat=True)) == ["returned", "timed_out", None]
    statuses = list(Identity.objects.order_by("rater_id").values_list("status", flat=True))
    assert statuses == ["RETURNED", "TIMED-OUT", "APPROVED"]
    assert Assignment.objects.filter(state__in=("reserved", "live")).count() == 4
    assert Judgment.objects.count() == 1, "what was answered stays"
    assert "You have returned this study" in Client().get(f"/r/{first}/end/").content.decode()
    invariants.check(recruited)
    event = Event.objects.get(verb="entered statuses")
    assert event.after == {"RETURNED": 1, "TIMED-OUT": 1, "APPROVED": 1, "ended": 2, "unknown": 1}
    for query in (gone, late, done, stranger):
        assert not any(value in str(list(Event.objects.values())) for value in query.values())
    again = enter(rosas_browser, recruited, text).content.decode()
    assert "3 lines were already known" in again


def _form(body: str, action: str) -> str:
    """Return a page from the form on that posts to itself, whatever other forms stand before."""
    parts = [part for part in body.split("<form")[1:] if f"/{action}/" in part.split(">")[0] or "action=" not in part]
    return "<form" + parts[0]


def test_a_status_by_hand_is_found_by_either_id_only_with_its_submission(
    recruited: Study, rosas_browser: Client
) -> None:
    query = prolific()
    arrive(Client(), recruited, "prolific", query)
    where = path(recruited, "statuses/prolific/")
    wrong = {**query, "SESSION_ID": "0" * 24}
    assert wrong["SESSION_ID"] in enter(rosas_browser, recruited, EXPORT + line(wrong, "RETURNED")).content.decode()
    assert Rater.objects.get().outcome is None, "another submission of theirs was returned"
    assert rosas_browser.post(where, {"ids": query["SESSION_ID"]}).status_code == 422
    answer = rosas_browser.post(where, {"ids": f"\n{query['SESSION_ID'].upper()}\n", "status": "RETURNED"})
    assert answer.status_code == 200
    assert Rater.objects.get().outcome == "returned"


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "nothing in it"),
        ("Participant id,Status\nx,RETURNED\n", "no column “submission id”"),
        (EXPORT + "s1,p1,RETRUNED\n", "Did you mean “RETURNED”"),
        (EXPORT + ",p1,RETURNED\n", "An id is missing"),
        (EXPORT + "s1,p1,RETURNED\ns1,p1,APPROVED\n", "stands in line 2 already"),
        (EXPORT + 's1,"p1,RETURNED\n', "quotation marks"),
        (EXPORT + "s1,p1,RET\x00URNED\n", "NUL character"),
    ],
)
def test_a_bad_file_is_refused_whole_with_its_places(
    recruited: Study, rosas_browser: Client, text: str, said: str
) -> None:
    query = prolific()
    arrive(Client(), recruited, "prolific", query)
    head, _newline, rest = text.partition("\n")
    spoilt = f"{head}\n{line(query, 'RETURNED')}{rest}" if head == EXPORT.strip() else text
    answer = enter(rosas_browser, recruited, spoilt.replace("line 2", "line 3"))
    assert answer.status_code == 422
    assert said.replace("line 2", "line 3") in answer.content.decode()
    assert Rater.objects.get().outcome is None
    assert Identity.objects.get().status == ""


def test_statuses_of_a_channel_that_has_none_are_not_there(recruited: Study, rosas_browser: Client) -> None:
    for channel in ("link", "mturk", "nothing"):
        assert rosas_browser.get(path(recruited, f"statuses/{channel}/")).status_code == 404


def sheet(answer: HttpResponse) -> list[dict[str, str]]:
    """Read the file that a form was answered with."""
    assert answer["Content-Type"].startswith("text/csv"), answer.content.decode()
    return list(csv.DictReader(io.StringIO(answer.content.decode("utf-8-sig"))))


def test_personal_links_are_made_in_bulk_and_shown_once(recruited: Study, rosas_browser: Client) -> None:
    Group.objects.create(study=recruited, key="a", name="A")
    people = "name,email,group\nAnn,ann@example.org,a\n=cmd(),,\nΆννα Παπαδοπούλου,,\n"
    made = sheet(rosas_browser.post(path(recruited, "people/"), {"channel": "invited", "people": people}))
    assert [one["name"] for one in made] == ["Ann", "'=cmd()", "Άννα Παπαδοπούλου"]
    assert len({one["link"] for one in made}) == 3
    listing = rosas_browser.get(path(recruited, "people/")).content.decode()
    keys = [one["link"].split("key=")[1] for one in made]
    for key in keys:
        assert key not in listing
        assert key not in str(list(Invitation.objects.values()))
    token = arrive(Client(), recruited, "invited", {"key": keys[0]})
    assert token
    rater = Rater.objects.get()
    assert (rater.group.key, rater.identity.email) == ("a", "ann@example.org")
    listing = rosas_browser.get(path(recruited, "people/")).content.decode()
    assert "started" in listing
    assert Event.objects.filter(verb="invited").get().after == {"links": 3}
    first, second, _third = Invitation.objects.order_by("id")
    rosas_browser.post(path(recruited, f"people/{first.pk}/"), {"action": "revoke"})
    rosas_browser.post(path(recruited, f"people/{second.pk}/"), {"action": "revoke"})
    first.refresh_from_db()
    second.refresh_from_db()
    assert first.revoked_at is None, "who takes part keeps the way in"
    assert second.revoked_at is not None
    new = sheet(rosas_browser.post(path(recruited, f"people/{second.pk}/"), {"action": "renew"}))[0]
    assert Client().get(new["link"]).status_code == 200
    assert Client().get(f"/join/{recruited.link_code}/invited/", {"key": keys[1]}).status_code == 404


def test_accounts_are_made_in_bulk_and_can_be_invited_again(
    recruited: Study, rosa: User, rosas_browser: Client, mallory: User
) -> None:
    post = {"channel": "account", "people": "Ann\nBo, bo@example.org"}
    made = sheet(rosas_browser.post(path(recruited, "people/"), post))
    assert len({one["password"] for one in made}) == 2
    ann = User.objects.get(username=made[0]["account"])
    assert not ann.is_staff
    assert ann.check_password(made[0]["password"])
    assert (ann.email, ann.first_name) == ("", ""), "who they are stands in the invitation alone"
    other = open_study(slug="other")
    Membership.objects.create(study=other, user=rosa, role=Membership.Role.EDITOR)
    csv_file = SimpleUploadedFile("p.csv", f"name,account\nAnn again,{ann.username}\nRosa,rosa\n".encode())
    refused = rosas_browser.post(path(other, "people/"), {"channel": "account", "file": csv_file})
    assert refused.status_code == 422
    assert "no such account in your studies" in refused.content.decode()
    again = {"channel": "account", "people": f"name,account\nAnn again,{ann.username}"}
    assert sheet(rosas_browser.post(path(other, "people/"), again))[0]["password"] == ""
    browser = Client()
    browser.force_login(ann)
    assert browser.get("/studies/").content.decode().count("Go to the study") == 2


@pytest.mark.parametrize(
    ("people", "said"),
    [
        ("name,email\nAnn,nonsense\n", "not an e-mail address"),
        ("Ann\nAnn\n", "stands in line 1 already"),
        ("name,group\nAnn,nowhere\n", "no group of this key"),
        ("name,email\n,ann@example.org\n", "A name is missing"),
        ("email,group\nann@example.org,\n", "no column “name”"),
        ("Old friend\n", "already invited"),
        ("x" * 201, "at most 200 characters"),
        ("name,email\n", "no people in it"),
    ],
)
def test_people_who_cannot_be_invited_are_told_with_their_line(
    recruited: Study, rosas_browser: Client, people: str, said: str
) -> None:
    rosas_browser.post(path(recruited, "people/"), {"channel": "invited", "people": "Old friend"})
    answer = rosas_browser.post(path(recruited, "people/"), {"channel": "invited", "people": people})
    assert answer.status_code == 422
    assert said in answer.content.decode()
    assert Invitation.objects.count() == 1


def test_another_studys_invitation_is_not_there(recruited: Study, rosas_browser: Client) -> None:
    rosas_browser.post(path(recruited, "people/"), {"channel": "invited", "people": "Ann"})
    other = build_study(User.objects.get(username="rosa"), slug="other")
    found = Invitation.objects.get()
    assert rosas_browser.post(path(other, f"people/{found.pk}/"), {"action": "renew"}).status_code == 404
    assert rosas_browser.post(path(recruited, f"people/{found.pk}/"), {"action": "x"}).status_code == 404


def test_every_arrival_and_every_end_can_be_tried(recruited: Study, rosas_browser: Client) -> None:
    listing = rosas_browser.get(path(recruited, "try/")).content.decode()
    links = [part.split('"')[0].replace("&amp;", "&") for part in listing.split('href="?')[1:]]
    assert len(links) > 5 * (7 + 5)
    raters = Rater.objects.count()
    # What a platform sends where something is set up wrongly there.
    wrong = {"channel=prolific&example=1", "channel=prolific&example=2", "channel=mturk&example=2"}
    assert wrong < set(links)
    for link in links:
        answer = rosas_browser.get(f"{path(recruited, 'try/')}?{link}")
        assert answer.status_code == (400 if link in wrong else 200), link
        assert "<h1" in answer.content.decode(), link
    assert Rater.objects.count() == raters == 0
    for nonsense in ("channel=nothing", "channel=link&example=9", "channel=link&example=x", "channel=link"):
        assert rosas_browser.get(f"{path(recruited, 'try/')}?{nonsense}").status_code == 404


@pytest.mark.parametrize(("channel", "example"), [("link", 0), ("prolific", 0), ("mturk", 1), ("invited", 0)])
def test_trying_out_goes_the_whole_way_and_counts_nowhere(
    recruited: Study, rosas_browser: Client, channel: str, example: int
) -> None:
    before = study_progress(recruited)
    page = rosas_browser.get(f"{path(recruited, 'try/')}?channel={channel}&example={example}")
    body = page.content.decode()
    assert "take nobody" in body
    sent = pages.hidden(page)
    answer = rosas_browser.post(f"/join/{recruited.link_code}/{channel}/", sent)
    assert answer.status_code == 302
    rater = Rater.objects.get()
    assert (rater.kind, rater.channel) == (Rater.Kind.SANDBOX, channel)
    after = study_progress(recruited)
    assert (after.places, after.submitted) == (before.places, before.submitted)
    assert not fieldwork_with(recruited, recruited.tasks.all()).counted
    assert rosas_browser.get(answer["Location"], follow=True).status_code == 200


def test_a_draft_can_be_looked_at_but_nobody_begins(rosa: User, rosas_browser: Client) -> None:
    study = build_study(rosa, slug="draft", opened=False)
    assert "The study is a draft" in rosas_browser.get(path(study, "try/")).content.decode()
    page = rosas_browser.get(f"{path(study, 'try/')}?channel=link&example=0").content.decode()
    assert "It can be used once the study is open" in page
    assert "form_token" not in page


def test_the_endings_tried_are_those_of_the_channel(recruited: Study, rosas_browser: Client) -> None:
    def shown(channel: str, **query: str) -> str:
        return rosas_browser.get(path(recruited, "try/"), {"channel": channel, **query}).content.decode()

    assert "complete?cc=DONE1" in shown("prolific", outcome="completed")
    assert "complete?cc=FULL1" in shown("prolific", refusal="no_place")
    assert "complete?cc" not in shown("prolific", refusal="already")
    assert "workersandbox.mturk.com/mturk/externalSubmit" in shown("mturk", outcome="completed")
    assert "EXAMPLE8" in shown("link", outcome="failed")
    assert "EXAMPLE8" not in shown("link", outcome="returned")


def test_a_file_that_is_no_text_is_refused_with_its_place(rosa: User, rosas_browser: Client) -> None:
    """Names would be stored with broken characters in them, and their links sent to nobody."""
    study = open_study()
    Membership.objects.create(study=study, user=rosa, role=Membership.Role.OWNER)
    latin = SimpleUploadedFile("people.csv", "name\nJürgen\n".encode("latin-1"), "text/csv")
    answer = rosas_browser.post(path(study, "people/"), {"channel": "invited", "file": latin})
    assert answer.status_code == 422
    assert "people.csv" in answer.content.decode()
    assert "UTF-8" in answer.content.decode()
    bare = SimpleUploadedFile("people.csv", b"nam\nAnn\n", "text/csv")
    answer = rosas_browser.post(path(study, "people/"), {"channel": "invited", "file": bare})
    assert "There is no column “name”. Did you mean “nam”?" in answer.content.decode(), "a head is nobody"
    assert not Invitation.objects.exists()
    sixteen = SimpleUploadedFile("people.csv", "name\nJürgen\n".encode("utf-16"), "text/csv")
    assert rosas_browser.post(path(study, "people/"), {"channel": "invited", "file": sixteen}).status_code == 200
    assert Invitation.objects.get().name == "Jürgen"
    export = SimpleUploadedFile("export.csv", EXPORT.encode() + b"\xff\xff,RETURNED\n", "text/csv")
    answer = rosas_browser.post(path(study, "statuses/prolific/"), {"file": export})
    assert answer.status_code == 422
    assert "UTF-8" in answer.content.decode()


def test_an_address_of_this_computer_alone_is_pointed_out(study: Study, rosas_browser: Client) -> None:
    address = f"/admin/studies/{study.slug}/recruit/"
    assert "which only this computer can open" not in rosas_browser.get(address).content.decode()
    page = rosas_browser.get(address, headers={"host": "127.0.0.1:8000"}).content.decode()
    assert "The addresses below begin with 127.0.0.1:8000, which only this computer can open." in page
