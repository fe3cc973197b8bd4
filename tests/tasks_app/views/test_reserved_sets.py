"""Sets and languages that invitations name, through the pages: invited, listed, let in, released."""

import csv
import io

import pytest
from django.contrib.auth.models import User
from django.http import HttpResponse
from django.test import Client

from tasks_app.models import Identity, Invitation, Membership, Rater, Study
from tasks_app.services.study import lifecycle
from tests import invariants
from tests.builders import build_study
from tests.tasks_app.views.test_arriving import arrive, open_study

pytestmark = pytest.mark.django_db


@pytest.fixture
def recruited(rosa: User) -> Study:
    """Rosa's study, open on every channel."""
    study = open_study()
    Membership.objects.create(study=study, user=rosa, role=Membership.Role.OWNER)
    return study


def path(study: Study, rest: str = "") -> str:
    """Return an address under Recruit."""
    return f"/admin/studies/{study.slug}/recruit/{rest}"


def sheet(answer: HttpResponse) -> list[dict[str, str]]:
    """Read the file that a form was answered with."""
    assert answer["Content-Type"].startswith("text/csv"), answer.content.decode()
    return list(csv.DictReader(io.StringIO(answer.content.decode("utf-8-sig"))))


def test_a_set_and_a_language_are_named_for_a_person(recruited: Study, rosa: User, rosas_browser: Client) -> None:
    """Through the pages: invited, listed, and let in."""
    table = "name,set,language\nAnn,3,de\nBo,,\n"
    made = sheet(rosas_browser.post(path(recruited, "people/"), {"channel": "invited", "people": table}))
    assert [(one["set"], one["language"]) for one in made] == [("main 3", "de"), ("", "")]
    page = rosas_browser.get(path(recruited, "people/")).content.decode()
    assert "main 3" in page
    assert page.count("Release the set") == 1
    design = rosas_browser.get(f"/admin/studies/{recruited.slug}/design/").content.decode()
    assert "<dt>Reserved for invited people</dt><dd>1</dd>" in design
    join, _query, key = made[0]["link"].partition("?key=")
    offer = Client().get(join, {"key": key}).content.decode()
    assert '<html lang="de"' in offer
    token = arrive(Client(), recruited, "invited", {"key": key})
    rater = Rater.objects.get()
    assert (rater.language, rater.sets.get().booklet.number) == ("de", 3)
    assert '<html lang="de"' in Client().get(f"/r/{token}/instructions/").content.decode()
    assert rows_of_second(recruited, made[1]["link"]) == 1
    ann = Invitation.objects.get(name="Ann")
    rosas_browser.post(path(recruited, f"people/{ann.pk}/"), {"action": "release"})
    ann.refresh_from_db()
    assert ann.booklet is None
    assert "Release the set" not in rosas_browser.get(path(recruited, "people/")).content.decode()
    invariants.check(recruited)


def rows_of_second(study: Study, link: str) -> int:
    """Let the second person in; return the number of their set."""
    arrive(Client(), study, "invited", {"key": link.partition("?key=")[2]})
    return int(Rater.objects.latest("pk").sets.get().booklet.number)


SETS = {
    "no such set": ("Ann,99,,", "There is no such set. Sets are numbered from 1 to"),
    "no such task": ("Ann,1,mian,", "No task with sets has this key. Did you mean “main”?"),
    "a task alone": ("Ann,,main,", "Fill in the column set as well, or leave task empty."),
    "twice": ("Ann,1,,\nBo,1,,", "This set is taken or reserved."),
    "language": ("Ann,,,xx", "evalweb has no pages in this language."),
}


@pytest.mark.parametrize(("lines", "sentence"), SETS.values(), ids=SETS)
def test_sets_that_cannot_be_kept_are_told(recruited: Study, rosas_browser: Client, lines: str, sentence: str) -> None:
    sent = {"channel": "invited", "people": f"name,set,task,language\n{lines}"}
    page = rosas_browser.post(path(recruited, "people/"), sent)
    assert page.status_code == 422
    assert sentence in page.content.decode()
    assert not Invitation.objects.exists()


def test_full_is_said_where_a_set_has_nothing_left(recruited: Study, rosas_browser: Client) -> None:
    table = "name,set\nAnn,1\n"
    (made,) = sheet(rosas_browser.post(path(recruited, "people/"), {"channel": "invited", "people": table}))
    ann = Invitation.objects.get()
    token = arrive(Client(), recruited, "invited", {"key": made["link"].partition("?key=")[2]})
    assert Client().get(f"/r/{token}/").status_code == 302
    Invitation.objects.filter(pk=ann.pk).update(rater=None)
    Identity.objects.all().delete()
    page = Client().get(made["link"].partition("?key=")[0], {"key": made["link"].partition("?key=")[2]})
    assert page.status_code == 409
    assert "All places are taken" in page.content.decode()


def test_sets_are_drawn_when_a_study_is_opened(rosa: User, rosas_browser: Client) -> None:
    study = build_study(rosa, opened=False)
    study.settings["channels"] = {"invited": {}}
    study.save()
    page = rosas_browser.post(path(study, "people/"), {"channel": "invited", "people": "name,set\nAnn,1\n"})
    assert "Sets are drawn when the study is opened." in page.content.decode()


def test_a_batch_is_named_for_each_of_its_raters(rosa: User, rosas_browser: Client) -> None:
    study = build_study(rosa, opened=False, k=2)
    task = study.tasks.get()
    keys = sorted(task.units.values_list("key", flat=True))
    batches = [{"batch": name, "units": keys[n::2]} for n, name in enumerate(("first", "second"))]
    task.design, task.design_params = "batches", {"batches": batches}
    task.save()
    study.settings["channels"] = {"invited": {}}
    study.save()
    lifecycle.move(study_id=study.pk, action="open", by=None)
    table = "name,batch\nAnn,second\nBo,second\n"
    made = sheet(rosas_browser.post(path(study, "people/"), {"channel": "invited", "people": table}))
    assert [one["set"] for one in made] == ["main 2", "main 4"]
    page = rosas_browser.post(path(study, "people/"), {"channel": "invited", "people": "name,batch\nCy,second\n"})
    assert "All sets of this batch are taken or reserved." in page.content.decode()
    arrive(Client(), study, "invited", {"key": made[1]["link"].partition("?key=")[2]})
    judged = set(Rater.objects.get().assignments.values_list("unit__key", flat=True))
    assert judged == set(keys[1::2])
