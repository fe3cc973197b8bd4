"""Conditions on answers under which a text is accepted, as researchers write them in the settings."""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from django.utils.translation import gettext as _

from tasks_app.models import Study

_CONDITION = re.compile(r"\s*([A-Za-z0-9][A-Za-z0-9._-]*)\s*(=|>=|<=)\s*(.+?)\s*\Z", re.DOTALL)


class NotACondition(ValueError):
    """A part of the rule cannot be read; the message says which and why."""


@dataclass(frozen=True, slots=True)
class Condition:
    """The answers to one question that speak for a text: some labels, or numbers from or up to a bound."""

    criterion: str
    sign: str
    answers: tuple[str, ...]

    def holds(self, answer: str) -> bool:
        """Return whether an answer speaks for the text. Numbers are given as they are written, 4 not 4.0."""
        if self.sign == "=":
            return answer in self.answers
        try:
            given, bound = float(answer), float(self.answers[0])
        except ValueError:
            return False
        return given >= bound if self.sign == ">=" else given <= bound


@dataclass(frozen=True, slots=True)
class Rule:
    """Conditions that a text must all meet, each with more than a `share` of the answers to its question."""

    conditions: tuple[Condition, ...]
    share: float

    @property
    def criteria(self) -> tuple[str, ...]:
        """The keys of the questions that count."""
        return tuple(condition.criterion for condition in self.conditions)

    def verdict(self, answers: Mapping[str, Mapping[str, int]]) -> bool | None:
        """Return whether a text with these answers is accepted; None where a question that counts has no answer."""
        if not self.conditions or any(not answers.get(condition.criterion) for condition in self.conditions):
            return None
        return all(self._is_met(condition, answers[condition.criterion]) for condition in self.conditions)

    def _is_met(self, condition: Condition, answers: Mapping[str, int]) -> bool:
        holding = sum(n for answer, n in answers.items() if condition.holds(answer))
        return holding > self.share * sum(answers.values())


def conditions_in(words: str) -> Iterator[Condition]:
    """Yield the conditions that a setting names, such as "meaning=yes|partly, toxic=no".

    Raises
    ------
    NotACondition
        Where a part is no condition, or asks for a number that is none, or names a question again.
    """
    named: set[str] = set()
    for part in filter(str.strip, words.split(",")):
        match = _CONDITION.match(part)
        if match is None:
            sentence = _("“%(part)s” is no condition. Write question=answer, such as meaning=yes, or quality>=4.")
            raise NotACondition(sentence % {"part": part.strip()})
        criterion, sign, given = match.groups()
        answers = tuple(answer.strip() for answer in given.split("|")) if sign == "=" else (given,)
        if sign != "=" and not re.fullmatch(r"-?\d+(\.\d+)?", given):
            raise NotACondition(_("“%(part)s” needs a number after %(sign)s.") % {"part": part.strip(), "sign": sign})
        if criterion in named:
            raise NotACondition(
                _("“%(name)s” is named twice. Separate several answers to one question by |.") % {"name": criterion}
            )
        named.add(criterion)
        yield Condition(criterion, sign, answers)


def rule_of(study: Study) -> Rule:
    """Return the rule of a study; one without conditions where it names none."""
    settings = study.options.acceptance
    return Rule(tuple(conditions_in(settings.answers)), settings.share)
