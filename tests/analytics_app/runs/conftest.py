"""A study with ratings, and an analysis that takes no time, for tests of what is around it."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.db.models.functions import Now

from analytics_app import plan
from analytics_app.models import Plan, Plot, RunPart
from analytics_app.results import Row
from analytics_app.runs import compute, notify
from analytics_app.runs.compute import Outcome
from tasks_app.models import Rater, Rating, Study
from tests.analytics_app.filling import Filler
from tests.builders import build_study
from tests.once import study_made_once

Stand = Callable[[RunPart], Outcome]


def build_rated(rosa: User) -> Study:
    """Make an open study with two criteria, in which two raters rated every text."""
    study = build_study(rosa, criteria=("fluency", "content"))
    filler = Filler(study)
    for number, (item, system) in enumerate(sorted(filler.parts)):
        for rater in ("R-0001", "R-0002"):
            filler.judge(rater, item, system, {"fluency": 1 + number % 5, "content": 5 - number % 5})
    # Analyses of single criteria, so that a run has three parts: quality rules and two criteria.
    by_criterion = {"analyses": [{"analysis": name} for name in ("systems", "krippendorff", "raters")]}
    Plan.objects.update_or_create(study=study, version=1, defaults={"document": plan.check(by_criterion, study)})
    return study


rated_once, rated = study_made_once("rated", build_rated)


@pytest.fixture
def study(rosa: User) -> Study:
    """An open study of rosa's that nobody has rated."""
    return build_study(rosa, slug="unrated")


def small_outcome(part: RunPart) -> Outcome:
    """Find one row, and for the quality rules an exclusion, without computing anything."""
    place = {"task": part.task.key, "criterion": part.criterion.key if part.criterion else None}
    found = Outcome(rows=[Row(analysis="stand-in", statistic=part.kind, value=1 / 3, settings={"level": "x"}, **place)])
    if part.kind == RunPart.Kind.QUALITY:
        rating = Rating.objects.filter(task=part.task).earliest("id")
        rater = Rater.objects.filter(study=part.run.study).earliest("id")
        about = (part.run.study_id, part.run_id, part.task_id, "stand-in")
        found.exclusions = [
            (*about, None, None, rating.pk, "A\ttab\\", None, None),
            (*about, rater.pk, None, None, "A\ttab\\", None, None),
        ]
        found.facts = {"tasks": {part.task.key: {"ratings": 2}}}
    else:
        spec, key = {"a": 1}, f"{part.number}"
        found.plots.append(Plot(run=part.run, key=key, spec=spec, svg="<svg/>", digest="0" * 64, title="A plot"))
        found.facts = {"tasks": {part.task.key: {f"part {part.number}": "done"}}}
    return found


@pytest.fixture
def stand_in(monkeypatch: pytest.MonkeyPatch) -> Callable[[Stand], None]:
    """Let parts find what a function says instead of computing; at once what `small_outcome` says."""

    def use(stand: Stand) -> None:
        monkeypatch.setattr(compute, "compute", lambda part, **_how: stand(part))

    use(small_outcome)
    return use


@pytest.fixture
def rung(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """The parts of which workers were notified, in place of the broker."""
    ids: list[int] = []

    def note(part_ids: list[int], **_how: Any) -> int:
        RunPart.objects.filter(pk__in=part_ids).update(rung_at=Now())
        ids.extend(part_ids)
        return len(part_ids)

    monkeypatch.setattr(notify, "notify_workers", note)
    return ids


@contextmanager
def changed(thing: object, name: str, value: object) -> Iterator[None]:
    """Set an attribute for the moment."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(thing, name, value)
        yield
