"""The task types that fit the texts of a set-up without a task: each with the study's own first text, or why not."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from tasks_app.hooks.sections import Json, Path
from tasks_app.models import Setup
from tasks_app.services import events
from tasks_app.services.database import atomically
from tasks_app.services.study.item_sets import ONLY_TASKS
from tasks_app.services.study.units import draft_units
from tasks_app.setup import changes
from tasks_app.setup.checking import reading_of
from tasks_app.setup.preview import screen_at
from tasks_app.setup.starting import first_document
from tasks_app.studyfile.reading import StudyReading
from tasks_app.studyfile.screens import DraftTask, item_texts
from tasks_app.task_types import TaskType, registry
from tasks_app.task_types.base import ItemTexts, Screen


@dataclass(frozen=True, slots=True)
class Fit:
    """A task type with the first screen that it makes of the texts, or why it does not fit them."""

    member: type[TaskType]
    screen: Screen | None = None
    why_not: str = ""


class HasTask(Exception):
    """The study has a task already; the type of the task can be changed in its step."""


def fits_of(setup: Setup) -> list[Fit]:
    """Return every task type with whether it fits the first texts of a set-up; all types fit where there are none."""
    members = list(registry.values())
    documents = {member.name: first_document(member) for member in members}
    given = {**setup.given, **_together(documents)}
    trial = Setup(pk=setup.pk, study=setup.study, given=given, revision=setup.revision)
    reading = reading_of(trial)
    return [_fit(reading, registry[task["type"]], number) for number, task in enumerate(reading.document["tasks"])]


def _together(documents: Mapping[str, Mapping[str, Json]]) -> dict[str, Json]:
    """Return one document with a task of every type, each with the questions of its own type."""
    tasks, criteria = [], []
    for name, document in documents.items():
        (task,) = document["tasks"]
        own = {criterion["key"]: f"{name}-{criterion['key']}" for criterion in document.get("criteria", ())}
        tasks.append({**task, "key": name, **({"criteria": list(own.values())} if own else {})})
        criteria += [{**criterion, "key": own[criterion["key"]]} for criterion in document.get("criteria", ())]
    return {"tasks": tasks, "criteria": criteria}


def _fit(reading: StudyReading, member: type[TaskType], number: int) -> Fit:
    """Return whether a type fits the items that were read."""
    task, document = reading.document["tasks"][number], reading.document
    if not member.needs_items:
        return Fit(
            member, why_not=_("It asks raters about themselves and shows no texts.") if document["items"] else ""
        )
    kind = member(task["params"])
    # Attention checks of single tasks are made for the type that the task has now.
    judged = [item for item in document["items"] if ONLY_TASKS not in item["options"]]
    items = list(item_texts(judged, keep=task["keep_identical"]))
    if not items:
        return Fit(member)
    why_not = next(_why_not(kind, items), "")
    if why_not:
        return Fit(member, why_not=why_not)
    units = draft_units(kind=kind, task=task["key"], seed=document["study"]["seed"], items=items)
    draft = DraftTask(number, task, kind, {item.key: item for item in items}, {unit.key: unit for unit in units})
    if not draft.units:
        return Fit(member, why_not=_("These texts give it nothing to show."))
    return Fit(member, screen_at(draft, document, 0))


def _why_not(kind: TaskType, items: Sequence[ItemTexts]) -> Iterator[str]:
    """Yield reasons why the task type does not fit the texts; the first sentence is enough."""
    if not kind.judges_files and any(output.file is not None for item in items for output in item.outputs):
        yield _("It works on the words of texts; some of yours are pictures, sounds or films.")
    problems = [
        (item.key, sentence)
        for item in items
        for sentence in (*kind.item_problems(item), *kind.missing_for_raters(item))
    ]
    if problems:
        n = len({key for key, _sentence in problems})
        sentence = ngettext("Item “%(key)s”: %(why)s", "Item “%(key)s” and others: %(why)s", n)
        yield sentence % {"key": problems[0][0], "why": problems[0][1]}
    yield from kind.problems_together(items)


@atomically
def choose(*, setup: Setup, member: type[TaskType], by: events.Actor) -> Setup:
    """Give a set-up without a task one of a type, with the criteria that the type suggests.

    Raises
    ------
    HasTask
        Where it has a task already, such as from another window.
    tasks_app.services.study.drafts.NotADraft
        Where the study was opened meanwhile.
    """
    setup = changes.hold(setup)
    if setup.given.get("tasks"):
        raise HasTask
    document = first_document(member)
    criteria = setup.given.get("criteria")
    if criteria:
        # Questions that were written already are asked; those of the type would stand beside them.
        document["tasks"][0]["criteria"] = [entry["key"] for entry in criteria if entry.get("key")]
        document.pop("criteria", None)
    values: dict[Path, Json] = {(name,): value for name, value in document.items()}
    return changes.change(setup=setup, values=values, base=setup.revision, by=by).setup
