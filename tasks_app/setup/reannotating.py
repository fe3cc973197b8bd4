"""Make a study in which raters go over the marks that raters of an earlier study left in the same texts."""

import json
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import count
from random import Random, SystemRandom
from typing import Any

from django.contrib.auth.models import AbstractBaseUser
from django.utils import translation
from django.utils.translation import gettext as _

from tasks_app.hooks.sections import Json, Path
from tasks_app.models import MarkAuthor, Setup, Study, Task
from tasks_app.selectors.earlier_marks import EarlierMarks, MarkedText, OutputKey, earlier_marks
from tasks_app.services import events, given_marks
from tasks_app.services.database import atomically
from tasks_app.setup import changes
from tasks_app.setup.starting import Names, copy_of
from tasks_app.task_types.data import in_unit_key
from tasks_app.task_types.error_spans import ErrorSpans
from tasks_app.task_types.error_spans.marks import words_of

LONGEST_TITLE = 180

# The tables of a draft that are made anew.
ITEMS, CONTROLS, PREFILL = "items", "controls", "prefill"

# The setting of a task type by which raters edit given marks like their own.
EDITED = {"given_marks": "edit"}

# The analysis that counts what becomes of given marks.
ANALYSIS = "given_marks"

# The columns of items.csv that are about an output and not about its item.
OF_OUTPUT = frozenset(
    {"system", "output", "output_file", "captions", "variant", "unit", "language", "highlight"}
)  # fmt: skip

# The system of the texts with planted marks. Raters never see it.
PLANTED = {"key": "planted", "name": "Planted false marks"}


class NotPossible(ValueError):
    """The marks of a study cannot be given to others; the message says why."""


@dataclass(frozen=True, slots=True)
class Request:
    """The task with the marks to give, the judgments that each text gets, and the false marks to plant."""

    task: Task
    k: int
    planted: int = 0


@dataclass(frozen=True, slots=True)
class Made:
    """A draft with the marks of an earlier study."""

    draft: Study
    marks: EarlierMarks


def kind_in_draft(task: Task) -> ErrorSpans:
    """Return the type of a task with the settings that it gets in the draft."""
    return ErrorSpans({**task.params, **EDITED})


def problem_of(study: Study) -> str | None:
    """Return the reason why the marks of a study cannot be given to others yet, or None."""
    if study.state == Study.State.CLOSED or (study.options.imported and study.is_frozen):
        return None
    return _(
        "Close this study first: while raters work, texts would come with the marks of only some of them, or with none."
    )


@atomically
def prepare(*, study: Study, request: Request, by: AbstractBaseUser) -> Made:
    """Make a draft with the texts of a task and all marks of its raters, under names that lead to nobody.

    Texts without a judgment are left out. Each planted mark takes an item whose text nobody marked out of the study.

    Raises
    ------
    NotPossible
        Where the study is not closed, no marks can be given, there are too few texts to plant marks in, or raters would
        see which these are.
    """
    if problem := problem_of(study):
        raise NotPossible(problem)
    marks = earlier_marks(request.task, kind_in_draft(request.task))
    if not marks.texts:
        raise NotPossible(_("No text of this task has a judgment whose marks others could be given."))
    title = _("Re-annotation of %(title)s") % {"title": study.title[:LONGEST_TITLE]}
    several = len({text.unit for text in marks.texts}) < len(marks.texts)
    # Which texts share a screen may depend on the seed. Otherwise, the order of the texts is drawn anew.
    draft = copy_of(origin=study, by=by, names=Names(title, study.public_title), keep_seed=several)
    rng = Random(f"{draft.seed}:marks")  # noqa: S311  reproducible, not secret
    names = _names(marks.raters, set(MarkAuthor.objects.filter(study=draft).values_list("name", flat=True)))
    planted = _planted(marks, request.planted, rng)
    taken = {entry.item for entry in planted}
    texts = [text for text in marks.texts if text.outputs[0][0] not in taken]
    setup = _set(draft, request, len(planted), len({text.unit for text in texts}), by)
    _fill(setup, marks, _given(request.task, texts, names), planted, by)
    given_marks.store_authors(study=draft, origin=study, names=names)
    after = {"texts": len(texts), "raters": len(names), "planted": len(planted)}
    events.log(study, by, "began re-annotation", about=draft.slug, after=after)
    return Made(draft, marks)


def _names(raters: Sequence[int], taken: Collection[str]) -> dict[int, str]:
    """Return a name for each rater, by their id: numbered in an order that nobody can work out again from a seed.

    `taken` are names of raters of a stage before.
    """
    shuffled = SystemRandom().sample(list(raters), len(raters))
    width = len(str(len(shuffled)))
    numbered = (f"earlier-{number:0{width}d}" for number in count(1))
    free = (name for name in numbered if name not in taken)
    return dict(zip(shuffled, free, strict=False))


@dataclass(frozen=True, slots=True)
class _Planted:
    """A text that nobody marked, and the false mark that it comes with."""

    text: MarkedText
    mark: Mapping[str, Any]

    @property
    def item(self) -> str:
        """The key of its item."""
        return self.text.outputs[0][0]

    @property
    def unit(self) -> str:
        """The key of the unit that shows it as a check."""
        return f"{in_unit_key(self.item)}/{PLANTED['key']}"


def _planted(marks: EarlierMarks, n: int, rng: Random) -> list[_Planted]:
    """Choose texts that nobody marked, each of another item, and a false mark for each; raises NotPossible."""
    if n and kind_in_draft(marks.task).shows_documents and marks.task.design_params.get("all_systems"):
        sentence = _(
            "A page of this task shows documents by all systems. A text with a planted mark would stand there without "
            "those of the other systems, so raters would see which it is. Plant none, or show one text on a screen."
        )
        raise NotPossible(sentence)
    kinds = [
        {name: mark[name] for name in ("severity", "category") if name in mark}
        for text in marks.texts
        for given in text.lists.values()
        for mark in given
        if "side" not in mark
    ]
    kind = kind_in_draft(marks.task)
    chosen: dict[str, _Planted] = {}
    for text in rng.sample(marks.error_free, len(marks.error_free)):
        if len(chosen) == n:
            break
        words = words_of(text.text)
        if text.outputs[0][0] in chosen or not words or not kinds:
            continue
        start, end = rng.choice(words)
        mark = {"start": start, "end": end, **rng.choice(kinds)}
        if kind.prefill_problem([mark], text.text, text.source) is None:
            chosen[text.outputs[0][0]] = _Planted(text, mark)
    if len(chosen) < n:
        sentence = _(
            "False marks are planted in texts that nobody marked, each of another item. There are only %(there)d such "
            "texts, not %(n)d. Plant fewer."
        )
        raise NotPossible(sentence % {"there": len(chosen), "n": n})
    return list(chosen.values())


def _set(draft: Study, request: Request, n_planted: int, n_units: int, by: AbstractBaseUser) -> Setup:
    """Change the settings of the copied task: raters edit given marks; false marks are checks of every set."""
    setup = changes.begin(draft)
    tasks = setup.document.entries("tasks")
    place = next(number for number, task in enumerate(tasks) if task.get("key") == request.task.key)
    task = tasks[place]
    values: dict[Path, Json] = {
        ("tasks", place, "params"): {**(task.get("params") or {}), **EDITED},
        ("tasks", place, "k"): request.k,
        ("tasks", place, "set_size"): min(request.task.set_size, n_units),
        ("tasks", place, "instructions"): _instructions(draft, request.task),
    }
    planned = setup.document.entries("analysis", "analyses")
    if planned and ANALYSIS not in (entry.get("analysis") for entry in planned):
        values["analysis", "analyses"] = [{"analysis": ANALYSIS}, *planned]
    if setup.document.value(("flow", "imported")):
        values["flow", "imported"] = False
    if n_planted:
        checks = task.get("checks") or {}
        values["tasks", place, "checks"] = {**checks, "controls": int(checks.get("controls") or 0) + n_planted}
        systems = [system for system in setup.document.entries("systems") if system.get("key") != PLANTED["key"]]
        values["systems",] = [*systems, PLANTED]
    return changes.change(setup=setup, values=values, base=setup.revision, by=by).setup


def _instructions(draft: Study, task: Task) -> str:
    """Return the instructions of the earlier task behind a paragraph about the marks, in the language of the study."""
    with translation.override(draft.language):
        return f"{ErrorSpans.instructions_for_given_marks}\n\n{task.instructions or task.kind.instructions()}"


def _fill(
    setup: Setup,
    marks: EarlierMarks,
    given: Iterable[dict[str, str]],
    planted: Sequence[_Planted],
    by: AbstractBaseUser,
) -> None:
    """Put the marks into the tables of a draft, and take out texts without marks and those that false marks take."""
    checks = {entry.item: entry for entry in planted}
    task = marks.task
    of_task = (None, "", task.key)
    controls = _cells(setup, CONTROLS)
    known = {cells["unit"] for cells in controls if cells.get("task") in of_task}
    # Marks that checks of the earlier study came with stay; those of its other texts were given to its own raters.
    earlier = (cells for cells in _cells(setup, PREFILL) if cells.get("task") not in of_task or cells["unit"] in known)
    rows = [*earlier, *given, *(_row(task, entry.unit, 0, [entry.mark]) for entry in planted)]
    changes.replace_table(setup=setup, table=PREFILL, rows=rows, by=by)
    without = {output for text in marks.without for output in text.outputs}
    if checks or without:
        items = list(_items(_cells(setup, ITEMS), checks, without))
        changes.replace_table(setup=setup, table=ITEMS, rows=items, by=by)
    if checks:
        answers = [
            {"task": task.key, "unit": entry.unit, "purpose": "control", "kind": "span", "answer": "[]"}
            for entry in planted
        ]
        changes.replace_table(setup=setup, table=CONTROLS, rows=[*controls, *answers], by=by)


def _cells(setup: Setup, table: str) -> list[dict[str, str]]:
    return list(setup.rows.filter(table=table).order_by("number").values_list("cells", flat=True))


def _given(task: Task, texts: Sequence[MarkedText], names: Mapping[int, str]) -> Iterator[dict[str, str]]:
    """Yield the rows of prefill.csv with the marks of each rater, in the order of their names."""
    for text in texts:
        for rater in sorted(text.lists, key=lambda rater: names[rater]):
            yield {**_row(task, text.unit, text.part, text.lists[rater]), "given_by": names[rater]}


def _row(task: Task, unit: str, part: int, marks: Sequence[Mapping[str, Any]]) -> dict[str, str]:
    payload = json.dumps([dict(mark) for mark in marks], ensure_ascii=False)
    return {"task": task.key, "unit": unit, "part": str(part + 1), "payload": payload}


def _items(
    rows: Sequence[dict[str, str]], checks: Mapping[str, _Planted], without: Collection[OutputKey]
) -> Iterator[dict[str, str]]:
    """Yield the rows of items.csv that stay, with the columns of their items also from rows that go."""
    of_item: dict[str, dict[str, str]] = {}
    for cells in rows:
        about = {name: cell for name, cell in cells.items() if name not in OF_OUTPUT and cell}
        of_item[cells["item"]] = {**about, **of_item.get(cells["item"], {})}
    for cells in rows:
        output = (cells["item"], cells["system"], cells.get("variant") or "")
        entry = checks.get(cells["item"])
        if entry is None and output not in without:
            yield {**of_item[cells["item"]], **cells} if without else cells
        elif entry is not None and output == entry.text.outputs[0]:
            kept = {name: cell for name, cell in cells.items() if name not in {"unit", "variant"}}
            yield {**of_item[cells["item"]], **kept, "system": PLANTED["key"]}
