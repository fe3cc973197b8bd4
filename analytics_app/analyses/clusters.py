"""Clusters of systems as WMT draws them from direct assessment."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any, ClassVar

import numpy as np
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _

from analytics_app.analyses.base import Rows, Sample
from analytics_app.analyses.registry import register
from analytics_app.analyses.shared.filtered import FilteredAnalysis
from analytics_app.analyses.shared.outputs import Outputs, mix_note
from analytics_app.analyses.shared.pairs import in_order
from analytics_app.charts.compared import rank_ranges
from analytics_app.charts.drawing import Sketch, chart
from analytics_app.charts.picking import Material, setting
from analytics_app.charts.ranked import correction
from analytics_app.models import ResultRow
from analytics_app.results import Row
from analytics_app.show.cells import DASH, Cell, figure, name
from analytics_app.show.formats import digits, items, p_below, ranks, whole
from analytics_app.show.index import RowIndex
from analytics_app.show.notes import left_out
from analytics_app.show.shown import Shown, StoredRows, by_pair, by_system, subsets, tables_of
from analytics_app.show.table import Column, Table
from analytics_app.stats.comparison.paired import item_means
from analytics_app.stats.comparison.rank_sum import RankClusters, rank_sum_clusters
from analytics_app.stats.values import joined
from tasks_app.settings.fields import YesNoField, choice_field, number_field
from tasks_app.task_types.base import Scale

# Which system of a pair has the higher score, so that its one-sided test is of being above the other.
FIRST_HIGHER, SECOND_HIGHER = "first system above second", "second system above first"

RANK_SUM, SIGNED_RANK = "rank_sum", "signed_rank"
TESTS = {RANK_SUM: "one-sided rank-sum, asymptotic", SIGNED_RANK: "one-sided signed-rank"}

UNCORRECTED = "Not corrected for the number of tests, as WMT has it."


@register
class Clusters(FilteredAnalysis):
    """Systems separated by one-sided rank tests on segments, as WMT does.

    The score of a segment is the mean of its ratings' z, the score of a system the plain mean over its segments. A
    line is drawn where every system above beats every system below (p below the limit). The rank range of a system
    goes from one more than the systems that beat it to all less those it beats.
    """

    label = _("Clusters (WMT)")
    summary = _("Systems by mean z over segments, separated where all above beat all below in rank-sum tests.")
    source = "Bojar et al. (2016). Findings of the 2016 Conference on Machine Translation. WMT, 131-198."
    scales = frozenset({Scale.ORDINAL, Scale.INTERVAL})
    task_types = frozenset({"likert", "slider"})
    # Pages begin with the systems, their means and intervals; this analysis has its chart among the others.
    leads = False
    statistics = {
        "segment_score_z": _("Mean z over segments"),
        "cluster_rank_z": _("Rank by mean z over segments, with its range"),
        "cluster_z": _("Cluster by z"),
        "rank_sum_z": _("Rank-sum test of z"),
        "segment_score_raw": _("Mean over segments"),
        "cluster_rank_raw": _("Rank by mean over segments, with its range"),
        "cluster_raw": _("Cluster by raw ratings"),
        "rank_sum_raw": _("Rank-sum test of raw ratings"),
        "signed_rank_z": _("Signed-rank test of z"),
        "signed_rank_raw": _("Signed-rank test of raw ratings"),
        "head_to_head_z": _("Difference of mean z over segments"),
        "head_to_head_raw": _("Difference of means over segments"),
    }
    # Archives of runs from before have no differences head to head.
    before_the_choice: ClassVar[Mapping[str, object]] = {"test": RANK_SUM, "head_to_head": False}

    values = choice_field(_("Values"), (("z", _("judge-wise z")), ("raw", _("raw ratings"))), initial="z")
    test = choice_field(
        _("Test of two systems"),
        (
            (RANK_SUM, _("rank sums of their segments, as in WMT")),
            (SIGNED_RANK, _("signed ranks on the segments of both (Wilcoxon)")),
        ),
        initial=RANK_SUM,
    )
    head_to_head = YesNoField(initial=True, label=_("Compare each pair of systems head to head"))
    limit = number_field(_("A system beats another at p below"), within=(0.0001, 0.5), initial=0.05)
    correction = choice_field(
        _("Correction for several tests"), (("none", _("none, as in WMT")), ("holm", _("Holm"))), initial="none"
    )

    def compute(self, sample: Sample) -> Iterator[Row]:
        """Yield score, rank range and cluster of each system, and the test of each pair."""
        outputs = Outputs.of(sample, by_document=False)
        if len(outputs.systems) < 2:
            return
        kind, make = self.values, Rows(self.name, sample)
        reason = mix_note(outputs) if kind == "z" else None
        if reason is not None and reason.refuses:
            for key in outputs.systems:
                yield make.row("segment_score_z", note=reason.sentence, system=key)
            return
        values = outputs.z if kind == "z" else outputs.value
        matrix, _items = item_means(values, outputs.system, outputs.item, len(outputs.systems))
        ranking = rank_sum_clusters(
            matrix, limit=self.limit, correction=self.correction, paired=self.test == SIGNED_RANK
        )
        row_settings = {"values": kind, "limit": self.limit, "correction": self.correction}
        row_settings |= sample.common.of_z if kind == "z" else {}
        if self.test == SIGNED_RANK:
            row_settings["test"] = TESTS[SIGNED_RANK]
        yield from _systems(make, outputs, ranking, row_settings, kind, reason.sentence if reason else None, values)
        corrected = self.correction != "none"
        yield from _tests(make, outputs, ranking, row_settings, f"{self.test}_{kind}", corrected=corrected)
        if self.head_to_head:
            yield from _head_to_head(make, outputs, ranking, row_settings, kind)


def _systems(
    make: Rows,
    outputs: Outputs,
    ranking: RankClusters,
    settings: dict[str, Any],
    kind: str,
    reason: str | None,
    values: np.ndarray[Any, np.dtype[np.float64]],
) -> Iterator[Row]:
    for code, key in enumerate(outputs.systems):
        score, range_ = ranking.scores[code], ranking.ranges[code]
        counts: dict[str, Any] = outputs.counts(code, rated=~np.isnan(values))
        about: dict[str, Any] = {"system": key, "settings": settings}
        note = joined(score.note, reason)
        yield make.row(f"segment_score_{kind}", score, **{**about, **counts}, note=note)
        if range_ is None:
            continue
        about["n_items"] = score.n_items
        place, cluster = float(ranking.order.index(code) + 1), ranking.clusters[code]
        of_ranks = {**about, "settings": {**settings, "interval": "ranks of the systems that no test separates"}}
        yield make.row(f"cluster_rank_{kind}", value=place, low=float(range_[0]), high=float(range_[1]), **of_ranks)
        yield make.row(f"cluster_{kind}", value=None if cluster is None else float(cluster), **about)


def _tests(
    make: Rows, outputs: Outputs, ranking: RankClusters, settings: dict[str, Any], statistic: str, *, corrected: bool
) -> Iterator[Row]:
    family = {
        **settings,
        "family": f"{len(ranking.tests)} pairs of one criterion",
        "test": TESTS[statistic.rpartition("_")[0]],
        **make.sample.common.scope("items"),
    }
    note = None if corrected else UNCORRECTED
    for pair in sorted(ranking.tests, key=lambda pair: (min(pair.a, pair.b), max(pair.a, pair.b))):
        a, b = in_order(outputs.systems, make.sample.common.pairs, pair.a, pair.b)
        yield make.row(
            statistic,
            pair.test,
            **outputs.names(a, b),
            p_adjusted=pair.p_adjusted if corrected else None,
            settings={**family, "tested": FIRST_HIGHER if a == pair.a else SECOND_HIGHER},
            note=joined(pair.test.note, note),
        )


def _head_to_head(
    make: Rows, outputs: Outputs, ranking: RankClusters, settings: dict[str, Any], kind: str
) -> Iterator[Row]:
    """Yield the difference of the scores of every two systems: the first less the second."""
    for pair in sorted(ranking.tests, key=lambda pair: (min(pair.a, pair.b), max(pair.a, pair.b))):
        a, b = in_order(outputs.systems, make.sample.common.pairs, pair.a, pair.b)
        first, second = ranking.scores[a].value, ranking.scores[b].value
        if first is not None and second is not None:
            yield make.row(f"head_to_head_{kind}", value=first - second, **outputs.names(a, b), settings=settings)


# Tables of clusters by WMT's rank-sum tests.


def tested(row: ResultRow | None) -> Cell:
    """Show the system of a pair that the one-sided test takes as the higher."""
    if row is None:
        return Cell(DASH)
    # Runs of versions that put the higher system first do not say it.
    second = (row.settings or {}).get("tested") == SECOND_HIGHER
    return name(gettext("second above first") if second else gettext("first above second"))


@tables_of("clusters")
def clusters(rows: StoredRows, limit: float) -> Iterator[Table]:
    """Yield systems by their score over segments and the test of each pair, then the same for each slice."""
    for kind, caption in (("z", gettext("Clusters by z (WMT)")), ("raw", gettext("Clusters by ratings (WMT)"))):
        yield from by_system(rows.whole, caption, _of_a_system(kind), lead=f"segment_score_{kind}")
        yield from head_to_head(rows.whole, kind)
        for test, head, tests in (
            (RANK_SUM, gettext("Rank-sum test, one-sided p"), gettext("Rank-sum tests")),
            (SIGNED_RANK, gettext("Signed-rank test, one-sided p"), gettext("Signed-rank tests")),
        ):
            lead = f"{test}_{kind}"
            pairs = [Shown(gettext("Tested"), lead, tested), Shown(head, lead, p_below(limit))]
            yield from by_pair(rows.whole, tests, pairs, lead=lead, sign="–")
        yield from of_slices(rows, kind, caption)
    # Slices have tables of their own.
    yield from subsets(
        RowIndex([row for row in rows.rows if row.group or row.wave is not None]), limit, gettext("Clusters by subset")
    )


def _of_a_system(kind: str) -> list[Shown]:
    """Return the columns of WMT's table: cluster, rank, range of ranks and score."""
    return [
        Shown(gettext("Cluster"), f"cluster_{kind}", whole),
        Shown(gettext("Rank"), f"cluster_rank_{kind}", whole),
        Shown(gettext("Rank range"), f"cluster_rank_{kind}", ranks),
        Shown(gettext("Mean over segments"), f"segment_score_{kind}", digits(3)),
        Shown(gettext("Segments"), f"cluster_rank_{kind}", items),
    ]


# The most slices of a feature, such as domains, that have tables of their own; documents are often more.
MOST_SLICES = 8
# The most cells of tables head to head of slices: beyond, a page would become too long.
MOST_CELLS = 1_500
# The most lines of the table that compares slices.
MOST_LINES = 200


def of_slices(rows: StoredRows, kind: str, caption: str) -> Iterator[Table]:
    """Yield a table of all values of each feature side by side and, where they are few, WMT's tables for each."""
    by_feature: dict[str, dict[str, None]] = {}
    sliced = [row for row in rows.rows if row.slice and not row.group and row.wave is None]
    for row in sliced:
        if row.statistic == f"segment_score_{kind}":
            by_feature.setdefault(_feature(row), {})[str(row.slice)] = None
    for feature, labels in by_feature.items():
        slices = list(labels)
        if len(slices) > 1:
            yield from _side_by_side(rows, kind, feature, slices, caption)
        if len(slices) > MOST_SLICES:
            continue
        of_each = [RowIndex([row for row in sliced if row.slice == label]) for label in slices]
        n_cells = sum(len(index.of(f"segment_score_{kind}")) ** 2 for index in of_each)
        for label, index in zip(slices, of_each, strict=True):
            words = _in_words(label)
            yield from by_system(index, f"{caption}: {words}", _of_a_system(kind), lead=f"segment_score_{kind}")
            if n_cells <= MOST_CELLS:
                for table in head_to_head(index, kind):
                    yield replace(table, caption=f"{table.caption}: {words}")


def _feature(row: ResultRow) -> str:
    """Return the feature of a slice, with the systems that are left out: "domain; system!=REF" of "domain=news; …"."""
    label, _sign, rest = str(row.slice).partition("; ")
    return "; ".join(filter(None, (label.partition("=")[0] if "!=" not in label else label, rest)))


def _in_words(label: str) -> str:
    return label.replace("!=", " ≠ ").replace("=", " = ")


def _side_by_side(rows: StoredRows, kind: str, feature: str, slices: Sequence[str], caption: str) -> Iterator[Table]:
    """Yield a table with a line for each slice and a column for each system: its score, and its range of ranks."""
    totals: dict[str, list[float]] = {}
    for row in rows.of(f"segment_score_{kind}"):
        if row.slice in slices and row.value is not None:
            totals.setdefault(str(row.system), []).append(row.value)
    systems = sorted(totals, key=lambda system: (-sum(totals[system]) / len(totals[system]), system))[:MOST_SYSTEMS]

    def cell(label: str, system: str) -> Cell:
        score = rows.one(f"segment_score_{kind}", slice=label, system=system, group=None, wave=None)
        range_ = ranks(rows.one(f"cluster_rank_{kind}", slice=label, system=system, group=None, wave=None))
        if score is None or score.value is None:
            return Cell(DASH)
        words = f"{figure(score.value, 2)}\u00a0({range_.text})" if range_.text != DASH else figure(score.value, 2)
        return Cell(words, score.value, numbers=(score.value, *range_.numbers))

    lines = [[name(_value(label)), *(cell(label, system) for system in systems)] for label in slices[:MOST_LINES]]
    columns = [Column(_in_words(feature), number=False), *(Column(system) for system in systems)]
    notes = [
        gettext("The mean over the segments of each part, and in brackets the ranks that its tests leave open."),
        *left_out(len(totals) - len(systems), gettext("Further systems in the file of results: %(n)s.")),
        *left_out(len(slices) - MOST_LINES, gettext("Further parts in the file of results: %(n)s.")),
    ]
    yield Table(
        f"{caption}: {gettext('each value of %(feature)s') % {'feature': _in_words(feature)}}", columns, lines, notes
    )


def _value(label: str) -> str:
    return label.partition("; ")[0].partition("=")[2] or label


# The most systems of a readable table of all pairs.
MOST_SYSTEMS = 30
# The marks of WMT's tables, by the p below which they stand.
MARKS = ((0.001, "‡"), (0.01, "†"), (0.05, "⋆"))


def head_to_head(rows: StoredRows, kind: str) -> Iterator[Table]:
    """Yield WMT's table of all pairs: the score of the row's system less that of the column's, marked by p."""
    differences = {(row.system, row.system_b): row for row in rows.of(f"head_to_head_{kind}")}
    tests = {(row.system, row.system_b): row for row in rows.of(f"{RANK_SUM}_{kind}", f"{SIGNED_RANK}_{kind}")}
    places = {row.system: row.value for row in rows.of(f"segment_score_{kind}") if row.value is not None}
    systems = sorted(places, key=lambda system: (-places[system], str(system)))[:MOST_SYSTEMS]
    if not differences:
        return

    def cell(system: str | None, other: str | None) -> Cell:
        pair = (system, other) if (system, other) in differences else (other, system)
        row, test = differences.get(pair), tests.get(pair)
        if row is None or row.value is None:
            return Cell(DASH)
        value = row.value if row.system == system else -row.value
        p = None if test is None else test.p if test.p_adjusted is None else test.p_adjusted
        mark = next((sign for below, sign in MARKS if p is not None and p < below), "")
        # The test is of the higher system being above the lower.
        return Cell(f"{figure(value, 2)}{mark if value > 0 else ''}", value, numbers=(value,))

    lines = [[name(system), *(cell(system, other) for other in systems)] for system in systems]
    note = gettext(
        "Row less column. The row's system beats the column's with p below .05 (⋆), .01 (†) or .001 (‡), one-sided."
    )
    columns = [Column(gettext("System"), number=False), *(Column(str(system)) for system in systems)]
    more = left_out(len(places) - len(systems), gettext("Further systems in the file of results: %(n)s."))
    yield Table(gettext("Head to head"), columns, lines, [note, *more])


# The chart of clusters: the ranks that rank-sum tests leave open.


@chart(order=45)
def cluster_ranks(material: Material) -> Iterator[Sketch]:
    """Draw the rank ranges of WMT's rank-sum tests."""
    for kind in ("z", "raw"):
        rank, cluster = f"cluster_rank_{kind}", f"cluster_{kind}"
        yield from rank_ranges(material, _by_rank_sum, rank, cluster, f"cluster-ranks-{kind}", _rank_sum)


def _by_rank_sum(material: Material, clusters: Mapping[str | None, float]) -> str:
    """Return a title with the number of clusters; these tests are about the raters of the study only."""
    n = len(set(clusters.values()))
    rows = material.of("cluster_rank_z") or material.of("cluster_rank_raw")
    without = " without correction" if setting(rows, "correction") == "none" else ""
    outcome = f"give {n} clusters" if n > 1 else "leave all systems in one cluster"
    return f"For these raters only, one-sided {_ranks(rows)} tests{without} {outcome} for {material.name}"


def _rank_sum(rows: Sequence[Row]) -> str:
    values = "z" if setting(rows, "values") == "z" else "ratings"
    method = setting(rows, "correction")
    corrected = "not corrected for several tests" if method == "none" else f"corrected ({correction(method)})"
    return f"By mean {values} over segments. Line: ranks that one-sided {_ranks(rows)} tests leave open, {corrected}"


def _ranks(rows: Sequence[Row]) -> str:
    return "signed-rank" if setting(rows, "test") == TESTS[SIGNED_RANK] else "rank-sum"
