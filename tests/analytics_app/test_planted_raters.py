"""Eleven kinds of bad raters, chosen before the code was read: Monitor warns of each, and of no honest rater.

Raters answer through the services with fixed seeds, a run is computed over their answers, and Monitor is read.
"""

import html
import re
import uuid
from collections.abc import Callable, Mapping
from datetime import timedelta
from random import Random
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.db.models.functions import Now
from django.test import Client

from tasks_app.models import Assignment, Rater, Study
from tasks_app.selectors import screens
from tasks_app.selectors.screens import RaterScreen
from tasks_app.services.judging import assignments, judgments
from tasks_app.task_types.base import Quality
from tests.analytics_app.builders import build_run
from tests.analytics_app.filling import new_run, work
from tests.analytics_app.views.reading import page, text
from tests.builders import build_study
from tests.tasks_app.services.test_pay import shift
from tests.walk import arrive, next_for

pytestmark = pytest.mark.django_db

ANALYSES = {"analyses": [{"analysis": "rater_quality"}, {"analysis": "order_effects"}, {"analysis": "with_rest"}]}
# A text of these studies is a few words long.
CALM, HASTY = 12.0, 0.4

Data = dict[str, Any]
Answer = Callable[[Data], Data]


def as_it_is(data: Data) -> Data:
    return data


def turned(data: Data) -> Data:
    """Answer on a scale of five steps the other way round."""
    return {name: str(6 - int(value)) if str(value).isdigit() else value for name, value in data.items()}


def left(data: Data) -> Data:
    """Take the text on the left, whatever it says."""
    return {name: "1" if value in {"1", "2", "tie"} else value for name, value in data.items()}


def judge(
    study: Study,
    seed: int,
    quality: Quality = Quality.CAREFUL,
    *,
    answer: Answer = as_it_is,
    seconds: float = CALM,
    minutes: float = 10,
    skips: bool = False,
    known: str = "4",
    comment: Callable[[int], str] = lambda _number: "",
) -> Rater:
    """Have a new rater answer all units in one way."""
    rater, rng = arrive(study), Random(seed)
    assignments.start(rater=rater)
    number = 0
    while (assignment := next_for(rater=rater)) is not None:
        screen = RaterScreen(rater, assignment)
        frame = screens.frame_of(assignment.unit.task_id, study)
        data = answer(frame.kind.simulate(screens.screen_of(assignment, study), quality, rng))
        if assignment.purpose in {"control", "attention"}:
            data = dict.fromkeys(data, known)
        form = screen.form(data)
        assert form.is_valid(), form.errors
        judgments.submit(
            screen=screen,
            submission=judgments.Submission(
                uuid=uuid.uuid4(),
                answer={} if skips else form.cleaned_data,
                skip_reason="cannot_judge" if skips else "",
                comment=comment(number),
                seconds_active=seconds,
                seconds_elapsed=seconds,
            ),
        )
        number += 1
    rater.refresh_from_db()
    Rater.objects.filter(pk=rater.pk).update(enrolled_at=Now() - timedelta(minutes=minutes + 1))
    rater.refresh_from_db()
    n = Assignment.objects.filter(rater=rater).count()
    shift(rater, minutes=[minutes * (place + 1) / n for place in range(n)])
    return rater


def alerts(browser: Client, study: Study) -> dict[str, str]:
    """Compute a run, and return the alerts that Monitor then shows, each with the address that it leads to."""
    build_run(study, work(new_run(study, **ANALYSES)).rows, settings={"rules": [], **ANALYSES})
    shown = page(browser, f"/admin/studies/{study.slug}/monitor/")
    found = re.search(r'<ul class="ew-alerts".*?</ul>', shown, re.DOTALL)
    entries = re.findall(r"<li>(.*?)</li>", found[0], re.DOTALL) if found else []
    return {
        " ".join(html.unescape(re.sub(r"<[^>]+>", " ", entry)).split()): html.unescape(
            (re.search(r'href="([^"]+)"', entry) or ["", ""])[1]
        )
        for entry in entries
    }


def study_of(owner: User, kind: str, language: str, honest: int, **options: Any) -> Study:
    """Open a study with ten units or more that each rater judges all, and let honest raters judge them."""
    study = build_study(owner, slug=f"planted-{kind.replace('_', '-')}", type=kind, k=40, **options)
    Study.objects.filter(pk=study.pk).update(language=language)
    study.refresh_from_db()
    for seed in range(honest):
        judge(study, seed)
    return study


KINDS: Mapping[str, Mapping[str, Any]] = {
    "likert": {"items": 6, "set_size": 12, "known": {"control": 3}, "checks": {"controls": 3, "fail_after": 3}},
    "pairwise": {"items": 20, "set_size": 20},
    "error_spans": {"items": 6, "set_size": 12, "criteria": (), "params": {"scheme": "esa"}},
}
# Honest raters, and each bad rater with the filter of the list of raters that the alert leads to.
FAST = {"seconds": HASTY}
BAD: Mapping[str, tuple[str, int, Mapping[str, Mapping[str, Any]]]] = {
    "likert": (
        "en",
        20,
        {
            "unlike": {"quality": Quality.RANDOM},
            "uniform": {"quality": Quality.STRAIGHT_LINER},
            "fast": FAST,
            "slow": {"minutes": 60},
            "turned": {"answer": turned},
            "skips": {"skips": True},
            "below": {"known": "1"},
        },
    ),
    "pairwise": (
        "de",
        7,
        {
            "unlike": {"quality": Quality.RANDOM},
            "uniform": {"answer": left},
            "fast": FAST,
            "skips": {"skips": True},
        },
    ),
    "error_spans": (
        "de",
        7,
        {
            "unlike": {"quality": Quality.RANDOM},
            "uniform": {"quality": Quality.STRAIGHT_LINER},
            "fast": FAST,
            "skips": {"skips": True},
        },
    ),
}


@pytest.mark.parametrize("kind", BAD)
def test_each_bad_rater_is_named_and_no_honest_one(kind: str, rosa: User, rosas_browser: Client) -> None:
    language, honest, bad = BAD[kind]
    study = study_of(rosa, kind, language, honest, **KINDS[kind])
    assert alerts(rosas_browser, study) == {}
    planted = {show: judge(study, 100 + n, **ways) for n, (show, ways) in enumerate(bad.items())}
    found = alerts(rosas_browser, study)
    raters = f"/admin/studies/{study.slug}/raters/"
    assert set(found.values()) == {f"{raters}?show={show}" for show in bad}, found
    for show, rater in planted.items():
        listed = text(page(rosas_browser, f"{raters}?show={show}"))
        assert rater.pseudonym in listed
        others = [other for name, other in planted.items() if name != show]
        assert not [other for other in others if other.pseudonym in listed], show


def own_words(number: int) -> str:
    return f"The {number}. sentence that I read sounds odd to me."


def test_copied_comments_and_two_accounts_with_equal_answers_are_named(rosa: User, rosas_browser: Client) -> None:
    """Who wrote the words first is no copier, nor is who writes short remarks again; both accounts are named."""
    study = study_of(rosa, "likert", "en", 7, items=10, set_size=20)
    first = judge(study, 50, comment=own_words)
    judge(study, 51, comment=lambda _number: "Typo.")
    assert alerts(rosas_browser, study) == {}
    copier = judge(study, 52, comment=own_words)
    pasted = judge(study, 53, comment=lambda _number: "This text is very good and easy to read.")
    answers: dict[int, Data] = {}
    twins = [judge_like(study, answers), judge_like(study, answers)]
    raters = f"/admin/studies/{study.slug}/raters/"
    # Somebody with two accounts seldom reads with care, and may be unlike the others, too.
    found = set(alerts(rosas_browser, study).values()) - {f"{raters}?show=unlike"}
    assert found == {f"{raters}?show=copied", f"{raters}?show=twins"}
    for show, named in {"copied": [copier, pasted], "twins": twins}.items():
        listed = text(page(rosas_browser, f"{raters}?show={show}"))
        everybody = Rater.objects.filter(study=study)
        assert {rater.pk for rater in everybody if rater.pseudonym in listed} == {rater.pk for rater in named}, show
    assert first.pseudonym not in text(page(rosas_browser, f"{raters}?show=copied"))


def judge_like(study: Study, answers: dict[int, Data]) -> Rater:
    """Have a new rater answer each unit as another one did, or give the first answers to all units."""
    rater, rng = arrive(study), Random(900)
    assignments.start(rater=rater)
    while (assignment := next_for(rater=rater)) is not None:
        screen, frame = RaterScreen(rater, assignment), screens.frame_of(assignment.unit.task_id, study)
        if assignment.unit_id not in answers:
            shown = screens.screen_of(assignment, study)
            answers[assignment.unit_id] = frame.kind.simulate(shown, Quality.RANDOM, rng)
        form = screen.form(answers[assignment.unit_id])
        assert form.is_valid(), form.errors
        submission = judgments.Submission(
            uuid=uuid.uuid4(), answer=form.cleaned_data, seconds_active=CALM, seconds_elapsed=CALM
        )
        judgments.submit(screen=screen, submission=submission)
    rater.refresh_from_db()
    Rater.objects.filter(pk=rater.pk).update(enrolled_at=Now() - timedelta(minutes=11))
    rater.refresh_from_db()
    n = Assignment.objects.filter(rater=rater).count()
    shift(rater, minutes=[10 * (place + 1) / n for place in range(n)])
    return rater
