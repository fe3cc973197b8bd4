"""Wordings of a question: how ratings shift with the wording, and whether the comparison of systems depends on it."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Self

import numpy as np
from django.utils.translation import gettext, ngettext
from django.utils.translation import gettext_lazy as _
from numpy.typing import NDArray

from analytics_app.analyses.base import Analysis, Question, Rows, Sample, in_words
from analytics_app.analyses.registry import register
from analytics_app.analyses.shared.outputs import EQUAL_STEPS
from analytics_app.analyses.shared.rated_texts import FIRST
from analytics_app.charts import words
from analytics_app.charts.drawing import Sketch, chart
from analytics_app.charts.picking import INTERVAL, Material, each, point, value_of
from analytics_app.charts.points import points_chart
from analytics_app.models import ResultRow
from analytics_app.ratings import Floats
from analytics_app.ratings.extras.wordings import Wordings as DrawnWordings
from analytics_app.results import TO_RATERS_AND_TEXTS, Row, is_significant
from analytics_app.show import cells
from analytics_app.show.cells import Cell
from analytics_app.show.findings import Finding, FindingQuestion, finding_of
from analytics_app.show.formats import df, digits, interval, p, p_adjusted, raters
from analytics_app.show.notes import notes_of
from analytics_app.show.shown import StoredRows, named, own, table_of, tables_of
from analytics_app.show.table import Column, Table
from analytics_app.stats.comparison.corrections import adjust
from analytics_app.stats.mixed.results import MIXED_MODEL
from analytics_app.stats.mixed.wordings import JointTest, WordingComparison, compare_wordings
from analytics_app.stats.values import Estimate, joined
from tasks_app.task_types.base import Scale

MODEL = "value ~ wording:system + (1|item) + (1|text) + (1|text:wording) + (1|rater) + (1|rater:system)"
T_OF_MODEL = "t of a linear mixed model with raters and items random"
F_OF_MODEL = "F of a linear mixed model with raters and items random"
WELCH, LEAST_P = "Welch's t between the means of raters", "the least adjusted p of Welch's t tests between raters"
LEFT_OUT = "Of raters who read two wordings, only the ratings in the first one are compared ({n} are left out)."
NONE_READ = "There are no ratings in a known wording."
ONE_READ = "All ratings are of one wording."
OWN_WORDS = "“first” is the question in its own words."
TWO_SYSTEMS = 2


@register
class Wordings(Analysis):
    """Means by wording and system, the shift of each wording, and the gain or loss of each system by the wording.

    Raters were drawn into wordings, and rated texts of every system. All values are on the scale of the question,
    whichever way round the screen had it. The first wording is the one that the others are compared with.
    """

    label = _("Wordings of the question")
    summary = _("How much ratings depend on the wording of the question, and whether the comparison of systems does.")
    source = (
        "Schoch, Yang and Ji (2020). “This is a problem, don't you agree?” Framing and bias in human evaluation for "
        "natural language generation. Evaluating NLG Evaluation, 10-16."
    )
    scales = frozenset({Scale.ORDINAL, Scale.INTERVAL})
    statistics = {
        "wording_mean": _("Mean of a system in a wording"),
        "wording_shift": _("Shift of ratings by a wording"),
        "wording_gain": _("What a system gains by a wording, beyond the shift"),
        "wording_shift_test": _("Whether ratings shift with the wording, F"),
        "wording_system_test": _("Whether the comparison of systems depends on the wording, F"),
    }
    needs = frozenset({DrawnWordings})
    splits = False

    @classmethod
    def fits(cls, question: Question) -> bool:
        """Return whether raters read the question in different wordings."""
        return bool(question.wordings) and super().fits(question)

    def compute(self, sample: Sample) -> Iterator[Row]:
        """Yield means, shifts with their test, and gains of systems with theirs."""
        given = _Compared.of(sample.first_per_rater())
        if len(given.names) < 2:
            note = ONE_READ if given.names else NONE_READ
            yield Rows(self.name, sample).row("wording_shift_test", note=note, settings={"raters": {}})
            return
        systems, code = np.unique(given.system, return_inverse=True)
        comparison = compare_wordings(
            given.value,
            given.wording,
            code,
            given.item,
            given.rater,
            n_wordings=len(given.names),
            n_systems=len(systems),
            confidence=sample.common.confidence,
        )
        keys = tuple(sample.table.names.systems[one] for one in systems)
        left_out = LEFT_OUT.format(n=in_words(given.n_left_out, "rating", "ratings")) if given.n_left_out else None
        yield from _Written(Rows(self.name, sample), comparison, given.names, keys, left_out).rows()


@dataclass(frozen=True, slots=True)
class _Compared:
    """The ratings that are compared, a row for each output that a rating counts for.

    `wording` is a code into `names`: the wordings that somebody has read, in the order of the question. Ratings of a
    rater in another wording than the first one are left out.
    """

    value: Floats
    wording: NDArray[np.int64]
    system: NDArray[np.int64]
    item: NDArray[np.int64]
    rater: NDArray[np.int64]
    names: tuple[str, ...]
    n_left_out: int

    @classmethod
    def of(cls, sample: Sample) -> Self:
        """Return the ratings of a sample in known wordings."""
        table, declared, drawn = sample.table, sample.question.wordings, sample.extras[DrawnWordings]
        row, system, item = table.by_system()
        place = np.array([*(declared.index(name) if name in declared else -1 for name in drawn.names), -1])
        wording = place[drawn.code[table.judgment[row], table.criterion[row]]]
        rater = table.rater[row]
        known = (wording >= 0) & ~np.isnan(table.value[row])
        first = np.full(len(table.names.raters), -1)
        first[rater[known][::-1]] = wording[known][::-1]
        kept = known & (first[rater] == wording)
        read, code = np.unique(wording[kept], return_inverse=True)
        return cls(
            value=table.value[row[kept]],
            wording=code.astype(np.int64),
            system=system[kept].astype(np.int64),
            item=item[kept].astype(np.int64),
            rater=rater[kept].astype(np.int64),
            names=tuple(declared[one] for one in read),
            n_left_out=int((known & ~kept).sum()),
        )


class _Written:
    """The rows of a comparison of wordings."""

    def __init__(
        self, make: Rows, comparison: WordingComparison, names: Sequence[str], systems: Sequence[str], note: str | None
    ) -> None:
        self.make, self.comparison, self.names, self.systems = make, comparison, names, systems
        steps = EQUAL_STEPS if make.sample.question.scale is Scale.ORDINAL else None
        self.note = joined(steps, note)
        self.settings: dict[str, Any] = {
            "ratings": FIRST,
            "first": self.names[0],
            "method": comparison.method,
            "interval": f"t of the {comparison.method}",
            "raters": dict(zip(self.names, comparison.n_raters, strict=True)),
            "generalises_to": TO_RATERS_AND_TEXTS,
        }
        if comparison.method == MIXED_MODEL:
            self.settings |= {"model": MODEL, "estimation": "REML", "sd": comparison.sd}
        if comparison.zero:
            self.settings["zero"] = list(comparison.zero)
        if comparison.left_out:
            self.settings["left_out"] = list(comparison.left_out)

    def rows(self) -> Iterator[Row]:
        """Yield all rows."""
        yield from self._means()
        shifts = self.comparison.shifts
        yield from self._differences(
            "wording_shift", [(name, None, one) for name, one in zip(self.names[1:], shifts, strict=True)]
        )
        yield self._test("wording_shift_test", self.comparison.shift_test)
        if len(self.systems) < TWO_SYSTEMS:
            return
        gains = [
            (name, system, one)
            for name, of_systems in zip(self.names[1:], self.comparison.by_system, strict=True)
            for system, one in zip(self.systems, of_systems, strict=True)
        ]
        yield from self._differences("wording_gain", gains)
        yield self._test("wording_system_test", self.comparison.system_test, by_system=True)

    def _row(self, statistic: str, estimate: Estimate | None = None, **columns: Any) -> Row:
        """Return a row with the notes of the comparison, each sentence once."""
        own_note = estimate.note if estimate is not None else columns.pop("note", None)
        several = [self.comparison.note if own_note is None or (self.comparison.note or "") not in own_note else None]
        note = joined(own_note, *several, self.note)
        settings = {**self.settings, **columns.pop("settings", {})}
        return self.make.row(statistic, estimate, note=note, settings=settings, **columns)

    def _means(self) -> Iterator[Row]:
        for name, of_systems in zip(self.names, self.comparison.means, strict=True):
            for system, one in zip(self.systems, of_systems, strict=True):
                yield self._row("wording_mean", one, system=system, label=name)

    def _differences(self, statistic: str, given: Sequence[tuple[str, str | None, Estimate]]) -> Iterator[Row]:
        """Yield rows of differences from the first wording, their p values adjusted together.

        Of two systems one gains what the other loses, so that both have the same test, and it counts once.
        """
        correction = self.make.sample.common.correction
        mirrored = len(self.systems) == TWO_SYSTEMS and statistic == "wording_gain"
        counted_once = given[::2] if mirrored else given
        adjusted = adjust([one.p for _name, _system, one in counted_once], correction)
        if mirrored:
            adjusted = [value for value in adjusted for _system in self.systems]
        family = {
            "test": T_OF_MODEL if self.comparison.method == MIXED_MODEL else WELCH,
            "correction": correction,
            "family": in_words(len(counted_once), "difference", "differences"),
        }
        for (name, system, one), value in zip(given, adjusted, strict=True):
            yield self._row(statistic, one, system=system, label=name, p_adjusted=value, settings=family)

    def _test(self, statistic: str, test: JointTest, **columns: Any) -> Row:
        """Return the row of a test of several differences at once, which is a family of its own."""
        by_model = self.comparison.method == MIXED_MODEL
        settings = {
            "df": test.df,
            "test": F_OF_MODEL if by_model else LEAST_P,
            "correction": "none" if by_model else "holm",
            "family": "one test",
        }
        return self._row(
            statistic, value=test.f, df=test.df_error, p=test.p, p_adjusted=test.p, note=test.note,
            n_raters=sum(self.comparison.n_raters), settings=settings, **columns,
        )  # fmt: skip


# The tables of an experiment with wordings.


@tables_of("wordings")
def wording_tables(rows: StoredRows, limit: float) -> Iterator[Table]:
    """Yield the means of systems in each wording, then the shifts, then the gains of systems."""
    means = rows.of("wording_mean")
    if means:
        yield _means_table(rows, means)
    columns = [
        own(gettext("Difference"), digits(2)),
        own(gettext("Interval"), interval(2)),
        own(gettext("df"), df),
        own(gettext("p"), p),
        own(gettext("Adjusted p"), p_adjusted(limit)),
        own(gettext("Raters"), raters),
    ]
    shifts, gains = rows.of("wording_shift"), rows.of("wording_gain")
    yield from table_of(
        rows,
        gettext("Shift of ratings by the wording"),
        [named(gettext("Wording"), _against_first), *columns],
        shifts,
        by=("label",),
        notes=[*_tests_in_words(rows, "wording_shift_test"), *notes_of(shifts)],
    )
    head = named(gettext("System"), lambda row: f"{row.system} ({_against_first(row)})")
    yield from table_of(
        rows,
        gettext("What each system gains or loses by the wording, beyond the shift"),
        [head, *columns],
        gains,
        by=("label", "system"),
        notes=[*_tests_in_words(rows, "wording_system_test"), *notes_of(gains)],
    )


def _means_table(rows: StoredRows, means: Sequence[ResultRow]) -> Table:
    """Return the means of systems, a column with interval for each wording."""
    wordings = list(dict.fromkeys(str(row.label) for row in means))
    lines = []
    for system in dict.fromkeys(row.system for row in means):
        of_system = {row.label: row for row in means if row.system == system}
        lines.append([cells.name(system), *(_mean_cell(of_system.get(wording)) for wording in wordings)])
    counts = (means[0].settings or {}).get("raters", {})
    heads = [
        Column(
            ngettext("%(wording)s (%(n)d rater)", "%(wording)s (%(n)d raters)", counts.get(name, 0))
            % {"wording": name, "n": counts.get(name, 0)}
        )
        for name in wordings
    ]
    notes = [
        gettext("“first” is the question in its own words. All numbers are on the scale of the question."),
        gettext(
            "Other analyses of this question, such as agreement and comparisons of systems, take the raters of all "
            "wordings together."
        ),
    ]
    return Table(
        gettext("Mean of each system by wording"),
        [Column(gettext("System"), number=False), *heads],
        lines,
        [*notes, *notes_of(means)],
    )


def _mean_cell(row: ResultRow | None) -> Cell:
    if row is None or row.value is None:
        return Cell(cells.DASH)
    text = cells.figure(row.value, 2)
    if row.low is not None and row.high is not None:
        text += f" [{cells.figure(row.low, 2)}, {cells.figure(row.high, 2)}]"
    return Cell(text, row.value)


def _against_first(row: ResultRow) -> str:
    return f"{row.label} − {(row.settings or {}).get('first', '')}"


def _tests_in_words(rows: StoredRows, statistic: str) -> Iterator[str]:
    """Yield the test of all differences of a table together."""
    row = next(iter(rows.of(statistic)), None)
    if row is None or row.p is None:
        return
    if row.value is None or row.df is None:
        yield gettext("All together: adjusted p = %(p)s.") % {"p": cells.figure(row.p, 3)}
        return
    yield gettext("All together: F(%(df)s, %(error)s) = %(f)s, p = %(p)s.") % {
        "df": f"{(row.settings or {}).get('df'):g}",
        "error": cells.figure(row.df, 1),
        "f": cells.figure(row.value, 2),
        "p": cells.figure(row.p, 3),
    }


# The chart of systems by wording.


@chart(order=36, of_task=False)
def wordings(material: Material) -> Iterator[Sketch]:
    """Draw the mean of each system in each wording, system by system."""
    rows = material.of("wording_mean")
    if not rows:
        return
    systems: dict[str, list[float]] = {}
    for row in rows:
        systems.setdefault(str(row.system), []).append(value_of(row))
    order = sorted(systems, key=lambda system: -sum(systems[system]) / len(systems[system]))
    drawn = sorted(rows, key=lambda row: order.index(str(row.system)))
    largest = max(abs(value_of(row)) for row in rows)
    points = [
        point(row, words.number(value_of(row), largest), name=f"{row.system}, {row.label}", n=row.n_ratings)
        for row in drawn
    ]
    yield Sketch(
        kind="wordings",
        title=_chart_title(material),
        subtitle=(
            f"Mean rating for {material.name} by wording; {material.basis(rows)}. "
            f"Line: {material.interval(rows, 'raters')}. {OWN_WORDS}{each(rows)}{_chart_counts(rows)}"
        ),
        by_system=True,
        chart=points_chart(points, measure="Mean rating"),
        columns=(("name", "System and wording"), ("value", "Mean rating"), *INTERVAL, ("n", "Ratings")),
    )


def _chart_counts(rows: Sequence[Row]) -> str:
    """Return the items, and the raters of all wordings together, each of whom read one."""
    items = max((row.n_items or 0 for row in rows), default=0)
    n_raters = sum(((rows[0].settings or {}).get("raters") or {}).values())
    return f" {in_words(items, 'item', 'items')}, {in_words(n_raters, 'rater', 'raters')}."


def _chart_title(material: Material) -> str:
    tests = [row for row in material.index.whole.of("wording_system_test") if row.p is not None]
    if not tests:
        return f"Systems by wording of the question about {material.name}"
    if any(map(material.is_significant, tests)):
        return f"The comparison of systems on {material.name} depends on the wording"
    return f"No clear sign that the comparison of systems on {material.name} depends on the wording"


# The finding of an experiment with wordings.


@finding_of(
    "wordings", "wording_mean", "wording_shift", "wording_shift_test", "wording_gain", "wording_system_test",
    order=45, beside=True,
)  # fmt: skip
def wordings_finding(rows: StoredRows, question: FindingQuestion) -> Finding | None:
    """Return whether the comparison of systems, or else the level of ratings, depends on the wording."""
    of_systems = next(iter(rows.of("wording_system_test")), None)
    shift = next(iter(rows.of("wording_shift_test")), None)
    if shift is None:
        return None
    if shift.p is None and (of_systems is None or of_systems.p is None):
        start = gettext("This study cannot tell whether results depend on the wording of the question")
        return Finding(start, _reason(shift), criterion=question.name, tested=False)
    if of_systems is None or of_systems.p is None:
        clear = is_significant(shift.p_adjusted, question.limit)
        start = (
            gettext("Ratings shift with the wording of the question")
            if clear
            else gettext("No clear shift of ratings with the wording of the question")
        )
        return Finding(start, _shifted(rows, question) if clear else "", criterion=question.name)
    if is_significant(of_systems.p_adjusted, question.limit):
        start = gettext("The comparison of systems depends on the wording of the question")
        return Finding(start, f"{_gained(rows, question)}{_order(rows)}", criterion=question.name)
    start = gettext("No clear sign that the comparison of systems depends on the wording of the question")
    return Finding(start, _shifted(rows, question), criterion=question.name)


def _reason(row: ResultRow) -> str:
    settings = row.settings or {}
    least = min(settings.get("raters", {"": 0}).values())
    return (
        ngettext(": only %(n)d rater read one of its wordings", ": only %(n)d raters read one of its wordings", least)
        % {"n": least}
        if least < 3
        else ""
    )


def _shifted(rows: StoredRows, question: FindingQuestion) -> str:
    """Return the clear shifts of ratings as the end of a sentence."""
    clear = question.clear(rows.of("wording_shift"))
    parts = [
        gettext("by %(shift)s with “%(wording)s”") % {"shift": _signed(row.value or 0.0), "wording": row.label}
        for row in clear
    ]
    return gettext("; ratings shift %(shifts)s") % {"shifts": gettext(" and ").join(parts)} if parts else ""


def _gained(rows: StoredRows, question: FindingQuestion) -> str:
    """Return the clearest gain or loss of a system as the middle of a sentence."""
    clear = sorted(question.clear(rows.of("wording_gain")), key=lambda row: -abs(row.value or 0.0))
    if not clear:
        return ""
    row = clear[0]
    values = {"wording": row.label, "system": row.system, "gain": f"{abs(row.value or 0.0):.2f}"}
    if (row.value or 0.0) > 0:
        return gettext(": with “%(wording)s”, %(system)s gains %(gain)s on the average system") % values
    return gettext(": with “%(wording)s”, %(system)s loses %(gain)s on the average system") % values


def _order(rows: StoredRows) -> str:
    """Return whether the means put the systems in the same order in every wording, as the end of a sentence."""
    means: dict[str, list[tuple[float, str]]] = {}
    for row in rows.of("wording_mean"):
        if row.value is not None:
            means.setdefault(str(row.label), []).append((-row.value, str(row.system)))
    orders = {tuple(system for _value, system in sorted(of_wording)) for of_wording in means.values()}
    if len(orders) == 1:
        return gettext("; their order by mean stays the same")
    return gettext("; their order by mean changes")


def _signed(value: float) -> str:
    return f"{'+' if value > 0 else '−'}{abs(value):.2f}"
