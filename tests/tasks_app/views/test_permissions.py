"""Who may open which address: one table over every address of the product. A new address needs a row."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from decimal import Decimal

import pytest
from django.contrib.auth.models import User
from django.db import transaction
from django.test import Client
from django.urls import URLPattern, URLResolver, get_resolver, reverse

from tasks_app.models import Membership, Study
from tasks_app.services import pay, tokens
from tests import pages, walk
from tests.analytics_app.builders import results_of
from tests.builders import build_study
from tests.media import png, show

pytestmark = pytest.mark.django_db

SIGN_IN = 302  # redirected to the sign-in page

PEOPLE = ("stranger", "rater", "plain", "mallory", "viewer", "editor", "owner", "superuser")
INSIDERS = ("viewer", "editor", "owner", "superuser")
EVERYBODY = dict.fromkeys(PEOPLE, 200)
RESEARCHERS = {**dict.fromkeys(PEOPLE, 200), "stranger": SIGN_IN, "rater": SIGN_IN, "plain": 404}
MEMBERS = {**RESEARCHERS, "mallory": 404}
EDITORS = {**MEMBERS, "viewer": 404}
# The study of this table is open, so whoever is no owner waits for its end.
OWNERS = {**EDITORS, "editor": 404}
# What changes something leads to another page.
SENT = dict.fromkeys(INSIDERS, 302)
EDITORS_SENT = {**EDITORS, **SENT, "viewer": 404}
OWNERS_SENT = {**EDITORS_SENT, "editor": 404}

# Addresses of the API know people by their tokens; no cookie signs anybody in there.
SCRIPTS = {**dict.fromkeys(PEOPLE, 200), "stranger": 401, "rater": 401, "plain": 401}
MEMBERS_SCRIPTS = {**SCRIPTS, "mallory": 404}
OWNERS_SCRIPTS = {**MEMBERS_SCRIPTS, "viewer": 403, "editor": 403}
EDITORS_SCRIPTS = {**MEMBERS_SCRIPTS, "viewer": 403}
EDITORS_START = {**EDITORS_SCRIPTS, **dict.fromkeys(("editor", "owner", "superuser"), 202)}

# (method, name of the address, what it takes, status by person)
TABLE: list[tuple[str, str, dict[str, str], dict[str, int]]] = [
    ("get", "public:home", {}, EVERYBODY),
    ("get", "public:patterns", {}, EVERYBODY),
    ("get", "public:catalogue", {}, EVERYBODY),
    ("get", "public:task_type", {"name": "likert"}, EVERYBODY),
    ("get", "rater:join", {"code": "CODE"}, EVERYBODY),
    ("get", "rater:arrive", {"code": "CODE", "channel": "link"}, EVERYBODY),
    ("get", "rater:studies", {}, {**EVERYBODY, "stranger": SIGN_IN, "rater": SIGN_IN}),
    ("get", "rater:sign_in", {}, EVERYBODY),
    ("post", "rater:sign_out", {}, dict.fromkeys(PEOPLE, 302)),
    ("get", "rater:next", {"token": "TOKEN"}, dict.fromkeys(PEOPLE, 302)),
    ("get", "rater:instructions", {"token": "TOKEN"}, EVERYBODY),
    ("get", "rater:judge", {"token": "TOKEN"}, EVERYBODY),
    ("get", "rater:unit", {"token": "TOKEN", "order": "1"}, dict.fromkeys(PEOPLE, 302)),
    ("post", "rater:draft", {"token": "TOKEN"}, dict.fromkeys(PEOPLE, 400)),
    ("post", "rater:skip", {"token": "TOKEN"}, dict.fromkeys(PEOPLE, 403)),
    ("get", "rater:media", {"token": "TOKEN", "name": "MEDIA"}, EVERYBODY),
    ("get", "rater:overview", {"token": "TOKEN"}, dict.fromkeys(PEOPLE, 302)),
    ("get", "rater:summary", {"token": "TOKEN"}, EVERYBODY),
    ("get", "rater:feedback", {"token": "TOKEN", "order": "1"}, dict.fromkeys(PEOPLE, 302)),
    ("get", "rater:exam", {"token": "TOKEN", "number": "1"}, dict.fromkeys(PEOPLE, 302)),
    ("get", "rater:notice", {"token": "TOKEN"}, dict.fromkeys(PEOPLE, 302)),
    ("get", "rater:waiting", {"token": "TOKEN"}, dict.fromkeys(PEOPLE, 302)),
    ("get", "rater:calendar", {"token": "TOKEN"}, dict.fromkeys(PEOPLE, 302)),
    ("get", "rater:mail", {"token": "TOKEN"}, EVERYBODY),
    ("get", "rater:help", {"token": "TOKEN"}, EVERYBODY),
    ("get", "rater:stop", {"token": "TOKEN"}, EVERYBODY),
    ("get", "rater:end", {"token": "TOKEN"}, dict.fromkeys(PEOPLE, 302)),
    ("post", "rater:more", {"token": "TOKEN"}, dict.fromkeys(PEOPLE, 403)),
    ("post", "rater:link", {"token": "TOKEN"}, dict.fromkeys(PEOPLE, 403)),
    ("get", "rater:stored", {"token": "TOKEN"}, EVERYBODY),
    ("get", "rater:mine", {"token": "TOKEN"}, EVERYBODY),
    ("get", "rater:withdraw", {"token": "TOKEN"}, EVERYBODY),
    ("post", "rater:language", {"token": "TOKEN"}, dict.fromkeys(PEOPLE, 403)),
    ("get", "researcher:studies", {}, RESEARCHERS),
    ("get", "researcher:load", {}, RESEARCHERS),
    ("get", "researcher:setup", {"slug": "SLUG"}, MEMBERS),
    ("get", "researcher:members", {"slug": "SLUG"}, MEMBERS),
    ("post", "researcher:members", {"slug": "SLUG"}, {**OWNERS, **dict.fromkeys(("owner", "superuser"), 422)}),
    ("post", "researcher:unshare", {"slug": "SLUG"}, {**MEMBERS, **dict.fromkeys(INSIDERS, 404)}),
    ("get", "researcher:items", {"slug": "SLUG"}, MEMBERS),
    ("get", "researcher:design", {"slug": "SLUG"}, MEMBERS),
    ("get", "researcher:plan", {"slug": "SLUG"}, EDITORS),
    ("get", "researcher:checks", {"slug": "SLUG"}, EDITORS),
    ("get", "researcher:checks_csv", {"slug": "SLUG", "table": "units"}, EDITORS),
    ("get", "researcher:recruit", {"slug": "SLUG"}, MEMBERS),
    ("get", "researcher:try", {"slug": "SLUG"}, EDITORS),
    ("get", "researcher:invited", {"slug": "SLUG"}, EDITORS),
    (
        "post",
        "researcher:invitation",
        {"slug": "SLUG", "invitation": "0"},
        {**MEMBERS, **dict.fromkeys(INSIDERS, 404)},
    ),
    ("get", "researcher:statuses", {"slug": "SLUG", "channel": "link"}, {**MEMBERS, **dict.fromkeys(INSIDERS, 404)}),
    ("get", "researcher:people", {"slug": "SLUG"}, MEMBERS),
    ("post", "researcher:act", {"slug": "SLUG", "rater": "RATER", "action": "returned"}, EDITORS_SENT),
    ("post", "researcher:new_link", {"slug": "SLUG", "rater": "RATER"}, EDITORS),
    ("get", "researcher:due", {"slug": "SLUG"}, EDITORS),
    ("post", "researcher:due_link", {"slug": "SLUG", "rater": "nobody"}, {**MEMBERS, **dict.fromkeys(INSIDERS, 404)}),
    ("get", "researcher:due_ids", {"slug": "SLUG", "wave": "1"}, EDITORS),
    ("get", "researcher:due_csv", {"slug": "SLUG", "wave": "1"}, EDITORS),
    ("get", "researcher:import", {"slug": "SLUG"}, EDITORS),
    ("get", "researcher:file", {"slug": "SLUG"}, EDITORS),
    ("post", "researcher:move", {"slug": "SLUG", "action": "close"}, EDITORS),
    ("get", "researcher:pay", {"slug": "SLUG"}, MEMBERS),
    ("get", "researcher:pay_table", {"slug": "SLUG"}, MEMBERS),
    ("get", "researcher:pay_file", {"slug": "SLUG", "channel": "link", "name": "payments"}, OWNERS),
    ("post", "researcher:pay_bonus", {"slug": "SLUG"}, {**OWNERS, **dict.fromkeys(("owner", "superuser"), 422)}),
    ("post", "researcher:pay_withhold", {"slug": "SLUG", "rater": "PAYEE"}, OWNERS_SENT),
    ("post", "researcher:pay_undo", {"slug": "SLUG", "pk": "PAYMENT"}, OWNERS_SENT),
    ("post", "researcher:pay_settle", {"slug": "SLUG"}, OWNERS),
    ("post", "researcher:pay_mend", {"slug": "SLUG"}, OWNERS),
    ("post", "researcher:pay_absent", {"slug": "SLUG"}, OWNERS_SENT),
    ("get", "researcher:api", {"slug": "SLUG"}, MEMBERS),
    ("post", "researcher:revoke", {"slug": "SLUG", "token": "0"}, {**MEMBERS, **dict.fromkeys(INSIDERS, 404)}),
    ("get", "analytics:monitor", {"slug": "SLUG"}, MEMBERS),
    ("get", "analytics:raters", {"slug": "SLUG"}, MEMBERS),
    ("get", "analytics:judgments", {"slug": "SLUG", "pseudonym": "RATER"}, MEMBERS),
    ("post", "analytics:exclude", {"slug": "SLUG", "rater": "RATER"}, EDITORS_SENT),
    ("post", "analytics:include", {"slug": "SLUG", "pk": "EXCLUSION"}, EDITORS_SENT),
    ("get", "analytics:results", {"slug": "SLUG"}, MEMBERS),
    ("get", "analytics:new_run", {"slug": "SLUG"}, EDITORS),
    ("post", "analytics:start", {"slug": "SLUG"}, EDITORS_SENT),
    ("post", "analytics:lift", {"slug": "SLUG"}, OWNERS_SENT),
    ("get", "analytics:run", {"slug": "SLUG", "number": "RUN"}, MEMBERS),
    ("get", "analytics:run_raters", {"slug": "SLUG", "number": "RUN"}, MEMBERS),
    ("get", "analytics:excluded", {"slug": "SLUG", "number": "RUN"}, MEMBERS),
    ("post", "analytics:cancel", {"slug": "SLUG", "number": "RUN"}, EDITORS_SENT),
    ("post", "analytics:start_without", {"slug": "SLUG", "number": "RUN"}, EDITORS_SENT),
    ("post", "analytics:send", {"slug": "SLUG", "number": "RUN"}, OWNERS_SENT),
    ("get", "analytics:plot", {"slug": "SLUG", "number": "RUN", "pk": "PLOT"}, MEMBERS),
    ("get", "analytics:results_csv", {"slug": "SLUG", "number": "RUN"}, MEMBERS),
    ("get", "analytics:results_json", {"slug": "SLUG", "number": "RUN"}, MEMBERS),
    ("get", "analytics:data", {"slug": "SLUG"}, MEMBERS),
    ("get", "analytics:ratings", {"slug": "SLUG", "format": "csv"}, OWNERS),
    ("get", "analytics:scores", {"slug": "SLUG"}, EDITORS),
    ("get", "planning:planning", {}, RESEARCHERS),
    ("get", "planning:planning", {"study": "SLUG"}, MEMBERS),
    ("get", "planning:plan_ahead", {"what": "triangle"}, RESEARCHERS),
    ("get", "planning:plan_ahead", {"what": "cost", "study": "SLUG"}, MEMBERS),
    ("get", "api:try", {}, EVERYBODY),
    ("get", "api:schema", {}, EVERYBODY),
    ("get", "api:studies", {}, SCRIPTS),
    ("get", "api:study", {"slug": "SLUG"}, MEMBERS_SCRIPTS),
    ("get", "api:judgments", {"slug": "SLUG"}, OWNERS_SCRIPTS),
    ("get", "api_results:ratings", {"slug": "SLUG"}, OWNERS_SCRIPTS),
    ("get", "api_results:ratings_csv", {"slug": "SLUG"}, OWNERS_SCRIPTS),
    ("get", "api_results:ratings_jsonl", {"slug": "SLUG"}, OWNERS_SCRIPTS),
    ("get", "api_results:runs", {"slug": "SLUG"}, MEMBERS_SCRIPTS),
    ("post", "api_results:runs", {"slug": "SLUG"}, EDITORS_START),
    ("get", "api_results:run", {"slug": "SLUG", "number": "RUN"}, MEMBERS_SCRIPTS),
    ("post", "api_results:cancel", {"slug": "SLUG", "number": "RUN"}, EDITORS_SCRIPTS),
    ("get", "api_results:run_results", {"slug": "SLUG", "number": "RUN"}, MEMBERS_SCRIPTS),
    ("get", "api_results:run_csv", {"slug": "SLUG", "number": "RUN"}, MEMBERS_SCRIPTS),
    ("get", "api_results:results", {"slug": "SLUG", "run": "RUN"}, MEMBERS_SCRIPTS),
    ("get", "api_results:results_csv", {"slug": "SLUG", "run": "RUN"}, MEMBERS_SCRIPTS),
    ("get", "api_results:nothing", {"rest": "nowhere/"}, dict.fromkeys(PEOPLE, 404)),
]

# What a form sends or a query says, rather than the address; `run` is only there to be stored.
POSTED = {"action", "rater", "study"}
STORED = {"run"}

# A token is the credential of a rater's pages: with a wrong one they do not exist, whoever asks.
TOKEN_PAGES = [row for row in TABLE if row[2].get("token") == "TOKEN"]


@pytest.fixture
def users(study: Study, mallory: User, rosa: User) -> Callable[[str], User | None]:
    """Return the login of each person of the table, if they have one."""

    def user_of(person: str) -> User | None:
        if person in {"stranger", "rater"}:
            return None
        user = {"mallory": mallory, "owner": rosa}.get(person) or User.objects.create_user(
            person, is_staff=person != "plain", is_superuser=person == "superuser"
        )
        if person in {"viewer", "editor"}:
            Membership.objects.create(study=study, user=user, role=person)
        return user

    return user_of


@pytest.fixture
def people(users: Callable[[str], User | None]) -> Callable[[str], Client]:
    """Return a browser for each person of the table."""

    def browser(person: str) -> Client:
        client = Client()
        if (user := users(person)) is not None:
            client.force_login(user)
        return client

    return browser


@pytest.fixture
def scripts(study: Study, users: Callable[[str], User | None]) -> Callable[[str], Client]:
    """Return a script for each person of the table, with a token that may do whatever they may."""

    def script(person: str) -> Client:
        if (user := users(person)) is None:
            return Client()
        made = tokens.make(user=user, name="script", scopes=list(tokens.SCOPES), study=study)
        return Client(headers={"authorization": f"Bearer {made.secret}"})

    return script


@contextmanager
def undone() -> Iterator[None]:
    """Take back what is stored meanwhile, so that one study serves everybody."""
    with transaction.atomic():
        yield
        transaction.set_rollback(True)


@pytest.mark.parametrize(("method", "name", "takes", "statuses"), TABLE, ids=[row[1] for row in TABLE])
def test_every_address_answers_each_person_as_promised(
    study: Study,
    people: Callable[[str], Client],
    scripts: Callable[[str], Client],
    subtests: pytest.Subtests,
    method: str,
    name: str,
    takes: dict[str, str],
    statuses: dict[str, int],
) -> None:
    token = pages.join(Client(), study) if takes.get("token") == "TOKEN" else ""
    words = {"TOKEN": token, "SLUG": study.slug, "CODE": study.link_code, **stored(study, takes)}
    takes = {key: words.get(value, value) for key, value in takes.items()}
    address = reverse(name, kwargs={key: value for key, value in takes.items() if key not in POSTED | STORED})
    data = {key: value for key, value in takes.items() if key in POSTED}
    by_script = name.startswith("api")
    how = {"content_type": "application/json"} if by_script and method == "post" else {}
    for person in PEOPLE:
        with subtests.test(person=person), undone():
            answer = getattr((scripts if by_script else people)(person), method)(address, data, **how)
            assert answer.status_code == statuses[person], answer.getvalue().decode(errors="replace")[:500]
            b"".join(answer)  # a file is read while it is sent
            if person in {"stranger", "rater"} and name.startswith(("researcher:", "analytics:")):
                assert answer["Location"].startswith("/admin/login/")


def stored(study: Study, takes: dict[str, str]) -> dict[str, str]:
    """Store results, or a picture, where an address names a part of them."""
    if "MEDIA" in takes.values():
        return {"MEDIA": show(study, png(), "image/png")}
    if {"PAYEE", "PAYMENT"} & set(takes.values()):
        return payee(study)
    return results_of(study) if {"RUN", "RATER", "EXCLUSION"} & set(takes.values()) else {}


def payee(study: Study) -> dict[str, str]:
    """Store a rater who is to get a bonus."""
    rater = walk.arrive(study)
    pay.add_bonuses(study=study, by=None, amounts={rater.pseudonym: Decimal("1.00")}, reason="care", form="1")
    return {"PAYEE": rater.pseudonym, "PAYMENT": str(rater.payments.get().pk)}


@pytest.mark.parametrize(("method", "name", "takes", "_statuses"), TOKEN_PAGES, ids=[row[1] for row in TOKEN_PAGES])
def test_a_guessed_token_finds_nothing(
    study: Study, somebody: Client, method: str, name: str, takes: dict[str, str], _statuses: dict[str, int]
) -> None:
    token = pages.join(Client(), study)
    words = stored(study, takes)
    takes = {**{key: words.get(value, value) for key, value in takes.items()}, "token": token}
    assert getattr(somebody, method)(reverse(name, kwargs=takes)).status_code != 404
    guessed = token[:-1] + ("A" if token[-1] != "A" else "B")
    assert getattr(somebody, method)(reverse(name, kwargs={**takes, "token": guessed})).status_code == 404


def own_addresses() -> Iterator[str]:
    """Every named address that is ours rather than the admin's."""

    def walk(patterns: list[URLPattern | URLResolver], space: str) -> Iterator[str]:
        for pattern in patterns:
            if isinstance(pattern, URLResolver):
                if pattern.app_name != "admin":
                    yield from walk(pattern.url_patterns, f"{pattern.namespace}:" if pattern.namespace else space)
            else:
                yield f"{space}{pattern.name}"

    yield from walk(get_resolver().url_patterns, "")


def test_no_address_is_missing_from_the_table() -> None:
    assert {row[1] for row in TABLE} == set(own_addresses())


def test_only_members_change_a_study_and_it_is_logged(study: Study, people: Callable[[str], Client]) -> None:
    for person in ("stranger", "plain", "mallory", "viewer"):
        people(person).post(f"/admin/studies/{study.slug}/move/", {"action": "pause"})
        study.refresh_from_db()
        assert study.state == "open", person
    people("editor").post(f"/admin/studies/{study.slug}/move/", {"action": "pause"})
    study.refresh_from_db()
    assert study.state == "paused"
    assert study.events.first().verb == "paused"
    assert study.events.first().actor.username == "editor"


def test_a_superusers_look_is_logged(study: Study, people: Callable[[str], Client]) -> None:
    people("superuser").get(f"/admin/studies/{study.slug}/monitor/")
    event = study.events.first()
    assert (event.verb, event.object, event.actor.username) == ("viewed", "monitor", "superuser")


def test_the_admins_own_tables_show_only_ones_own(study: Study, people: Callable[[str], Client]) -> None:
    build_study(None, slug="of-nobody")
    event = study.events.first()
    path = f"/admin/tasks_app/event/{event.pk}/change/"
    assert people("owner").get(path).status_code == 200
    mallory = people("mallory")
    assert mallory.get(path).status_code == 404
    listing = mallory.get("/admin/tasks_app/event/")
    assert listing.status_code == 200
    assert study.title not in listing.content.decode()
