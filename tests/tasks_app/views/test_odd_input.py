"""Odd input at every address of recruitment and judging: a polite refusal, never a fault of the server."""

from __future__ import annotations

import io
import json
import zipfile
from collections.abc import Iterator
from urllib.parse import urlencode

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client

from tasks_app.models import Invitation, Payment, Rater, Study
from tests import pages
from tests.tasks_app.attack_kit import changed, tables
from tests.tasks_app.views.test_arriving import arrive, open_study, prolific
from tests.tasks_app.views.test_steps import RIGHT

pytestmark = pytest.mark.django_db

NAUGHT = b"a\0b"
# Half of a character, as no browser sends it.
BROKEN = "\ud800".encode("utf-8", "surrogatepass")
ODD: tuple[bytes, ...] = (
    b"", NAUGHT, BROKEN, b"x" * 70_000, b"-1", b"9" * 40, b"1e400", b"sNaN", "٣".encode(), b"<script>", b"%00",
)  # fmt: skip
FORM = "application/x-www-form-urlencoded"

# Researchers' addresses behind the study's, with a form that is well filled in; RATER and the like are looked up.
POSTED: dict[str, dict[str, str]] = {
    "people/act/": {"action": "returned", "rater": "RATER"},
    "people/link/": {"rater": "RATER"},
    "due/link/": {"rater": "RATER", "sure": "yes"},
    "move/": {"action": "nothing"},
    "recruit/people/": {"channel": "invited", "people": "Ann Example"},
    "recruit/people/INVITATION/": {"action": "revoke"},
    "recruit/statuses/prolific/": {"status": "RETURNED", "ids": "a" * 24},
    "pay/bonus/": {"to": "listed", "raters": "RATER", "amount": "0.50", "reason": "care", "form": "0" * 32},
    "pay/withhold/": {"rater": "RATER", "reason": "none"},
    "pay/undo/PAYMENT/": {"x": "y"},
    "pay/settle/": {"channel": "prolific", "last": "1", "sure": "yes"},
    "pay/mend/": {"seen": "0.00", "form": "0" * 32, "sure": "yes"},
    "pay/absent/": {"x": "y"},
    "api/": {"name": "script", "scopes": "study:read", "days": "90"},
}
ASKED: dict[str, tuple[str, ...]] = {
    "people/": ("q", "page"),
    "pay/": ("page", "status", "channel", "outcome", "simulated"),
    "pay/raters.csv": ("status", "channel"),
    "pay/files/link/payments.csv": ("last", "simulated"),
    "due/": ("wave", "page"),
    "recruit/try/": ("channel", "example", "outcome", "refusal"),
    "recruit/people/": ("page",),
    "design/plan.csv": ("task",),
}
# Numbers and names in addresses that no row has.
PATHS = (
    "due/99999999999999999999/ids/", "due/" + "9" * 250 + "/ids.csv", "recruit/people/99999999999999999999/",
    "pay/undo/99999999999999999999/", "pay/files/" + "x" * 300 + "/payments.csv", "checks/" + "x" * 300 + ".csv",
    "recruit/statuses/" + "x" * 300 + "/", "pay/files/link/" + "x" * 300 + ".csv",
)  # fmt: skip


@pytest.fixture
def mine(rosa: object) -> Study:
    """A study of rosa's with every channel, somebody invited and a rater who is to be paid."""
    study = open_study(codes={}, k=20)
    study.memberships.create(user=rosa, role="owner")
    return study


def somebody_paid(study: Study) -> dict[str, str]:
    """Make a rater with a payment, and an invitation."""
    arrive(Client(), study, "prolific", prolific())
    rater = Rater.objects.get()
    payment = Payment.objects.create(rater=rater, kind="bonus", amount="0.50", reason="care")
    invitation = Invitation.objects.create(study=study, name="Bo", token_hash="f" * 64)
    return {"RATER": rater.pseudonym, "PAYMENT": str(payment.pk), "INVITATION": str(invitation.pk)}


def spoilt(form: dict[str, str]) -> Iterator[tuple[str, bytes]]:
    """Yield what is sent with each field of a form in turn spoilt, missing or sent twice, as bytes."""
    for name, honest in form.items():
        rest = {one: value.encode() for one, value in form.items() if one != name}
        for odd in ODD:
            yield f"{name}={odd[:20]!r}", urlencode({**rest, name: odd}).encode()
        yield f"{name} missing", urlencode(rest).encode()
        yield f"{name} twice", urlencode([*rest.items(), (name, b"1"), (name, honest.encode())]).encode()


@pytest.mark.parametrize("rest", POSTED)
def test_what_researchers_send_is_taken_or_refused(mine: Study, rosas_browser: Client, rest: str) -> None:
    known = somebody_paid(mine)
    path = f"/admin/studies/{mine.slug}/{rest}"
    for name, value in known.items():
        path = path.replace(name, value)
    form = {name: known.get(value, value) for name, value in POSTED[rest].items()}
    for what, body in spoilt(form):
        answer = rosas_browser.post(path, body, FORM)
        assert answer.status_code < 500, what
    for body in (b"{", b"\xff", b"--x"):
        for kind in ("application/json", "multipart/form-data; boundary=x", "text/plain"):
            assert rosas_browser.post(path, body, kind).status_code < 500, (kind, body)


@pytest.mark.parametrize("rest", ASKED)
def test_what_stands_in_addresses_of_researchers_is_taken_or_refused(
    mine: Study, rosas_browser: Client, rest: str
) -> None:
    somebody_paid(mine)
    path = f"/admin/studies/{mine.slug}/{rest}"
    for name in ASKED[rest]:
        for odd in ODD[:-2]:
            assert rosas_browser.get(f"{path}?{urlencode({name: odd[:2000]})}").status_code < 500, (name, odd[:20])


def test_numbers_that_no_row_has_are_nowhere(mine: Study, rosas_browser: Client) -> None:
    somebody_paid(mine)
    for rest in PATHS:
        path = f"/admin/studies/{mine.slug}/{rest}"
        assert rosas_browser.get(path).status_code in {200, 404, 405}, rest[:40]
        assert rosas_browser.post(path, {"action": "renew"}).status_code in {404, 405}, rest[:40]


def test_what_raters_send_is_taken_or_refused(somebody: Client) -> None:
    study = open_study(k=30, channels={"link": {}})
    token = pages.join(somebody, study)
    form = {**pages.unit(somebody, token), **RIGHT, "comment": "x", "log": "[]", "replaces": "", "seconds_active": "1"}
    skip = {**pages.hidden(somebody.get(f"/r/{token}/judge/"), "skip"), "reason": "other", "comment": "x"}
    own = {
        "judge/": form,
        "skip/": {**skip, "form_token": skip.get("form_token", form["form_token"])},
        "stop/": {"form_token": "a:b:c"},
        "withdraw/": {"form_token": "a:b:c"},
        "language/": {**pages.hidden(somebody.get(f"/r/{token}/help/")), "language": "de", "back": f"/r/{token}/help/"},
        "feedback/1/": {"form_token": "x"},
        "exam/1/": {"form_token": "x"},
        "notice/": {"form_token": "x"},
        "mail/": {"form_token": "x"},
        "link/": {"form_token": "x"},
        "more/": {"form_token": "x"},
    }
    for rest, fields in own.items():
        for what, body in spoilt(fields):
            assert somebody.post(f"/r/{token}/{rest}", body, FORM).status_code < 500, (rest, what)
    for number in ("9" * 20, "9" * 400, "0"):
        for rest in (f"judge/{number}/", f"feedback/{number}/", f"exam/{number}/"):
            assert somebody.get(f"/r/{token}/{rest}").status_code in {302, 404}, rest[:30]


def test_arrivals_are_taken_or_refused(somebody: Client) -> None:
    study = open_study(k=30)
    known = {
        "prolific": prolific(),
        "mturk": {"assignmentId": "3A", "hitId": "3H", "workerId": "A1", "turkSubmitTo": "https://www.mturk.com"},
        "invited": {"key": "k"},
        "link": {"x": "y"},
        "account": {"next": "x"},
    }
    before = tables()
    for channel, query in known.items():
        for what, body in spoilt({**query, "wave": "x:y"}):
            path = f"/join/{study.link_code}/{channel}/"
            assert somebody.get(f"{path}?{body.decode()[:3000]}").status_code < 500, (channel, what)
    form = {**pages.hidden(somebody.get(f"/join/{study.link_code}/")), "agree": "on"}
    for what, body in spoilt(form):
        if "agree" not in what:
            assert somebody.post(f"/join/{study.link_code}/", body, FORM).status_code in {302, 403, 422}, what
    for what, body in spoilt({"username": "a", "password": "b", "next": "//evil.example/"}):
        answer = somebody.post("/sign-in/", body, FORM)
        assert answer.status_code == 200, what
    assert changed(before) <= {"rater", "raterset", "assignment", "booklet", "consent", "enrolmentcount", "dailysalt"}
    assert Rater.objects.count() == 1


DRAFTS: tuple[object, ...] = (
    [], {}, None, 1, "x", {"form_token": 1}, {"form_token": "\ud800", "counter": 1, "answer": {}},
    {"form_token": "TOKEN", "counter": 2**64, "answer": {}}, {"form_token": "TOKEN", "counter": 1, "answer": "x"},
    {"form_token": "TOKEN", "counter": 1, "answer": {"comment": "\0"}},
    {"form_token": "TOKEN", "counter": 1, "answer": {"comment": "\udfff"}},
    {"form_token": "TOKEN", "counter": 1.5, "answer": {}}, {"form_token": "TOKEN", "counter": "1", "answer": {}},
)  # fmt: skip


def test_drafts_are_kept_or_refused(study: Study, somebody: Client) -> None:
    token = pages.join(somebody, study)
    form = pages.unit(somebody, token)
    address = f"/r/{token}/draft/"
    before = tables()
    for one in DRAFTS:
        body = json.dumps(one).replace("TOKEN", form["form_token"])
        assert somebody.post(address, body, "application/json").status_code in {400, 403}, body[:80]
    for raw in (b"", b"\xff\xfe", b"[" * 100_000, b'{"a":' * 50_000, b"NaN"):
        assert somebody.post(address, raw, "application/json").status_code == 400
    assert changed(before) == set()
    good = {"form_token": form["form_token"], "counter": 1, "answer": {"comment": "fine"}}
    assert somebody.post(address, json.dumps(good), "application/json").status_code == 200


def bomb() -> bytes:
    """Return a small archive of thirty megabytes of nothing."""
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("people.csv", b"\0" * 30_000_000)
    return packed.getvalue()


MANY = "\n".join(f"Name {number}" for number in range(100_000))
FILES: dict[str, bytes] = {
    "UTF-16 without its mark": "name,email\nÄnne,\n".encode("utf-16-le"),
    "NUL": b"name\nA\0nne\n",
    "Latin-1 in a quote": b'name\n"A\xe4nne\n',
    "an archive": bomb(),
    "100000 rows": MANY.encode(),
    "a column twice": b"name,name\nAnn,Bob\n",
    "a cell of a megabyte": b"name\n" + b"x" * 1_000_000,
    "quotation marks that do not end": b'name\n"Ann\nBob',
    "nothing": b"",
    "blank lines": b"\n\n\n",
    "a header alone": b"name,email\n",
    "many columns": b",".join([b"x"] * 5000) + b"\nAnn\n",
}


@pytest.mark.parametrize("name", FILES)
@pytest.mark.parametrize("rest", ["recruit/people/", "recruit/statuses/prolific/", "pay/bonus/"])
def test_a_file_that_is_no_table_is_refused_whole(mine: Study, rosas_browser: Client, name: str, rest: str) -> None:
    somebody_paid(mine)
    form = {key: value for key, value in POSTED[rest].items() if key not in {"people", "ids", "status", "raters"}}
    content = FILES[name]
    if rest.endswith("prolific/"):
        content = content.replace(b"name,email", b"Submission id,Participant id,Status").replace(
            b"name,name", b"Submission id,Participant id,Status,Status"
        )
    before = tables()
    file = SimpleUploadedFile("table.csv", content, "text/csv")
    answer = rosas_browser.post(f"/admin/studies/{mine.slug}/{rest}", {**form, "file": file})
    if changed(before) - {"event"}:
        pytest.fail(f"{name} was taken: {changed(before)}")
    assert answer.status_code in {200, 422}
