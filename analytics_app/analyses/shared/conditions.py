"""Conditions on features of items or attributes of raters or systems, such as bicleaner>=0.7, which select ratings."""

from __future__ import annotations

import operator
import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from django.core.exceptions import ValidationError
from django.utils.translation import gettext as _
from numpy.typing import NDArray

from analytics_app.ratings import Mask, Table

_WRITTEN = re.compile(r"\s*([\w.-]+)\s*(>=|<=|!=|=|>|<)\s*(.+?)\s*")
_NUMERIC: Mapping[str, Callable[[Any, Any], Any]] = {
    ">=": operator.ge,
    "<=": operator.le,
    ">": operator.gt,
    "<": operator.lt,
}


@dataclass(frozen=True, slots=True)
class Condition:
    """A feature, a sign and the value with which it is compared; `str` is its spelling in rows."""

    feature: str
    sign: str
    value: str

    def __str__(self) -> str:
        return f"{self.feature}{self.sign}{self.value}"

    @classmethod
    def read(cls, text: str) -> Condition:
        """Read a condition. Raises ValueError if the text is no condition."""
        match = _WRITTEN.fullmatch(text)
        if match is None:
            raise ValueError(_("A condition is a feature, a sign and a value, such as bicleaner>=0.7 or domain=news."))
        condition = cls(*match.groups())
        if condition.sign in _NUMERIC and not _is_number(condition.value):
            raise ValueError(_("%(sign)s compares numbers, such as bicleaner>=0.7.") % {"sign": condition.sign})
        return condition

    def holds(self, table: Table, of_raters: NDArray[Any] | None = None) -> Mask:
        """Return a mask of the ratings of items that meet the condition; an item without the feature does not.

        With `of_raters`, words of the table's raters, it is a condition on whoever rated.
        """
        words = table.names.feature(self.feature) if of_raters is None else of_raters
        if words is None or not len(table):
            return np.zeros(len(table), dtype=bool)
        meets = self.met_by(words) if len(words) else np.zeros(1, dtype=bool)
        place = table.names.item_of_unit[table.unit] if of_raters is None else table.rater
        known = place >= 0
        return np.asarray(known & meets[np.where(known, place, 0)], dtype=bool)

    def met_by(self, words: Iterable[Any]) -> Mask:
        """Return a mask of the words that meet the condition."""
        return np.array([self._met_by(str(word)) for word in words], dtype=bool)

    def _met_by(self, word: str) -> bool:
        if not word:
            return False
        numbers = _is_number(word) and _is_number(self.value)
        if self.sign in _NUMERIC:
            return numbers and bool(_NUMERIC[self.sign](float(word), float(self.value)))
        equal = float(word) == float(self.value) if numbers else word == self.value
        return equal is (self.sign == "=")


def check(text: str) -> None:
    """Refuse a text that is no condition, as a validator of forms."""
    try:
        Condition.read(text)
    except ValueError as problem:
        raise ValidationError(str(problem)) from problem


def _is_number(word: str) -> bool:
    try:
        return bool(np.isfinite(float(word)))
    except ValueError:
        return False
