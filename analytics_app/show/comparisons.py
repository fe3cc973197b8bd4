"""Comparisons of systems: the statistics that rank them, the tests of pairs, and the findings of the tests."""

from __future__ import annotations

from collections.abc import Sequence
from copy import copy
from dataclasses import dataclass, field, replace
from functools import cached_property
from math import log
from typing import Literal, TypeAlias

from django.utils.translation import gettext as _
from django.utils.translation import gettext_noop, ngettext

from analytics_app.models import ResultRow
from analytics_app.results import TO_TEXTS, CannotDiffer, is_significant
from analytics_app.show import cells
from analytics_app.show.cells import Words
from analytics_app.show.evidence import (
    NOT_EQUAL,
    SOME_NOT_EQUAL,
    TOO_FEW,
    Evidence,
    conditions,
    corrected,
    figure,
    selected,
)
from analytics_app.show.findings import (
    Finding,
    FindingQuestion,
    finding_of,
    listed,
    listed_pairs,
    none_can,
    only_these,
)
from analytics_app.show.scope import first_scope
from analytics_app.show.shown import StoredRows

Unit: TypeAlias = Literal["number", "share", "ratio"]

# The reasons why the interval of a pair and its test may differ.
AHEAD_ON_MORE = gettext_noop(
    "the test is significant although the interval includes %(even)s. The test counts on how many texts a system is "
    "ahead, the interval how often it is chosen."
)
COMPUTED_APART = gettext_noop(
    "the test is significant although the interval includes %(even)s: the two are computed in different ways, which "
    "shows with few texts."
)
FEW_DIFFER = gettext_noop(
    "the interval leaves out %(even)s, but the two differ on %(differing)s of %(units)s texts only, so p is at least "
    "%(p)s. The interval is rough with so few. Go by the test."
)
NONE_CAN = {
    CannotDiffer.UNITS: gettext_noop(
        "the interval leaves out %(even)s, but with so few texts no test of this family can be significant. Go by the "
        "test."
    ),
    CannotDiffer.DIFFERING: gettext_noop(
        "the interval leaves out %(even)s, but systems differ on so few texts that no test of this family can be "
        "significant. Go by the test."
    ),
    CannotDiffer.PERMUTATIONS: gettext_noop(
        "the interval leaves out %(even)s, but with so few permutations no test of this family can be significant. "
        "Compute the run again with more."
    ),
}
NONE_COULD = gettext_noop(
    "the interval leaves out %(even)s, but no test of this family can be significant. Go by the test."
)
ADJUSTED = gettext_noop(
    "the interval leaves out %(even)s, but the adjusted p is not significant. The interval is about one pair alone; p "
    "is adjusted for all %(n)s comparisons. Go by p."
)
NOT_SIGNIFICANT = gettext_noop(
    "the interval leaves out %(even)s, but the test is not significant: the two are computed in different ways, which "
    "shows with few texts. Go by the test."
)

ALONE = gettext_noop("Only one system was judged, so nothing is compared; do not call its value high or low.")
GIVE_INTERVAL = gettext_noop("“No clear difference” does not show that systems are equal; give the interval.")


@dataclass(frozen=True, slots=True)
class Verb:
    """The verb for one better system and for several; with `to_the_right`, it is closer to the second of two words."""

    singular: Words
    plural: Words
    to_the_right: bool = False

    def of(self, names: Sequence[str]) -> str:
        """Return the verb for some systems."""
        return str(self.singular if len(names) == 1 else self.plural)


@dataclass(frozen=True, slots=True)
class Comparison:
    """The statistics by which an analysis compares systems.

    `level` is the statistic with a value for each system, `tested` that of pairs, whose value is `even` if the two
    do not differ. `shown` is the statistic whose value pages show for a pair, if the test is of another one, such
    as shares in which ties count half beside a test without ties; `of_steps` that of the model of ordinal steps.
    `unit` is that of a pair's value. With `low_first` the lowest level is the best, with `low_wins` a pair's value
    below `even` speaks for the first system. `verbs` are by task type; "" is the usual one.
    `whole` is the subject of findings that are about no single criterion. `on_scale` is true if levels are numbers on
    the scale that raters used, `has_raters` unless programs computed the values.
    """

    analysis: str
    level: str
    tested: str
    measure: Words
    pair_measure: Words
    verbs: dict[str, Verb]
    even: float = 0.0
    unit: Unit = "number"
    low_first: bool = False
    low_wins: bool = False
    order: int = 50
    whole: Words = ""
    on_scale: bool = False
    shown: str = ""
    has_raters: bool = True
    of_steps: str = ""

    @property
    def level_over_raters(self) -> str:
        """Return the statistic of the same values with intervals over raters."""
        return f"{self.level}_over_raters"

    @property
    def level_crossed(self) -> str:
        """Return the statistic of systems with intervals that take raters and texts as random."""
        return f"{self.level}_crossed"

    @property
    def tested_crossed(self) -> str:
        """Return the statistic of pairs with tests that take raters and texts as random."""
        return f"{self.tested}_crossed"

    def verb(self, task_type: str) -> Verb:
        """Return the verb for the better system in a task of this type."""
        return self.verbs.get(task_type, self.verbs[""])


_comparisons: list[Comparison] = []


def compares(comparison: Comparison) -> Comparison:
    """Register the comparison of an analysis, from which its finding follows."""
    _comparisons.append(comparison)

    statistics = [comparison.level, comparison.level_over_raters, comparison.tested]
    statistics += [comparison.level_crossed, comparison.tested_crossed]
    statistics += [name for name in (comparison.shown, comparison.of_steps) if name]

    @finding_of(comparison.analysis, *statistics, order=comparison.order)
    def found(rows: StoredRows, question: FindingQuestion) -> Finding | None:
        compared = Compared.of(comparison, rows, question.limit)
        return compared.finding(question) if compared is not None else None

    return comparison


def comparison_of(rows: StoredRows, limit: float) -> Compared | None:
    """Return the comparison of systems in the rows of one criterion, by the first analysis that has one."""
    for comparison in sorted(_comparisons, key=lambda comparison: (comparison.order, comparison.analysis)):
        if any(row.analysis == comparison.analysis for row in rows.kept):
            compared = Compared.of(comparison, rows.whole, limit)
            if compared is not None:
                return compared
    return None


@dataclass
class Compared:
    """Systems from the best to the worst, and the tests of their pairs in the order of the document.

    `crossed` is true if intervals and tests take raters and texts as random. `over_texts` are then the values of
    systems with their intervals over texts, and `over_texts_tested` the tests over texts; else `over_raters` are the
    values with intervals over raters. `only_these_raters` says why nothing can be said about further raters, although
    the run was to say it.
    """

    comparison: Comparison
    levels: list[ResultRow]
    pairs: list[ResultRow]
    limit: float
    over_raters: dict[str, ResultRow] = field(default_factory=dict)
    crossed: bool = False
    over_texts: dict[str, ResultRow] = field(default_factory=dict)
    over_texts_tested: list[ResultRow] = field(default_factory=list)
    only_these_raters: str = ""
    of_steps: list[ResultRow] = field(default_factory=list)
    _wins: set[tuple[str, str]] = field(default_factory=set)

    @classmethod
    def of(cls, comparison: Comparison, rows: StoredRows, limit: float) -> Compared | None:
        """Return the comparison of the rows of one criterion; None if no system has a value, and no pair a test.

        Systems that win every comparison have no finite strength, and yet their pairs are tested.
        """
        own = [row for row in rows.kept if row.analysis == comparison.analysis and row.label is None]
        levels, pairs = _levels(own, comparison.level), _pairs(own, comparison.tested)
        tested = (row.p_adjusted is not None for row in (*pairs, *_pairs(own, comparison.tested_crossed)))
        if not levels and not any(tested):
            return None
        if comparison.shown:
            pairs = _with_shown(pairs, _pairs(own, comparison.shown))
        compared = cls(comparison, levels, pairs, limit)
        compared.over_raters = {str(row.system): row for row in own if row.statistic == comparison.level_over_raters}
        compared._cross(own)
        compared.of_steps = _pairs(own, comparison.of_steps)
        sign = 1 if comparison.low_first else -1
        compared.levels.sort(key=lambda row: sign * (row.value or 0.0))
        compared._wins = {pair for row in compared.pairs if (pair := compared._winner(row)) is not None}
        return compared

    def _cross(self, own: Sequence[ResultRow]) -> None:
        """Let the comparison with raters and texts random take the place of that over texts, if the rows have it."""
        levels, pairs = _levels(own, self.comparison.level_crossed), _pairs(own, self.comparison.tested_crossed)
        tested = [row for row in pairs if row.p_adjusted is not None]
        if len(levels) < len(self.levels) or (pairs and not tested):
            self.only_these_raters = next((row.note or "" for row in pairs if row.p_adjusted is None), "")
            return
        self.crossed = True
        self.over_texts, self.over_texts_tested = {str(row.system): row for row in self.levels}, self.tested
        self.levels, self.pairs = levels, pairs or self.pairs

    @cached_property
    def systems(self) -> list[str]:
        """Return the names of the systems, the best first.

        Where a system of a tested pair has no value of its own, they are in the order of how far each is ahead of the
        systems that it was compared with, on average.
        """
        placed = [str(row.system) for row in self.levels]
        ahead: dict[str, list[float]] = {name: [] for name in placed}
        sign = -1 if self.comparison.low_wins else 1
        for row in self.tested:
            lead = sign * ((row.value if row.value is not None else self.comparison.even) - self.comparison.even)
            ahead.setdefault(str(row.system), []).append(lead)
            ahead.setdefault(str(row.system_b), []).append(-lead)
        if len(ahead) == len(placed):
            return placed
        return sorted(ahead, key=lambda name: -sum(ahead[name]) / max(len(ahead[name]), 1))

    @property
    def strangers(self) -> list[tuple[str, str]]:
        """Return the tested pairs of systems that have no text in common."""
        rows = (row for row in self.tested if row.n_items == 0)
        return [(str(row.system), str(row.system_b)) for row in rows]

    def significant(self, row: ResultRow) -> bool:
        """Return whether the adjusted test of a pair is significant."""
        return is_significant(row.p_adjusted, self.limit)

    def _winner(self, row: ResultRow) -> tuple[str, str] | None:
        """Return the pair of a row with the better system first, if it differs clearly."""
        if not self.significant(row) or row.value is None or row.value == self.comparison.even:
            return None
        first = (row.value > self.comparison.even) != self.comparison.low_wins
        a, b = str(row.system), str(row.system_b)
        return (a, b) if first else (b, a)

    def better(self, row: ResultRow) -> str:
        """Return the better system by the test of a pair; "" if it is not significant."""
        winner = self._winner(row)
        return winner[0] if winner is not None else ""

    @cached_property
    def clusters(self) -> list[list[str]]:
        """Return the systems in groups: every system of a group differs clearly from all systems of lower groups."""
        names = self.systems
        groups: list[list[str]] = [[]]
        for place, name in enumerate(names):
            apart = all((above, below) in self._wins for above in names[:place] for below in names[place:])
            if place and apart:
                groups.append([])
            groups[-1].append(name)
        return groups

    @property
    def tested(self) -> list[ResultRow]:
        """Return the pairs that have a test."""
        return [row for row in self.pairs if row.p_adjusted is not None]

    @property
    def wins(self) -> frozenset[tuple[str, str]]:
        """Return the pairs that differ clearly, the better system first."""
        return frozenset(self._wins)

    def distance(self, row: ResultRow) -> float:
        """Return how far a pair is from no difference; of ratios, the logarithm."""
        value, even = row.value if row.value is not None else self.comparison.even, self.comparison.even
        return abs(log(value / even)) if self.comparison.unit == "ratio" and value > 0 else abs(value - even)

    def is_turned(self, row: ResultRow) -> bool:
        """Return whether a sentence names the second system of a pair first, since its value is the higher one."""
        return row.value is not None and row.value < self.comparison.even

    def turned(self, row: ResultRow) -> tuple[float, float | None, float | None]:
        """Return value and interval of a pair as a sentence gives them: with the higher system first."""
        value, low, high = row.value if row.value is not None else self.comparison.even, row.low, row.high
        if not self.is_turned(row):
            return value, low, high
        return self._turn(value), None if high is None else self._turn(high), None if low is None else self._turn(low)

    def _turn(self, value: float) -> float:
        """Return the value of a pair with its systems exchanged."""
        unit = self.comparison.unit
        return 1 - value if unit == "share" else 1 / value if unit == "ratio" else -value

    @property
    def overlaps(self) -> bool:
        """Return whether the intervals of two systems overlap although they differ clearly on the same texts."""
        levels = {str(row.system): row for row in self.levels}
        apart = set(map(frozenset, self.strangers))
        wins = [pair for pair in self._wins if levels.keys() >= set(pair) and frozenset(pair) not in apart]
        return any(_overlap(levels[a], levels[b]) for a, b in wins)

    @property
    def disagreements(self) -> list[str]:
        """Return a sentence for each reason why the interval of a pair says one thing and its test another."""
        pairs_by_reason: dict[str, list[str]] = {}
        for row in self.tested:
            if row.value is None or row.low is None or row.high is None:
                continue
            leaves_out = row.low > self.comparison.even or row.high < self.comparison.even
            if leaves_out == self.significant(row):
                continue
            pair = _("%(a)s and %(b)s") % {"a": row.system, "b": row.system_b}
            pairs_by_reason.setdefault(self._reason(row, leaves_out=leaves_out), []).append(pair)
        return [f"{listed_pairs(pairs)}: {reason}" for reason, pairs in pairs_by_reason.items()]

    def _reason(self, row: ResultRow, *, leaves_out: bool) -> str:
        """Return why the interval of a pair and its test differ."""
        about = {"even": self._even(), "n": len(self.tested)}
        if not leaves_out:
            sign_test = self.comparison.unit == "share" and not self.crossed
            return (_(AHEAD_ON_MORE) if sign_test else _(COMPUTED_APART)) % about
        settings = row.settings or {}
        if "n_differing" in settings:
            least = min(1.0, 2.0 ** (1 - settings["n_differing"]))
            p = cells.p_value(least).text
            return _(FEW_DIFFER) % {
                **about, "differing": settings["n_differing"], "units": settings["n_units"], "p": p,
            }  # fmt: skip
        if settings.get("cannot_differ"):
            kind = settings.get("cannot_differ_since")
            return _(NONE_CAN[CannotDiffer(kind)] if kind else NONE_COULD) % about
        return (_(ADJUSTED) if is_significant(row.p, self.limit) else _(NOT_SIGNIFICANT)) % about

    def _even(self) -> str:
        """Return the value of a pair that does not differ, in words."""
        unit = self.comparison.unit
        return cells.percent(self.comparison.even).text if unit == "share" else f"{self.comparison.even:g}"

    def finding(self, question: FindingQuestion) -> Finding:
        """Return the finding that the adjusted tests support, and whether it is about these raters only."""
        finding = replace(self._finding(question), evidence=self.evidence)
        if self.wins and self.comparison.verb(question.task_type).to_the_right:
            word = _("“%(word)s”") % {"word": question.name.rpartition(" – ")[2]}
            finding = replace(finding, criterion=word, link=_(" to %(criteria)s"))
        if strangers := [pair for pair in self.strangers if {pair, pair[::-1]} & self._wins]:
            pairs = listed_pairs([_("%(a)s and %(b)s") % {"a": a, "b": b} for a, b in strangers])
            finding = replace(finding, rest=finding.rest + _("; %(pairs)s have no text in common") % {"pairs": pairs})
        if self.only_these_raters and finding.tested:
            return replace(finding, rest=finding.rest + only_these(self.tested))
        if self.wins and self.comparison.has_raters and not self.crossed and first_scope(self.tested) == TO_TEXTS:
            return replace(finding, rest=finding.rest + _("; other raters may differ"))
        return finding

    @property
    def evidence(self) -> Evidence:
        """Return the facts for a sentence in a paper: pairs with intervals and p, and conclusions to avoid."""
        rows = [row for row in self.tested if row.value is not None]
        if len(self.systems) == 1:
            return self._of_one()
        unproven = []
        if not self.wins and self.tested:
            unproven = [_(NOT_EQUAL)]
        elif len(self.wins) < len(self.tested):
            unproven = [_(SOME_NOT_EQUAL)]
        with_interval = any(row.low is not None for row in rows)
        cautions = [_(GIVE_INTERVAL)] if with_interval and not self.wins and not none_can(self.tested) else []
        how = [_("raters and texts random"), *corrected(self.tested)] if self.crossed else conditions(self.tested)
        return Evidence(
            self.tested,
            [self._figure(row) for row in selected(rows, self.limit, self.distance)],
            how if rows else [],
            unproven,
            cautions,
            values=self.levels,
            refusal="" if self.tested else _(TOO_FEW),
        )

    def _of_one(self) -> Evidence:
        """Return the facts about a system that was judged alone: the interval of its value."""
        (row,) = self.levels
        digits, figures = cells.digits_for([row.value]), []
        if row.low is not None and row.high is not None:
            ends = {"level": cells.level(self.limit), "low": cells.figure(row.low, digits)}
            ends["high"] = cells.figure(row.high, digits)
            figures = [_("%(level)s interval %(low)s to %(high)s") % ends]
        how = [_("raters and texts random")] if self.crossed else conditions(self.levels)
        return Evidence([], figures, how if figures else [], values=self.levels, cautions=[_(ALONE)])

    def _figure(self, row: ResultRow) -> str:
        """Return a pair with its value, interval and p, the better system first where the value can be turned."""
        value, *limits = self.turned(row)
        ends = [end for end in limits if end is not None]
        first, second = (row.system_b, row.system) if self.is_turned(row) else (row.system, row.system_b)
        unit, digits = self.comparison.unit, cells.digits_for([value])
        if unit == "share":
            name = _("%(a)s over %(b)s") % {"a": first, "b": second}
            return figure(row, name, cells.percent(value).text, [cells.percent(end).text for end in ends], self.limit)
        if unit == "ratio":
            shown = f"×{cells.figure(value, 2)}"
            return figure(row, f"{first} / {second}", shown, [cells.figure(end, 2) for end in ends], self.limit)
        shown = cells.figure(value, digits)
        name = f"{first} \N{MINUS SIGN} {second}"
        return figure(row, name, shown, [cells.figure(end, digits) for end in ends], self.limit)

    def _finding(self, question: FindingQuestion) -> Finding:
        verb, tested = self.comparison.verb(question.task_type), len(self.tested)
        if len(self.systems) == 1:
            return self._alone(question)
        if not tested:
            return Finding(
                _("Too few ratings to test how systems differ"), tested=False, criterion=self._about(question)
            )
        if not self._wins:
            return Finding(*self._unclear(tested), criterion=self._about(question), denies=True)
        groups, complete = self.clusters, tested == len(self.systems) * (len(self.systems) - 1) // 2
        if len(groups) > 1:
            top, below = groups[0], [name for group in groups[1:] for name in group]
            start = f"{listed(top)} {verb.of(top)} {listed(below)}"
            return Finding(start, self._others(groups, verb), criterion=question.name)
        return Finding(*self._some(verb, tested, complete=complete), criterion=question.name)

    def _alone(self, question: FindingQuestion) -> Finding:
        row = self.levels[0]
        digits = cells.digits_for([row.value])
        placeholders = {"system": row.system, "value": cells.figure(row.value or 0.0, digits)}
        start = _("%(system)s has a mean of %(value)s") % placeholders
        if row.low is None or row.high is None:
            return Finding(start, tested=False, criterion=question.name)
        ends = f" ({cells.interval(row.low, row.high, digits).text})"
        return Finding(start, ends, tested=False, criterion=question.name)

    def _about(self, question: FindingQuestion) -> str:
        return question.name or str(self.comparison.whole)

    def _unclear(self, tested: int) -> tuple[str, str]:
        """Return a sentence that no difference is significant, and the reason if none could be."""
        reason = none_can(self.tested)
        if any(self.significant(row) for row in self.over_texts_tested):
            reason += _("; these raters rate systems differently, but other raters may not")
        if tested == 1:
            pair = {"a": self.tested[0].system, "b": self.tested[0].system_b}
            return _("No clear difference between %(a)s and %(b)s") % pair, reason
        if tested < len(self.systems) * (len(self.systems) - 1) // 2:
            return _("None of the %(n)s comparisons shows a clear difference") % {"n": tested}, reason
        return _("No two systems differ clearly"), reason

    def _others(self, groups: Sequence[Sequence[str]], verb: Verb) -> str:
        """Return a phrase about the pairs below the best group: those that tests separate, and those they do not."""
        if len(groups) == len(self.systems):
            return self._below(verb)
        open_groups = [group for group in groups if len(group) > 1]
        within = [group for group in open_groups if not any(a in group and b in group for a, b in self._wins)]
        if len(within) == len(open_groups) and len(open_groups) == 1:
            return _("; no clear difference between %(names)s") % {"names": listed(open_groups[0])}
        above = len(groups[0]) * sum(map(len, groups[1:]))
        more = len(self._wins) - above
        if more <= 0:
            return _("; no other pair differs clearly")
        return ngettext("; %(n)s other pair differs clearly", "; %(n)s other pairs differ clearly", more) % {"n": more}

    def _below(self, verb: Verb) -> str:
        """Return a phrase about the systems below the best, all of which differ clearly."""
        below = self.systems[1:]
        if len(below) < 2:
            return ""
        if len(below) == 2:
            return _("; %(better)s, too") % {"better": f"{below[0]} {verb.of(below[:1])} {below[1]}"}
        return _("; these differ clearly, too, in the order %(names)s") % {"names": ", ".join(below)}

    def _some(self, verb: Verb, tested: int, *, complete: bool) -> tuple[str, str]:
        """Return a sentence about the pairs that differ, for systems that form no separate groups."""
        better: dict[str, list[str]] = {}
        for name in self.systems:
            if beaten := [other for other in self.systems if (name, other) in self._wins]:
                better[name] = beaten
        count = {"n": len(self._wins), "all": tested}
        if not better:
            return _("%(n)s of %(all)s pairs differ clearly") % count, ""
        (first, beaten), *other_winners = better.items()
        start = f"{first} {verb.of([first])} {listed(beaten)}"
        if not other_winners:
            none = _("; no other pair differs clearly") if complete else _("; no other comparison shows a difference")
            return start, none if tested > len(beaten) else ""
        return start, _("; %(n)s of %(all)s pairs differ clearly") % count


def _levels(rows: Sequence[ResultRow], statistic: str) -> list[ResultRow]:
    """Return the rows of systems with a value of a statistic."""
    rows = [row for row in rows if row.statistic == statistic and row.system and row.system_b is None]
    return [row for row in rows if row.value is not None]


def _pairs(rows: Sequence[ResultRow], statistic: str) -> list[ResultRow]:
    """Return the rows of pairs of systems of a statistic."""
    return [row for row in rows if row.statistic == statistic and row.system_b]


def _overlap(a: ResultRow, b: ResultRow) -> bool:
    ends = (a.low, a.high, b.low, b.high)
    return None not in ends and not (a.low > b.high or b.low > a.high)  # type: ignore[operator]  # none is None


def _with_shown(tested: Sequence[ResultRow], shown: Sequence[ResultRow]) -> list[ResultRow]:
    """Return the rows of tests with the values and intervals that pages show for the same pairs."""
    values = {(row.system, row.system_b): row for row in shown}
    pairs = []
    for row in tested:
        pair, other = copy(row), values.get((row.system, row.system_b))
        if other is not None:
            pair.value, pair.low, pair.high = other.value, other.low, other.high
        pairs.append(pair)
    return pairs
