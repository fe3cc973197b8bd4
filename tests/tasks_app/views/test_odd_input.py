"""Odd input at every address of recruitment and judging: a polite refusal, never a fault of the server."""

import io
import json
import zipfile
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from urllib.parse import urlencode

import pytest
from django.contrib.auth.models import User
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client

from tasks_app.models import Invitation, Payment, Rater, Study
from tests import extent, pages
from tests.once import study_made_once
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

# What is answered, a letter each: first to the odd values in their order, then without the field and with it twice.
STATUS = {"2": 200, "3": 302, "B": 400, "F": 403, "4": 404, "C": 409, "U": 422}
ALL_OK, ALL_BACK, ALL_FORGED, ALL_GONE, ALL_WRONG = ("2" * 13, "3" * 13, "F" * 13, "4" * 13, "U" * 13)
# Of a field that is sent twice the last counts.
GONE_BUT_TWICE, WRONG_BUT_TWICE = ("4" * 12 + "3", "U" * 12 + "3")


@dataclass(frozen=True)
class Form:
    """A form that is well filled in: each field with its value and what its odd values are answered."""

    fields: Mapping[str, tuple[str, str]]
    # What is answered to a body that is no form at all.
    junk: int

    @property
    def values(self) -> dict[str, str]:
        return {name: value for name, (value, _letters) in self.fields.items()}


# Researchers' addresses behind the study's, with their forms; RATER and the like are looked up.
POSTED: dict[str, Form] = {
    "people/act/": Form({"action": ("returned", GONE_BUT_TWICE), "rater": ("RATER", GONE_BUT_TWICE)}, 404),
    "people/link/": Form({"rater": ("RATER", "4444444444442")}, 404),
    "due/link/": Form({"rater": ("RATER", "4444444444442"), "sure": ("yes", ALL_OK)}, 404),
    "move/": Form({"action": ("nothing", ALL_GONE)}, 404),
    # Any text may be a name, but nobody is invited twice by the same.
    "recruit/people/": Form({"channel": ("invited", "UUUUUUUUUUUU2"), "people": ("Ann Example", "UU2U2222222UU")}, 422),
    "recruit/people/INVITATION/": Form({"action": ("revoke", GONE_BUT_TWICE)}, 404),
    "recruit/statuses/prolific/": Form(
        {"status": ("RETURNED", "UUUUUUUUUUUU2"), "ids": ("a" * 24, "UU222222222U2")}, 422
    ),
    "pay/bonus/": Form(
        {
            "to": ("listed", WRONG_BUT_TWICE),
            "raters": ("RATER", WRONG_BUT_TWICE),
            "amount": ("0.50", "UUUUUUUU3UUU3"),
            "reason": ("care", "UU3U3333333U3"),
            "form": ("0" * 32, WRONG_BUT_TWICE),
        },
        422,
    ),
    # A sentence on the page that follows says what could not be done.
    "pay/withhold/": Form({"rater": ("RATER", GONE_BUT_TWICE), "reason": ("none", ALL_BACK)}, 404),
    "pay/undo/PAYMENT/": Form({"x": ("y", ALL_BACK)}, 302),
    # Whoever is not sure is asked once more.
    "pay/settle/": Form(
        {"channel": ("prolific", ALL_BACK), "last": ("1", ALL_BACK), "sure": ("yes", "2222222222223")}, 200
    ),
    "pay/mend/": Form(
        {"seen": ("0.00", ALL_BACK), "form": ("0" * 32, ALL_BACK), "sure": ("yes", "2222222222223")}, 200
    ),
    "pay/absent/": Form({"x": ("y", ALL_BACK)}, 302),
    "api/": Form(
        {
            "name": ("script", "UU2U2222222U2"),
            "scopes": ("read:studies", ALL_WRONG),
            "days": ("90", "2UUUUUUUUUU22"),
        },
        422,
    ),
}
# What is asked for in addresses, without the two oddest values, which no address can hold.
SHOWN, NOWHERE = "2" * 9, "4" * 9
ASKED: dict[str, dict[str, str]] = {
    "raters/": dict.fromkeys(("q", "page", "show", "order"), SHOWN),
    "pay/": dict.fromkeys(("page", "status", "channel", "outcome", "simulated"), SHOWN),
    "pay/raters.csv": dict.fromkeys(("status", "channel"), SHOWN),
    "pay/files/link/payments.csv": dict.fromkeys(("last", "simulated"), SHOWN),
    "due/": dict.fromkeys(("wave", "page"), SHOWN),
    "recruit/try/": {**dict.fromkeys(("example", "outcome", "refusal"), SHOWN), "channel": "244444444"},
    "recruit/people/": {"page": SHOWN},
    "design/plan.csv": {"task": NOWHERE},
}
# Numbers and names in addresses that no row has, with what GET and POST are answered.
PATHS = {
    "due/99999999999999999999/ids/": (404, 405),
    "due/" + "9" * 250 + "/ids.csv": (404, 405),
    "recruit/people/99999999999999999999/": (405, 404),
    "pay/undo/99999999999999999999/": (405, 404),
    "pay/files/" + "x" * 300 + "/payments.csv": (404, 405),
    "checks/" + "x" * 300 + ".csv": (404, 405),
    "recruit/statuses/" + "x" * 300 + "/": (404, 404),
    "pay/files/link/" + "x" * 300 + ".csv": (404, 405),
}


def build_mine(rosa: User) -> Study:
    """Make a study of rosa's with every channel, somebody invited and a rater who is to be paid."""
    study = open_study(codes={}, k=20, slug="mine")
    study.memberships.create(user=rosa, role="owner")
    arrive(Client(), study, "prolific", prolific())
    Payment.objects.create(rater=Rater.objects.get(), kind="bonus", amount="0.50", reason="care")
    Invitation.objects.create(study=study, name="Bo", token_hash="f" * 64)
    return study


mine_once, mine = study_made_once("mine", build_mine)


def known_of(study: Study) -> dict[str, str]:
    """Return the words for the rater, the payment and the invitation."""
    payment = Payment.objects.select_related("rater").get(rater__study=study)
    invitation = Invitation.objects.get(study=study)
    return {"RATER": payment.rater.pseudonym, "PAYMENT": str(payment.pk), "INVITATION": str(invitation.pk)}


def tried(letters: str, turn: int) -> list[int]:
    """Return which of the odd values are sent to a field: all of them in an exhaustive run.

    Otherwise one of the first three and one of the rest, by turns, all that are answered in another way than most, and
    the last two of a form (missing and twice).
    """
    if extent.is_exhaustive():
        return list(range(len(letters)))
    usual = max(letters, key=letters.count)
    chosen = {turn % 3, 3 + turn % (len(letters) - 3), *range(len(ODD), len(letters))}
    return [place for place, letter in enumerate(letters) if place in chosen or letter != usual]


def spoilt(fields: Mapping[str, tuple[str, str]]) -> Iterator[tuple[str, bytes, int]]:
    """Yield what is sent with each field in turn spoilt, missing or sent twice, as bytes, and what is answered."""
    for turn, (name, (honest, letters)) in enumerate(fields.items()):
        rest = {one: value.encode() for one, (value, _letters) in fields.items() if one != name}
        bodies = [(f"{name}={odd[:20]!r}", urlencode({**rest, name: odd}).encode()) for odd in ODD]
        bodies.append((f"{name} missing", urlencode(rest).encode()))
        twice = [*rest.items(), (name, b"1"), (name, honest.encode())]
        bodies.append((f"{name} twice", urlencode(twice).encode()))
        assert len(bodies) == len(letters)
        for place in tried(letters, turn):
            yield *bodies[place], STATUS[letters[place]]


@pytest.mark.parametrize("rest", POSTED)
def test_what_researchers_send_is_taken_or_refused(mine: Study, rosas_browser: Client, rest: str) -> None:
    known = known_of(mine)
    path = f"/admin/studies/{mine.slug}/{rest}"
    for name, value in known.items():
        path = path.replace(name, value)
    form = {name: (known.get(value, value), letters) for name, (value, letters) in POSTED[rest].fields.items()}
    for what, body, status in spoilt(form):
        assert rosas_browser.post(path, body, FORM).status_code == status, what
    kinds = ("application/json", "multipart/form-data; boundary=x", "text/plain")
    for number, body in enumerate((b"{", b"\xff", b"--x")):
        for kind in kinds if extent.is_exhaustive() else kinds[number : number + 1]:
            assert rosas_browser.post(path, body, kind).status_code == POSTED[rest].junk, (kind, body)


@pytest.mark.parametrize("rest", ASKED)
def test_what_stands_in_addresses_of_researchers_is_taken_or_refused(
    mine: Study, rosas_browser: Client, rest: str
) -> None:
    path = f"/admin/studies/{mine.slug}/{rest}"
    for turn, (name, letters) in enumerate(ASKED[rest].items()):
        for place in tried(letters, turn):
            odd = ODD[place]
            answer = rosas_browser.get(f"{path}?{urlencode({name: odd[:2000]})}")
            assert answer.status_code == STATUS[letters[place]], (name, odd[:20])


def test_numbers_that_no_row_has_are_nowhere(mine: Study, rosas_browser: Client) -> None:
    for rest, statuses in PATHS.items():
        path = f"/admin/studies/{mine.slug}/{rest}"
        answered = (rosas_browser.get(path).status_code, rosas_browser.post(path, {"action": "renew"}).status_code)
        assert answered == statuses, rest[:40]


def form_to(page: str, address: str) -> dict[str, str]:
    """Return the hidden fields of the form on a page that is sent to an address."""
    begin = page.rindex("<form", 0, page.index(f'action="{address}"'))
    # The reader passes over the form of languages, which is on every page.
    return pages.hidden_fields(page[begin : page.index("</form>", begin)].replace('class="languages"', ""))


def test_what_raters_send_is_taken_or_refused(somebody: Client) -> None:
    study = open_study(k=30, channels={"link": {}}, slug="judged")
    token = pages.join(study)
    own = f"/r/{token}/"
    language = form_to(somebody.get(f"{own}help/").content.decode(), f"{own}language/")
    forged, forged_but_twice = {"form_token": ("x", ALL_FORGED)}, "F" * 12 + "3"
    # Whatever does not wait for the rater leads on.
    over = {"form_token": ("x", ALL_BACK)}
    forms: dict[str, dict[str, tuple[str, str]]] = {
        "skip/": {
            "reason": ("other", WRONG_BUT_TWICE),
            "comment": ("x", "3U3U333333333"),
        },
        "judge/": {
            "replaces": ("", "3UUU33UU3UU33"),
            "seconds_active": ("1", "3UUUUUUU3UU33"),
            "seconds_elapsed": ("1", "3UUUUUUU3UU33"),
            "log": ("[]", "3UUUUUUUUUU33"),
            **{name: (value, WRONG_BUT_TWICE) for name, value in RIGHT.items()},
            "comment": ("x", "3U3U333333333"),
        },
        "stop/": forged,
        "withdraw/": forged,
        "language/": {
            "form_token": (language["form_token"], forged_but_twice),
            "language": ("de", forged_but_twice),
            "back": (f"/r/{token}/help/", "3F3F333333333"),
        },
        "feedback/1/": over,
        "exam/1/": over,
        "notice/": over,
        "mail/": forged,
        "link/": forged,
        "more/": forged,
    }
    for rest, fields in forms.items():
        if rest in {"skip/", "judge/"}:
            page = somebody.get(f"{own}judge/")
            signed = form_to(page.content.decode(), f"{own}skip/") if rest == "skip/" else pages.hidden(page, "answer")
            fields["form_token"] = (signed["form_token"], forged_but_twice)
            fields["submission"] = (signed["submission"], WRONG_BUT_TWICE)
        for what, body, status in spoilt(fields):
            assert somebody.post(f"{own}{rest}", body, FORM).status_code == status, (rest, what)
    for number in ("9" * 20, "9" * 400, "0"):
        for rest, status in ((f"judge/{number}/", 404), (f"feedback/{number}/", 404), (f"exam/{number}/", 302)):
            assert somebody.get(f"{own}{rest}").status_code == status, rest[:30]


# A study with one wave has no place in another, and says so; what a platform would not send is no arrival.
OTHER_WAVE = ("x:y", "CCCCCCCCCCC2C")
NO_ID, NO_NUMBER = "B" * 12 + "C", "BBBBCCCCBBBBC"


def arrivals() -> dict[str, dict[str, tuple[str, str]]]:
    """Return what each channel sends, with what odd values of it are answered."""
    platform = {name: (value, NO_ID) for name, value in prolific().items()}
    ids = {"assignmentId": "3A", "hitId": "3H", "workerId": "A1"}
    return {
        "prolific": {**platform, "wave": OTHER_WAVE},
        "mturk": {
            **{name: (value, NO_NUMBER) for name, value in ids.items()},
            "turkSubmitTo": ("https://www.mturk.com", NO_ID),
            "wave": OTHER_WAVE,
        },
        "invited": {"key": ("k", "B44B4444444B4"), "wave": ("x:y", ALL_GONE)},
        "link": {"x": ("y", "C" * 13), "wave": OTHER_WAVE},
        "account": {"next": ("x", ALL_BACK), "wave": ("x:y", ALL_BACK)},
    }


def test_arrivals_are_taken_or_refused(somebody: Client) -> None:
    study = open_study(k=30, slug="arrivals")
    before = tables()
    for channel, query in arrivals().items():
        for what, body, status in spoilt(query):
            path = f"/join/{study.link_code}/{channel}/"
            assert somebody.get(f"{path}?{body.decode()[:3000]}").status_code == status, (channel, what)
    page = somebody.get(f"/join/{study.link_code}/")
    form = {"form_token": (pages.hidden(page)["form_token"], "F" * 12 + "3")}
    for what, body, status in spoilt(form):
        assert somebody.post(f"/join/{study.link_code}/", body + b"&agree=on", FORM).status_code == status, what
    for what, body, _status in spoilt(
        {"username": ("a", ALL_OK), "password": ("b", ALL_OK), "next": ("//x.example/", ALL_OK)}
    ):
        assert somebody.post("/sign-in/", body, FORM).status_code == 200, what
    assert changed(before) <= {"rater", "raterset", "assignment", "booklet", "consent", "enrolmentcount", "dailysalt"}
    assert Rater.objects.filter(study=study).count() == 1


FORGED_DRAFT = {"form_token": "\ud800", "counter": 1, "answer": {}}
DRAFTS: tuple[object, ...] = (
    [], {}, None, 1, "x", {"form_token": 1}, FORGED_DRAFT,
    {"form_token": "TOKEN", "counter": 2**64, "answer": {}}, {"form_token": "TOKEN", "counter": 1, "answer": "x"},
    {"form_token": "TOKEN", "counter": 1, "answer": {"comment": "\0"}},
    {"form_token": "TOKEN", "counter": 1, "answer": {"comment": "\udfff"}},
    {"form_token": "TOKEN", "counter": 1.5, "answer": {}}, {"form_token": "TOKEN", "counter": "1", "answer": {}},
)  # fmt: skip


def test_drafts_are_kept_or_refused(study: Study, somebody: Client) -> None:
    token = pages.join(study)
    form = pages.unit(somebody, token)
    address = f"/r/{token}/draft/"
    before = tables()
    for one in DRAFTS:
        body = json.dumps(one).replace("TOKEN", form["form_token"])
        status = 403 if one is FORGED_DRAFT else 400
        assert somebody.post(address, body, "application/json").status_code == status, body[:80]
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


TAKING_FILES = ("recruit/people/", "recruit/statuses/prolific/", "pay/bonus/")


@pytest.mark.parametrize(
    ("rest", "name"),
    # Each file goes to one of the addresses, by turns; an exhaustive run sends it to all.
    [
        pytest.param(rest, name, marks=() if number % len(TAKING_FILES) == place else pytest.mark.exhaustive)
        for number, name in enumerate(FILES)
        for place, rest in enumerate(TAKING_FILES)
    ],
)
def test_a_file_that_is_no_table_is_refused_whole(mine: Study, rosas_browser: Client, name: str, rest: str) -> None:
    form = {key: one for key, one in POSTED[rest].values.items() if key not in {"people", "ids", "status", "raters"}}
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
    # A file of no lines says nothing of anybody, which is nothing wrong.
    nothing_said = (rest, name) == ("recruit/statuses/prolific/", "a header alone")
    assert answer.status_code == (200 if nothing_said else 422)
