"""What was judged: systems, texts, tasks, designs, and the questions as raters read them."""

from __future__ import annotations

from collections.abc import Iterator

from analytics_app.heds.answers import NOT_APPLICABLE
from analytics_app.heds.filling.facts import Facts
from analytics_app.heds.filling.proposals import counted
from analytics_app.heds.filling.texts import UnitSizes
from analytics_app.heds.questions import language_names
from analytics_app.methods_text.references import named_in
from analytics_app.methods_text.sentences import Sentence, listed, lowered, number
from tasks_app import designs
from tasks_app.selectors.screens import Frame
from tasks_app.task_types.base import Criterion

# More systems than these are counted, not named.
NAMED_SYSTEMS = 8
PER_UNIT = "judgments_per_unit"
FILLED_IN = "Raters filled in a questionnaire"


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
    return f"{name}{lowered(text)}" if name else text


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
    text = f"Raters judged {shown}; the task type was “{kind.label}”" if kind.needs_items else FILLED_IN
    yield Sentence(opening(name, text), named_in(kind.source))
    design = designs.registry[task.design]
    if units and not facts.study.options.imported and (drawn := design.in_words(task.set_size, task.design_params)):
        yield Sentence(drawn)
    if units:
        yield from _judgments(facts, frame, units)
    if kind.side_by_side and not facts.study.options.imported:
        yield Sentence("The order of the texts on each screen was randomised and balanced over positions")
    yield from _questions(facts, frame)


def _judgments(facts: Facts, frame: Frame, units: int) -> Iterator[Sentence]:
    """Say how often a unit was to be judged, and how often those that were analysed were."""
    if not facts.study.options.imported:
        were = "was" if units == 1 else "were"
        each = counted(frame.task.k, "judgment")
        yield Sentence(f"{counted(units, 'unit')} {were} to receive {each} each")
    found = {row.label: row.value or 0 for row in facts.of_task(frame, PER_UNIT)}
    if found:
        least, median, most = (number(found[label]) for label in ("least", "median", "most"))
        if least == most:
            yield Sentence(f"Each analysed unit received {'one judgment' if least == '1' else f'{least} judgments'}")
        else:
            yield Sentence(f"Analysed units received {least} to {most} judgments each (median {median})")


def _questions(facts: Facts, frame: Frame) -> Iterator[Sentence]:
    """Quote what raters were asked in a task: questions that take the same answers stand together."""
    answers = _answers(frame)
    same = next((earlier for earlier in facts.main[: facts.main.index(frame)] if _answers(earlier) == answers), None)
    if same is not None and answers:
        yield Sentence(f"The questions were those of the task “{same.task.title or same.task.key}”")
        return
    for values, questions in answers.items():
        yield Sentence(f"The wording was {listed(questions)}{f'; possible answers were {values}' if values else ''}")


def _answers(frame: Frame) -> dict[str, list[str]]:
    """Return the questions of a task by the answers that they take, in words."""
    together: dict[str, list[str]] = {}
    for asked in frame.criteria:
        facts = frame.kind.heds(asked)
        if facts.get("4.3.5") == NOT_APPLICABLE and not asked.question:
            # Computed from another answer, and asked of nobody.
            continue
        values = facts.get("4.3.4", "").removesuffix(".")
        if asked.kind == "pair":
            # The question names both ends of the scale.
            values = values.replace(f" ({asked.low})", "").replace(f" ({asked.high})", "")
        together.setdefault("" if values == NOT_APPLICABLE else values, []).append(_quoted(asked))
    return together


def _quoted(asked: Criterion) -> str:
    name = asked.name or asked.key
    question = asked.question or name
    return f"“{question}”" if question == name else f"“{question}” ({name})"
