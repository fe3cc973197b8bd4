"""Nothing that the server does with an answer tells what its unit is for: the same locks and statements for each."""

import uuid
from collections.abc import Callable

import pytest
from django.test import Client
from django.urls import reverse

from tasks_app.models import Assignment, Output, RaterSet, Study
from tasks_app.selectors import screens
from tasks_app.services.arrival import enrolment
from tasks_app.services.judging import assignments, leases
from tasks_app.services.study import degrading, lifecycle
from tests import pages
from tests.once import study_made_once
from tests.tasks_app.checks_kit import checked_study, give, skip
from tests.tasks_app.statements import statements
from tests.walk import arrive, next_for

pytestmark = pytest.mark.django_db

EVERY_PURPOSE = {"main", "control", "attention", "repeat", "warm_up", "copy"}


def study_with_everything(slug: str = "hidden-slug", **checks: object) -> Study:
    """Open a study whose sets hold units of every purpose that is judged."""
    wanted = {"repeats": 1, "warm_up": 1, "degraded": 1, "training": 0, "exam": 0, **checks}
    study = checked_study(checks=wanted, items=14, set_size=4, opened=False, slug=slug)
    for output in Output.objects.filter(item__study=study).select_related("system"):
        output.text = " ".join(f"{output.system.key}{output.item_id}w{number}" for number in range(12))
        output.save()
    degrading.make_copies(study=study)
    return lifecycle.move(study_id=study.pk, action="open", by=None)


everything_once, everything = study_made_once("everything", lambda _rosa: study_with_everything("everything"))


def name_of(assignment: Assignment) -> str:
    return "copy" if "degraded_of" in assignment.unit.features else assignment.purpose


Asked = dict[str, set[tuple[str, ...]]]


class Browser:
    """A rater's browser that counts what its requests ask of the database, by what the unit is for."""

    def __init__(self, study: Study, shown: Asked, sent: Asked) -> None:
        enrolled = enrolment.enrol(study_id=study.pk, nonce=uuid.uuid4().hex, consent_text_id=None)
        self.study, self.rater, self.token = study, enrolled.rater, enrolled.token
        self.client = Client()
        self.shown, self.sent = shown, sent
        assignments.start(rater=self.rater)
        # The first page in a process also reads the texts of the set, as far as nobody was shown them.
        self.client.get(reverse("rater:judge", args=[self.token]))
        for one in Assignment.objects.filter(rater=self.rater).select_related("unit"):
            screens.material_of(one, study)

    @property
    def left(self) -> int:
        return Assignment.objects.filter(rater=self.rater, state__in=("reserved", "live", "expired")).count()

    def open(self) -> tuple[Assignment, dict[str, str]]:
        """Open the next unit."""
        with statements() as asked:
            page = self.client.get(reverse("rater:judge", args=[self.token]))
        assert page.status_code == 200
        unit = Assignment.objects.select_related("unit").get(rater=self.rater, state="live")
        self.shown.setdefault(name_of(unit), set()).add(tuple(asked))
        return unit, pages.hidden(page, "answer")

    def send(self, unit: Assignment, form: dict[str, str], step: int, *, counted: bool = True) -> None:
        """Send an answer, all of whose questions get the same step."""
        fields = screens.frame_of(unit.unit.task_id, self.study).kind.form(screens.screen_of(unit, self.study)).fields
        answer = {**form, **dict.fromkeys(fields, str(step))}
        with statements() as asked:
            response = self.client.post(reverse("rater:judge", args=[self.token]), answer)
        assert response.status_code == 302, response.content.decode()
        if counted:
            self.sent.setdefault(name_of(unit), set()).add(tuple(asked))

    def again(self, unit: Assignment) -> dict[str, str]:
        """Open a unit that was answered, to change the answer."""
        return pages.hidden(self.client.get(reverse("rater:unit", args=[self.token, unit.order])), "answer")


def each_unit(study: Study, act: Callable[[Browser, Assignment, dict[str, str]], None]) -> tuple[Asked, Asked]:
    """Let raters do something with their units until there were some of every purpose; return what it asked for.

    The last unit of each is left out: its answer is followed by the end.
    """
    shown: Asked = {}
    sent: Asked = {}
    for number in range(8):
        browser = Browser(study, shown, sent)
        while browser.left > 1:
            act(browser, *browser.open())
            # The first rater goes on to the end, so that there are several of most.
            if number and set(sent) == EVERY_PURPOSE:
                break
        if set(sent) == EVERY_PURPOSE:
            return shown, sent
    raise AssertionError(f"no unit of {EVERY_PURPOSE - set(sent)}")


def are_alike(found: Asked) -> tuple[str, ...]:
    """Assert that every purpose has the same statements, and return them."""
    different = sorted({asked for some in found.values() for asked in some})
    assert len(different) == 1, "\n\n".join("\n".join(one[:200] for one in asked) for asked in different)
    return different[0]


@pytest.mark.parametrize("step", [3, 1], ids=["right", "wrong"])
def test_showing_and_storing_run_the_same_statements_for_every_purpose(step: int) -> None:
    study = study_with_everything(fail_after=1)
    shown, sent = each_unit(study, lambda browser, unit, form: browser.send(unit, form, step))
    assert len(are_alike(shown)) <= 4
    stored = are_alike(sent)
    assert len(stored) <= 7
    assert not [one for one in stored if "pg_advisory_xact_lock(" in one], "who judges waits for nobody's arrival"


def test_an_answer_sent_again_takes_no_lock(everything: Study) -> None:
    def twice(browser: Browser, unit: Assignment, form: dict[str, str]) -> None:
        browser.send(unit, form, 3, counted=False)
        browser.send(unit, form, 3)

    _shown, sent = each_unit(everything, twice)
    assert len(asked := are_alike(sent)) <= 3
    assert not [one for one in asked if "_lock" in one or " FOR " in one or not one.startswith("SELECT")]


@pytest.mark.exhaustive
def test_changing_an_answer_at_once_runs_the_same_statements_for_every_purpose(everything: Study) -> None:
    def change(browser: Browser, unit: Assignment, form: dict[str, str]) -> None:
        browser.send(unit, form, 1, counted=False)
        browser.send(unit, browser.again(unit), 2)

    _shown, sent = each_unit(everything, change)
    are_alike(sent)


def test_changing_an_answer_later_runs_the_same_statements_for_every_purpose(everything: Study) -> None:
    before: list[Assignment] = []

    def change(browser: Browser, unit: Assignment, form: dict[str, str]) -> None:
        browser.send(unit, form, 1, counted=False)
        before.append(unit)
        if len(before) > 1 and before[-2].rater_id == unit.rater_id:
            browser.send(before[-2], browser.again(before[-2]), 2)

    _shown, sent = each_unit(everything, change)
    are_alike(sent)


@pytest.mark.exhaustive
def test_skipping_runs_the_same_statements_for_every_purpose(everything: Study) -> None:
    study = everything
    asked: Asked = {}
    for _rater in range(12):
        if set(asked) == EVERY_PURPOSE:
            break
        # A text that is skipped takes its copy and its repeat along, so each rater skips a single unit.
        rater = arrive(study)
        while (unit := next_for(rater=rater)) is not None:
            screens.frame_of(unit.unit.task_id, study)  # which a process reads once
            left = rater.assignments.filter(state__in=("reserved", "live")).count()
            if name_of(unit) in asked or left == 1:
                give(study, rater, unit, 3)
                continue
            with statements() as sent:
                skip(rater, unit, "technical")
            asked.setdefault(name_of(unit), set()).add(tuple(sent))
            break
    assert set(asked) == EVERY_PURPOSE
    are_alike(asked)


@pytest.mark.exhaustive
def test_answering_after_the_lease_runs_the_same_statements_for_every_purpose(everything: Study) -> None:
    def late(browser: Browser, unit: Assignment, form: dict[str, str]) -> None:
        RaterSet.objects.filter(rater=browser.rater).update(lease_until="2020-01-01T00:00Z")
        leases.free_expired(browser.study.pk)
        browser.send(unit, form, 3)

    _shown, sent = each_unit(everything, late)
    are_alike(sent)
