"""Declarations of features: a column of the items, or a rule that computes a value from each output."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from math import isfinite
from typing import Any

import regex
from django.core.exceptions import ValidationError
from django.utils.translation import gettext as _

from analytics_app.ratings.extras.words import SIGNS
from tasks_app.settings.fields import LineField
from tasks_app.texts import patterns

# The most features of one analysis, and the most seconds that its patterns may take on all outputs together.
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


# A function that computes the value of an output from its text and the source; None if it has no value.
Compute = Callable[[str, str], "float | str | None"]


@dataclass(frozen=True, slots=True)
class Feature:
    """A declared feature: its name, the limits between its groups (None: computed from the values), and its rule.

    Without a rule the values are those of the column feature_<name> of the items.
    """

    name: str
    limits: tuple[float, ...] | None = None
    rule: str = ""

    @property
    def kind(self) -> str:
        """Return the first word of the rule."""
        return self.rule.partition(" ")[0]

    @property
    def argument(self) -> str:
        """Return the part of the rule after its first word."""
        return self.rule.partition(" ")[2].strip()

    def __str__(self) -> str:
        limits = "" if self.limits is None else f" ({', '.join(f'{limit:g}' for limit in self.limits)})"
        return f"{self.name}{limits}" + (f": {self.rule}" if self.rule else "")

    @classmethod
    def read(cls, line: str) -> Feature:
        """Read a feature from a line. Raises BadFeature if the line declares none."""
        match = _WRITTEN.fullmatch(line.strip())
        if match is None:
            raise BadFeature(_("Write a name, or a name, a colon and a rule, such as “length: words”."))
        name, limits, rule = match.groups()
        feature = cls(name, _limits(limits, match.start(2) + 1), " ".join((rule or "").split(maxsplit=1)))
        if rule is not None:
            _check(feature, match.start(3) + 1)
        if feature.limits is not None and feature.kind in {"matches", "contains"}:
            raise BadFeature(_("The values are yes and no, so there are no limits."), match.start(2) + 1)
        return feature


def _limits(text: str | None, column: int) -> tuple[float, ...] | None:
    if text is None:
        return None
    try:
        limits = tuple(float(part) for part in text.split(","))
    except ValueError:
        limits = ()
    if not all(map(isfinite, limits)) or not limits or list(limits) != sorted(set(limits)):
        raise BadFeature(_("Limits are rising numbers with commas between them, such as (10, 20)."), column)
    return limits


def _check(feature: Feature, column: int) -> None:
    """Refuse a rule that does not exist, and a missing or wrong argument of a rule."""
    if feature.kind in PLAIN:
        if feature.argument:
            raise BadFeature(_("“%(rule)s” takes nothing after it.") % {"rule": feature.kind}, column)
        return
    if feature.kind not in WITH_ARGUMENT:
        known = ", ".join([*PLAIN, *WITH_ARGUMENT])
        sentence = _("There is no rule “%(rule)s”. The rules are: %(known)s.")
        raise BadFeature(sentence % {"rule": feature.kind, "known": known}, column)
    argument = column + len(feature.kind) + 1
    if not feature.argument:
        missing = _("“%(rule)s” needs words.") if feature.kind == "contains" else _("“%(rule)s” needs a pattern.")
        raise BadFeature(missing % {"rule": feature.kind}, argument)
    if feature.kind == "contains":
        if not _words(feature.argument):
            raise BadFeature(_("Write words with commas between them."), argument)
        return
    try:
        patterns.check(feature.argument)
    except patterns.BadPattern as problem:
        raise BadFeature(str(problem), argument + problem.place) from problem


def read_features(text: str) -> list[Feature]:
    """Read features, one per line; empty lines are ignored. Raises ValidationError with every problem by line."""
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
            sentence = _("Line %(line)s, column %(column)s: %(problem)s")
            place = {"line": number, "column": problem.column + indent, "problem": str(problem)}
            problems.append(ValidationError(sentence % place, code="no_feature"))
        else:
            features.append(feature)
    if len(features) > MOST_FEATURES:
        problems.append(
            ValidationError(_("At most %(n)s features can be declared.") % {"n": MOST_FEATURES}, code="many_features")
        )
    if problems:
        raise ValidationError(problems)
    return features


class FeaturesField(LineField):
    """Declared features, one per line, in their normal spelling."""

    def clean(self, value: Any) -> str:
        """Refuse lines that declare no feature."""
        return "\n".join(map(str, read_features(super().clean(value))))


# The values of outputs ---------------------------------------------------------------------------------


def computed(
    features: Sequence[Feature], texts: Sequence[str], sources: Sequence[str], *, seconds: float = PATTERN_SECONDS
) -> list[list[float | str | None] | str]:
    """Return for each feature the value of each output, or a sentence that explains why there are none.

    The patterns of all features together may take so many seconds.
    """
    searches = [
        patterns.Search(feature.argument, every=feature.kind == "count")
        for feature in features
        if feature.kind in PATTERNS
    ]
    counted = iter(patterns.counts(searches, texts, seconds=seconds))
    return [
        _of_counts(feature, next(counted)) if feature.kind in PATTERNS else _of_texts(feature, texts, sources)
        for feature in features
    ]


def _of_counts(feature: Feature, counts: list[int] | patterns.TooHeavy) -> list[float | str | None] | str:
    if isinstance(counts, patterns.TooHeavy):
        return _("The pattern of “%(name)s” %(problem)s.") % {"name": feature.name, "problem": str(counts)}
    return [float(n) if feature.kind == "count" else YES if n else NO for n in counts]


def _of_texts(feature: Feature, texts: Sequence[str], sources: Sequence[str]) -> list[float | str | None]:
    if feature.kind == "contains":
        listed = patterns.any_of(_words(feature.argument), ignore_case=True, not_beside=r"[\p{L}\p{N}]")
        return [YES if listed.search(text) else NO for text in texts]
    compute = PLAIN[feature.kind]
    return [compute(text, source) for text, source in zip(texts, sources, strict=True)]


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
    unfinished = text[ends[-1].end() :] if ends else text
    return float(len(ends) + bool(unfinished.strip()))


def _numbers_lost(text: str, source: str) -> float | None:
    numbers = set(_NUMBER.findall(source))
    return float(len(numbers - set(_NUMBER.findall(text)))) if numbers else None


def _numbers_kept(text: str, source: str) -> float | None:
    numbers = set(_NUMBER.findall(source))
    return len(numbers & set(_NUMBER.findall(text))) / len(numbers) if numbers else None


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
