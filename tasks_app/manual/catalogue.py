"""The description of each task type, for its catalogue page and for docs/task-types/."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from html.parser import HTMLParser

from django import forms
from django.template.loader import render_to_string
from django.utils.translation import gettext as _
from django.utils.translation import override

from tasks_app.studyfile.explain import expected
from tasks_app.studyfile.schema import field_schema
from tasks_app.task_types import TaskType, registry
from tasks_app.task_types.base import Criterion, Instruction, Words
from tasks_app.task_types.samples import sample_criteria, sample_kind, sample_screen

# The questions of HEDS 2.0 about each quality criterion, in our own short form; the numbers are the sheet's.
HEDS = {
    "4.3.3": "Size of the instrument",
    "4.3.4": "Values",
    "4.3.5": "How it is presented",
    "4.3.6": "Without an instrument: what raters do, what is recorded",
    "4.3.8": "Form of elicitation",
}

_PER = {
    "criterion": "each text and criterion",
    "part": "each text",
    "pair": "each pair of texts",
    "unit": "each unit",
    "span": "each marked span",
}

_GENERATED = "<!-- Made by `make docs`. Change the task type instead. -->"


@dataclass(frozen=True, slots=True)
class Param:
    """A parameter: its key in a study file, its label, help and values, its default, and the words of its choices."""

    key: str
    label: str
    help: str
    holds: str
    default: str
    choices: tuple[tuple[str, str], ...]


@dataclass(frozen=True, slots=True)
class Facts:
    """The datasheet's questions and answers, with the criteria that they hold for; empty where they hold for all."""

    criteria: str
    answers: tuple[tuple[str, str, str], ...]


@dataclass(frozen=True, slots=True)
class Entry:
    """The declarations of a task type beyond its plain sentences."""

    params: tuple[Param, ...]
    stored: tuple[Mapping[str, str], ...]
    brings: tuple[Criterion, ...]
    heds: tuple[Facts, ...]
    keys: tuple[tuple[str, str], ...]
    facts: tuple[str, ...]


def describe(member: type[TaskType]) -> Entry:
    """Return the declarations of a type, in the active language."""
    kind = sample_kind(member)
    return Entry(
        params=tuple(_param(name, field) for name, field in member.Settings.base_fields.items()),
        stored=tuple(_stored(member)),
        brings=kind.brings(),
        heds=tuple(_heds(kind, sample_criteria(kind))),
        keys=keys_of(member),
        facts=tuple(_facts(member)),
    )


def _heds(kind: TaskType, criteria: Sequence[Criterion]) -> Iterator[Facts]:
    """Yield the datasheet's answers, once for all criteria that have the same."""
    criteria_by_answers: dict[tuple[tuple[str, str, str], ...], list[str]] = {}
    for criterion in criteria or (None,):
        by_number = kind.heds(criterion)
        answers = tuple(
            (number, question, by_number[number]) for number, question in HEDS.items() if by_number.get(number)
        )
        criteria_by_answers.setdefault(answers, []).append(criterion.name if criterion else "")
    for answers, names in criteria_by_answers.items():
        if answers:
            yield Facts(", ".join(names) if len(criteria_by_answers) > 1 else "", answers)


def _param(name: str, field: forms.Field) -> Param:
    choices: Sequence[tuple[object, Words]] = field.choices if isinstance(field, forms.ChoiceField) else ()  # type: ignore[assignment]
    default, schema = field.initial, field_schema(field)
    return Param(
        key=name,
        label=str(field.label or name),
        help=str(field.help_text),
        holds=expected(schema) if {"type", "enum"} & set(schema) else _("a list or a mapping"),
        default=_plain(default() if callable(default) else default),
        choices=tuple((str(value), str(words)) for value, words in choices if value != ""),
    )


def _plain(value: object) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, list | tuple):
        return ", ".join(map(str, value))
    return "" if value is None else str(value)


def _stored(member: type[TaskType]) -> Iterator[Mapping[str, str]]:
    for outcome in member.outcomes:
        yield {
            "name": outcome.name,
            "per": _PER.get(outcome.per, outcome.per),
            "criterion": outcome.criterion,
            "column": outcome.column,
            "scale": str(outcome.scale),
            "doc": str(outcome.doc) + ("" if not outcome.optional else f" {_('May be left out.')}"),
        }


def _facts(member: type[TaskType]) -> Iterator[str]:
    """Yield plain sentences about the needs of a type, and about the rights of raters."""
    least, most = member.criteria_needed
    if most == 0:
        yield _("Needs no criteria of the study.")
    elif least == 0:
        yield _("Criteria of the study may be left out.")
    elif most is None:
        yield (
            _("Needs at least %(n)s criteria of the study.") % {"n": least}
            if least != 1
            else _("Needs one criterion of the study or several.")
        )
    elif least == most:
        yield (
            _("Needs %(n)s criteria of the study.") % {"n": least}
            if least != 1
            else _("Needs one criterion of the study.")
        )
    else:
        yield _("Takes %(least)s to %(most)s criteria of the study.") % {"least": least, "most": most}
    if not member.needs_items:
        yield _("Needs no items: it is asked once per rater.")
    if not member.allows_back:
        yield _("An answer that was sent cannot be changed.")
    if member.side_by_side:
        yield _("Texts are compared with each other.")
    if member.needs_items:
        yield _files_in_words(member)
    if member.plain_text:
        yield _("Markdown is shown as it was written, since the characters themselves are judged.")
    if member.set_overview:
        yield _("Raters have a page that lists their whole set.")
    yield _attention_in_words(member)


def _attention_in_words(member: type[TaskType]) -> str:
    """Return a sentence on whether a text can ask for an answer, or on the other check of the type."""
    kind = sample_kind(member)
    check = kind.instructed(kind.asked(sample_criteria(kind)), 0)
    if isinstance(check, Instruction):
        return _("An attention check can be added in one click: a text that says which answer to give.")
    return _("No attention check can be added in one click. %(reason)s") % {"reason": check}


def _files_in_words(member: type[TaskType]) -> str:
    """Return a sentence on whether outputs may be pictures, sounds and films."""
    if member.judges_files:
        return _("Outputs may be pictures, sounds or films as well as texts.")
    return _("Outputs are texts: pictures, sounds and films have no words to work on.")


class _KeysParser(HTMLParser):
    """Reads the list of keys that stands in a type's template: <dl data-keys>."""

    def __init__(self) -> None:
        super().__init__()
        self.rows: list[list[str]] = []
        self.inside = False
        self.tag = ""

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag == "dl":
            self.inside = any(name == "data-keys" for name, _value in attrs)
        elif self.inside and tag in {"dt", "dd"}:
            self.tag = tag
            if tag == "dt":
                self.rows.append(["", ""])

    def handle_endtag(self, tag: str) -> None:
        if tag == "dl":
            self.inside = False
        elif tag in {"dt", "dd"}:
            self.tag = ""

    def handle_data(self, data: str) -> None:
        if self.inside and self.tag and self.rows:
            self.rows[-1][self.tag == "dd"] += data


def keys_of(member: type[TaskType]) -> tuple[tuple[str, str], ...]:
    """Return the keys of a type's unit with their effects, as its template lists them."""
    kind = sample_kind(member)
    screen = sample_screen(kind)
    parser = _KeysParser()
    parser.feed(render_to_string(kind.template_name, {"screen": screen, "form": kind.form(screen)}))
    tidy = [(" ".join(keys.split()), " ".join(does.split())) for keys, does in parser.rows]
    return tuple(dict.fromkeys(tidy))


def page(member: type[TaskType]) -> str:
    """Return the page of a type in Markdown, in English under any active language."""
    with override("en"):
        return "\n".join(_page(member)) + "\n"


def _page(member: type[TaskType]) -> Iterator[str]:
    entry = describe(member)
    yield from (_GENERATED, "", f"# {member.label} (`{member.name}`)", "", str(member.summary), "")
    yield from ("## When to use it", "", str(member.use_when), "")
    yield from (*(f"- {fact}" for fact in entry.facts), "")
    yield from ("**Source.** " + member.source, "")
    yield from ("## Default instructions for raters", "", f"> {member.default_instructions}", "")
    yield from ("## Settings", "", *_params_table(entry.params), "")
    if entry.brings:
        yield from (
            "## Questions of the task type",
            "",
            "Each becomes a criterion of the study; the study may reword it.",
            "",
        )
        yield from _table(
            ("criterion", "name", "question"),
            [(f"`{criterion.key}`", criterion.name, criterion.question) for criterion in entry.brings],
        )
        yield ""
    yield from ("## What is stored", "", "One row of the [ratings table](../columns.md) for each value:", "")
    yield from _table(
        ("value", "recorded per", "column", "scale", ""),
        [
            (
                f"`{value['criterion'] or value['name']}`",
                value["per"],
                f"`{value['column']}`",
                value["scale"],
                value["doc"],
            )
            for value in entry.stored
        ],
    )
    yield from ("", "## What is analysed", "", str(member.analysed), "", "## Limits", "", str(member.limits), "")
    if entry.heds:
        yield from ("## In the datasheet (HEDS 2.0)", "", "For the sample that the catalogue shows:", "")
        for facts in entry.heds:
            yield from ((f"**{facts.criteria}**", "") if facts.criteria else ())
            yield from (*_table(("question", "", "answer"), facts.answers), "")
    if entry.keys:
        yield from ("## Keys", "", *_table(("key", "does"), entry.keys), "")
    example = f"examples/{member.name}"
    yield from ("## Example", "", f"[{example}](../../{example}/study.yaml). Load it with", "")
    yield from ("```sh", f"python manage.py load_study {example} --owner YOU", "```")


def _params_table(params: Sequence[Param]) -> Iterator[str]:
    if not params:
        yield "This task type has no parameters."
        return
    rows = []
    for param in params:
        about = ". ".join(words.rstrip(".") for words in (param.label, param.help) if words) + "."
        choices = "; ".join(f"`{value}`: {words}" for value, words in param.choices)
        rows.append((f"`{param.key}`", param.holds, param.default, f"{about} {choices}".strip()))
    yield from _table(("parameter", "holds", "default", ""), rows)


def _table(head: Sequence[str], rows: Sequence[Sequence[str]]) -> Iterator[str]:
    yield f"| {' | '.join(head)} |".replace("|  |", "| |")
    yield "|" + "---|" * len(head)
    for row in rows:
        yield f"| {' | '.join(_cell(text) for text in row)} |"


def _cell(text: str) -> str:
    """Keep a text within its cell."""
    return " ".join(str(text).replace("|", "\\|").split())


def index_row(member: type[TaskType]) -> str:
    """Return the row of a type in the index."""
    with override("en"):
        return f"| [`{member.name}`]({member.name}.md) | {_cell(str(member.label))} | {_cell(str(member.summary))} |"


def index() -> str:
    """Return the index of all types in Markdown."""
    head = (
        _GENERATED,
        "",
        "# Task types",
        "",
        "A task type is one way of judging texts. The same pages, with a unit of each to try out, are on every server",
        "under `/task-types/`.",
        "",
        "| type | | what a rater does |",
        "|---|---|---|",
    )
    return "\n".join((*head, *(index_row(member) for member in registry.values()))) + "\n"
