"""Texts whose label stays uncertain go to experts, and what these say comes first in the next run."""

import copy
from decimal import Decimal
from io import StringIO
from pathlib import Path

import pytest
from django.contrib.auth.models import User
from django.core.management import CommandError, call_command
from django.test import Client
from django.urls import reverse

from analytics_app.models import Exclusion, Run
from analytics_app.services import routing
from tasks_app import studyfile
from tasks_app.hooks import tabs
from tasks_app.models import Assignment, Event, Place, Rater, Study, Unit
from tasks_app.services import pay
from tasks_app.services.arrival import enrolment
from tasks_app.services.study import lifecycle
from tests import invariants
from tests.analytics_app.routing_kit import DISPUTED, DOCUMENT, analysed, arrive, crowd_judges, folder, judge, opened
from tests.undrawn import undrawn

pytestmark = pytest.mark.django_db


@pytest.fixture(scope="module")
def judged_once(module_rosa: User, tmp_path_factory: pytest.TempPathFactory) -> int:
    """Make the study that a crowd has judged."""
    study = opened(tmp_path_factory.mktemp("judged"), module_rosa, "civil-judged")
    crowd_judges(study)
    with undrawn():
        analysed(study)
    return study.pk


@pytest.fixture
def judged(judged_once: int, db: None) -> Study:
    """The study that a crowd has judged, analysed once; its texts were not sent to anybody yet."""
    return Study.objects.get(pk=judged_once)


def row(run: Run, statistic: str, **about: object) -> object:
    """The one row of a statistic on the tone of texts."""
    wanted = {"system": None, "label": None, "rater": None, "slice": None, "basis": "kept", "group": None, **about}
    return run.rows.get(analysis="labels", statistic=statistic, task="crowd", criterion="tone", **wanted)


def send(client: Client, study: Study, run: Run, **data: object) -> object:
    """Press the button on the page of a run."""
    address = reverse("analytics:send", args=[study.slug, run.number])
    return client.post(address, {"task": "experts", **data}, follow=True)


def sent_units(study: Study) -> set[str]:
    return set(Place.objects.filter(booklet__task__study=study, booklet__task__key="experts").values_list(
        "unit__key", flat=True
    ))  # fmt: skip


def test_the_whole_way(judged: Study, rosa: User, client: Client) -> None:
    """Crowd, run, press, expert, run: the expert's label is the label in the end."""
    study = judged
    assert not Place.objects.filter(booklet__task__key="experts").exists(), "nothing waits for experts at opening"
    with pytest.raises(enrolment.StudyFull):
        arrive(study, "experts")
    assert set(study.raters.values_list("group__key", flat=True)) == {"crowd"}
    first = analysed(study)
    assert row(first, "low_confidence_texts").value == 2
    assert row(first, "majority_ties").value == 2
    uncertain = first.rows.filter(statistic="uncertain_text", criterion="tone")
    assert {one.slice for one in uncertain} == {f"text={unit}" for unit in DISPUTED}
    assert all(one.by_system for one in uncertain), "the name of a text may hold that of a system"
    assert not first.rows.filter(statistic="final_share").exists()

    client.force_login(rosa)
    _press(client, study, first)
    _let_an_expert_judge(study)
    second = analysed(study)
    assert second.pk != first.pk
    _experts_count_first(client, study, first, second)


def _press(client: Client, study: Study, first: Run) -> None:
    """See what would be sent and what it costs, and send it."""
    page = client.get(reverse("analytics:run", args=[study.slug, first.number])).content.decode()
    assert "Send 2 texts to experts" in page
    assert "Experts would give 2 judgments in 1 set." in page
    assert "1.00 EUR" in page
    said = send(client, study, first).content.decode()
    assert "2 texts were sent to the experts, in 1 set." in said
    assert sent_units(study) == set(DISPUTED)
    event = Event.objects.get(study=study, verb="sent texts")
    assert (event.actor.username, event.object, event.after) == (
        "rosa", "experts", {"texts": 2, "places": 2, "sets": 1, "from": f"run {first.number}"},
    )  # fmt: skip
    invariants.check(study)


def _let_an_expert_judge(study: Study) -> None:
    """Let somebody in by the group of experts; nobody else is put there."""
    # Nobody else is put among the experts, although they alone have something left to judge.
    with pytest.raises(enrolment.StudyFull):
        arrive(study)
    expert = arrive(study, "experts")
    offered = pay.offered(expert)
    assert (offered.units, offered.full, offered.amount) == (2, 4, Decimal(1)), "as the page of the run said"
    judged = judge(study, expert, lambda unit, key: "No")
    assert {one.unit.key for one in judged} == set(DISPUTED)
    assert {one.unit.task.key for one in judged} == {"experts"}
    invariants.check(study)


def _experts_count_first(client: Client, study: Study, first: Run, second: Run) -> None:
    """Read the second run, and press again in vain."""
    assert row(second, "expert_texts").value == pytest.approx(2 / 12)
    assert row(second, "low_confidence_texts").value == 2
    assert row(second, "low_confidence_left").value == 0
    assert row(second, "final_confidence").value > row(second, "label_confidence").value
    # Five texts were No beyond doubt; the expert says the same of both that were not.
    assert row(second, "final_prevalence", label="No").value == pytest.approx(7 / 12)
    assert row(second, "final_share", label="No", system="alpha-mt").value == pytest.approx(4 / 6)
    assert row(second, "expert_majority_agreement").note.startswith("There is no text")
    page = client.get(reverse("analytics:run", args=[study.slug, second.number])).content.decode()
    assert "all of them were sent to the experts already" in page
    # Pressed again, or for the run before, nothing is sent twice.
    for run in (first, second):
        assert "nothing left to send" in send(client, study, run).content.decode()
    assert Place.objects.filter(booklet__task__key="experts").count() == 2


def test_what_is_excluded_by_hand_does_not_flow_back(judged: Study) -> None:
    study = judged
    routing.send(run=analysed(study), task="experts", by=None)
    expert = arrive(study, "experts")
    judge(study, expert, lambda unit, key: "No")
    Exclusion.objects.create(study=study, rater=expert, rule="manual", reason="Was not the expert.")
    run = analysed(study)
    assert not run.rows.filter(statistic="expert_texts").exists()


def test_some_first_then_the_rest_for_other_experts(judged: Study) -> None:
    study = judged
    run = analysed(study)
    assert routing.send(run=run, task="experts", by=None, at_most=1).texts == 1
    ada = arrive(study, "experts")
    assert len(judge(study, ada, lambda unit, key: "Yes")) == 1
    assert routing.send(run=run, task="experts", by=None).texts == 1
    ben = arrive(study, "experts")
    assert len(judge(study, ben, lambda unit, key: "No")) == 1
    met = Assignment.objects.filter(unit__task__key="experts", purpose="main").values_list("rater", "unit")
    assert len(set(met)) == 2
    assert set(Unit.objects.filter(task__key="experts").values_list("k", flat=True)) == {0, 1}
    invariants.check(study)
    # One of two experts says Yes, the other No, each of another text.
    second = analysed(study)
    assert row(second, "final_prevalence", label="No").value == pytest.approx(6 / 12)


def test_two_experts_a_text_are_two_people(tmp_path: Path) -> None:
    document = copy.deepcopy(DOCUMENT)
    document["tasks"][1]["k"] = 2
    document["flow"]["sets_per_rater"] = 5
    study = studyfile.load(folder(tmp_path, document), owner=None)
    study = lifecycle.move(study_id=study.pk, action="open", by=None)
    crowd_judges(study)
    sent = routing.send(run=analysed(study), task="experts", by=None)
    assert (sent.texts, sent.places) == (2, 4)
    for label in ("Yes", "No"):
        expert = arrive(study, "experts")
        assert len(judge(study, expert, lambda unit, key, one=label: one)) == 2
    invariants.check(study)
    run = analysed(study)
    # They are tied, so the crowd's label, which there is none of, stays.
    assert row(run, "expert_texts").note == "Where experts are tied, the label of the crowd stays."
    assert row(run, "low_confidence_left").value == 2


def test_a_study_that_is_closed_sends_nothing(judged: Study, rosa: User, client: Client) -> None:
    study = judged
    run = analysed(study)
    lifecycle.move(study_id=study.pk, action="close", by=None)
    client.force_login(rosa)
    page = client.get(reverse("analytics:run", args=[study.slug, run.number])).content.decode()
    assert "Open the study again to send them" in page
    assert "The study is not open" in send(client, study, run).content.decode()
    assert not sent_units(study)
    lifecycle.move(study_id=study.pk, action="open", by=None, reason="more raters")
    assert not sent_units(study), "opening again draws nothing either"
    send(client, study, run)
    assert sent_units(study) == set(DISPUTED)


def test_who_is_no_owner_cannot_send(judged: Study, mallory: User, client: Client) -> None:
    study = judged
    run = analysed(study)
    client.force_login(mallory)
    assert send(client, study, run).status_code == 404
    assert not sent_units(study)


def test_a_task_that_is_not_there(judged: Study, rosa: User, client: Client) -> None:
    study = judged
    client.force_login(rosa)
    said = send(client, study, analysed(study), task="crowd").content.decode()
    assert "There is no expert task" in said


def test_the_command_says_what_it_costs_and_sends(judged: Study) -> None:
    study = judged
    study.runs.all().delete()
    with pytest.raises(CommandError, match="no such run"):
        call_command("route", study.slug)
    analysed(study)
    out = StringIO()
    call_command("route", study.slug, dry_run=True, stdout=out)
    assert "2 were not sent yet" in out.getvalue()
    assert not sent_units(study)
    call_command("route", study.slug, at_most=1, stdout=out)
    assert "sent 1 texts, 1 places in 1 sets" in out.getvalue()
    for wrong in ({"at_most": 0}, {"task": "nothing"}, {"run": 99}):
        with pytest.raises(CommandError):
            call_command("route", study.slug, **wrong)
    with pytest.raises(CommandError, match="Did you mean 'civil-judged'"):
        call_command("route", "civil-juged")


def test_every_tab_of_such_a_study_can_be_opened(judged: Study, tmp_path: Path, rosa: User, client: Client) -> None:
    """A task without a plan is no stumbling block: as a draft, open, and once texts were sent."""
    client.force_login(rosa)

    def look(study: Study) -> None:
        for tab in tabs.all_tabs():
            assert client.get(reverse(tab.url_name, args=[study.slug])).status_code == 200, tab.slug

    draft = studyfile.load(folder(tmp_path), owner=rosa)
    look(draft)
    lifecycle.move(study_id=draft.pk, action="open", by=rosa)
    look(draft)
    routing.send(run=analysed(judged), task="experts", by=rosa)
    look(judged)


def test_experts_see_neither_labels_nor_systems(judged: Study, client: Client) -> None:
    study = judged
    routing.send(run=analysed(study), task="experts", by=None)
    enrolled = enrolment.enrol(
        study_id=study.pk, nonce="expert", consent_text_id=None,
        arrival=enrolment.Arrival("link", group="experts"),
    )  # fmt: skip
    Rater.objects.filter(pk=enrolled.rater.pk).update(state="judging")
    page = client.get(reverse("rater:judge", args=[enrolled.token])).content.decode()
    assert "Is it civil?" in page
    for word in ("alpha-mt", "crowd", "confidence", "Dawid"):
        assert word not in page


WRONG = {
    "the task it names is not there": ({"design_params": {"routed_from": "crwd"}}, "Did you mean"),
    "nothing is named": ({"design_params": {}}, "routed_from"),
    "itself": ({"design_params": {"routed_from": "experts"}}, "is no task whose texts can be sent here"),
    "another type": ({"type": "likert"}, "It must be the same"),
    "a criterion of its own": ({"criteria": ["tone", "other"]}, "does not ask other"),
    "the same raters": ({"groups": ["crowd"]}, "different people"),
    "everybody": ({"groups": []}, "different people"),
    "more for some": ({"k_more": 3, "k_more_share": 0.5}, "leave k_more out"),
    "another stage": ({"stage": "exit"}, "Texts are sent to tasks of the stage main"),
}


@pytest.mark.parametrize("case", WRONG)
def test_what_does_not_fit_is_refused_with_its_line(tmp_path: Path, case: str) -> None:
    changes, sentence = WRONG[case]
    document = copy.deepcopy(DOCUMENT)
    document["criteria"].append({"key": "other", "name": "Other", "labels": ["a", "b", "c", "d", "e"]})
    document["tasks"][1].update(changes)
    with pytest.raises(studyfile.StudyFileError) as refused:
        studyfile.load(folder(tmp_path, document), owner=None)
    assert sentence in str(refused.value)


def test_the_study_comes_back_from_its_export(tmp_path: Path) -> None:
    study = opened(tmp_path)
    task = study.tasks.get(key="experts")
    assert (task.design, task.design_params) == ("on_request", {"routed_from": "crowd"})
    out = tmp_path / "out"
    call_command("export_study", study.slug, str(out), stdout=StringIO())
    text = (out / "study.yaml").read_text(encoding="utf-8") if out.is_dir() else ""
    assert "routed_from: crowd" in text
