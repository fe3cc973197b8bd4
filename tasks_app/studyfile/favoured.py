"""The examples of a study file, and the texts that its raters judge."""

from collections.abc import Iterator, Sequence

from tasks_app.studyfile.reading import StudyReading
from tasks_app.studyfile.screens import DraftTask
from tasks_app.texts.favoured import Evaluated, Example, favoured_in
from tasks_app.texts.findings import TextFinding

# The purposes of units with which raters learn what is expected of them, and read afterwards what was right.
_PRACTICE = frozenset({"training", "exam"})


def favoured_texts(reading: StudyReading, drafts: Sequence[DraftTask]) -> list[TextFinding]:
    """Return the evaluated texts that instructions, questions or practice texts give away."""
    return list(favoured_in(_examples(reading, drafts), list(_evaluated(reading, drafts))))


def _examples(reading: StudyReading, drafts: Sequence[DraftTask]) -> Iterator[Example]:
    for task in reading.document["tasks"]:
        yield Example("in_instructions", str(task["key"]), str(task["instructions"] or ""))
    for criterion in reading.document["criteria"]:
        for name in ("definition", "question"):
            yield Example("in_criterion", str(criterion["key"]), str(criterion[name] or ""))
        for wording in criterion.get("wordings", ()):
            for name in ("definition", "question", "shown_first", "example"):
                yield Example("in_criterion", str(criterion["key"]), str(wording[name] or ""))
    practised: dict[tuple[str, str], None] = {}
    for control in reading.document["controls"]:
        if control["purpose"] in _PRACTICE:
            practised[control["task"], control["unit"]] = None
            yield Example("in_explanation", str(control["task"]), str(control["explanation"] or ""))
    for draft in drafts:
        key = str(draft.task["key"])
        for task_key, unit in practised:
            if task_key == key and unit in draft.units:
                for output in draft.texts(draft.units[unit]):
                    if output.file is None:
                        yield Example("in_practice", key, output.text)


def _evaluated(reading: StudyReading, drafts: Sequence[DraftTask]) -> Iterator[Evaluated]:
    """Yield each text that is judged in a main task, once for each of its systems."""
    names = {str(row["key"]): str(row.get("name") or row["key"]) for row in reading.document["systems"]}
    seen: set[tuple[str, str, str]] = set()
    for draft in drafts:
        if draft.task["stage"] != "main":
            continue
        known = {control["unit"] for control in reading.document["controls"] if control["task"] == draft.task["key"]}
        for key, unit in draft.units.items():
            for number, group in enumerate(unit.parts if key not in known else ()):
                item = unit.item_of(number)
                for output in (draft.items[item].outputs[place] for place in group) if item is not None else ():
                    place = (item or "", output.system, output.variant)
                    if output.file is None and place not in seen:
                        seen.add(place)
                        yield Evaluated(item or "", names.get(output.system, output.system), output.text)
