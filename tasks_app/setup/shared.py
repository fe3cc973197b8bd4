"""A study as people read it who do not edit it: no known answers, and names of systems only if they may see them."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from django.utils.translation import gettext as _

from tasks_app.hooks.sections import Json
from tasks_app.models import Setup
from tasks_app.setup.controls import Group
from tasks_app.setup.numbers import Numbers, checked_reading, numbers_of
from tasks_app.setup.page import SetupPage
from tasks_app.setup.texts import reads
from tasks_app.setup.texts.reads import TextCounts
from tasks_app.texts.patterns import any_of

Fact = tuple[str, str]


@dataclass(frozen=True, slots=True)
class SharedStudy:
    """A study as it is shared: its questions, plan, consent texts by language, and analysis plan in words.

    `instructions` are those of each task, by its title or key, where the study has its own.
    """

    public_title: str
    language: str
    criteria: Sequence[Mapping[str, Json]]
    numbers: Numbers | None
    counts: TextCounts
    consent: Mapping[str, str]
    instructions: Sequence[Fact]
    analysis: Sequence[Fact]
    shows_systems: bool


def shared_study(setup: Setup, *, shows_systems: bool) -> SharedStudy:
    """Return the parts of a set-up that are shown to viewers, and to somebody with a link for comments."""
    reading, scale = checked_reading(setup)
    document, counts = reading.document, reads.counts(setup)
    hidden = [] if shows_systems else [word for system in counts.systems for word in (system.key, system.name) if word]
    return SharedStudy(
        public_title=document["study"]["public_title"] or "",
        language=document["study"]["language"] or "en",
        criteria=[criterion for criterion in document["criteria"] if isinstance(criterion, Mapping)],
        numbers=numbers_of(reading, scale),
        counts=counts,
        consent=document["consent"] if isinstance(document["consent"], Mapping) else {},
        instructions=[
            (str(task.get("title") or task.get("key") or ""), str(task["instructions"]))
            for task in document["tasks"]
            if isinstance(task, Mapping) and task.get("instructions")
        ],
        analysis=[(label, _without(words, hidden)) for label, words in _analysis(setup)],
        shows_systems=shows_systems,
    )


def _analysis(setup: Setup) -> Iterator[Fact]:
    """Yield the labels and values of the analysis plan, as the form has them."""
    for group in SetupPage(setup, "analysis").groups:
        if group.path == ("analysis",):
            yield from _facts(group, ())


def _facts(group: Group, labels: tuple[str, ...]) -> Iterator[Fact]:
    for member in group.members:
        if isinstance(member, Group):
            yield from _facts(member, (*labels, member.label))
        elif words := member.in_words:
            yield " › ".join([*labels, member.label]), words


def _without(words: str, hidden: Sequence[str]) -> str:
    """Return a value of the analysis plan, unless it names a system that is not to be shown."""
    if hidden and any_of(hidden, not_beside=r"\w").search(words):
        return _("(names systems, which are hidden here)")
    return words
