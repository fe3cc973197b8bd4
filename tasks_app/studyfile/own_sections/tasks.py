"""The section of tasks: checked with its types, designs, criteria and groups."""

from collections.abc import Mapping, Sequence
from dataclasses import replace

from django.contrib.postgres.expressions import ArraySubquery
from django.db.models import OuterRef
from django.utils.translation import gettext as _

from tasks_app import designs, task_types
from tasks_app.hooks.sections import Json, Path
from tasks_app.models import Criterion, Study, Task, TaskCriterion, TaskGroup
from tasks_app.services.study import drafts
from tasks_app.settings.checks import CheckSettings
from tasks_app.studyfile.declarations import LISTS, CriterionBlock
from tasks_app.studyfile.own_sections.checks.requested import check_requested
from tasks_app.studyfile.own_sections.criteria import criteria_asked
from tasks_app.studyfile.own_sections.lists import ListSection
from tasks_app.studyfile.problems import nearest
from tasks_app.studyfile.reading import StudyReading
from tasks_app.studyfile.schema import plain, written
from tasks_app.task_types.base import Criterion as AskedCriterion
from tasks_app.task_types.base import ParameterProblem
from tasks_app.texts import languages


class TasksSection(ListSection):
    """The parts of the study."""

    name = "tasks"
    after = ("study", "flow", "criteria", "groups")

    def check(self, reading: StudyReading) -> list[dict[str, Json]]:
        """Check every task: its type's and design's parameters, the criteria and groups it names."""
        tasks = super().check(reading)
        for number, task in enumerate(tasks):
            path: Path = ("tasks", number)
            _check_names(reading, (*path, "criteria"), task["criteria"], reading.document["criteria"])
            _check_names(reading, (*path, "groups"), task["groups"], reading.document["groups"])
            if task["type"] in task_types.registry:
                member = task_types.registry[task["type"]]
                task["params"] = reading.clean(member.Settings, task["params"], (*path, "params"))
                if reading.sound((*path, "params")) and reading.sound((*path, "criteria")):
                    kind = member(task["params"])
                    own = kind.asked(criteria_asked(reading.document["criteria"], task["criteria"]))
                    for sentence in kind.problems(own):
                        about = (
                            ("params", sentence.parameter) if isinstance(sentence, ParameterProblem) else ("criteria",)
                        )
                        reading.problem((*path, *about), sentence)
                    _check_wordings(reading, task, kind, own)
                    _bring(reading, path, task, kind)
                    _check_limit(reading, path, task, kind)
                    if task["criteria_mode"] in designs.APART and len(own) > 1 and not kind.asks_apart:
                        sentence = _(
                            "This task type asks more than the criteria on every screen. Use together or page."
                        )
                        reading.problem((*path, "criteria_mode"), sentence)
            task["checks"] = reading.clean(CheckSettings.Settings, task["checks"], (*path, "checks"))
            if task["design"] in designs.registry:
                form = designs.registry[task["design"]].Settings
                task["design_params"] = reading.clean(form, task["design_params"], (*path, "design_params"))
                _check_document_page(reading, path, task)
        check_requested(reading, tasks)
        return tasks

    def export(self, study: Study) -> list[dict[str, Json]]:
        """Return the tasks in their order, with the keys of their criteria and groups."""
        criteria = TaskCriterion.objects.filter(task=OuterRef("pk")).order_by("order").values("criterion__key")
        groups = TaskGroup.objects.filter(task=OuterRef("pk")).order_by("id").values("group__key")
        current = Task.objects.filter(study=study, until=None).order_by("order", "id")
        tasks = []
        for row in current.annotate(criterion_keys=ArraySubquery(criteria), group_keys=ArraySubquery(groups)):
            values = {name: getattr(row, name) for name in drafts.TASK_COLUMNS}
            values["params"] = written(type(row.kind).Settings, row.kind.params)
            # Values that a design reads from a separate file are not among its parameters.
            form = designs.registry[row.design].Settings.base_fields
            values["design_params"] = {name: row.design_params.get(name, plain(form[name].initial)) for name in form}
            values["checks"] = {name: plain(value) for name, value in vars(CheckSettings(row.checks)).items()}
            lists = {"criteria": vars(row)["criterion_keys"], "groups": vars(row)["group_keys"]}
            tasks.append({name: {**values, **lists}[name] for name in LISTS["tasks"].base_fields})
        return tasks

    def store(self, study: Study, tasks: Json) -> None:
        """Store the tasks; criteria and groups are stored already."""
        drafts.store_tasks(study=study, tasks=tasks)

    def erase(self, study: Study) -> None:
        """Remove tasks, criteria and groups."""
        drafts.erase_tasks(study=study)


def _check_wordings(
    reading: StudyReading, task: Mapping[str, Json], kind: task_types.TaskType, criteria: Sequence[AskedCriterion]
) -> None:
    """Report wordings that a task cannot ask: by its type, its stage or its design, or since they are alike."""
    places = {row["key"]: place for place, row in enumerate(reading.document["criteria"])}
    for key, number, sentence in kind.wording_problems(criteria):
        about: Path = ("criteria", places[key], "wordings")
        if reading.sound(about):
            reading.problem(about if number is None else (*about, number), sentence)
    design = designs.registry.get(task["design"])
    for criterion in (criterion for criterion in criteria if criterion.wordings):
        if task["stage"] != Task.Stage.MAIN or (design is not None and not design.at_opening):
            sentence = _("Wordings are drawn with the sets before a study opens; the task “%(task)s” has no sets then.")
            reading.problem(("criteria", places[criterion.key], "wordings"), sentence % {"task": task["key"]})


def _check_limit(reading: StudyReading, path: Path, task: Mapping[str, Json], kind: task_types.TaskType) -> None:
    """Refuse sets with more units for a rater than the type allows."""
    most, sets = kind.units_a_rater(), reading.document["flow"].get("sets_per_rater") or 1
    if most is not None and reading.sound((*path, "set_size")) and task["set_size"] * sets > most:
        sentence = _(
            "A rater would judge up to %(n)d units (set_size times sets_per_rater); this task allows %(most)d. "
            "Lower one of them, or see the parameters of the task type."
        )
        reading.problem((*path, "set_size"), sentence % {"n": task["set_size"] * sets, "most": most})


def _check_document_page(reading: StudyReading, path: Path, task: Mapping[str, Json]) -> None:
    """Report a task with pages that cannot show whole documents, by its design or the way its questions are asked."""
    if task["params"].get("page") != "document" or not reading.sound((*path, "params")):
        return
    if not designs.registry[task["design"]].by_document:
        sentence = _(
            "Only the design “Whole documents” (documents) gives a rater all parts of a document. Choose that design "
            "in the step Raters, or set page to screen."
        )
        reading.problem((*path, "params", "page"), sentence)
    if task["criteria_mode"] == "page":
        sentence = _(
            "The page of a document shows all questions about a text at once. Use together, or set page to screen."
        )
        reading.problem((*path, "criteria_mode"), sentence)
    if task["params"].get("score_document") and task["criteria_mode"] in designs.APART:
        sentence = _("A score of the whole document is asked once. Use together, or set score_document to false.")
        reading.problem((*path, "criteria_mode"), sentence)


def _bring(reading: StudyReading, path: Path, task: dict[str, Json], kind: task_types.TaskType) -> None:
    """Add a type's own questions to the criteria of the file and of the task.

    A criterion of the file with such a key replaces the type's wording. Two tasks may ask the same question. The type's
    wording is in the study's language, if that is shipped.
    """
    entries = {entry["key"]: entry for entry in reading.document["criteria"]}
    criteria_given = reading.given("criteria")
    written = (
        {row["key"] for row in criteria_given if isinstance(row, dict) and isinstance(row.get("key"), str)}
        if isinstance(criteria_given, list)
        else set()
    )
    language = str(reading.document["study"]["language"])
    with languages.speaking(language):
        asked_by_type = kind.brings()
    for brought in asked_by_type:
        entry = _entry(replace(brought, language=languages.mark(brought.language, language)))
        if brought.key not in entries:
            reading.document["criteria"].append(entry)
            entries[brought.key] = entry
        elif brought.key not in written and entries[brought.key] != entry:
            sentence = _(
                "Another task asks “%(key)s” in other words. Word it once: add a criterion of this key to the criteria."
            )
            reading.problem((*path, "params"), sentence % {"key": brought.key})
        if brought.key not in task["criteria"]:
            task["criteria"].append(brought.key)


def _entry(brought: AskedCriterion) -> dict[str, Json]:
    """Return a type's own question as an entry of the file's criteria."""
    empty = written(CriterionBlock, {})
    names = ("key", "name", "definition", "question", "low", "high", "language")
    texts = {name: str(getattr(brought, name)) for name in names}
    scale = {"labels": list(map(str, brought.labels)), "anchors": dict(brought.anchors)}
    return {**empty, **texts, **scale, "kind": Criterion.Kind.QUESTION.value, "heds": {}}


def _check_names(reading: StudyReading, path: Path, keys: list[str], rows: list[dict[str, Json]]) -> None:
    names = [row["key"] for row in rows if row["key"]]
    for number, key in enumerate(keys):
        if key not in names and reading.sound((*path, number)):
            sentence = _("There is no “%(key)s” in this file.") % {"key": key}
            reading.problem((*path, number), f"{sentence} {nearest(key, names)}".rstrip())
