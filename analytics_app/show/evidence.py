"""The evidence of a finding for a sentence in a paper: its tests, their figures in words, and conclusions to avoid."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from django.utils.translation import gettext as _
from django.utils.translation import gettext_noop

from analytics_app.models import ResultRow
from analytics_app.results import TO_RATERS_AND_TEXTS, is_significant
from analytics_app.show import cells
from analytics_app.show.cells import Words
from analytics_app.show.labels import CORRECTIONS
from analytics_app.show.scope import NAMES, first_scope

# The most figures of significant tests that a sentence has; of more, those of the largest differences.
MOST_FIGURES = 3

NOT_EQUAL = gettext_noop("This does not show that the systems are equal.")
SOME_NOT_EQUAL = gettext_noop("A difference that is not clear does not show that two systems are equal.")
TOO_FEW = gettext_noop("No: there are too few ratings to test a difference.")


def unproven(n_clear: int, n_tests: int, none: str = "") -> list[str]:
    """Return the sentence about those of `n_tests` that show nothing; empty where all are clear.

    `none` is the sentence where none is clear, unless that is that the systems may differ.
    """
    if not n_clear:
        return [none or _(NOT_EQUAL)]
    return [_(SOME_NOT_EQUAL)] if n_clear < n_tests else []


@dataclass(frozen=True, slots=True)
class Evidence:
    """The facts behind a finding that a sentence for a paper names.

    `tests` are the rows that the finding goes by, and `values` further rows of the same data, such as the means of
    systems. `figures` are phrases with a value, its interval and p; `conditions` are phrases about the tests: what is
    random, and how p is adjusted. `unproven` are sentences that say what the tests do not show, and `cautions` further
    advice. `refusal` is the reason if nothing can be said; "" if something can. With `of_queries`
    the items of the tests are queries, and not texts.
    """

    tests: Sequence[ResultRow]
    figures: Sequence[str] = ()
    conditions: Sequence[str] = ()
    unproven: Sequence[str] = ()
    cautions: Sequence[str] = ()
    values: Sequence[ResultRow] = ()
    refusal: str = ""
    of_queries: bool = False

    @property
    def rows(self) -> list[ResultRow]:
        """Return the rows of tests and values."""
        return [*self.tests, *self.values]

    def most(self, column: str) -> int:
        """Return the largest number in a column of counts, such as "n_items"; 0 if no row has it."""
        return max((getattr(row, column) or 0 for row in self.rows), default=0)


def figure(row: ResultRow, name: str, shown: str, ends: Sequence[str], limit: float) -> str:
    """Return a value with its name, interval and adjusted p: "a − b: 2.00, 95 % interval 0.50 to 1.50, p = 0.001".

    `ends` are those of the interval; without two there is none.
    """
    between = dict(zip(("low", "high"), ends, strict=False), level=cells.level(limit))
    interval = _(", %(level)s interval %(low)s to %(high)s") % between if len(ends) == 2 else ""
    if row.p_adjusted is None:
        return f"{name}: {shown}{interval}"
    p = cells.p_value(row.p_adjusted).text
    return f"{name}: {shown}{interval}, p {p if p.startswith('<') else f'= {p}'}"


def selected(rows: Sequence[ResultRow], limit: float, distance: Callable[[ResultRow], float]) -> list[ResultRow]:
    """Return the rows for the figures of a sentence: all of few; else the clear ones furthest apart, and an unclear."""
    clear = {id(row) for row in rows if is_significant(row.p_adjusted, limit)}
    furthest = sorted(rows, key=lambda row: (id(row) not in clear, -distance(row)))
    if len(furthest) <= MOST_FIGURES:
        return furthest
    n_clear = len(clear)
    return [*furthest[: min(n_clear, MOST_FIGURES)], *furthest[n_clear : n_clear + 1]]


def in_points(row: ResultRow, name: str, limit: float) -> str:
    """Return the figure of a difference of two shares, in percentage points."""
    whole = [cells.figure(100 * end, 0) for end in (row.value or 0.0, row.low, row.high) if end is not None]
    shown = _("%(n)s percentage points") % {"n": whole[0]}
    return figure(row, name, shown, whole[1:], limit)


def differences_in_points(
    tests: Sequence[ResultRow], limit: float, label: Callable[[ResultRow], str] = lambda row: str(row.label or "")
) -> list[str]:
    """Return the figures of differences of shares between systems, the higher system first; `label` names a row's."""
    figures = []
    for row in selected(tests, limit, lambda row: abs(row.value or 0.0)):
        turned = _turned(row) if (row.value or 0.0) < 0 else row
        of_label = label(row)
        name = f"{turned.system} \N{MINUS SIGN} {turned.system_b}{f', {of_label}' if of_label else ''}"
        figures.append(in_points(turned, name, limit))
    return figures


def _turned(row: ResultRow) -> ResultRow:
    """Return a copy of a difference with its systems exchanged."""
    value, low, high = (None if end is None else -end for end in (row.value, row.high, row.low))
    return ResultRow(
        system=row.system_b, system_b=row.system, value=value, low=low, high=high, p_adjusted=row.p_adjusted
    )


def conditions(tests: Sequence[ResultRow], random: Words | None = None) -> list[str]:
    """Return phrases about the scope of tests, and about the number of comparisons for which p is adjusted.

    `random` names what is random in tests for further raters, by default raters and texts.
    """
    phrases, scope = [], first_scope(tests)
    if scope == TO_RATERS_AND_TEXTS:
        phrases.append(str(random or _("raters and texts random")))
    elif scope in NAMES:
        phrases.append(_("test for %(scope)s") % {"scope": NAMES[scope]})
    return [*phrases, *corrected(tests)]


def corrected(tests: Sequence[ResultRow]) -> list[str]:
    """Return a phrase with the correction of p and the size of the family, if tests were corrected."""
    settings = (tests[0].settings or {}) if tests else {}
    method, n = settings.get("correction"), family_size(tests)
    if not method or method == "none" or n < 2:
        return []
    about = {"method": CORRECTIONS.get(str(method), method), "n": n}
    return [_("p adjusted for %(n)s comparisons by %(method)s, intervals not adjusted") % about]


def family_size(tests: Sequence[ResultRow]) -> int:
    """Return the number of tests in the family: that which their settings name, or that of the rows."""
    named = re.match(r"\d+", str((tests[0].settings or {}).get("family", ""))) if tests else None
    return max(int(named[0]) if named else 0, len(tests))
