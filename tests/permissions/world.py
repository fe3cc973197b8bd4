"""The studies that the permission table asks about, with one of everything an address can name, and their people."""

import io
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import timedelta
from decimal import Decimal
from pathlib import Path
from typing import Any

from django.apps import apps
from django.conf import settings
from django.contrib.auth.models import User
from django.core.files.uploadedfile import SimpleUploadedFile
from django.db import connection
from django.db.models import F
from django.http.response import HttpResponseBase
from django.test import Client
from django.urls import reverse

from analytics_app.models import MeasuredOutcome, MetricScore, Run
from analytics_app.results import Row as ResultRow
from analytics_app.services import sharing
from tasks_app import studyfile
from tasks_app.channels.base import Arrival
from tasks_app.importing import uploads
from tasks_app.models import Gold, Invitation, Item, Membership, PersonalText, Rater, RaterSet, Study
from tasks_app.projects import work as work_on_projects
from tasks_app.selectors.coding import answers_to
from tasks_app.services import pay
from tasks_app.services.arrival import enrolment, invitations
from tasks_app.services.judging import assignments
from tasks_app.services.study import colleagues, commenting, deleting, lifecycle, projects, tokens, withdrawing
from tasks_app.setup.frozen import setup_of
from tests import pages
from tests.analytics_app import coding_kit, routing_kit
from tests.analytics_app.builders import build_run, results_of
from tests.builders import build_study
from tests.media import png, show
from tests.permissions.rows import PEOPLE, Row
from tests.tasks_app.services.test_pay import work

CHANNELS: dict[str, object] = {"link": {}, "prolific": {}, "mturk": {}, "invited": {}, "account": {}}
VISIT, PARTICIPANT = "b" * 24, "a" * 24

# What explains a known answer: whoever reads it has read a known answer.
EXPLANATION = "A four it is, as every expert says."

RATINGS = "rater,item,system,criterion,value\nann,i0,alpha-mt,fluency,4\n"
OUTCOMES = "rater,wave,outcome,value\nRATER,1,steps,5000\n"
PERSONAL_TEXTS = "rater,text\nRATER,You walked less on Monday.\n"
SCORES = "item,system,COMET\ni0,alpha-mt,0.8\n"

# The state of each study, and how it got there.
CODES = {"completed": "DONE1", "screened_out": "OTHER1", "failed": "FAIL1", "full": "FULL1", "withdrawn": "STOP1"}
MOVES: Mapping[str, tuple[str, ...]] = {"draft": (), "open": ("open",), "closed": ("open", "close")}


@dataclass
class World:
    """What there is: each study by its state, words that rows use for its parts, and everybody's way in."""

    studies: dict[str, Study]
    words: dict[str, dict[str, str]]
    users: dict[str, User]
    sessions: dict[str, dict[str, str]]
    secrets: dict[str, str]
    own_tokens: dict[str, str]

    def filled(self, row: Row, person: str) -> dict[str, str]:
        """Return the words of a row's study, and the number of a token of the person's own."""
        return self.words[row.study] | {"OWN_TOKEN": self.own_tokens.get(person, self.own_tokens["owner"])}

    def address(self, row: Row, person: str = "owner") -> str:
        """Return the address of a row, in the study that it asks about."""
        words = self.filled(row, person)
        return reverse(row.name, kwargs={key: words.get(value, value) for key, value in row.path.items()})

    def sent(self, row: Row, person: str) -> dict[str, Any]:
        """Return the fields that a row sends or asks for; a file that it names is uploaded here."""
        words = self.filled(row, person)
        given = row.sent(self, row) if callable(row.sent) else row.sent or row.query
        return {key: words.get(value, value) if isinstance(value, str) else value for key, value in given.items()}

    def ask(self, row: Row, person: str, sent: Mapping[str, Any], method: str = "") -> HttpResponseBase:
        """Send the request of a row as somebody, or the same with another method."""
        by_script = row.name.startswith("api")
        client = self.client(person, by_script=by_script)
        how = {"content_type": "application/json"} if row.method == "POST" and (by_script or row.is_json) else {}
        send = getattr(client, (method or row.method).lower())
        answer: HttpResponseBase = send(self.address(row, person), sent, **how)
        return answer

    def client(self, person: str, *, by_script: bool = False) -> Client:
        """Return a browser, or a script with a token that may do whatever the person may."""
        if by_script:
            secret = self.secrets.get(person)
            return Client(headers={"authorization": f"Bearer {secret}"} if secret else None)
        client = Client()
        for name, value in self.sessions.get(person, {}).items():
            client.cookies[name] = value
        return client


def build_world() -> World:
    """Make the people, and a study of each state with something behind every address."""
    users = {
        name: User.objects.create_user(name, is_staff=name != "rater", is_superuser=name == "superuser")
        for name in PEOPLE[1:]
    }
    studies = {state: _study(state, users) for state in MOVES} | {"routed": _routed_study(users)}
    studies |= {slug: _coded_study(slug, users) for slug in ("to-code", "coded")}
    _divide(studies["draft"])
    words = {state: {"SLUG": study.slug, "CODE": study.link_code} for state, study in studies.items()}
    words["open"] |= _furnish(studies["open"], users)
    words["closed"] |= _furnish(studies["closed"], users)
    project = projects.put_into_new(study=studies["open"], name="Mine", by=users["owner"])
    done = work_on_projects.begin(project=project, action="check", studies=[studies["open"]], by=users["owner"])
    done.steps.update(state="done")
    in_project = f"{studies['open'].slug}/{words['open']['PAYEE']}"
    words["open"] |= {"PROJECT": project.slug, "WORK": str(done.pk), "IN_PROJECT": in_project}
    away = build_study(users["owner"], slug="deleted", opened=False)
    words["open"]["DELETED"] = str(deleting.delete(study_id=away.pk, by=users["owner"]).number)
    words["coded"] |= {"ANSWER": str(answers_to(studies["coded"], "motive")[8].pk)}
    words["routed"] |= {"RUN": str(studies["routed"].runs.get().number)}
    _elsewhere(users)
    studies["closed"] = lifecycle.move(study_id=studies["closed"].pk, action="close", by=users["owner"])
    made = {
        name: tokens.make(user=user, name="script", scopes=list(tokens.SCOPES), study=studies["open"], everywhere=True)
        for name, user in users.items()
    }
    return World(
        studies,
        words,
        users,
        {name: _signed_in(user) for name, user in users.items()},
        {name: one.secret for name, one in made.items()},
        {name: str(one.token.pk) for name, one in made.items()},
    )


def _signed_in(user: User) -> dict[str, str]:
    client = Client()
    client.force_login(user)
    return {name: morsel.value for name, morsel in client.cookies.items()}


def _study(state: str, users: Mapping[str, User]) -> Study:
    """Make a study with every channel, known answers, and a member of each role beside a guest."""
    study = build_study(users["owner"], slug=f"the-{state}", opened=False, known={"control": 2}, k=12)
    Gold.objects.filter(unit__task__study=study).update(explanation=EXPLANATION)
    paid = {"amount": "3.00", "minutes": 10, "minimum_hourly": "12.00"}
    study.settings = {**study.settings, "channels": CHANNELS, "pay": paid, "codes": CODES}
    study.save(update_fields=["settings"])
    guest = User.objects.create_user(f"guest-{state}", is_staff=True)
    members = {users["viewer"]: "viewer", users["editor"]: "editor", guest: "viewer"}
    Membership.objects.bulk_create(Membership(study=study, user=user, role=role) for user, role in members.items())
    return lifecycle.move(study_id=study.pk, action="open", by=None) if state != "draft" else study


def _divide(study: Study) -> None:
    """Give the items of a draft a feature by whose values they can be divided."""
    for number, item in enumerate(Item.objects.filter(study=study).order_by("pk")):
        item.features = {"x": "odd" if number % 2 else "even"}
        item.save(update_fields=["features"])


def _routed_study(users: Mapping[str, User]) -> Study:
    """Make an open study with a run whose uncertain texts can be sent to experts."""
    folder = Path(settings.MEDIA_ROOT) / "routed"
    folder.mkdir(parents=True, exist_ok=True)
    study = routing_kit.opened(folder, users["owner"])
    for role in ("viewer", "editor"):
        Membership.objects.create(study=study, user=users[role], role=role)
    place = {"analysis": "labels", "task": "crowd", "criterion": "tone", "basis": "kept", "by_system": True}
    uncertain = [
        ResultRow(**place, statistic="uncertain_text", slice=f"text={unit}", value=0.5, settings={"threshold": 0.9})
        for unit in routing_kit.DISPUTED
    ]
    build_run(study, uncertain)
    return study


def _coded_study(slug: str, users: Mapping[str, User]) -> Study:
    """Make a study with answers in words: with codes only, or coded by two people who disagree about some answers."""
    study = coding_kit.study_with_motives(users["owner"], Path(settings.MEDIA_ROOT) / slug, slug)
    for role in ("viewer", "editor"):
        Membership.objects.create(study=study, user=users[role], role=role)
    coding_kit.give_codes(study, users["owner"])
    if slug == "coded":
        coding_kit.code(study, users["owner"], coding_kit.FIRST)
        coding_kit.code(study, users["editor"], coding_kit.SECOND)
    return study


def _furnish(study: Study, users: Mapping[str, User]) -> dict[str, str]:
    """Put one of everything into a study; return the words that rows use for it."""
    words = results_of(study)
    token = pages.join(study)
    pages.unit(Client(), token)  # shown once, so that a later look stores nothing
    guest = f"guest-{study.slug.removeprefix('the-')}"
    arrival = Arrival("prolific", PARTICIPANT, VISIT, details={"study_id": "c" * 24})
    at_work = enrolment.enrol(study_id=study.pk, nonce="at-work", consent_text_id=None, arrival=arrival).rater
    paid = work(study)
    Rater.objects.filter(pk=paid.pk).update(channel="prolific")
    # An hour for 3.00 EUR is below the minimum, so that there is pay to add.
    Rater.objects.filter(pk=paid.pk).update(enrolled_at=F("enrolled_at") - timedelta(hours=1))
    pay.add_bonuses(study=study, by=None, amounts={paid.pseudonym: Decimal("1.00")}, reason="care", form="1")
    away = work(study, 1)
    RaterSet.objects.filter(rater=away).update(lease_until="2020-01-01T00:00Z")
    ended = work(study, 1)
    assignments.stop(rater=ended)
    (made,) = invitations.invite(study=study, people=[invitations.Person("Bo")], by=users["owner"])
    account = _invite_account(study, users["rater"])
    system = study.systems.earliest("pk")
    MetricScore.objects.create(study=study, metric="chrF", system=system, value=60, source="uploaded")
    MeasuredOutcome.objects.create(study=study, rater=at_work, wave=1, outcome="steps", value=4_000)
    PersonalText.objects.create(study=study, task=study.tasks.first(), rater=at_work, text="You walked less.")
    items = list(study.items.order_by("-pk").values_list("pk", flat=True))
    withdrawn = withdrawing.withdraw(study_id=study.pk, item=items[0], reason="A wrong text.", by=users["owner"])
    return words | {
        "ITEM": str(items[1]),
        "WITHDRAWAL": str(withdrawn.withdrawal.pk),
        "TOKEN": token,
        "GUEST": guest,
        "RATER": at_work.pseudonym,
        "EXCLUDED": words["RATER"],
        "PAYEE": paid.pseudonym,
        "PAYMENT": str(paid.payments.get(kind="bonus").pk),
        "INVITATION": str(made.invitation.pk),
        "ACCOUNT": str(account.pk),
        "VISIT": VISIT,
        "MISSING": str(pay.up_to_date(study=study).missing_bonuses),
        "QUEUED": str(build_run(study, state=Run.State.QUEUED).number),
        **_share(study, users["owner"]),
        "MEDIA": show(study, png(), "image/png", "i0", "i1", "i2", "i3"),
    }


def _share(study: Study, owner: User) -> dict[str, str]:
    """Share a study for comment, comment on it, and share its results."""
    setup_of(study)  # made now, so that a later look stores nothing
    made = commenting.share(study=study, days=14, shows_systems=False, by=owner)
    comment = commenting.add(study=study, link=made.link, name="Cleo", step="questions", text="Too long.")
    run = Run.objects.filter(study=study, state=Run.State.DONE).earliest("pk")
    shared = sharing.share(run=run, name="Cleo", days=14, by=owner)
    colleague = colleagues.invite(study=study, role="viewer", whom="Dana", by=owner)
    return {
        "COLLEAGUE_TOKEN": colleague.token,
        "COLLEAGUE": str(colleague.invitation.pk),
        "COMMENT_TOKEN": made.token,
        "COMMENT": str(comment.pk),
        "COMMENT_LINK": str(made.link.pk),
        "RESULTS_TOKEN": shared.token,
        "RESULTS_LINK": str(shared.link.pk),
    }


def _invite_account(study: Study, user: User) -> Invitation:
    """Invite somebody with an account."""
    return Invitation.objects.create(study=study, name="Cy", token_hash=f"Cy in {study.slug}", user=user)


def _elsewhere(users: Mapping[str, User]) -> None:
    """Invite the account of a rater to a study of others as well, where the editor is a viewer only."""
    study = build_study(None, slug="elsewhere", items=1, opened=False)
    Membership.objects.create(study=study, user=users["owner"], role="editor")
    Membership.objects.create(study=study, user=users["editor"], role="viewer")
    _invite_account(study, users["rater"])


def upload(study: Study, text: str) -> str:
    """Keep a file between the two steps of an import; return its token."""
    return uploads.keep(study, csv_file(text))


def csv_file(text: str) -> SimpleUploadedFile:
    """Return a table as a browser uploads it."""
    return SimpleUploadedFile("file.csv", text.encode(), content_type="text/csv")


def packed(study: Study) -> SimpleUploadedFile:
    """Return a study as a study file to load."""
    target = io.BytesIO()
    studyfile.export(study, target)
    return SimpleUploadedFile("study.zip", target.getvalue(), content_type="application/zip")


# What pg_stat_xact_user_tables counts, without its joins over indexes and names.
_WRITTEN = """
SELECT relname, pg_stat_get_xact_tuples_inserted(oid) + pg_stat_get_xact_tuples_updated(oid)
              + pg_stat_get_xact_tuples_deleted(oid)
  FROM pg_class WHERE relkind = 'r' AND relnamespace = 'public'::regnamespace AND relname <> 'django_session'
"""
_DIGEST = "SELECT '{0}', count(*) || coalesce(md5(string_agg(t::text, '|' ORDER BY t::text)), '') FROM {0} t"


def digest(names: Iterable[str] | None = None) -> dict[str, str]:
    """Digest these tables, or every one but that of sessions, so that a changed cell of any row is seen."""
    if names is None:
        names = {model._meta.db_table for model in apps.get_models(include_auto_created=True)} - {"django_session"}
    chosen = sorted(names)
    if not chosen:
        return {}
    with connection.cursor() as cursor:
        cursor.execute(" UNION ALL ".join(_DIGEST.format(name) for name in chosen))
        return dict(cursor.fetchall())


def written() -> dict[str, int]:
    """Count by table the rows, but for sessions, that were written in this transaction, taken back or not.

    What has not grown was not changed. Asking takes a hundredth of the time of a digest.
    """
    with connection.cursor() as cursor:
        cursor.execute(_WRITTEN)
        return dict(cursor.fetchall())


def files() -> list[str]:
    """Name every stored file."""
    return sorted(str(path) for path in Path(settings.MEDIA_ROOT).rglob("*") if path.is_file())
