"""Features as a researcher declares them: a column of the items, or a rule that computes a value from each output."""

from __future__ import annotations

import re
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from math import isfinite
from typing import Any

import regex
from django import forms
from django.core.exceptions import ValidationError
from django.utils.translation import gettext as _

from analytics_app.ratings.extras.words import SIGNS

# Features of one analysis, and seconds that one pattern may take on all outputs together.
MOST_FEATURES, PATTERN_SECONDS = 12, 20.0

# "length (10, 20): words": a name, perhaps limits between groups, and perhaps a rule.
_WRITTEN = re.compile(r"([\w.-]+)\s*(?:\(([^()]*)\))?\s*(?::\s*(.*))?")

_SIGN = regex.compile(f"[{SIGNS}]")
_NUMBER = regex.compile(r"\d+(?:[.,]\d+)*")
_WORD = regex.compile(rf"[{SIGNS}]|[\p{{L}}\p{{N}}]+(?:['’-][\p{{L}}\p{{N}}]+)*")
_SENTENCE_END = regex.compile(r"[.!?…]+[\"'”’»)\]]*(?=\s|$)|[。！？]+")

YES, NO = "yes", "no"


class BadFeature(ValueError):
    """A line that declares no feature; `column` counts from 1."""

    def __init__(self, sentence: str, column: int = 1) -> None:
        super().__init__(sentence)
        self.column = column


class TooSlow(Exception):
    """A pattern that takes too long on the outputs; the message says so."""


# Computes the value of an output from its text and the source; None where there is none.
Compute = Callable[[str, str], "float | str | None"]


@dataclass(frozen=True, slots=True)
class Feature:
    """A declared feature: its name, the limits between its groups (None: found from the values), and its rule.

    Without a rule the values are those of the column feature_<name> of the items.
    """

    name: str
    limits: tuple[float, ...] | None = None
    rule: str = ""

    @property
    def kind(self) -> str:
        """The first word of the rule."""
        return self.rule.partition(" ")[0]

    @property
    def argument(self) -> str:
        """What follows the first word of the rule."""
        return self.rule.partition(" ")[2].strip()

    def __str__(self) -> str:
        limits = "" if self.limits is None else f" ({', '.join(f'{limit:g}' for limit in self.limits)})"
        return f"{self.name}{limits}" + (f": {self.rule}" if self.rule else "")

    @classmethod
    def read(cls, line: str) -> Feature:
        """Read a line. Raises BadFeature where it declares nothing."""
        found = _WRITTEN.fullmatch(line.strip())
        if found is None:
            raise BadFeature(_("Write a name, or a name, a colon and a rule, such as “length: words”."))
        name, limits, rule = found.groups()
        feature = cls(name, _limits(limits, found.start(2) + 1), " ".join((rule or "").split(maxsplit=1)))
        if rule is not None:
            _check(feature, found.start(3) + 1)
        if feature.limits is not None and feature.kind in {"matches", "contains"}:
            raise BadFeature(_("The values are yes and no, so there are no limits."), found.start(2) + 1)
        return feature


def _limits(text: str | None, column: int) -> tuple[float, ...] | None:
    if text is None:
        return None
    try:
        found = tuple(float(one) for one in text.split(","))
    except ValueError:
        found = ()
    if not all(map(isfinite, found)) or not found or list(found) != sorted(set(found)):
        raise BadFeature(_("Limits are rising numbers with commas between them, such as (10, 20)."), column)
    return found


def _check(feature: Feature, column: int) -> None:
    """Refuse a rule that does not exist, or whose argument is missing or wrong."""
    if feature.kind in PLAIN:
        if feature.argument:
            raise BadFeature(_("“%(rule)s” takes nothing after it.") % {"rule": feature.kind}, column)
        return
    if feature.kind not in WITH_ARGUMENT:
        known = ", ".join([*PLAIN, *WITH_ARGUMENT])
        said = _("There is no rule “%(rule)s”. The rules are: %(known)s.")
        raise BadFeature(said % {"rule": feature.kind, "known": known}, column)
    argument = column + len(feature.kind) + 1
    if not feature.argument:
        missing = _("“%(rule)s” needs words.") if feature.kind == "contains" else _("“%(rule)s” needs a pattern.")
        raise BadFeature(missing % {"rule": feature.kind}, argument)
    if feature.kind == "contains":
        if not _words(feature.argument):
            raise BadFeature(_("Write words with commas between them."), argument)
        return
    try:
        regex.compile(feature.argument)
    except regex.error as problem:
        # The stubs of regex do not declare the place and the message of its errors.
        place = argument + (getattr(problem, "pos", None) or 0)
        said = _("The regular expression is wrong: %(problem)s.")
        raise BadFeature(said % {"problem": getattr(problem, "msg", str(problem))}, place) from problem


def read_features(text: str) -> list[Feature]:
    """Read features, one a line; empty lines do not count. Raises ValidationError with every problem by its line."""
    problems: list[ValidationError] = []
    features: list[Feature] = []
    for number, line in enumerate(text.splitlines(), start=1):
        if not line.strip():
            continue
        indent = len(line) - len(line.lstrip())
        try:
            feature = Feature.read(line)
            if any(feature.name == other.name for other in features):
                raise BadFeature(_("“%(name)s” is declared twice.") % {"name": feature.name})
        except BadFeature as problem:
            said = _("Line %(line)s, column %(column)s: %(problem)s")
            place = {"line": number, "column": problem.column + indent, "problem": str(problem)}
            problems.append(ValidationError(said % place, code="no_feature"))
        else:
            features.append(feature)
    if len(features) > MOST_FEATURES:
        problems.append(
            ValidationError(_("At most %(n)s features can be declared.") % {"n": MOST_FEATURES}, code="many_features")
        )
    if problems:
        raise ValidationError(problems)
    return features


class FeaturesField(forms.CharField):
    """Declared features, one a line, written in one way."""

    def clean(self, value: Any) -> str:
        """Refuse lines that declare no feature."""
        return "\n".join(map(str, read_features(super().clean(value))))


# The values of outputs ---------------------------------------------------------------------------------


def computed(
    feature: Feature, texts: Sequence[str], sources: Sequence[str], *, seconds: float = PATTERN_SECONDS
) -> list[float | str | None]:
    """Return the value of each output.

    Raises
    ------
    TooSlow
        The pattern takes longer than so many seconds on all texts together.
    """
    if feature.kind in PATTERNS:
        return list(_patterns(feature, texts, seconds))
    if feature.kind == "contains":
        words = "|".join(map(regex.escape, _words(feature.argument)))
        listed = regex.compile(rf"(?<![\p{{L}}\p{{N}}])(?:{words})(?![\p{{L}}\p{{N}}])", regex.IGNORECASE)
        return [YES if listed.search(text) else NO for text in texts]
    compute = PLAIN[feature.kind]
    return [compute(text, source) for text, source in zip(texts, sources, strict=True)]


def _patterns(feature: Feature, texts: Sequence[str], seconds: float) -> list[float | str | None]:
    pattern, end = regex.compile(feature.argument), time.monotonic() + seconds
    found: list[float | str | None] = []
    for text in texts:
        try:
            left = max(end - time.monotonic(), 1e-3)
            if feature.kind == "count":
                found.append(float(sum(1 for _match in pattern.finditer(text, timeout=left))))
            else:
                found.append(YES if pattern.search(text, timeout=left) else NO)
        except TimeoutError as problem:
            slow = f"The pattern of “{feature.name}” takes longer than {seconds:g} seconds on the outputs."
            raise TooSlow(slow) from problem
    return found


def _words(argument: str) -> list[str]:
    return [word.strip() for word in argument.split(",") if word.strip()]


def _n_words(text: str, _source: str) -> float:
    signs = len(_SIGN.findall(text))
    return float(len(_SIGN.sub(" ", text).split()) + signs / 1.5)


def _n_characters(text: str, _source: str) -> float:
    return float(len(text))


def _n_sentences(text: str, _source: str) -> float:
    text = text.strip()
    ends = list(_SENTENCE_END.finditer(text))
    rest = text[ends[-1].end() :] if ends else text
    return float(len(ends) + bool(rest.strip()))


def _numbers_lost(text: str, source: str) -> float | None:
    wanted = set(_NUMBER.findall(source))
    return float(len(wanted - set(_NUMBER.findall(text)))) if wanted else None


def _numbers_kept(text: str, source: str) -> float | None:
    wanted = set(_NUMBER.findall(source))
    return len(wanted & set(_NUMBER.findall(text))) / len(wanted) if wanted else None


def _copied(text: str, source: str) -> float | None:
    words, of_source = _WORD.findall(text.casefold()), set(_WORD.findall(source.casefold()))
    return sum(word in of_source for word in words) / len(words) if words and of_source else None


PLAIN: Mapping[str, Compute] = {
    "words": _n_words,
    "characters": _n_characters,
    "sentences": _n_sentences,
    "numbers_lost": _numbers_lost,
    "numbers_kept": _numbers_kept,
    "copied": _copied,
}
PATTERNS = ("matches", "count")
WITH_ARGUMENT = (*PATTERNS, "contains")
