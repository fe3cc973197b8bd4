"""Arriving through every channel, and every way of not coming in: what is shown, with which status, nothing stored."""

import secrets
from collections.abc import Mapping

import pytest
from django.apps import apps
from django.http import HttpResponse
from django.test import Client
from django.utils import timezone
from pytest_django import Settings

from tasks_app.forms import ConsentForm
from tasks_app.links import credentials
from tasks_app.models import Identity, Rater, Study
from tasks_app.services import erasure
from tasks_app.services.judging import assignments
from tasks_app.services.study import lifecycle
from tests import invariants, pages
from tests.builders import build_study
from tests.clock import set_clock
from tests.counting import rows_of
from tests.once import study_made_once
from tests.wrong import altered

pytestmark = pytest.mark.django_db

ALL: dict[str, dict[str, object]] = {"link": {}, "prolific": {}, "mturk": {}, "invited": {}, "account": {}}
CODES = {"completed": "DONE1", "full": "FULL1", "closed": "SHUT1", "withdrawn": "STOP1"}


def open_study(codes: Mapping[str, str] = CODES, channels: Mapping[str, object] = ALL, **more: object) -> Study:
    """Make an open study with these channels and codes."""
    study = build_study(None, opened=False, **more)
    Study.objects.filter(pk=study.pk).update(
        settings={**study.settings, "codes": dict(codes), "channels": dict(channels)}
    )
    return lifecycle.move(study_id=study.pk, action="open", by=None)


everywhere_once, everywhere = study_made_once("everywhere", lambda _rosa: open_study(slug="everywhere"))


def prolific(**changed: str) -> dict[str, str]:
    """The query of a participant's address."""
    return {name: secrets.token_hex(12) for name in ("PROLIFIC_PID", "STUDY_ID", "SESSION_ID")} | changed


def mturk(**changed: str) -> dict[str, str]:
    """The query that MTurk appends once a HIT is accepted."""
    ids = {"assignmentId": "3" + secrets.token_hex(14).upper(), "hitId": "3HIT", "workerId": "A" + secrets.token_hex(6)}
    return {**ids, "turkSubmitTo": "https://www.mturk.com", **changed}


def rows() -> dict[str, int]:
    """Count the rows of every table."""
    return {model._meta.label: n for model, n in rows_of(apps.get_models()).items()}


def arrive(browser: Client, study: Study, channel: str, query: Mapping[str, str]) -> str:
    """Consent at a channel's address and return the rater's token."""
    path = f"/join/{study.link_code}/{channel}/"
    page = browser.get(path, query)
    assert page.status_code == 200, page.content.decode()
    answer = browser.post(path, pages.hidden(page))
    assert answer.status_code == 302, answer.content.decode()
    return answer["Location"].strip("/").split("/")[1]


def stop(browser: Client, token: str) -> str:
    """Stop early and return the page of the end."""
    assignments.stop(rater=Rater.objects.get(token_hash=credentials.hash_token(token)))
    return browser.get(f"/r/{token}/end/").content.decode()


def policy(answer: HttpResponse) -> dict[str, list[str]]:
    """Return the directives of a page's policy."""
    parts = [one.split() for one in answer["Content-Security-Policy"].split(";")]
    return {part[0]: part[1:] for part in parts}


@pytest.mark.parametrize(("channel", "query"), [("link", {}), ("prolific", prolific()), ("mturk", mturk())])
def test_looking_at_the_offer_stores_nothing_and_consent_makes_a_rater(
    everywhere: Study, somebody: Client, channel: str, query: dict[str, str]
) -> None:
    study = everywhere
    before = rows()
    path = f"/join/{study.link_code}/{channel}/"
    page = somebody.get(path, query)
    assert page.status_code == 200
    assert rows() == before
    assert not somebody.cookies
    for value in query.values():
        assert value not in page.content.decode(), "an id stands in a plain field"
    assert somebody.post(path, pages.hidden(page)).status_code == 302
    rater = Rater.objects.get()
    assert rater.channel == channel
    assert Identity.objects.filter(rater=rater).exists() == bool(query)


def test_what_prolific_says_is_kept_apart_and_ends_with_the_code(everywhere: Study, somebody: Client) -> None:
    study = everywhere
    query = prolific()
    token = arrive(somebody, study, "prolific", query)
    identity = Identity.objects.get()
    assert (identity.external_id, identity.session_id) == (query["PROLIFIC_PID"], query["SESSION_ID"])
    assert identity.details == {"study_id": query["STUDY_ID"]}
    for code in CODES.values():
        assert code not in somebody.get(f"/r/{token}/help/").content.decode()
    assert somebody.get(f"/r/{token}/end/").status_code == 302, "no end before the server has one"
    end = stop(somebody, token)
    assert "https://app.prolific.com/submissions/complete?cc=STOP1" in end
    assert 'value="STOP1"' in end
    assert "DONE1" not in end
    invariants.check(study)


def test_a_code_of_ones_own_where_the_study_has_none(somebody: Client) -> None:
    study = open_study(codes={})
    token = arrive(somebody, study, "prolific", prolific())
    end = stop(somebody, token)
    own = Rater.objects.get().completion_code
    assert len(own) == 8
    assert f"complete?cc={own}" in end


def test_whoever_came_by_a_channel_that_is_no_more_still_gets_the_code(everywhere: Study, somebody: Client) -> None:
    token = arrive(somebody, everywhere, "prolific", prolific())
    Rater.objects.update(channel="former")
    end = stop(somebody, token)
    assert Rater.objects.get().completion_code in end
    assert "prolific.com" not in end


@pytest.mark.parametrize("outcome", ["returned", "timed_out"])
def test_who_ended_on_the_platform_is_sent_nowhere(everywhere: Study, somebody: Client, outcome: str) -> None:
    study = everywhere
    token = arrive(somebody, study, "prolific", prolific())
    rater = Rater.objects.get()
    assignments.stop(rater=rater, outcome=outcome)
    end = somebody.get(f"/r/{token}/end/").content.decode()
    assert "submissions/complete" not in end
    assert rater.completion_code not in end


def test_the_same_visit_comes_back_and_another_visit_does_not(everywhere: Study, somebody: Client) -> None:
    study = everywhere
    query = prolific()
    token = arrive(somebody, study, "prolific", query)
    before = rows()
    again = Client().get(f"/join/{study.link_code}/prolific/", query)
    assert again["Location"] == f"/r/{token}/"
    other = {**query, "SESSION_ID": secrets.token_hex(12)}
    refused = Client().get(f"/join/{study.link_code}/prolific/", other)
    assert refused.status_code == 409
    assert "You have taken part already" in refused.content.decode()
    assert "return your submission" in refused.content.decode()
    assert token not in refused.content.decode()
    assert rows() == before


def test_the_same_visit_twice_at_once_is_one_rater(everywhere: Study, somebody: Client) -> None:
    study = everywhere
    path, query = f"/join/{study.link_code}/prolific/", prolific()
    forms = [pages.hidden(somebody.get(path, query)) for _tab in range(2)]
    answers = [somebody.post(path, form) for form in forms]
    assert answers[0]["Location"] == answers[1]["Location"]
    assert Rater.objects.count() == 1


@pytest.mark.parametrize(
    ("channel", "query", "said"),
    [
        ("prolific", {}, "only works when Prolific opens it"),
        ("prolific", prolific(SESSION_ID=""), "only works when Prolific opens it"),
        ("prolific", prolific(PROLIFIC_PID="g" * 24), "only works when Prolific opens it"),
        ("prolific", prolific(PROLIFIC_PID="0" * 25), "only works when Prolific opens it"),
        ("prolific", prolific(PROLIFIC_PID="{{%PROLIFIC_PID%}}"), "has not put your ids"),
        ("prolific", prolific(PROLIFIC_PID="a" * 23 + "\x00"), "only works"),
        ("mturk", {}, "only works when Mechanical Turk opens it"),
        ("mturk", mturk(workerId=""), "only works when Mechanical Turk opens it"),
        ("mturk", mturk(workerId="x" * 101), "only works when Mechanical Turk opens it"),
        ("mturk", mturk(turkSubmitTo="https://mturk.example.org"), "send your work somewhere"),
        ("mturk", mturk(turkSubmitTo="http://www.mturk.com"), "send your work somewhere"),
        ("mturk", mturk(turkSubmitTo="https://www.mturk.com@example.org"), "send your work somewhere"),
        ("mturk", mturk(turkSubmitTo="https://www.mturk.com.example.org/"), "send your work somewhere"),
        ("mturk", mturk(turkSubmitTo="https://www.mturk.com/elsewhere"), "send your work somewhere"),
        ("mturk", mturk(turkSubmitTo="javascript:alert(1)"), "send your work somewhere"),
        ("mturk", mturk(turkSubmitTo=""), "send your work somewhere"),
        ("invited", {}, "A part of this link is missing"),
    ],
)
def test_an_address_that_the_platform_did_not_make(
    everywhere: Study, somebody: Client, channel: str, query: dict[str, str], said: str
) -> None:
    study = everywhere
    before = rows()
    answer = somebody.get(f"/join/{study.link_code}/{channel}/", query)
    assert answer.status_code == 400
    assert said in answer.content.decode()
    assert rows() == before


def test_a_channel_that_is_not_open_does_not_exist(somebody: Client) -> None:
    study = open_study(channels={"prolific": {}})
    for channel in ("link", "mturk", "invited", "account", "nothing"):
        assert somebody.get(f"/join/{study.link_code}/{channel}/", mturk()).status_code == 404
    assert somebody.get(f"/join/{study.link_code}/").status_code == 404
    assert somebody.get(f"/join/{study.link_code}/prolific/", prolific()).status_code == 200


def test_without_settings_the_open_link_alone_is_open(study: Study, somebody: Client) -> None:
    assert somebody.get(f"/join/{study.link_code}/").status_code == 200
    assert somebody.get(f"/join/{study.link_code}/prolific/", prolific()).status_code == 404


REFUSED = [
    # state of the study, status, what is said, the outcome whose code Prolific is sent
    ("full", 409, "All places are taken", "FULL1"),
    ("pause", 503, "This study is paused", ""),
    ("close", 410, "has ended", "SHUT1"),
]


@pytest.mark.parametrize(("how", "status", "said", "code"), REFUSED)
@pytest.mark.parametrize("late", [False, True], ids=["on looking", "on consenting"])
def test_who_cannot_come_in_is_told_and_sent_back(
    somebody: Client, how: str, status: int, said: str, code: str, late: bool
) -> None:
    study = open_study(items=2, k=1, set_size=4)
    path, query = f"/join/{study.link_code}/prolific/", prolific()
    form = pages.hidden(somebody.get(path, query))
    if how == "full":
        arrive(Client(), study, "link", {})
    else:
        lifecycle.move(study_id=study.pk, action=how, by=None)
    before = rows()
    answer = somebody.post(path, form) if late else somebody.get(path, query)
    body = answer.content.decode()
    assert (answer.status_code, rows()) == (status, before)
    assert said in body
    assert ("complete?cc=" in body) == bool(code)
    assert (f"cc={code}" in body) or not code
    assert ("return your submission" in body) != bool(code)


def test_without_a_code_for_full_prolifics_raters_are_asked_to_return(somebody: Client) -> None:
    study = open_study(codes={"completed": "DONE1"}, items=2, k=1, set_size=4)
    arrive(Client(), study, "link", {})
    body = somebody.get(f"/join/{study.link_code}/prolific/", prolific()).content.decode()
    assert "return your submission on Prolific" in body
    assert "DONE1" not in body
    assert "complete?cc" not in body


def test_too_many_from_one_address_are_refused_and_nothing_is_stored(
    somebody: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    set_clock(monkeypatch, timezone.now())  # each day counts for itself
    study = open_study(k=4, enrolments_per_address=1)
    arrive(somebody, study, "prolific", prolific())
    path, query = f"/join/{study.link_code}/prolific/", prolific()
    form = pages.hidden(somebody.get(path, query))
    before = rows()
    answer = somebody.post(path, form)
    assert answer.status_code == 429
    assert "return your submission" in answer.content.decode()
    assert rows() == before


def test_a_consent_form_is_good_for_its_own_arrival_alone(somebody: Client) -> None:
    study, other = open_study(), open_study(slug="other")
    path = f"/join/{study.link_code}/prolific/"
    form = pages.hidden(somebody.get(path, prolific()))
    bound = {"study": study.pk, "nonce": "n", "channel": "prolific"}
    before = rows()
    for where, sent in (
        (f"/join/{other.link_code}/prolific/", form),
        (f"/join/{study.link_code}/mturk/", form),
        (f"/join/{study.link_code}/", form),
        (path, {**form, "form_token": altered(form["form_token"])}),
        (path, {**form, "form_token": credentials.sign("step", **bound)}),
        (path, {**form, "form_token": "x" * 5000}),
        (path, {"PROLIFIC_PID": "a" * 24}),
    ):
        assert somebody.post(where, sent).status_code == 403, where
    assert rows() == before
    assert somebody.post(path, form).status_code == 302


def test_mturks_preview_shows_what_is_asked_and_stores_nothing(everywhere: Study, somebody: Client) -> None:
    study = everywhere
    before = rows()
    query = {"assignmentId": "ASSIGNMENT_ID_NOT_AVAILABLE", "hitId": "3HIT"}
    page = somebody.get(f"/join/{study.link_code}/mturk/", query)
    body = page.content.decode()
    assert page.status_code == 200
    assert "accept this HIT" in body
    assert "You <strong>agree</strong> to take part" in body
    assert "An example" in body
    assert "form_token" not in body
    assert "alpha-mt" not in body
    assert rows() == before
    assert not somebody.cookies


def test_mturk_is_given_the_assignment_and_something_to_check(somebody: Client) -> None:
    study = open_study(codes={})
    query = mturk(turkSubmitTo="https://workersandbox.mturk.com/")
    token = arrive(somebody, study, "mturk", query)
    assert "externalSubmit" not in somebody.get(f"/r/{token}/help/").content.decode()
    end = stop(somebody, token)
    start = end.index('action="https://workersandbox.mturk.com/mturk/externalSubmit"')
    sent = pages.hidden_fields(end[end.rindex("<form", 0, start) :])
    rater = Rater.objects.get()
    assert sent == {
        "assignmentId": query["assignmentId"],
        "code": rater.completion_code,
        "outcome": "withdrawn",
        "rater": rater.pseudonym,
    }


def test_only_mturks_raters_are_shown_in_frames_and_only_mturks(
    everywhere: Study, somebody: Client, settings: Settings
) -> None:
    study = everywhere
    token, usual = arrive(somebody, study, "mturk", mturk()), arrive(somebody, study, "prolific", prolific())
    framed = somebody.get(f"/r/{token}/instructions/")
    assert "X-Frame-Options" not in framed
    ancestors = policy(framed)["frame-ancestors"]
    assert ancestors
    assert all(one.startswith("https://") and one.endswith(".mturk.com") for one in ancestors)
    assert policy(framed)["form-action"] == ["'self'"]
    assert policy(framed)["script-src"] == ["'self'"]
    for page in (somebody.get(f"/r/{usual}/instructions/"), somebody.get(f"/join/{study.link_code}/")):
        assert page["X-Frame-Options"] == "DENY"
        assert policy(page)["frame-ancestors"] == ["'none'"]
    stop(somebody, token)
    assert "https://www.mturk.com" in policy(somebody.get(f"/r/{token}/end/"))["form-action"]
    settings.EVALWEB_MTURK_ORIGINS = ["http://127.0.0.1:9"]
    assert somebody.get(f"/join/{study.link_code}/mturk/", mturk(turkSubmitTo="http://127.0.0.1:9")).status_code == 200
    assert "http://127.0.0.1:9" in policy(somebody.get(f"/r/{token}/end/"))["form-action"]


def test_a_forged_address_at_the_end_is_not_posted_to(everywhere: Study, somebody: Client) -> None:
    """Whatever stands in the database: where a form goes is looked up again when it is shown."""
    study = everywhere
    token = arrive(somebody, study, "mturk", mturk())
    Identity.objects.update(details={"submit_to": "https://example.org"})
    end = stop(somebody, token)
    assert "example.org" not in end
    assert 'value="STOP1"' in end


def test_a_simulated_rater_needs_no_channel_in_its_form(study: Study, somebody: Client) -> None:
    token = credentials.sign(ConsentForm.action, study=study.pk, nonce="x", kind=Rater.Kind.SIMULATED)
    answer = somebody.post(f"/join/{study.link_code}/", {"form_token": token})
    assert answer.status_code == 302
    assert Rater.objects.get().kind == Rater.Kind.SIMULATED


def test_a_workers_id_in_small_letters_is_the_same_worker(somebody: Client) -> None:
    """The platform writes ids in capitals; who edits the address they come by is known all the same."""
    study = open_study(k=8)
    query = mturk(workerId="A2B3C4D5E6F7G8")
    token = arrive(somebody, study, "mturk", query)
    path = f"/join/{study.link_code}/mturk/"
    again = somebody.get(path, {**query, "workerId": "a2b3c4d5e6f7g8"})
    assert (again.status_code, again["Location"]) == (302, f"/r/{token}/")
    other_visit = {**query, "workerId": "a2B3c4D5e6F7g8", "assignmentId": "3OTHER"}
    assert somebody.get(path, other_visit).status_code == 409
    assert list(Identity.objects.values_list("external_id", flat=True)) == ["A2B3C4D5E6F7G8"]


def test_a_worker_who_enrolled_in_small_letters_before_is_known_in_capitals(somebody: Client) -> None:
    """Ids were stored as they came once; the token of such a rater is derived from the stored one."""
    study = open_study(k=8)
    query = mturk(workerId="A2B3C4D5E6F7G8")
    token = arrive(somebody, study, "mturk", query)
    old = credentials.token_of_visit(study.pk, "mturk", "a2b3c4d5e6f7g8", query["assignmentId"])
    Identity.objects.update(external_id="a2b3c4d5e6f7g8")
    Rater.objects.filter(token_hash=credentials.hash_token(token)).update(token_hash=credentials.hash_token(old))
    path = f"/join/{study.link_code}/mturk/"
    assert somebody.get(path, query)["Location"] == f"/r/{old}/"
    assert somebody.get(path, {**query, "assignmentId": "3OTHER"}).status_code == 409
    erasure.erase(rater=Rater.objects.get(token_hash=credentials.hash_token(old)))
    assert somebody.get(path, query).status_code == 409, "who had everything erased is turned away in any case"
