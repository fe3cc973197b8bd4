"""Make the units of a study file without storing them, and check that plans can be drawn."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from random import Random

from django.utils.translation import gettext as _

from tasks_app import designs, task_types
from tasks_app.designs.base import PlanImpossible, PlanSettings, PlanUnit, Shape
from tasks_app.hooks.sections import Json, Path
from tasks_app.models import Output, Study, Task
from tasks_app.selectors.routing import ON_REQUEST
from tasks_app.services.plan import plans
from tasks_app.services.plan.batches import batches_of, params_of
from tasks_app.services.study.units import asked_apart, draft_units, name_of_unit
from tasks_app.settings.checks import CheckSettings, checks_of
from tasks_app.studyfile.files.media import OUTPUT_FILE
from tasks_app.studyfile.own_sections.checks.item_sets import takes_item
from tasks_app.studyfile.own_sections.criteria import criteria_asked
from tasks_app.studyfile.own_sections.item_rows import LONGEST
from tasks_app.studyfile.reading import StudyReading
from tasks_app.task_types import TaskType, highlights
from tasks_app.task_types.base import ItemTexts, Media, OutputText, Part, Quality, Screen, UnitDraft


def refuse_files(reading: StudyReading, number: int, items: Mapping[str, ItemTexts]) -> None:
    """Report every output of a task that is no text, where the task type works on the words of texts."""
    task = reading.document["tasks"][number]
    sentence = _(
        "The task “%(task)s” is of the type %(type)s, which works on the words of a text. %(able)s can show this."
    )
    able = ", ".join(sorted(name for name, member in task_types.registry.items() if member.judges_files))
    for item in items.values():
        for output in item.outputs:
            if output.file is not None:
                words = {"task": task["key"], "type": task["type"], "able": able}
                _report(reading, (item.key, output.system, output.variant), sentence % words)


def check_kinds(reading: StudyReading, drafts: Sequence[DraftTask]) -> None:
    """Report outputs of different kinds on one screen, such as a picture and a text, and note words about texts."""
    for draft in drafts:
        mixed: dict[tuple[str, str, str], OutputText] = {}
        shows_files = False
        for unit in draft.units.values():
            shown = [(unit.item_of(number), text) for number, text in enumerate(draft.texts(unit))]
            shows_files = shows_files or any(text.file is not None for _item, text in shown)
            for item, text in shown:
                other = next((other for _item, other in shown if _kind(other) != _kind(text)), None)
                if item is not None and text.file is not None and other is not None:
                    mixed.setdefault((item, text.system, text.variant), other)
        for key, other in mixed.items():
            sentence = _(
                "The task “%(task)s” shows this on one screen with the output of “%(system)s”, which is a %(kind)s; "
                "raters would compare the kinds. Give outputs on one screen the same kind."
            )
            words = {"task": draft.task["key"], "system": other.system, "kind": Output.Kind(_kind(other)).label}
            _report(reading, key, sentence % words)
        if shows_files and not draft.task["instructions"]:
            note = _(
                "The task “%(task)s” shows pictures, sounds or films. The instructions and questions that come with "
                "its type speak of texts: write your own."
            )
            reading.note(note % {"task": draft.task["key"]})


def _kind(text: OutputText) -> str:
    return text.file.kind if text.file is not None else Output.Kind.TEXT.value


def _report(reading: StudyReading, key: tuple[str, str, str], sentence: str) -> None:
    """Report an output, by its item, system and variant, where its file is named."""
    place = reading.file_places[key]
    reading.problems.add(reading.items_file, place.line, place.column, f"{OUTPUT_FILE}: {sentence}")


@dataclass(frozen=True, slots=True)
class DraftTask:
    """A task of a study file with its units by key."""

    number: int
    task: Mapping[str, Json]
    kind: TaskType
    items: Mapping[str, ItemTexts]
    units: Mapping[str, UnitDraft]

    @property
    def checks(self) -> CheckSettings:
        """The checks of the task, which must be sound."""
        return checks_of(self.task["checks"])

    def plan_request(self, document: Mapping[str, Json]) -> plans.PlanRequest:
        """Return the settings with which the plan of the task is drawn."""
        batches = batches_of(params_of(document["batches"], self.task["key"]))
        return plans.PlanRequest(
            designs.design_of(self.task["design"], self.task["design_params"]),
            self.task["criteria_mode"],
            PlanSettings(self.task["set_size"], self.task["spacing"], batches),
            self.checks.repeats,
        )

    def texts(self, unit: UnitDraft) -> list[OutputText]:
        """Return the text of every part of a unit."""
        outputs = [(unit.item_of(number), group[0]) for number, group in enumerate(unit.parts)]
        return [self.items[item].outputs[output] for item, output in outputs if item is not None]

    def screen(self, unit: UnitDraft, criteria: list[dict[str, Json]]) -> Screen:
        """Return the unit's screen as a rater would see it, in canonical order."""
        return Screen(
            kind=self.kind,
            parts=tuple(_part(number, text) for number, text in enumerate(self.texts(unit))),
            criteria=criteria_asked(criteria, self.task["criteria"]),
            source=self.items[unit.item].source if unit.item is not None else "",
            reference=self.items[unit.item].reference if unit.item is not None else "",
            options=self.items[unit.item].options if unit.item is not None else {},
            highlights=self.items[unit.item].highlights if unit.item is not None else {},
        )

    def answer(self, unit: UnitDraft, criteria: list[dict[str, Json]]) -> tuple[Screen, Mapping[str, object]]:
        """Return the unit's screen with an example answer, as cleaned by its form."""
        screen = self.screen(unit, criteria)
        rng = Random(1)  # noqa: S311  any answer will do
        form = self.kind.form(screen, self.kind.simulate(screen, Quality.CAREFUL, rng))
        form.is_valid()
        return screen, form.cleaned_data


def _part(number: int, text: OutputText) -> Part:
    return Part(number, text.text, text.language, highlights=text.highlights, file=text.file)


def draft_tasks(reading: StudyReading) -> list[DraftTask]:
    """Make the units of every task without problems, once per file; none if the items have problems."""
    if reading.drafts is None:
        reading.drafts = _draft_tasks(reading) if reading.units_sound else []
    drafts: list[DraftTask] = reading.drafts
    return drafts


def _draft_tasks(reading: StudyReading) -> list[DraftTask]:
    drafts: list[DraftTask] = []
    names = {
        (item["key"], output["system"], output["variant"]): output["unit"]
        for item in reading.document["items"]
        for output in item["outputs"]
        if output["unit"]
    }
    for number, task in enumerate(reading.document["tasks"]):
        if not reading.sound(("tasks", number)) or task["type"] not in task_types.registry:
            continue
        task_items = [item for item in reading.document["items"] if takes_item(task, item)]
        items = {item.key: item for item in item_texts(task_items, keep=task["keep_identical"])}
        kind = task_types.registry[task["type"]](task["params"])
        if not _items_fit(reading, kind, items, number):
            continue
        criteria = criteria_asked(reading.document["criteria"], task["criteria"])
        units = draft_units(
            kind=kind,
            task=task["key"],
            seed=reading.document["study"]["seed"],
            items=list(items.values()),
            criteria=asked_apart(kind, criteria, task["criteria_mode"]),
        )
        draft = DraftTask(number, task, kind, items, _by_name(reading, task, units, items, names))
        if not draft.units:
            reading.problem(("tasks", number), _("These items give this task nothing to show."))
        else:
            drafts.append(draft)
    for item in reading.document["items"] if names else ():
        for output in item["outputs"]:
            output["unit"] = names.get((item["key"], output["system"], output["variant"]), "")
    return drafts


def _items_fit(reading: StudyReading, kind: TaskType, items: Mapping[str, ItemTexts], number: int) -> bool:
    """Report why items cannot be judged by a task type; return whether they can."""
    before = reading.problems.count
    for item in items.values():
        missing = () if is_imported(reading) else kind.missing_for_raters(item)
        for sentence in (*kind.item_problems(item), *missing):
            first = item.outputs[0] if item.outputs else None
            place = reading.output_places.get((item.key, first.system, first.variant)) if first else None
            line, column = (place.line, place.column) if place else (0, 0)
            reading.problems.add(reading.items_file, line, column, f"item “{item.key}”: {sentence}")
    if not kind.judges_files:
        refuse_files(reading, number, items)
    if reading.problems.count == before:
        for sentence in kind.problems_together(list(items.values())):
            reading.problem(("tasks", number), sentence)
    return reading.problems.count == before


def is_imported(reading: StudyReading) -> bool:
    """Return whether the ratings of a study are imported."""
    return bool(reading.document["flow"]["imported"])


def item_texts(items: Sequence[Mapping[str, Json]], *, keep: bool) -> Iterator[ItemTexts]:
    """Yield the items of a study file as task types see them."""
    for item in items:
        outputs = [
            OutputText(
                output["system"],
                output["variant"],
                output["text"],
                output["language"],
                highlights.stored(output.get("highlights", ())),
                _file(output.get("file", {})),
            )
            for output in item["outputs"]
        ]
        yield ItemTexts.collapsed(
            item["key"],
            outputs,
            keep=keep,
            document=item["document"] or None,
            position=item["position"],
            options=item["options"],
            source=item["source"],
            reference=item["reference"],
            highlights=highlights.by_text(item.get("highlights", {})),
        )


def _file(file: Mapping[str, str]) -> Media | None:
    return Media.of_output(file.get("sha256"), file.get("kind"), file.get("captions"))


def _by_name(
    reading: StudyReading,
    task: Mapping[str, Json],
    drafts: Iterator[UnitDraft],
    items: Mapping[str, ItemTexts],
    names: dict[tuple[str, str, str], str],
) -> dict[str, UnitDraft]:
    """Return the units by key, which are the researcher's names if the column `unit` has them."""
    units: dict[str, UnitDraft] = {}
    for draft in drafts:
        _agree_on_name(reading, task, draft, items, names)
        key = name_of_unit(draft, items, names) or draft.key
        if key in units:
            sentence = _("unit: “%(key)s” names several screens of the task “%(task)s”. Give each its own name.")
            _report_unit(reading, draft, items, sentence % {"key": key, "task": task["key"]})
        elif len(key) > LONGEST["unit"]:
            sentence = _("unit: “%(key)s” is longer than %(n)d characters. Shorten the keys, or name the unit.")
            _report_unit(reading, draft, items, sentence % {"key": key, "n": LONGEST["unit"]})
        units[key] = draft
    return units


def _agree_on_name(
    reading: StudyReading,
    task: Mapping[str, Json],
    draft: UnitDraft,
    items: Mapping[str, ItemTexts],
    names: dict[tuple[str, str, str], str],
) -> None:
    """Refuse two names for one screen; identical outputs, which are shown once, get the name of the first."""
    if not names or draft.item is None:
        return
    unit_name = name_of_unit(replace(draft, criterion=""), items, names)
    for part, group in enumerate(draft.parts):
        for position, number in enumerate(group):
            item = draft.item_of(part) or draft.item
            output = items[item].outputs[number]
            key = (item, output.system, output.variant)
            if names.get(key, "") == unit_name:
                continue
            if position == 0:
                sentence = _(
                    "unit: the task “%(task)s” shows this text on the same screen as “%(wanted)s”. Name both alike."
                )
                place = reading.output_places[key]
                words = {"task": task["key"], "wanted": unit_name or draft.key}
                reading.problems.add(reading.items_file, place.line, place.column, sentence % words)
            else:
                names[key] = unit_name
                reading.note(_("Identical outputs are one unit; it has the name of the first row."))


def _report_unit(reading: StudyReading, draft: UnitDraft, items: Mapping[str, ItemTexts], sentence: str) -> None:
    item = draft.item_of(0) if draft.parts else None
    if item is None:
        reading.problems.add(reading.items_file, 0, 0, sentence)
        return
    first = items[item].outputs[draft.parts[0][0]]
    place = reading.output_places[item, first.system, first.variant]
    reading.problems.add(reading.items_file, place.line, place.column, sentence)


def check_plans(reading: StudyReading, drafts: list[DraftTask]) -> None:
    """Draw the plan of every task as opening would, to report settings that no plan can satisfy.

    Tasks of the stages screening and exit have no plan, since all raters get all units. Tasks on request have none yet,
    and studies with imported ratings get theirs only when they are opened, since drawing takes long.
    """
    for draft in drafts:
        reading.counts["units"] = reading.counts.get("units", 0) + len(draft.units)
        if draft.task["stage"] != Task.Stage.MAIN:
            continue
        path: Path = ("tasks", draft.number)
        units = plan_units(draft, reading.document)
        if units and (draft.task["design"] in ON_REQUEST or is_imported(reading)):
            continue
        if not units:
            reading.problem(path, _("Every unit has a known answer, so nothing is left to be judged. Add items."))
            continue
        study = Study(seed=reading.document["study"]["seed"])
        stream = partial(plans.seeded, study, "plan", draft.task["key"], study.next_version)
        try:
            booklets = plans.draw_booklets(units, draft.plan_request(reading.document), stream)
        except PlanImpossible as error:
            nearest: dict[Path, Json] = {(*path, *name.split(".")): value for name, value in error.nearest.items()}
            reading.nearest |= nearest
            paths = list(nearest)
            blamed_path = next((setting for setting in paths if reading.tree.holds(setting)), path)
            reading.problem(blamed_path, str(error))
            continue
        reading.set_sizes[draft.task["key"]] = max(map(len, booklets), default=0)
        reading.booklets[draft.task["key"]] = tuple(map(len, booklets))
        for name, n in (("places", sum(map(len, booklets))), ("booklets", len(booklets))):
            reading.counts[name] = reading.counts.get(name, 0) + n
        _note_judges(reading, draft, units)


def _note_judges(reading: StudyReading, draft: DraftTask, units: Sequence[PlanUnit]) -> None:
    """Note systems with units that get fewer judgments than the task type advises."""
    needed = draft.kind.judges_needed()
    planned: dict[tuple[str, ...], int] = {}
    for unit in units:
        planned[unit.systems] = planned.get(unit.systems, 0) + unit.k
    too_few = {systems: n for systems, n in planned.items() if needed is not None and n < needed}
    if too_few:
        systems, least = min(too_few.items(), key=lambda group: group[1])
        sentence = _(
            "The task “%(task)s” gives %(systems)s only %(n)d judgments; at least %(needed)d are advised. Raise k or "
            "add items."
        )
        words = {"task": draft.task["key"], "systems": " + ".join(systems), "n": least, "needed": needed}
        reading.note(sentence % words)


def _shape_of(draft: DraftTask, unit: UnitDraft) -> Shape:
    """Return the systems of each part of a unit."""
    return tuple(
        tuple(draft.items[item].outputs[output].system for output in group)
        for number, group in enumerate(unit.parts)
        if (item := unit.item_of(number)) is not None
    )


def plan_units(draft: DraftTask, document: Mapping[str, Json]) -> tuple[PlanUnit, ...]:
    """Return the units without a known answer as the design will see them once they are stored."""
    known_units = {control["unit"] for control in document["controls"] if control["task"] == draft.task["key"]}
    alike: dict[Shape, Shape] = {}  # units of one shape share it
    units = [
        PlanUnit(
            key=key,
            k=draft.task["k"],
            item=unit.item,
            document=draft.items[unit.item].document if unit.item is not None else None,
            position=draft.items[unit.item].position if unit.item is not None else 0,
            shape=alike.setdefault(shape := _shape_of(draft, unit), shape),
            criterion=unit.criterion,
        )
        for key, unit in draft.units.items()
        if key not in known_units
    ]
    return plans.share_more(
        units,
        study=Study(seed=document["study"]["seed"]),
        task=draft.task["key"],
        design=draft.task["design"],
        more=draft.task["k_more"],
        share=draft.task["k_more_share"],
    )
