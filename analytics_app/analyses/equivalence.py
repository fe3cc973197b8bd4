"""Equivalence: whether raters and metrics give copies that keep the meaning the same score as their originals."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, ClassVar

import numpy as np
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _
from numpy.typing import NDArray

from analytics_app.analyses.base import Rows, Sample, Words
from analytics_app.analyses.metrics.directed import DirectedAnalysis
from analytics_app.analyses.metrics.scores import OfMetric, metrics_of
from analytics_app.analyses.registry import register
from analytics_app.analyses.shared.bootstrap import bootstrap
from analytics_app.analyses.shared.copies import Copies, copies_among, judge_of, kind_of
from analytics_app.analyses.shared.crossed import kept_fit, note_of, refusal, settings_of, test_of
from analytics_app.analyses.shared.outputs import Outputs
from analytics_app.charts import words
from analytics_app.charts.drawing import Sketch, chart
from analytics_app.charts.picking import INTERVAL, Material
from analytics_app.charts.points import Point, points_chart
from analytics_app.models import ResultRow
from analytics_app.ratings import Extra, Floats
from analytics_app.ratings.extras.scores import Scores
from analytics_app.ratings.extras.system_attributes import KIND, SystemAttributes
from analytics_app.results import Row, is_significant
from analytics_app.show import cells
from analytics_app.show.evidence import Evidence, conditions
from analytics_app.show.findings import Finding, FindingQuestion, finding_of
from analytics_app.show.formats import digits, interval, items, p_adjusted, percent, share_interval
from analytics_app.show.shown import Shown, StoredRows, named, own, table_of, tables_of
from analytics_app.show.table import Table
from analytics_app.stats.comparison.corrections import adjust
from analytics_app.stats.comparison.equivalence import Equivalence, equivalence, mean_of_differences
from analytics_app.stats.comparison.means import group_means
from analytics_app.stats.comparison.paired import item_means
from analytics_app.stats.metrics.metric_meta import over_texts
from analytics_app.stats.mixed.crossed import CrossedComparison, compare_crossed
from analytics_app.stats.values import Codes, Estimate, joined
from tasks_app.models import System
from tasks_app.settings.fields import number_field
from tasks_app.setup.degraded.kinds import LABELS as WORSE
from tasks_app.setup.degraded.kinds import SAME
from tasks_app.studyfile.fields import ListField
from tasks_app.task_types.base import Scale

# The label of the texts that nobody changed, among the kinds of copies.
ORIGINAL = "original"
NO_MARGIN = "No margin is set, so equivalence is not tested; the value is the least margin that the data allow."
NO_SPREAD = "The metric gives all originals the same score, so a margin in standard deviations is undefined."


@dataclass(frozen=True, slots=True)
class _Judge:
    """Raters, or a metric: their scores (items by systems), the margin in units of these, and settings of all rows."""

    scores: Floats
    margin: float | None
    metric: str | None = None
    settings: Mapping[str, Any] = field(default_factory=dict)
    note: str | None = None


@dataclass(frozen=True, slots=True)
class _Compared:
    """The comparison of originals with the copies of one kind by one judge, and the settings of its rows."""

    kind: str
    test: Equivalence
    settings: Mapping[str, Any]
    note: str | None = None


@dataclass(frozen=True, slots=True)
class _Material:
    """The common part of the comparisons of a criterion: its rows, its copies, and the code of the unit of each item.

    `unit` names the units: items, or documents shown whole.
    """

    make: Rows
    copies: Copies
    units: Codes
    unit: str

    @property
    def alpha(self) -> float:
        """Return the level of each one-sided test."""
        return round(1 - self.make.sample.common.confidence, 9)


@register
class EquivalenceOfCopies(DirectedAnalysis):
    """Texts against copies that keep their meaning, by kind of change, for raters and for each metric.

    Two one-sided tests ask whether the mean difference lies within a margin, and a two-sided test whether it is zero.
    Raters are compared with raters and texts both random, unless the plan generalises to texts; metrics over items, or
    documents shown whole. A family is all kinds for one criterion, for raters or for one metric.
    """

    label = _("Equivalence")
    summary = _(
        "Whether raters and metrics score copies that keep the meaning like their originals, within a margin; and the "
        "correlation of metrics with raters on each kind of copy."
    )
    source = (
        "Schuirmann (1987). A comparison of the two one-sided tests procedure and the power approach for assessing the "
        "equivalence of average bioavailability. J. Pharmacokinetics and Biopharmaceutics 15(6), 657-680. Rony et al. "
        "(2022). RoMe: A robust metric for evaluating natural language generation. ACL, 5645-5657."
    )
    scales = frozenset({Scale.ORDINAL, Scale.INTERVAL})
    needs: ClassVar[frozenset[type[Extra]]] = frozenset({Scores, SystemAttributes})
    splits = False
    statistics: ClassVar[Mapping[str, Words]] = {
        "equivalence_difference": _("Original minus copy that keeps the meaning"),
        "equivalence_test": _("Least margin of equivalence"),
        "equivalence_punished": _("Share of copies that keep the meaning and score lower"),
        "equivalence_rewarded": _("Share of copies that keep the meaning and score higher"),
        "equivalence_correlation": _("Correlation of a metric with raters, by kind of copy"),
    }

    kinds = ListField(
        label=_("Kinds of copies that keep the meaning"),
        help_text=_(
            "What the keys of copies end with: the copies of alpha's texts in the passive are the system "
            "alpha-passive. Leave empty for renaming, insertion, substitution, passive and paraphrase."
        ),
    )
    margin = number_field(
        _("Margin for raters, in points of the scale"),
        _(
            "The largest mean difference between originals and copies that you would call no difference. Without a "
            "margin, equivalence is not tested."
        ),
        within=(0.001, 1e6),
    )
    metric_margin = number_field(
        _("Margin for metrics, in standard deviations"),
        _("The same for each metric, in standard deviations of its scores of the originals, such as 0.2."),
        within=(0.001, 100),
    )
    worse = ListField(
        label=_("Kinds of copies that change the meaning"),
        help_text=_(
            "For the correlations by kind alone. Leave empty for word-order, dropped-name, negation, number and "
            "repetition."
        ),
    )

    def compute(self, sample: Sample) -> Iterator[Row]:
        """Yield the rows of one criterion; none if no system has copies that keep the meaning."""
        outputs = Outputs.of(sample, by_document=sample.question.by_document)
        copies = copies_among(outputs.systems, self._kinds_in(sample, outputs.systems))
        if not copies.pairs:
            return
        scores, rated_items = item_means(outputs.value, outputs.system, outputs.item, len(outputs.systems))
        clusters = outputs.clusters_of(rated_items)
        units = np.arange(len(rated_items)) if clusters is None else clusters
        material = _Material(Rows(self.name, sample), copies, units.astype(np.intp), outputs.unit)
        raters = _Judge(scores, self.margin)
        is_over_texts = sample.common.generalise_to == "texts"
        compared = _over_items(material, raters) if is_over_texts else _by_raters(material, outputs, raters)
        yield from _rows_of(material, raters, compared)
        every = copies_among(outputs.systems, [*copies.kinds, *(tuple(self.worse) or tuple(WORSE))])
        for metric in metrics_of(sample, outputs.systems, rated_items, self.metrics, self.directed):
            if metric.of_texts is not None:
                judge = _of_metric(metric, metric.of_texts, copies, self.metric_margin)
                yield from _rows_of(material, judge, _over_items(material, judge))
                yield from _correlations(material, every, judge, scores)

    def _kinds_in(self, sample: Sample, systems: Sequence[str]) -> list[str]:
        """Return the kinds that keep the meaning: those of the plan, else the known ones and those of the study.

        A system of the kind “copy that keeps the meaning” whose name is that of another system with a word behind it
        has copies of that kind.
        """
        if self.kinds:
            return list(self.kinds)
        words = sample.extras[SystemAttributes].words.get(KIND)
        kinds = dict.fromkeys(SAME)
        for key, kind in zip(sample.table.names.systems, [] if words is None else words.tolist(), strict=False):
            if kind == System.Kind.REWORDED:
                original = max((one for one in systems if key.startswith(f"{one}-")), key=len, default="")
                kinds |= {key.removeprefix(f"{original}-"): None} if original else {}
        return list(kinds)


def _of_metric(metric: OfMetric, scores: Floats, copies: Copies, margin: float | None) -> _Judge:
    """Return a metric as a judge; its margin is in standard deviations of the originals' scores."""
    originals = scores[:, sorted({pair.original for pair in copies.pairs})]
    known = originals[~np.isnan(originals)]
    spread = float(known.std(ddof=1)) if known.size > 1 and float(np.ptp(known)) > 0 else 0.0
    settings = metric.signs()
    if margin is None:
        return _Judge(scores, None, metric.name, settings)
    if not spread:
        return _Judge(scores, None, metric.name, settings, NO_SPREAD)
    return _Judge(scores, margin * spread, metric.name, {**settings, "margin_in_sd": margin, "sd": spread})


def _by_raters(material: _Material, outputs: Outputs, judge: _Judge) -> list[_Compared]:
    """Compare originals with the copies of each kind with raters and texts both random."""
    if (reason := refusal(outputs)) is not None:
        nothing = equivalence(Estimate(None, note=reason), judge.margin, alpha=material.alpha)
        return [_Compared(kind, nothing, {}) for kind in material.copies.kinds]
    compared = []
    for kind in material.copies.kinds:
        comparison = _crossed(material, kind, outputs)
        test = equivalence(comparison.pairs[0].difference, judge.margin, alpha=material.alpha)
        settings = {**settings_of(comparison), "test": test_of(comparison)}
        compared.append(_Compared(kind, test, settings, note_of(material.make.sample, comparison)))
    return compared


def _crossed(material: _Material, kind: str, outputs: Outputs) -> CrossedComparison:
    """Return the comparison of originals (0) and copies (1) of one kind, on the texts that have ratings of both.

    Texts of several systems for one item are not independent: the items take the place of documents then, unless
    documents were shown whole.
    """
    pairs = [pair for pair in material.copies.pairs if pair.kind == kind]
    version, base = np.full((2, len(outputs.systems)), -1)
    for place, pair in enumerate(pairs):
        version[[pair.original, pair.copy]] = 0, 1
        base[[pair.original, pair.copy]] = place
    code, text = version[outputs.system], outputs.item.astype(np.int64) * len(pairs) + base[outputs.system]
    rated = [text[(code == side) & ~np.isnan(outputs.value)] for side in (0, 1)]
    keep = (code >= 0) & np.isin(text, np.intersect1d(*rated))
    clusters = None
    if outputs.unit == "documents":
        clusters = outputs.cluster[keep]
    elif len(pairs) > 1:
        clusters = outputs.item[keep].astype(np.int64)
    columns: list[NDArray[Any]] = [outputs.value[keep], code[keep], text[keep], outputs.rater[keep]]
    confidence = material.make.sample.common.confidence

    def compute() -> CrossedComparison:
        return compare_crossed(*columns, n_systems=2, pairs=[(0, 1)], confidence=confidence, clusters=clusters)

    return kept_fit(("equivalence", confidence), [*columns, *([] if clusters is None else [clusters])], compute)


def _over_items(material: _Material, judge: _Judge) -> list[_Compared]:
    """Compare originals with the copies of each kind over items, or documents shown whole."""
    columns, pairs = material.copies.together(judge.scores)
    student = f"Student's t of the differences over {material.unit}"
    settings = {"interval": student, "test": student, **material.make.sample.common.scope(material.unit)}
    compared = []
    for kind, (a, b) in zip(material.copies.kinds, pairs, strict=True):
        difference = mean_of_differences(columns[:, a] - columns[:, b], material.units)
        compared.append(_Compared(kind, equivalence(difference, judge.margin, alpha=material.alpha), settings))
    return compared


def _rows_of(material: _Material, judge: _Judge, compared: Sequence[_Compared]) -> Iterator[Row]:
    """Yield the difference and the test of equivalence of each kind, then the shares."""
    make, correction = material.make, material.make.sample.common.correction
    family = {"correction": correction, "family": f"{len(compared)} kinds of copies that keep the meaning"}
    differs = adjust([one.test.difference.p for one in compared], correction)
    within = adjust([one.test.p for one in compared], correction)
    for one, p_differs, p_within in zip(compared, differs, within, strict=True):
        difference, least = one.test.difference, one.test.least_margin
        own_note = difference.note if difference.note and difference.note not in (one.note or "") else None
        note = joined(own_note, one.note)
        settings = {**one.settings, **judge.settings, **family, "confidence": round(1 - 2 * material.alpha, 9)}
        if judge.margin is not None:
            settings["margin"] = judge.margin
        columns: dict[str, Any] = {"label": one.kind, "metric": judge.metric, "by_system": True}
        shared: dict[str, Any] = {**columns, "note": note, "settings": settings}
        yield make.row("equivalence_difference", difference, p_adjusted=p_differs, **shared)
        without = judge.note or (NO_MARGIN if judge.margin is None else None)
        counts = {name: getattr(difference, name) for name in ("n_ratings", "n_items", "n_raters")}
        yield make.row(
            "equivalence_test",
            Estimate(least, p=one.test.p, note=note if least is None else without, **counts),
            p_adjusted=p_within,
            settings={**settings, "test": f"two one-sided tests, {settings.get('test', 'none')}"},
            **columns,
        )
    for statistic, sign in (("equivalence_punished", 1.0), ("equivalence_rewarded", -1.0)):
        yield from _shares(material, judge, statistic, sign)


def _shares(material: _Material, judge: _Judge, statistic: str, sign: float) -> Iterator[Row]:
    """Yield the share of copies of each kind with a score that is lower (sign 1) or higher by more than the margin."""
    make, kinds = material.make, material.copies.kinds
    drawn = bootstrap(make.sample, statistic, material.unit)
    beyond = judge.margin or 0.0
    differs, kind, item = material.copies.noticed(sign * judge.scores, beyond)
    shares = group_means(differs, kind, material.units[item], n_groups=len(kinds), shares=True, **drawn.options)
    about = {**drawn.settings, **judge.settings, "by_more_than": beyond, "n_items": "texts with a copy"}
    for code, (name, share) in enumerate(zip(kinds, shares, strict=True)):
        n = int((kind == code).sum())
        yield make.row(statistic, share, label=name, metric=judge.metric, by_system=True, n_items=n, settings=about)


def _correlations(material: _Material, copies: Copies, judge: _Judge, people: Floats) -> Iterator[Row]:
    """Yield Spearman's correlation of a metric with raters over the originals, and over the copies of each kind."""
    columns = {ORIGINAL: sorted({pair.original for pair in copies.pairs})}
    columns |= {kind: [pair.copy for pair in copies.pairs if pair.kind == kind] for kind in copies.kinds}
    for kind, of_kind in columns.items():
        drawn = bootstrap(material.make.sample, f"equivalence correlation {kind}", material.unit)
        units = np.repeat(material.units, len(of_kind))
        found = over_texts(people[:, of_kind].ravel(), judge.scores[:, of_kind].ravel(), units, **drawn.options)
        yield material.make.row(
            "equivalence_correlation",
            found.spearman,
            label=kind,
            metric=judge.metric,
            by_system=True,
            settings={**drawn.settings, **judge.settings, "coefficient": "Spearman"},
        )


# Tables of equivalence: differences and tests by kind for raters and metrics, then correlations by kind.


@tables_of("equivalence")
def equivalence_table(rows: StoredRows, limit: float) -> Iterator[Table]:
    """Yield the table of copies that keep the meaning, and that of correlations by kind of copy."""
    whole = rows.whole
    columns = [
        named(gettext("Copy"), kind_of),
        named(gettext("Judged by"), judge_of),
        own(gettext("Items"), items),
        own(gettext("Original minus copy"), digits(3)),
        own(gettext("Interval of the tests"), interval(3)),
        own(gettext("Adjusted p, no difference"), p_adjusted(limit)),
        own(gettext("Margin"), _margin),
        Shown(gettext("Adjusted p, beyond the margin"), "equivalence_test", p_adjusted(limit)),
        Shown(gettext("Least margin"), "equivalence_test", digits(3)),
        named(gettext("Result"), lambda row: VERDICTS[_verdict(whole, row, limit)]),
        Shown(gettext("Scored lower"), "equivalence_punished", percent(0)),
        Shown(gettext("Interval of scored lower"), "equivalence_punished", share_interval),
        Shown(gettext("Scored higher"), "equivalence_rewarded", percent(0)),
    ]
    lines = whole.of("equivalence_difference")
    caption = gettext("Copies that keep the meaning, as raters and metrics score them")
    yield from table_of(whole, caption, columns, lines, by=("label", "metric"))
    columns = [
        named(gettext("Copy"), kind_of),
        named(gettext("Metric"), lambda row: row.metric),
        own(gettext("Items"), items),
        own(gettext("Spearman’s correlation with raters"), digits(3)),
        own(gettext("Interval"), interval(3)),
    ]
    correlations = whole.of("equivalence_correlation")
    yield from table_of(whole, gettext("Metrics and raters, by kind of copy"), columns, correlations)


def _margin(row: ResultRow | None) -> cells.Cell:
    """Return the margin of a test."""
    margin = None if row is None else (row.settings or {}).get("margin")
    return cells.number(margin, 3) if margin is not None else cells.Cell(cells.DASH)


EQUAL, LOWER, HIGHER, UNCLEAR = "equal", "lower", "higher", "unclear"
VERDICTS = {
    EQUAL: _("equivalent"),
    LOWER: _("copies score lower"),
    HIGHER: _("copies score higher"),
    UNCLEAR: _("not shown"),
}


def _verdict(rows: StoredRows, row: ResultRow, limit: float) -> str:
    """Return the result of the tests of a difference; equivalence goes before a difference within the margin."""
    test = rows.one("equivalence_test", label=row.label, metric=row.metric)
    if test is not None and is_significant(test.p_adjusted, limit):
        return EQUAL
    if is_significant(row.p_adjusted, limit):
        return LOWER if (row.value or 0.0) > 0 else HIGHER
    return UNCLEAR


# Chart of equivalence: differences in margins, with the intervals of the tests.


@chart(order=63)
def equivalence_within_margins(material: Material) -> Iterator[Sketch]:
    """Draw the difference of each kind for raters and each metric, in margins: equivalent between -1 and 1."""
    rows = [row for row in material.of("equivalence_difference") if (row.settings or {}).get("margin")]
    if not rows:
        return
    points = [_point(row) for row in rows]
    tests = [row for row in material.of("equivalence_test") if row.p_adjusted is not None]
    n_equal = sum(map(material.is_significant, tests))
    shown = f"{n_equal} of {len(tests)}"
    level = f"{100 * (rows[0].settings or {})['confidence']:g}{words.SPACE}%"
    yield Sketch(
        kind="equivalence-within-margins",
        title=f"Copies that keep the meaning: equivalence is shown for {shown} on {material.name}",
        subtitle=(
            "Original minus copy in margins: above 0 the copy scores lower, and between −1 and 1 the difference is "
            f"smaller than the margin. {level} intervals, as the tests have them; {material.basis(rows)}."
        ),
        by_system=True,
        chart=points_chart(
            points,
            measure="Original minus copy, in margins",
            limits=((-1, "margin"), (1, "margin")),
            domain=(-1.0, 1.0),
        ),
        columns=(("name", "Copy"), ("value", "Difference in margins"), *INTERVAL, ("n", "Items")),
    )


def _point(row: Row) -> Point:
    """Return the point of a difference in margins."""
    margin = float((row.settings or {})["margin"])
    value, low, high = (None if end is None else end / margin for end in (row.value, row.low, row.high))
    name = f"{str(row.label).replace('-', ' ')}, {row.metric or 'raters'}"
    return Point(
        name=name,
        shown=words.isolated(name),
        value=value or 0.0,
        text=words.number(value or 0.0, 10.0),
        low=low,
        high=high,
        n=row.n_items,
    )


# The finding about copies that keep the meaning.


@finding_of("equivalence", "equivalence_difference", "equivalence_test", order=17, beside=True)
def equivalence_finding(rows: StoredRows, question: FindingQuestion) -> Finding | None:
    """Return the finding that names who scores which copies lower although they mean the same, and which alike."""
    tested = [row for row in rows.of("equivalence_difference") if row.p_adjusted is not None]
    if not tested:
        return None
    by_verdict: dict[str, list[str]] = {}
    for row in tested:
        by_verdict.setdefault(_verdict(rows, row, question.limit), []).append(f"{kind_of(row)} ({judge_of(row)})")
    phrases = {
        LOWER: gettext("scored lower than originals: %(kinds)s"),
        HIGHER: gettext("scored higher than originals: %(kinds)s"),
        EQUAL: gettext("equivalent to originals within the margin: %(kinds)s"),
        UNCLEAR: gettext("neither was shown: %(kinds)s"),
    }
    parts = [phrase % {"kinds": ", ".join(by_verdict[name])} for name, phrase in phrases.items() if name in by_verdict]
    sentence = gettext("Copies that keep the meaning, %(parts)s") % {"parts": "; ".join(parts)}
    cautions = [gettext("A copy for which neither was shown may score alike or not.")] if UNCLEAR in by_verdict else []
    evidence = Evidence(tested, _figures(tested), conditions(tested), cautions)
    return Finding(sentence, criterion=question.name, evidence=evidence)


def _figures(tested: Sequence[ResultRow]) -> list[str]:
    """Return the differences in words, with the intervals of the tests."""
    figures = []
    for row in tested:
        about = {
            "kind": kind_of(row),
            "judge": judge_of(row),
            "value": cells.figure(row.value or 0.0, 2),
            "level": cells.level(1 - (row.settings or {})["confidence"]),
            "interval": cells.interval(row.low, row.high, 2).text,
        }
        shown = gettext("original \N{MINUS SIGN} copy (%(kind)s, %(judge)s): %(value)s")
        if row.low is not None:
            shown = gettext(
                "original \N{MINUS SIGN} copy (%(kind)s, %(judge)s): %(value)s, %(level)s interval %(interval)s"
            )
        figures.append(shown % about)
    return figures
