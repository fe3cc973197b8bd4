"""Build a `Screen` from rows. The content of a frozen unit or task never changes, so each process reads it once."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, lru_cache
from typing import Any

from django.db.models import F, Prefetch, QuerySet

from tasks_app.models import (
    SECONDS_STARTED,
    Assignment,
    Criterion,
    Item,
    ItemMedia,
    Output,
    PartOutput,
    Prefill,
    Rater,
    Study,
    Task,
    TaskCriterion,
    TaskGroup,
)
from tasks_app.selectors.personal_texts import shown_text
from tasks_app.task_types import TaskType, highlights
from tasks_app.task_types import base as contract
from tasks_app.task_types.clock import Clock
from tasks_app.task_types.errand import DONE, Errand, problem_in_address
from tasks_app.task_types.highlights import Highlight
from tasks_app.task_types.texts import TextType

# The feature of a unit that asks for the score of its whole document as well.
ENDS_DOCUMENT = "ends_document"

UNITS_KEPT = 20_000
TASKS_KEPT = 200

# What a screen shows of a unit's item.
ITEM = {
    f"item_{name}": F(f"part__unit__item__{name}")
    for name in ("source", "source_language", "reference", "format", "options", "highlights", "document_id", "position")
}


@dataclass(frozen=True, slots=True)
class Material:
    """The texts of a unit, and the row behind every part."""

    parts: tuple[contract.Part, ...]
    part_ids: tuple[int, ...]
    source: str
    source_language: str
    reference: str
    format: str
    options: Mapping[str, object]
    highlights: Mapping[str, tuple[Highlight, ...]]
    criterion: str = ""
    # Whether it asks for the score of its whole document as well.
    ends_document: bool = False
    media: tuple[contract.Media, ...] = ()
    # Sources that come before this one in its document, in their order; and what the same system made of each.
    before: tuple[str, ...] = ()
    before_texts: tuple[str, ...] = ()
    # What each part carries at first, by the name of who gave it; the parts themselves carry that of the first name.
    given: tuple[Mapping[str, tuple[object, ...]], ...] = ()
    # Where it stands: its document, if any, its item with the place there, and the systems and variants of its texts.
    document: int | None = None
    item: int | None = None
    position: int = 0
    authors: tuple[tuple[int, str], ...] = ()


@dataclass(frozen=True, slots=True)
class Frame:
    """The question of a task, and the row behind every criterion."""

    task: Task
    kind: TaskType
    criteria: tuple[contract.Criterion, ...]
    criterion_ids: Mapping[str, int]

    @property
    def context_before(self) -> int:
        """The number of sources of the document that are shown before a unit's own."""
        return self.kind.context_before if isinstance(self.kind, TextType) else 0


def criterion_of(row: Criterion, language: str = "") -> contract.Criterion:
    """Turn a criterion's row, as frozen, into the criterion of a task type; `language` is the study's."""
    ends: Mapping[str, Any] = row.ends
    return contract.Criterion(
        key=row.key,
        name=row.name,
        definition=row.definition,
        question=row.question,
        low=ends.get("low", ""),
        high=ends.get("high", ""),
        labels=tuple(ends.get("labels", ())),
        anchors=ends.get("anchors", {}),
        kind=row.kind,
        language=row.language or language,
        wordings=tuple(map(contract.Wording.stored, ends.get("wordings", ()))),
    )


def read_frame(task_id: int) -> Frame:
    """Read the question of a task, with its criteria."""
    task = Task.objects.select_related("study").get(pk=task_id)
    return _frame(task, TaskCriterion.objects.filter(task=task).select_related("criterion").order_by("order"))


def read_frames(tasks: QuerySet[Task]) -> list[Frame]:
    """Read the questions of several tasks, with their groups, in four queries for any number of tasks."""
    task_criteria = Prefetch("task_criteria", TaskCriterion.objects.select_related("criterion").order_by("order"))
    groups = Prefetch("task_groups", TaskGroup.objects.select_related("group").order_by("id"))
    rows = tasks.select_related("study").prefetch_related(task_criteria, groups)
    return [_frame(task, task.task_criteria.all()) for task in rows]


def _frame(task: Task, task_criteria: Iterable[TaskCriterion]) -> Frame:
    rows = [task_criterion.criterion for task_criterion in task_criteria]
    for row in rows:
        row.study = task.study
    return Frame(
        task=task,
        kind=task.kind,
        criteria=tuple(
            replace(criterion_of(row, task.study.language), definition=row.current_definition) for row in rows
        ),
        criterion_ids={row.key: row.pk for row in rows},
    )


def read_materials(units: Iterable[int], *, translations: bool = False) -> dict[int, Material]:
    """Read the texts of units, in at most four queries for any number of units; units without texts are left out.

    With `translations`, a fifth query reads what the system of a unit made of the sources before its own.
    """
    rows = (
        PartOutput.objects.filter(part__unit__in=units)
        .order_by("part__unit", "part__number", "id")
        .values(
            "part_id", unit=F("part__unit"), number=F("part__number"), text=F("output__text"),
            language=F("output__language"), marked=F("output__highlights"), features=F("part__unit__features"),
            item=F("part__unit__item"),
            item_of_text=F("output__item"), file=F("output__media__sha256"), mime=F("output__media__kind"),
            captions=F("output__captions__sha256"), system=F("output__system"), variant=F("output__variant"), **ITEM,
        )
    )  # fmt: skip
    by_unit: dict[int, list[Any]] = {}
    for row in rows:
        by_unit.setdefault(row["unit"], []).append(row)
    media = _media(row["item_of_text"] for unit_rows in by_unit.values() for row in unit_rows)
    before = _documents(unit_rows[0]["item_document_id"] for unit_rows in by_unit.values())
    made = _made_of(before) if translations else {}
    carried = _prefill(row["part_id"] for unit_rows in by_unit.values() for row in unit_rows)
    return {unit_id: _material(unit_rows, media, before, carried, made) for unit_id, unit_rows in by_unit.items()}


def _media(items: Iterable[int]) -> dict[int, tuple[contract.Media, ...]]:
    """Read the files shown with items: pictures, then sounds, then films."""
    by_item: dict[int, list[contract.Media]] = {}
    options: dict[int, Mapping[str, object]] = {}
    rows = ItemMedia.objects.filter(item__in=set(items)).order_by("item", "id")
    columns = rows.values_list("item_id", "role", "media__sha256", "media__kind", "item__options")
    for item, role, sha256, mime, options_of_item in columns:
        by_item.setdefault(item, []).append(contract.Media(role.removeprefix("context_"), sha256, mime))
        options[item] = options_of_item
    return {item: contract.described(files, options[item]) for item, files in by_item.items()}


def _documents(documents: Iterable[int | None]) -> dict[int, list[tuple[int, str]]]:
    """Read the sources of documents with their positions, in their order."""
    ids = {document for document in documents if document is not None}
    sources: dict[int, list[tuple[int, str]]] = {}
    if ids:
        rows = Item.objects.filter(document__in=ids, until=None).order_by("document", "position")
        for document, position, source in rows.values_list("document_id", "position", "source"):
            sources.setdefault(document, []).append((position, source))
    return sources


# The place of a text: its document, system, variant and position.
_Place = tuple[int, int, str, int]


def _made_of(documents: Iterable[int]) -> dict[_Place, str]:
    """Read the outputs that systems made of the sources of documents."""
    texts = Output.objects.filter(item__document__in=list(documents), item__until=None, until=None).order_by("id")
    columns = texts.values_list("item__document_id", "system_id", "variant", "item__position", "text")
    return {(document, system, variant, position): text for document, system, variant, position, text in columns}


# What a part carries before the first answer, by the name of who gave it, in the order of the file.
_Given = Mapping[str, tuple[object, ...]]


def _prefill(parts: Iterable[int]) -> dict[int, _Given]:
    """Read the content of parts before the first answer."""
    by_part: dict[int, dict[str, tuple[object, ...]]] = {}
    rows = Prefill.objects.filter(part__in=list(parts)).order_by("id")
    for part, payload, name in rows.values_list("part_id", "payload", "given_by"):
        of_part = by_part.setdefault(part, {})
        of_part[name] = (*of_part.get(name, ()), payload)
    return dict(by_part)


def _material(
    rows: Sequence[Any],
    media: Mapping[int, tuple[contract.Media, ...]],
    documents: Mapping[int, Sequence[tuple[int, str]]],
    carried: Mapping[int, _Given],
    made: Mapping[_Place, str],
) -> Material:
    item: Mapping[str, Any] = rows[0] if rows else {}
    mixed = any(row["item_of_text"] != row["item"] for row in rows)
    parts: dict[int, tuple[int, contract.Part]] = {}
    for row in rows:
        # Several outputs of a part look alike; the first stands for all.
        part = contract.Part(
            row["number"],
            row["text"],
            row["language"],
            next(iter(carried.get(row["part_id"], {}).values()), ()),
            media.get(row["item_of_text"], ()) if mixed else (),
            highlights.stored(row["marked"]),
            contract.Media.of_output(row["file"], row["mime"], row["captions"]),
        )
        parts.setdefault(row["number"], (row["part_id"], part))
    document = documents.get(item.get("item_document_id") or 0, ())
    preceding = [(position, source) for position, source in document if position < item["item_position"] and source]
    texts = [made.get((item["item_document_id"], item["system"], item["variant"], at), "") for at, _source in preceding]
    return Material(
        parts=tuple(part for _pk, part in parts.values()),
        part_ids=tuple(pk for pk, _part in parts.values()),
        source=item.get("item_source") or "",
        source_language=item.get("item_source_language") or "",
        reference=item.get("item_reference") or "",
        format=item.get("item_format") or "text",
        options=item.get("item_options") or {},
        highlights=highlights.by_text(item.get("item_highlights") or {}),
        criterion=(item.get("features") or {}).get("criterion", ""),
        ends_document=bool((item.get("features") or {}).get(ENDS_DOCUMENT)),
        media=() if mixed else media.get(item.get("item") or 0, ()),
        before=tuple(source for _position, source in preceding),
        before_texts=tuple(texts) if made else (),
        given=tuple(carried.get(pk, {}) for pk, _part in parts.values()) if carried else (),
        document=item.get("item_document_id"),
        item=item.get("item"),
        position=item.get("item_position") or 0,
        authors=tuple(sorted({(row["system"], row["variant"]) for row in rows})),
    )


# What a unit without texts shows, as of a questionnaire.
NOTHING_TO_READ = _material((), {}, {}, {}, {})


@lru_cache(maxsize=TASKS_KEPT)
def kept_frame(task_id: int, _corrected: frozenset[object]) -> Frame:
    """Return the frame of a task, once for each set of corrected texts: those of other sets are not read again."""
    return read_frame(task_id)


# The units shown last, oldest first. Threads may read the same one twice; what they keep is the same.
kept_materials: dict[int, Material] = {}


def _keep(materials: Mapping[int, Material]) -> None:
    kept_materials.update(materials)
    while len(kept_materials) > UNITS_KEPT:
        kept_materials.pop(next(iter(kept_materials)), None)


def frame_of(task_id: int, study: Study) -> Frame:
    """Return the question of a task, as a frame; kept in memory once the study is frozen."""
    return kept_frame(task_id, frozenset(study.options.corrected.items())) if study.is_frozen else read_frame(task_id)


def material_of(assignment: Assignment, study: Study) -> Material:
    """Return the texts of an assignment's unit; kept in memory once the study is frozen.

    A unit that this process has not shown yet is read together with the others of the rater's set, which come next.
    """
    unit_id = assignment.unit_id
    material = kept_materials.get(unit_id) if study.is_frozen else None
    if material is None:
        of_set = Assignment.objects.filter(set=assignment.set_id).values_list("unit_id", flat=True)
        # As numbers and not as a part of the query, which would be planned badly while a table is newly filled.
        kind = frame_of(assignment.unit.task_id, study).kind
        translations = isinstance(kind, TextType) and kind.shows_translations
        wanted = {unit_id, *of_set} if assignment.set_id is not None else [unit_id]
        materials = read_materials(wanted, translations=translations)
        material = materials.setdefault(unit_id, NOTHING_TO_READ)
        if study.is_frozen:
            _keep(materials)
    return material


def screen_of(assignment: Assignment, study: Study) -> contract.Screen:
    """Return the screen of an assignment, with the arrangement that was drawn for it."""
    frame = frame_of(assignment.unit.task_id, study)
    return _screen_of(assignment, frame, material_of(assignment, study), study)


def _screen_of(assignment: Assignment, frame: Frame, material: Material, study: Study) -> contract.Screen:
    """Return the screen of an assignment; a repeat stands without its document, and does not ask about it."""
    screen = make_screen(frame, material, study, assignment.arrangement)
    if assignment.purpose == Assignment.Purpose.MAIN or not material.ends_document:
        return screen
    return replace(screen, criteria=contract.without_document_score(screen.criteria))


@dataclass(frozen=True)
class RaterScreen:
    """A unit as one rater sees it; made once for each request and handed on, to be shown or answered."""

    rater: Rater
    assignment: Assignment

    @cached_property
    def frame(self) -> Frame:
        """The question of the unit's task."""
        return frame_of(self.assignment.unit.task_id, self.rater.study)

    @cached_property
    def material(self) -> Material:
        """The texts of the unit, and the row behind every part."""
        return material_of(self.assignment, self.rater.study)

    @cached_property
    def shown(self) -> contract.Screen:
        """The screen as the task type gets it, with the arrangement that was drawn for the rater."""
        screen = _screen_of(self.assignment, self.frame, self.material, self.rater.study)
        if self.clock is not None and (self.clock.is_over or not self.clock.has_started):
            return screen.without_texts()
        if self.errand is not None:
            return screen.sent_elsewhere(self.errand)
        if not self.kind.shows_personal_text():
            return screen
        return replace(screen, personal_text=shown_text(self.rater, self.frame.task.key))

    @cached_property
    def clock(self) -> Clock | None:
        """The rater's clock for this text; None where there is no set time, and for practice and tests.

        It is that of the moment at which the assignment was read, for requests of raters alone: who looks at an answer
        later sees the text.
        """
        time, assignment = self.kind.set_time, self.assignment
        is_of_rater = hasattr(assignment, SECONDS_STARTED)
        if time is None or not is_of_rater or assignment.purpose not in Assignment.Purpose.JUDGED:
            return None
        return Clock(time, assignment.clock_seconds, getattr(assignment, SECONDS_STARTED))

    @property
    def address_elsewhere(self) -> str:
        """The address of the other site on which the rater does a task; empty where the rater reads a text."""
        hosts, parts = self.kind.hosts_elsewhere, self.material.parts
        leads = bool(hosts) and len(parts) == 1 and problem_in_address(parts[0].text, hosts) is None
        return parts[0].text if leads else ""

    @cached_property
    def errand(self) -> Errand | None:
        """How far the rater has come with the task on another site; None where there is none."""
        if not self.address_elsewhere:
            return None
        assignment = self.assignment
        return Errand(
            opened=assignment.elsewhere_opened_at is not None,
            finished=any(event["event"] == DONE for event in assignment.elsewhere_events or ()),
            needs_report=self.kind.needs_report,
        )

    @property
    def kind(self) -> TaskType:
        """The task type."""
        return self.frame.kind

    @property
    def may_change(self) -> bool:
        """Whether study, task type and purpose of the unit let a stored answer be changed until the rater has ended.

        Never within a set time: whoever came back would have more of it.
        """
        options = self.rater.study.options
        return (
            options.allow_back
            and self.kind.allows_back
            and self.kind.set_time is None
            and self.assignment.purpose not in Assignment.Purpose.PRELIMINARY
        )

    def form(
        self, data: Mapping[str, str] | None = None, initial: Mapping[str, Any] | None = None, prefix: str = ""
    ) -> contract.ScreenForm:
        """Make the form of the task type: bound to posted data, or with initial values."""
        return self.kind.form(self.shown, data, initial, prefix)

    def values(self, answer: Mapping[str, Any]) -> tuple[contract.Value, ...]:
        """Turn a cleaned answer into the values that are stored as ratings."""
        return tuple(self.kind.ratings(self.shown, answer))


def make_screen(frame: Frame, material: Material, study: Study, arrangement: Mapping[str, object]) -> contract.Screen:
    """Make the screen of a unit from the question of its task and the texts of the unit."""
    n = frame.context_before
    return contract.Screen(
        kind=frame.kind,
        parts=_parts_of(material, arrangement),
        criteria=contract.in_wordings(_asked_of(frame, material), arrangement),
        source=material.source,
        source_language=material.source_language,
        reference=material.reference,
        language=study.language,
        format=material.format,
        options=material.options,
        highlights=material.highlights,
        arrangement=arrangement,
        context=material.before[-n:] if n else (),
        context_texts=material.before_texts[-n:] if n else (),
        media=material.media,
        paged=frame.task.criteria_mode == "page",
    )


def _parts_of(material: Material, arrangement: Mapping[str, object]) -> tuple[contract.Part, ...]:
    """Return the parts of a unit, with the suggestions of those that the arrangement names for each of them."""
    names = arrangement.get(contract.GIVEN_BY)
    if not isinstance(names, list) or len(names) != len(material.given):
        return material.parts
    chosen = zip(material.parts, material.given, names, strict=True)
    # Where a rater has no suggestions by somebody who can be named, the text comes with none.
    return tuple(replace(part, prefill=tuple(given.get(name, ()))) for part, given, name in chosen)


def _asked_of(frame: Frame, material: Material) -> tuple[contract.Criterion, ...]:
    """Return the criteria that a unit asks: all, or its own and those that the task type brings along.

    Only the last unit of a document asks about the whole document.
    """
    criteria = frame.criteria if material.ends_document else contract.without_document_score(frame.criteria)
    if not material.criterion:
        return criteria
    others_asked = {criterion.key for criterion in frame.kind.asked(frame.criteria)} - {material.criterion}
    return tuple(criterion for criterion in criteria if criterion.key not in others_asked)
