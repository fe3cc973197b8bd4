"""What was judged: systems, texts, tasks, designs, and the questions as raters read them."""

from __future__ import annotations

from collections.abc import Iterator

from analytics_app.heds.answers import NOT_APPLICABLE
from analytics_app.heds.filling.facts import CriterionFacts, Facts
from analytics_app.heds.filling.proposals import counted
from analytics_app.heds.filling.texts import UnitSizes
from analytics_app.heds.questions import language_names
from analytics_app.methods_text.references import named_in
from analytics_app.methods_text.sentences import Sentence, listed, number
from tasks_app import designs
from tasks_app.selectors.screens import Frame

# More systems than these are counted, not named.
NAMED_SYSTEMS = 8
PER_UNIT = "judgments_per_unit"


def sentences(facts: Facts, *, systems: bool) -> Iterator[Sentence]:
    """Yield what was judged, task by task, and what was asked."""
    yield from _texts(facts, systems)
    for frame in facts.main:
        yield from _task(facts, frame)


def task_name(facts: Facts, frame: Frame) -> str:
    """Name a task where a study has several: "In the task “Places”, "."""
    return f"In the task “{frame.task.title or frame.task.key}”, " if len(facts.main) > 1 else ""


def opening(name: str, text: str) -> str:
    """Begin a sentence with the name of a task, or with the sentence itself."""
    return f"{name}{text[0].lower()}{text[1:]}" if name else text


def _texts(facts: Facts, named: bool) -> Iterator[Sentence]:
    systems = list(facts.outputs)
    if not systems:
        return
    names = f" ({listed(systems)})" if named and len(systems) <= NAMED_SYSTEMS else ""
    numbers = set(facts.outputs.values())
    if len(numbers) == 1:
        each = ", each" if len(systems) > 1 else ""
        outputs = f"{each} with {counted(numbers.pop(), 'output')}"
    else:
        outputs = f" with {counted(min(numbers), 'output')} to {counted(max(numbers), 'output')} each"
    text = f"We evaluated {counted(len(systems), 'system')}{names}{outputs}"
    if languages := [language_names().get(code.partition("-")[0], code) for code in facts.output_languages]:
        text += f", in {listed(dict.fromkeys(languages))}"
    yield Sentence(text)
    if (selection := facts.drawing) is not None:
        kind = "a stratified" if selection["by"] else "a simple"
        yield Sentence(
            f"The {counted(selection['items'], 'item')} are {kind} random sample of {selection['from_items']:,} "
            f"(seed {selection['seed']})"
        )


def _task(facts: Facts, frame: Frame) -> Iterator[Sentence]:
    task, kind, name = frame.task, frame.kind, task_name(facts, frame)
    units = facts.sizes.get(task.pk, UnitSizes()).units
    shown = "several texts at a time" if kind.side_by_side else "one text at a time"
    text = f"Raters judged {shown} ({kind.label})" if kind.needs_items else f"Raters filled in: {kind.label}"
    yield Sentence(opening(name, text), named_in(kind.source))
    design = designs.registry[task.design]
    if units and not facts.study.options.imported and (drawn := design.in_words(task.set_size, task.design_params)):
        yield Sentence(drawn)
    if units:
        yield from _judgments(facts, frame, units)
    if kind.side_by_side and not facts.study.options.imported:
        yield Sentence("The order of the texts on a screen was drawn, each text as often in each place as the others")
    yield from _questions(facts, frame)


def _judgments(facts: Facts, frame: Frame, units: int) -> Iterator[Sentence]:
    """Say how often a unit was to be judged, and how often those that were analysed were."""
    if not facts.study.options.imported:
        yield Sentence(f"{counted(frame.task.k, 'judgment')} of each of {counted(units, 'unit')} were planned")
    found = {row.label: row.value or 0 for row in facts.of_task(frame, PER_UNIT)}
    if found:
        least, median, most = (number(found[label]) for label in ("least", "median", "most"))
        if least == most:
            yield Sentence(
                f"Each unit that was analysed has {'one judgment' if least == '1' else f'{least} judgments'}"
            )
        else:
            yield Sentence(
                f"Units that were analysed have between {least} and {most} judgments, in the median {median}"
            )


def _questions(facts: Facts, frame: Frame) -> Iterator[Sentence]:
    """Quote what raters were asked in a task: questions that take the same answers stand together."""
    together: dict[str, list[str]] = {}
    for about in facts.criteria:
        if about.frame is frame:
            said = frame.kind.heds(about.asked)
            if said.get("4.3.5") == NOT_APPLICABLE and not about.asked.question:
                # Computed from another answer, and asked of nobody.
                continue
            values = said.get("4.3.4", "")
            if about.asked.kind == "pair":
                # The question names both ends of the scale.
                values = values.replace(f" ({about.asked.low})", "").replace(f" ({about.asked.high})", "")
            together.setdefault("" if values == NOT_APPLICABLE else values, []).append(_asked(about))
    for values, questions in together.items():
        yield Sentence(f"They were asked {listed(questions)}{f'; answers: {values}' if values else ''}")


def _asked(about: CriterionFacts) -> str:
    name = about.name or about.key
    question = about.asked.question or name
    return f"“{question}”" if question == name else f"“{question}” ({name})"
