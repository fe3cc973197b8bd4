"""The states of the steps of a set-up: done, incomplete, or with a problem, and which step is next."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from enum import StrEnum
from typing import TYPE_CHECKING

from tasks_app import channels
from tasks_app.hooks.sections import Path
from tasks_app.models.setup_document import value_at
from tasks_app.setup.steps import STEPS, step_of

if TYPE_CHECKING:
    from tasks_app.setup.page import SetupPage


class State(StrEnum):
    """The state of a step: INCOMPLETE lacks something, PROBLEM has a value that is wrong or to be replaced."""

    DONE = "done"
    INCOMPLETE = "incomplete"
    PROBLEM = "problem"


def states_of(page: SetupPage) -> dict[str, State]:
    """Return the state of each step by its name: a step counts its own settings, not those that other steps need."""
    states = {step.slug: State.DONE for step in STEPS}
    for slug in _incomplete(page):
        states[slug] = State.INCOMPLETE
    for path in (*page.problems, *(point.path for point in page.points)):
        slug = step_of(path) or "task"
        if states[slug] != State.PROBLEM:
            states[slug] = State.INCOMPLETE if _is_missing(page, path) else State.PROBLEM
    if page.problems_of_texts:
        states["texts"] = State.PROBLEM
    if not page.setup.is_stored and states["review"] == State.DONE:
        states["review"] = State.INCOMPLETE
    elif any(state != State.DONE for state in states.values()):
        states["review"] = State.PROBLEM
    return states


def _incomplete(page: SetupPage) -> Iterable[str]:
    """Yield the steps that lack something which no problem names."""
    if not page.entries("tasks"):
        yield from ("task", "questions", "raters")
    if page.reads_texts and not page.reading.document["items"]:
        yield "texts"
    if not _finds_careless_raters(page):
        yield "checks"


def _finds_careless_raters(page: SetupPage) -> bool:
    """Return whether anything is there to find raters who do not read, or they come from no platform for strangers."""
    named = page.value(("channels",))
    open_to = [channels.registry.get(str(name)) for name in (named if isinstance(named, Mapping) else ())]
    if not any(channel is not None and channel.needs_codes for channel in open_to):
        return True
    in_form = any(
        value_at(task, ("checks", name)) for task in page.entries("tasks") for name in ("repeats", "degraded")
    )
    return in_form or page.has_known_answers


def _is_missing(page: SetupPage, path: Path) -> bool:
    """Return whether nothing was given for a setting, or for the entry that it belongs to."""
    return page.value(path) in (None, "", [], {}, 0)


def step_needed(states: Mapping[str, State], after: str) -> str:
    """Return the next step behind one that is not done yet; Review where all of them are."""
    slugs = [step.slug for step in STEPS]
    later = slugs[slugs.index(after) + 1 :]
    return next((slug for slug in later if states.get(slug) != State.DONE), "review")
