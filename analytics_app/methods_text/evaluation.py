"""The evaluation: systems, texts, tasks, designs, and the questions as raters read them."""

from collections.abc import Iterator, Mapping

from django.db.models import Count, Q

from analytics_app.heds.answers import NOT_APPLICABLE
from analytics_app.heds.filling.criteria import verbatim
from analytics_app.heds.filling.facts import Facts, counted, extension_in_words
from analytics_app.heds.filling.texts import UnitSizes
from analytics_app.heds.questions import language_names
from analytics_app.methods_text.references import named_in
from analytics_app.methods_text.sentences import Sentence, listed, lowered, number
from tasks_app import designs
from tasks_app.models import Prefill
from tasks_app.selectors.screens import Frame
from tasks_app.task_types.base import Criterion
from tasks_app.task_types.clock import TimedPart
from tasks_app.task_types.error_spans import ErrorSpans

# The most systems that are named; more are only counted.
NAMED_SYSTEMS = 8
PER_UNIT = "judgments_per_unit"
FILLED_IN = "Raters filled in a questionnaire"
# The publication on experiments with the wording of a question.
WORDINGS = ("schoch-2020",)
# The publications of the two ways of giving marks beforehand: of a system, and of an earlier annotator.
GIVEN_BEFOREHAND, RE_ANNOTATION = ("zouhar-2025",), ("riley-2026",)


def sentences(facts: Facts, systems: Mapping[str, str]) -> Iterator[Sentence]:
    """Yield sentences about the systems, and about tasks and questions, task by task.

    `systems` are the names of systems by key; without them systems are only counted.
    """
    yield from _texts(facts, systems)
    for frame in facts.main:
        yield from _task(facts, frame)


def task_name(facts: Facts, frame: Frame) -> str:
    """Return a phrase with the name of a task if the study has several: "In the task “Places”, "."""
    return f"In the task “{facts.called(frame)}”, " if len(facts.main) > 1 else ""


def opening(name: str, text: str) -> str:
    """Return a sentence that begins with the name of a task, or with a capital letter."""
    return f"{name}{lowered(text)}" if name else text


def _texts(facts: Facts, named: Mapping[str, str]) -> Iterator[Sentence]:
    systems = list(facts.outputs)
    if not systems:
        return
    names = f" ({listed(named.get(key) or key for key in systems)})" if named and len(systems) <= NAMED_SYSTEMS else ""
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
    design = designs.design_of(task.design, task.design_params)
    if units and not facts.study.options.imported and (drawn := design.in_words(task.set_size)):
        yield Sentence(drawn)
    if units:
        yield from _judgments(facts, frame, units)
    if kind.side_by_side and not facts.study.options.imported:
        yield Sentence("The order of the texts on each screen was randomised and balanced over positions")
    yield from _set_time(facts, frame)
    if isinstance(kind, ErrorSpans):
        yield from _given_marks(frame, kind)
    yield from _questions(facts, frame)


def _set_time(facts: Facts, frame: Frame) -> Iterator[Sentence]:
    """Yield sentences about the set time of a task, the raters who had more, and the lapses; nothing without one."""
    time = frame.kind.set_time
    if time is None:
        return
    seconds = counted(int(time.seconds), "second")
    if time.part == TimedPart.READING:
        yield Sentence(f"Each text was shown for {seconds} and then covered; answering the questions had no time limit")
    else:
        yield Sentence(f"Raters had {seconds} for each text and its questions")
    offered = "Every rater could take twice the time or no limit, without giving a reason"
    chosen = next(iter(facts.of_task(frame, "raters_with_more_time")), None)
    if chosen is not None and chosen.n_raters:
        n = round((chosen.value or 0) * chosen.n_raters)
        offered += f"; {n} of {counted(chosen.n_raters, 'rater')} did so at least once"
    yield Sentence(offered)
    lapses = next(iter(facts.of_task(frame, "time_lapses")), None)
    if lapses is not None and lapses.n_ratings:
        n = round((lapses.value or 0) * lapses.n_ratings)
        yield Sentence(f"The time was over before {n} of {counted(lapses.n_ratings, 'answer')}")


def _given_marks(frame: Frame, kind: ErrorSpans) -> Iterator[Sentence]:
    """Yield a sentence about the marks that the judged texts came with."""
    prefills = Prefill.objects.filter(part__unit__task=frame.task, part__unit__until=None, part__unit__gold=None)
    counts = prefills.aggregate(all=Count("pk"), people=Count("given_by", filter=~Q(given_by=""), distinct=True))
    if not counts["all"]:
        return
    done = "edited them like their own" if kind.edits_given else "said of each whether it was right"
    if not counts["people"]:
        yield Sentence(f"Texts came with marks of errors; raters {done}", GIVEN_BEFOREHAND)
    elif counts["people"] == 1:
        yield Sentence(f"Texts came with the marks of an earlier annotator; raters {done}", RE_ANNOTATION)
    else:
        text = f"Texts came with the marks of {counts['people']} earlier annotators, people or systems"
        given = "Each rater of a text was given the marks of one of them"
        yield Sentence(f"{text}. {given}, without knowing whose, and {done}", RE_ANNOTATION)


def _judgments(facts: Facts, frame: Frame, units: int) -> Iterator[Sentence]:
    """Yield sentences about the planned judgments per unit, and about those of analysed units."""
    if not facts.study.options.imported:
        were = "was" if units == 1 else "were"
        each = counted(frame.task.k, "judgment")
        yield Sentence(f"{counted(units, 'unit')} {were} to receive {each} each")
        if extended := extension_in_words(facts, frame):
            yield Sentence(extended)
    counts = {row.label: row.value or 0 for row in facts.of_task(frame, PER_UNIT)}
    if counts:
        least, median, most = (number(counts[label]) for label in ("least", "median", "most"))
        if least == most:
            yield Sentence(f"Each analysed unit received {'one judgment' if least == '1' else f'{least} judgments'}")
        else:
            yield Sentence(f"Analysed units received {least} to {most} judgments each (median {median})")


def _questions(facts: Facts, frame: Frame) -> Iterator[Sentence]:
    """Yield quotations of the questions of a task; questions with the same possible answers are together."""
    answers = _answers(frame)
    same = next((earlier for earlier in facts.main[: facts.main.index(frame)] if _answers(earlier) == answers), None)
    if same is not None and answers:
        yield Sentence(f"The questions were those of the task “{facts.called(same)}”")
        return
    for criterion in frame.criteria:
        if criterion.wordings:
            yield Sentence(f"On “{criterion.name or criterion.key}”: {lowered(verbatim(criterion))}", WORDINGS)
    for values, questions in answers.items():
        yield Sentence(f"The wording was {listed(questions)}{f'; possible answers were {values}' if values else ''}")


def _answers(frame: Frame) -> dict[str, list[str]]:
    """Return the questions of a task by their possible answers, in words."""
    together: dict[str, list[str]] = {}
    for criterion in frame.criteria:
        facts = frame.kind.heds(criterion)
        if facts.get("4.3.5") == NOT_APPLICABLE and not criterion.question:
            # This criterion is computed from another answer, and not asked.
            continue
        values = facts.get("4.3.4", "").removesuffix(".")
        if criterion.kind == "pair":
            # The question names both ends of the scale.
            values = values.replace(f" ({criterion.low})", "").replace(f" ({criterion.high})", "")
        together.setdefault("" if values == NOT_APPLICABLE else values, []).append(_quoted(criterion))
    return together


def _quoted(criterion: Criterion) -> str:
    name = criterion.name or criterion.key
    question = criterion.question or name
    return f"“{question}”" if question == name else f"“{question}” ({name})"
