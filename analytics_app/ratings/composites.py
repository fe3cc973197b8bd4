"""Declarations of composite scores: one per line, with a name, the way to combine parts, and the parts."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from itertools import chain
from typing import Any, cast, get_args

import numpy as np
from django import forms
from django.core.exceptions import ValidationError
from django.utils.translation import gettext as _

from analytics_app.ratings.table import Floats
from analytics_app.stats.metrics.composite import How, Sign, combined, passed

MOST_COMPOSITES, MOST_PARTS, MOST_CHARACTERS = 12, 20, 8000
# As the column of metrics in the results.
LONGEST = 100

# Those whose parts are passed or not.
_OF_PASSED = frozenset({"all", "any", "share"})
# "compliant: all of newspaper >= 0.5, matches = 1".
_LINE = re.compile(r"([^:,\"<>=]+?)\s*:\s*(\S+)(?:\s+of\b\s*(.*))?")
_PART = re.compile(r"(?:\"([^\"]+)\"|([^\",<>=≥≤]*[^\",<>=≥≤\s]))\s*(?:(>=|<=|==?|≥|≤)\s*([^\s,]+))?")
_SIGNS: Mapping[str, Sign] = {">=": ">=", "≥": ">=", "<=": "<=", "≤": "<=", "=": "=", "==": "="}


class BadComposite(ValueError):
    """A line that declares no composite score; `column` counts from 1."""

    def __init__(self, sentence: str, column: int = 1) -> None:
        super().__init__(sentence)
        self.column = column


@dataclass(frozen=True, slots=True)
class Part:
    """A part of a composite: a score, perhaps with a limit or a class (`=`); without a sign, its value is used.

    `column` is its place in the line.
    """

    metric: str
    sign: Sign | None = None
    limit: float = 0.0
    column: int = field(default=1, compare=False)

    def __str__(self) -> str:
        name = f'"{self.metric}"' if re.search(r'[",<>=≥≤]', self.metric) else self.metric
        return name if self.sign is None else f"{name} {self.sign} {self.limit:g}"


@dataclass(frozen=True, slots=True)
class Composite:
    """A composite score: its name, how its parts combine, and the parts."""

    name: str
    how: How
    parts: tuple[Part, ...]

    @property
    def definition(self) -> str:
        """Return the definition in words, such as "all of newspaper >= 0.5, matches = 1"."""
        return f"{self.how} of {', '.join(map(str, self.parts))}"

    def __str__(self) -> str:
        return f"{self.name}: {self.definition}"

    @classmethod
    def read(cls, line: str) -> Composite:
        """Read a composite from a line. Raises BadComposite if the line declares none."""
        match = _LINE.fullmatch(line.strip())
        if match is None:
            example = "compliant: all of newspaper >= 0.5, matches >= 0.5"
            raise BadComposite(_("Write a name, a colon and the parts, such as “%(example)s”.") % {"example": example})
        name, how, parts = match.groups()
        if len(name) > LONGEST:
            raise BadComposite(_("A name has at most %(n)d characters.") % {"n": LONGEST})
        if how not in get_args(How):
            sentence = _("“%(word)s” is no way to combine scores. The ways are: %(known)s.")
            known = ", ".join(f"{word} of" for word in get_args(How))
            raise BadComposite(sentence % {"word": how, "known": known}, match.start(2) + 1)
        read = _parts(parts or "", (match.start(3) if parts is not None else match.end(2)) + 1)
        if not read:
            sentence = _("“%(name)s” has no parts. Name the scores after “of”, with commas between them.")
            raise BadComposite(sentence % {"name": name}, match.end(2) + 1)
        return cls(name, cast("How", how), read)


def _parts(text: str, column: int) -> tuple[Part, ...]:
    """Read parts; `column` is the place of the text in its line."""
    parts: list[Part] = []
    place = 0
    while place < len(text):
        space = len(text[place:]) - len(text[place:].lstrip())
        match = _PART.match(text, place + space)
        at = column + place + space
        if match is None:
            raise BadComposite(_("The name of a score is missing here."), at)
        part = _part(match, at)
        if any(
            (part.metric, part.sign, part.limit) == (earlier.metric, earlier.sign, earlier.limit) for earlier in parts
        ):
            raise BadComposite(_("“%(part)s” is a part twice.") % {"part": part}, at)
        parts.append(part)
        remaining = text[match.end() :].lstrip()
        if remaining and (not remaining.startswith(",") or not remaining[1:].strip()):
            sentence = _("After “%(part)s” comes a comma and the next part, or the end of the line.")
            raise BadComposite(sentence % {"part": part}, column + match.end())
        place = len(text) - len(remaining) + 1 if remaining else len(text)
    if len(parts) > MOST_PARTS:
        raise BadComposite(_("A composite score has at most %(n)d parts.") % {"n": MOST_PARTS}, column)
    return tuple(parts)


def _part(match: re.Match[str], column: int) -> Part:
    quoted, plain, sign, number = match.groups()
    name = quoted or plain
    if sign is None:
        return Part(name, column=column)
    try:
        limit = float(number)
    except ValueError:
        limit = float("nan")
    if not np.isfinite(limit):
        sentence = _("“%(word)s” is no number. A limit or a class is written as a number, such as %(name)s >= 0.5.")
        raise BadComposite(sentence % {"word": number, "name": name}, column)
    return Part(name, _SIGNS[sign], limit, column)


def read_composites(text: str) -> list[Composite]:
    """Read composite scores, one per line; empty lines are ignored.

    They are in an order with each after its parts. Raises ValidationError with every problem by line.
    """
    problems: list[ValidationError] = []
    lines: dict[str, tuple[int, Composite]] = {}

    def problem(number: int, column: int, sentence: str) -> None:
        template = _("Line %(line)s, column %(column)s: %(problem)s")
        place = {"line": number, "column": column, "problem": sentence}
        problems.append(ValidationError(template % place, code="no_composite"))

    for number, line in enumerate(text.splitlines(), start=1):
        if not line.strip():
            continue
        indent = len(line) - len(line.lstrip())
        try:
            composite = Composite.read(line)
            if composite.name in lines:
                raise BadComposite(_("“%(name)s” is declared twice.") % {"name": composite.name})
        except BadComposite as error:
            problem(number, error.column + indent, str(error))
        else:
            lines[composite.name] = (number, composite)
    if len(lines) > MOST_COMPOSITES:
        sentence = _("At most %(n)s composite scores can be declared.") % {"n": MOST_COMPOSITES}
        problems.append(ValidationError(sentence, code="many_composites"))
    composites = {name: composite for name, (_number, composite) in lines.items()}
    for number, composite in lines.values():
        for part in composite.parts if composite.how in _OF_PASSED else ():
            if part.sign is None and not _is_passed(composites.get(part.metric)):
                sentence = _(
                    "With “%(how)s of”, say when “%(name)s” is passed: >= or <= and a limit, or = and a class."
                )
                problem(number, part.column, sentence % {"how": composite.how, "name": part.metric})
    order = _in_order(composites)
    if isinstance(order, str):
        first = order.partition(" → ")[0]
        problem(lines[first][0], 1, _("This score is a part of itself: %(way)s.") % {"way": order})
    if problems:
        raise ValidationError(problems)
    return [composites[name] for name in order]


def _is_passed(composite: Composite | None) -> bool:
    """Return whether a composite is 1 or 0 itself."""
    return composite is not None and composite.how in {"all", "any"}


def _in_order(composites: Mapping[str, Composite]) -> list[str] | str:
    """Return the names, each after its parts; or, if a composite contains itself, the names of the circle."""
    order: dict[str, None] = {}

    def visit(name: str, way: tuple[str, ...]) -> str:
        if name in way:
            return " → ".join((*way[way.index(name) :], name))
        if name in order:
            return ""
        for part in composites[name].parts:
            if part.metric in composites and (circle := visit(part.metric, (*way, name))):
                return circle
        order[name] = None
        return ""

    for name in composites:
        if circle := visit(name, ()):
            return circle
    return list(order)


class CompositesField(forms.CharField):
    """Declared composite scores, one per line, in their normal spelling and in the order of declaration."""

    def clean(self, value: Any) -> str:
        """Refuse lines that declare no composite score."""
        text = super().clean(value)
        read = {composite.name: str(composite) for composite in read_composites(text)}
        names = [Composite.read(line).name for line in text.splitlines() if line.strip()]
        return "\n".join(read[name] for name in names)


# Their values ------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Made:
    """A composite among the scores of a study: its definition, and the imported scores that it is made of in the end.

    `yes_no` says that it is 1 or 0. Where it could not be computed, `problem` says why.
    """

    name: str
    definition: str
    bases: tuple[str, ...]
    yes_no: bool
    problem: str = ""


def computed(
    composites: Sequence[Composite], scores: Mapping[str, Floats], whole: Floats
) -> tuple[dict[str, Floats], list[Made]]:
    """Compute composites, in an order with each after its parts, from imported scores of the same texts.

    `scores` are by metric, shape (n,), NaN where there is none. `whole` is 1 where an entry is a system as a whole: of
    these only means and products without a limit make sense, so others are NaN.
    """
    known = dict(scores)
    made_by_name: dict[str, Made] = {}
    for composite in composites:
        own = (
            made_by_name[part.metric].bases if part.metric in made_by_name else (part.metric,)
            for part in composite.parts
        )
        bases = dict.fromkeys(chain.from_iterable(own))
        problem = _problem(composite, known, scores, made_by_name)
        yes_no = composite.how in {"all", "any"}
        made_by_name[composite.name] = Made(composite.name, composite.definition, tuple(bases), yes_no, problem)
        if not problem:
            values = [
                known[part.metric] if part.sign is None else passed(known[part.metric], part.sign, part.limit)
                for part in composite.parts
            ]
            result = combined(np.array(values), composite.how)
            takes_wholes = composite.how not in _OF_PASSED and all(part.sign is None for part in composite.parts)
            known[composite.name] = result if takes_wholes else np.where(whole == 1, np.nan, result)
    return {name: known[name] for name, entry in made_by_name.items() if not entry.problem}, list(made_by_name.values())


def _problem(
    composite: Composite, known: Mapping[str, Floats], scores: Mapping[str, Floats], made_by_name: Mapping[str, Made]
) -> str:
    """Return the reason why a composite cannot be computed; "" if it can. Sentences of results are English."""
    if composite.name in scores:
        return "There are imported scores of the same name, so this composite is left out. Give it another name."
    names = [part.metric for part in composite.parts]
    if broken := [name for name in names if name in made_by_name and made_by_name[name].problem]:
        return f"Not computed, since “{broken[0]}” could not be computed."
    if missing := [f"“{name}”" for name in dict.fromkeys(names) if name not in known]:
        imported = ", ".join(sorted(scores)) or "none"
        return f"Not computed: no scores of {' or '.join(missing)} were imported. Imported are: {imported}."
    return ""
