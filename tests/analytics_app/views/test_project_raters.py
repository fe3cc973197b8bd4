"""Named evaluators of a project: their progress, agreement and answers on pages, and a message to several of them."""

from pathlib import Path
from random import Random

import pytest
import yaml
from django.conf import settings as django_settings
from django.contrib.auth.models import User
from django.core import mail
from django.test import Client
from pytest_django import DjangoAssertNumQueries, Settings

from analytics_app.results import Row
from tasks_app import studyfile
from tasks_app.jobs import upkeep
from tasks_app.models import Event, Identity, Invitation, Membership, Outbox, Rater, Rating, Study
from tasks_app.selectors.screens import RaterScreen
from tasks_app.services import contact, erasure
from tasks_app.services.arrival import invitations
from tasks_app.services.arrival.invitations import Person
from tasks_app.services.judging import judgments
from tasks_app.services.study import lifecycle, projects
from tasks_app.services.waves import reminders
from tests import walk
from tests.analytics_app.builders import build_run
from tests.analytics_app.views.reading import page, text
from tests.tasks_app.waves_kit import invited
from tests.walk import next_for

pytestmark = pytest.mark.django_db

EXAMPLE = Path(django_settings.BASE_DIR) / "examples" / "error_labels"
PAGE = "/admin/projects/pairs/raters/"
TEXTS = 35
NAMES = ("Ana López", "Björn =1+1")
SYSTEMS = ("Crawled and aligned by length", "crawl", "embed")


def load(folder: Path, slug: str, owner: User) -> Study:
    """Open the example with two answers to each text and personal links."""
    given = yaml.safe_load((EXAMPLE / "study.yaml").read_text())
    given["study"] |= {"slug": slug, "title": f"Pairs – {slug}"}
    given["channels"] = {"invited": {}}
    given["tasks"][0] |= {"k": 2, "set_size": TEXTS}
    folder.mkdir()
    (folder / "study.yaml").write_text(yaml.safe_dump(given))
    (folder / "items.csv").write_bytes((EXAMPLE / "items.csv").read_bytes())
    study = studyfile.load(folder, owner=owner)
    invitations.invite(study=study, people=[Person(name) for name in (*NAMES, "Chloé")], by=owner)
    return lifecycle.move(study_id=study.pk, action="open", by=owner)


def begin(study: Study, number: int, n: int = TEXTS, email: str = "") -> Rater:
    """Have the person of an invitation begin, and answer so many texts by their own rule."""
    rater = invited(study, number, email)
    Invitation.objects.filter(study=study, name=NAMES[number - 1]).update(rater=rater)
    rng = Random(number)
    for _text in range(n):
        found = next_for(rater=rater)
        assert found is not None
        judgments.submit(screen=RaterScreen(rater, found), submission=walk.answer(study, found, rng))
        rater.refresh_from_db()
    return rater


@pytest.fixture(scope="module")
def studies_once(module_rosa: User, tmp_path_factory: pytest.TempPathFactory) -> list[int]:
    """Make two open studies of one project; in the first, two invited people have begun."""
    folder = tmp_path_factory.mktemp("studies")
    made = [load(folder / slug, slug, module_rosa) for slug in ("en-de", "en-fr")]
    project = projects.put_into_new(study=made[0], name="Pairs", by=module_rosa)
    projects.put_all(studies=made, project=project, by=module_rosa)
    begin(made[0], 1, email="ana@example.org")
    begin(made[0], 2, n=4)
    return [study.pk for study in made]


@pytest.fixture
def studies(studies_once: list[int], db: None) -> list[Study]:
    """Return the studies."""
    return [Study.objects.get(pk=pk) for pk in studies_once]


def viewer_of(studies: list[Study], role: str) -> Client:
    user = User.objects.create_user(role, is_staff=True)
    for study in studies:
        Membership.objects.create(study=study, user=user, role=role)
    client = Client()
    client.force_login(user)
    return client


def test_the_page_says_who_has_which_set_and_how_far_they_are(
    studies: list[Study], rosas_browser: Client, django_assert_max_num_queries: DjangoAssertNumQueries
) -> None:
    _first, second = Rater.objects.order_by("pk")
    build_run(
        studies[0], [Row(analysis="kappa", statistic="cohen_kappa", task="pairs", criterion="error", value=0.4567)]
    )
    with django_assert_max_num_queries(15):
        shown = text(page(rosas_browser, PAGE))
    for name in (*NAMES, "Chloé"):
        assert name in shown
    assert shown.count("Pairs – en-fr") == 3, "nobody has begun there"
    assert "35 of 35" in shown
    assert "4 of 35" in shown
    assert shown.count("0.46") == 2
    assert f"/raters/{second}/labels/" in page(rosas_browser, PAGE)


def test_names_are_for_editors_and_answers_of_open_studies_for_owners(
    studies: list[Study], rosas_browser: Client
) -> None:
    viewed, edited = (page(viewer_of(studies, role), PAGE) for role in ("viewer", "editor"))
    assert NAMES[0] not in viewed
    assert 'name="text"' not in viewed
    assert NAMES[0] in edited
    assert 'name="text"' in edited
    assert "/labels/" not in viewed + edited


def test_a_message_goes_to_the_chosen_raters_and_to_the_address_of_who_has_one(
    studies: list[Study], rosas_browser: Client, settings: Settings
) -> None:
    settings.EVALWEB_URL = "https://eval.example.org"
    first, second = Rater.objects.order_by("pk")
    chosen = [f"en-de/{rater}" for rater in (first, second)]
    answer = rosas_browser.post(f"{PAGE}message/", {"rater": chosen, "text": "Thank you <b>both</b>!"}, follow=True)
    assert "2 raters read your message on their next page." in answer.content.decode()
    assert [contact.unread(rater) for rater in Rater.objects.all()] == [["Thank you <b>both</b>!"]] * 2
    written = Event.objects.filter(study=studies[0], verb="wrote to a rater").values_list("object", flat=True)
    assert set(written) == {str(first), str(second)}
    upkeep()
    (sent,) = mail.outbox
    assert sent.to == ["ana@example.org"]
    assert sent.subject == f"A message for you: {studies[0].public_title}"
    assert "have written you a message" in sent.body
    assert reminders.return_token(first, Identity.objects.get(rater=first)) in sent.body
    assert not any(word in sent.body for word in ("Thank you", studies[0].title, *SYSTEMS))
    upkeep()
    assert len(mail.outbox) == 1, "once"
    contact.write(rater=first, by=None, text="And another.")
    assert Outbox.objects.get().sent_at is None
    upkeep()
    assert len(mail.outbox) == 2


def test_no_mail_about_a_message_that_was_read_or_is_not_wanted(studies: list[Study], settings: Settings) -> None:
    settings.EVALWEB_URL = "https://eval.example.org"
    first = Rater.objects.earliest("pk")
    contact.write(rater=first, by=None, text="Read at once.")
    contact.read(rater=first, n=1)
    upkeep()
    assert (mail.outbox, Outbox.objects.count()) == ([], 0)
    contact.write(rater=first, by=None, text="Not by mail.")
    reminders.stop_mail(rater=first)
    contact.write(rater=first, by=None, text="Nor this.")
    upkeep()
    assert (mail.outbox, Outbox.objects.count()) == ([], 0)


@pytest.mark.parametrize(
    ("chosen", "words", "problem"), [(True, " ", "Enter a message."), (False, "Hello", "Choose at least one rater.")]
)
def test_what_cannot_be_sent_stays_in_the_form(
    studies: list[Study], rosas_browser: Client, chosen: bool, words: str, problem: str
) -> None:
    rater = Rater.objects.earliest("pk")
    sent = {"rater": [f"en-de/{rater}"] if chosen else ["en-fr/of-nobody"], "text": words}
    answer = rosas_browser.post(f"{PAGE}message/", sent)
    shown = answer.content.decode()
    assert answer.status_code == 422
    assert problem in text(shown)
    assert (" checked" in shown.partition(f'value="en-de/{rater}"')[2].split(">")[0]) is chosen
    assert not contact.unread(Rater.objects.earliest("pk"))


def test_viewers_cannot_write(studies: list[Study]) -> None:
    rater = Rater.objects.earliest("pk")
    sent = {"rater": [f"en-de/{rater}"], "text": "Hello"}
    assert viewer_of(studies, "viewer").post(f"{PAGE}message/", sent).status_code == 404
    assert not contact.unread(Rater.objects.earliest("pk"))


def test_the_answers_of_a_rater_stand_beside_those_of_the_other(
    studies: list[Study], rosas_browser: Client, django_assert_max_num_queries: DjangoAssertNumQueries
) -> None:
    first, second = Rater.objects.order_by("pk")
    base = f"/admin/studies/en-de/raters/{first}/"
    assert f'href="{base}labels/"' in page(rosas_browser, f"{base}timeline/")
    with django_assert_max_num_queries(15):
        html = page(rosas_browser, f"{base}labels/")
    shown = text(html)
    labels = {
        rater.pk: dict(Rating.objects.filter(rater=rater, criterion__key="error").values_list("unit", "label"))
        for rater in (first, second)
    }
    both = labels[first.pk].keys() & labels[second.pk].keys()
    same = sum(labels[first.pk][unit] == labels[second.pk][unit] for unit in both)
    assert both, "they share texts"
    assert f"{second} Error label {len(both)} {same} " in " ".join(shown.split())
    assert "35 answers" in shown
    assert html.count(">differs<") >= len(both) - same
    assert not any(f">{system}<" in html for system in SYSTEMS)
    label = next(iter(labels[first.pk].values()))
    n = sum(given == label for given in labels[first.pk].values())
    of_label = text(page(rosas_browser, f"{base}labels/?label=error:{label}"))
    assert f"{n} answer{'s' if n > 1 else ''} " in of_label
    differing = page(rosas_browser, f"{base}labels/?differs=1")
    assert differing.count("<tr>") - differing.count("<thead>") >= len(both) - same
    assert list(studies[0].events.filter(verb="looked at answers").values_list("object", flat=True)) == [str(first)]


def test_answers_are_read_by_those_who_may_export_and_gone_with_an_erased_rater(
    studies: list[Study], rosas_browser: Client
) -> None:
    first = Rater.objects.earliest("pk")
    address = f"/admin/studies/en-de/raters/{first}/labels/"
    assert viewer_of(studies, "editor").get(address).status_code == 404
    erasure.erase(rater=first, by=None)
    erased = Rater.objects.exclude(erased_at=None).get()
    assert rosas_browser.get(f"/admin/studies/en-de/raters/{erased}/labels/").status_code == 404
    assert not Outbox.objects.exists()
    assert NAMES[0] not in page(rosas_browser, PAGE).partition("en-fr")[0]
