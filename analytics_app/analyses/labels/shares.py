"""Shares of labels by system with intervals, and differences between systems."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from analytics_app.analyses.base import Common, Rows, Sample
from analytics_app.analyses.shared.bootstrap import bootstrap
from analytics_app.analyses.shared.crossed_shares import Answered, Columns, crossed_columns
from analytics_app.analyses.shared.families import Differing
from analytics_app.analyses.shared.labels_of_texts import Answers, Decided, systems_of
from analytics_app.analyses.shared.outputs import interval_note
from analytics_app.analyses.shared.pair_tests import pair_tests
from analytics_app.analyses.shared.pairs import OfSystems, clusters_of
from analytics_app.ratings import Floats, Mask
from analytics_app.results import Row
from analytics_app.stats.comparison.corrections import adjust
from analytics_app.stats.comparison.mcnemar import mcnemar
from analytics_app.stats.comparison.means import cluster_sums, means_of_sums
from analytics_app.stats.comparison.paired import item_means
from analytics_app.stats.values import Estimate, compressed, joined

SEVERAL = "Several options may be chosen, so the shares do not add up to one."
# The most options on which systems are compared: each adds tests to the family.
MOST_COMPARED = 12
# Of so many options that exclude each other, the first says it all.
EXCLUSIVE = 2

# The most answers times labels that are counted at a time.
MOST_ENTRIES = 4_000_000

# The units of McNemar's test are items, even if whole documents were shown.
DEPENDENT = "Items of one document count as independent here, so p may be too small."


@dataclass(frozen=True, slots=True)
class ByOutput(OfSystems):
    """Answers, or texts, once for each output that they count for; `entry` is their place, `system` a code."""

    entry: NDArray[np.int32]
    system: NDArray[np.int32]
    item: NDArray[np.int32]
    cluster: NDArray[np.int32]

    @classmethod
    def of(cls, sample: Sample, texts: NDArray[np.int64]) -> ByOutput:
        """Return the outputs of the text of each entry, without the systems that the sample leaves out."""
        names, by_document = sample.table.names, sample.question.by_document
        entry, system, item = systems_of(names, texts, sample.without)
        known, code = compressed(system)
        clusters = clusters_of(names, by_document=by_document)
        return cls(
            entry=entry,
            system=code.astype(np.int32),
            item=item,
            cluster=clusters.astype(np.int32)[item] if by_document else item,
            systems=tuple(names.systems[system_code] for system_code in known),
            unit="documents" if by_document else "items",
            cluster_of_item=clusters,
        )

    def where(self, mask: Mask) -> ByOutput:
        """Return the outputs of the entries in a mask, which has one value for each entry."""
        keep = mask[self.entry]
        columns = ("entry", "system", "item", "cluster")
        return replace(self, **{name: getattr(self, name)[keep] for name in columns})


def shares(
    make: Rows,
    statistic: str,
    values: Floats | Mask,
    outputs: ByOutput,
    labels: Sequence[str | None],
    *,
    n_raters: Sequence[int | None] | None = None,
    note: str | None = None,
    criterion: str | None = None,
    undefined: str | None = None,
) -> Iterator[Row]:
    """Yield the mean of values (entries as rows, labels as columns) of each system, with its interval.

    `undefined` is the note of systems without a value, which by default is that nothing was rated.
    """
    systems = outputs.systems
    items = [len(np.unique(outputs.item[outputs.system == code])) for code in range(len(systems))]
    for begin, means, settings in _means(make.sample, values, outputs):
        for place, mean in enumerate(means):
            code = place % len(systems)
            own_note = undefined if undefined and mean.value is None else mean.note
            yield make.row(
                statistic,
                mean,
                criterion=criterion,
                system=systems[code],
                label=labels[begin + place // len(systems)],
                n_items=items[code],
                n_raters=n_raters[code] if n_raters is not None else None,
                note=joined(own_note, note, interval_note(mean, outputs.unit)),
                settings=settings,
            )


def _means(
    sample: Sample, values: Floats | Mask, outputs: ByOutput
) -> Iterator[tuple[int, list[Estimate], dict[str, Any]]]:
    """Yield the means of some labels at a time, by label and then by system, with the settings of their intervals.

    All means share their resamples.
    """
    n_systems, n_labels, n_clusters = len(outputs.systems), values.shape[1], int(outputs.cluster.max(initial=-1)) + 1
    width = max(1, MOST_ENTRIES // max(1, len(outputs.entry)))
    for begin in range(0, n_labels if n_systems else 0, width):
        cells = [
            cluster_sums(values[outputs.entry, k], outputs.system, outputs.cluster, n_systems, n_clusters)
            for k in range(begin, min(begin + width, n_labels))
        ]
        sums, counts = (np.hstack(columns) for columns in zip(*cells, strict=True))
        is_rated = counts.any(axis=1)
        drawn = bootstrap(sample, "label shares", outputs.unit)
        yield begin, means_of_sums(sums[is_rated], counts[is_rated], shares=True, **drawn.options), drawn.settings


def compared(answers: Answers) -> list[int]:
    """Return the options that have rows of differences; of many options, the most chosen ones.

    Of two options that exclude each other, only the first is needed.
    """
    n = len(answers.options)
    if n == EXCLUSIVE and not answers.several:
        return [0]
    often = np.argsort(-answers.chosen.sum(axis=0), kind="stable")[:MOST_COMPARED]
    return sorted(often.tolist())


def further_raters(make: Rows, answers: Answers, outputs: ByOutput, criterion: str | None = None) -> Iterator[Row]:
    """Yield shares and differences of shares with raters and texts both random, if the plan asks for them.

    p values are adjusted over all pairs and labels.
    """
    if make.sample.common.generalise_to != "raters_and_texts":
        return
    # A label that nobody gave has nothing to test, and would only make the family larger.
    options = [k for k in compared(answers) if answers.chosen[:, k].any()] or compared(answers)
    chosen = answers.chosen if len(options) == len(answers.options) else answers.chosen[:, options]
    answered = answered_of(outputs, chosen, answers.rater)
    columns = Columns(
        level="share_crossed",
        difference="label_difference_crossed",
        labels=[answers.options[k] for k in options],
        of="pairs and labels of one criterion",
        criterion=criterion,
    )
    for row in crossed_columns(make, answered, columns, outputs.pairs(make.sample)):
        yield row
        if row.statistic == columns.level and len(options) < len(answers.options) == EXCLUSIVE:
            yield _of_the_other(row, answers.options[1])


def answered_of(outputs: ByOutput, values: NDArray[Any], rater: NDArray[Any]) -> Answered:
    """Return a line for each output that an answer counts for; `values` and `rater` have a line for each answer."""
    return Answered(
        values=values[outputs.entry],
        system=outputs.system,
        item=outputs.item,
        rater=rater[outputs.entry],
        document=outputs.cluster if outputs.unit == "documents" else None,
        systems=outputs.systems,
    )


def _of_the_other(row: Row, label: str) -> Row:
    """Return the row of the second of two labels that exclude each other."""
    value, low, high = (None if share is None else 1 - share for share in (row.value, row.high, row.low))
    return replace(row, label=label, value=value, low=low, high=high)


def differences(make: Rows, answers: Answers, outputs: ByOutput, criterion: str | None = None) -> Iterator[Row]:
    """Yield the differences of shares of every two systems on the items of both, with p adjusted over all."""
    pairs = outputs.pairs(make.sample)
    if not pairs:
        return
    options, n = compared(answers), len(outputs.systems)
    columns = [
        item_means(answers.chosen[outputs.entry, k].astype(float), outputs.system, outputs.item, n) for k in options
    ]
    # Side by side, so that all labels share their resamples and flips; the items are the same for each.
    family = pair_tests(
        make,
        np.hstack([matrix for matrix, _items in columns]),
        [(place * n + a, place * n + b) for place in range(len(options)) for a, b in pairs],
        purpose="label differences",
        unit=outputs.unit,
        clusters=outputs.clusters_of(columns[0][1]),
        of="pairs and labels of one criterion",
    )
    for k, test in zip(np.repeat(options, len(pairs)), family.tests, strict=True):
        yield test.row(
            make,
            "label_difference",
            **outputs.names(test.result.a % n, test.result.b % n),
            criterion=criterion,
            label=answers.options[k],
            settings={"means": f"of {outputs.unit}"},
        )


def decisions_compared(make: Rows, decided: Decided, options: Sequence[int], by: str) -> Iterator[Row]:
    """Yield McNemar's test of every pair of systems on the joint labels of texts, one label for each item."""
    outputs = ByOutput.of(make.sample, decided.texts)
    pairs, common = outputs.pairs(make.sample), make.sample.common
    tests: list[tuple[int, tuple[int, int], Estimate, Mapping[str, int]]] = []
    for k in options:
        matrix = one_an_item(decided.yes[:, k], outputs)
        tests += [(k, (a, b), *tested_exactly(common, matrix[:, a], matrix[:, b])) for a, b in pairs]
    adjusted = adjust([test.p for _k, _pair, test, _few in tests], common.correction)
    family = f"{len(tests)} pairs and labels of one criterion"
    for (k, (a, b), test, few), p in zip(tests, adjusted, strict=True):
        yield make.row(
            "mcnemar",
            test,
            **outputs.names(a, b),
            label=decided.options[k],
            p_adjusted=p,
            note=dependent(test, outputs),
            settings={
                "labels": by,
                "test": "exact",
                "correction": common.correction,
                "family": family,
                **common.scope("items"),
                **few,
            },
        )


def tested_exactly(common: Common, a: Floats, b: Floats) -> tuple[Estimate, Mapping[str, int]]:
    """Return McNemar's test of two systems.

    Where too few items differ for it to be significant, its note says so, and the second value has the numbers for the
    settings of its row.
    """
    test = mcnemar(a, b)
    differing = Differing(test.n_items or 0, int((np.abs(a - b) == 1).sum()))
    if test.p is None or not differing.moving:
        return test, {}
    reason = differing.reason(common, "items")
    return replace(test, note=joined(test.note, reason)), differing.settings(common)


def dependent(test: Estimate, outputs: ByOutput) -> str | None:
    """Return the note of McNemar's test of two systems, if there is one."""
    return joined(test.note, DEPENDENT if outputs.unit == "documents" and test.p is not None else None)


def one_an_item(values: Floats, outputs: ByOutput) -> Floats:
    """Return yes (1) or no (0) of each item and system, NaN if none is clear or several texts disagree."""
    matrix, _items = item_means(values[outputs.entry], outputs.system, outputs.item, len(outputs.systems))
    matrix[(matrix != 0) & (matrix != 1)] = np.nan
    return matrix
