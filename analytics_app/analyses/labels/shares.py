"""Shares of labels by system with intervals, and differences between systems."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from analytics_app.analyses.base import Rows, Sample
from analytics_app.analyses.shared.bootstrap import bootstrap
from analytics_app.analyses.shared.families import family_of, flips
from analytics_app.analyses.shared.labelled import Answers, Decided, systems_of
from analytics_app.analyses.shared.outputs import interval_note
from analytics_app.analyses.shared.pairs import chosen_pairs
from analytics_app.ratings import Floats, Mask
from analytics_app.results import Row
from analytics_app.stats.comparison.corrections import adjust
from analytics_app.stats.comparison.mcnemar import mcnemar
from analytics_app.stats.comparison.means import group_means
from analytics_app.stats.comparison.paired import item_means, paired
from analytics_app.stats.estimate import Estimate, joined

SEVERAL = "Several options may be chosen, so the shares do not add up to one."
# Options that systems are compared on: each adds tests to the family.
MOST_COMPARED = 12

# Answers times labels that are counted at a time.
MOST_ENTRIES = 4_000_000

# McNemar's test has items as its units, also where whole documents were shown.
DEPENDENT = "Items of one document count as independent here, so p may be too small."


@dataclass(frozen=True, slots=True)
class ByOutput:
    """Answers, or texts, once for each output that they count for; `entry` is their place, `system` a code."""

    entry: NDArray[np.intp]
    system: NDArray[np.intp]
    item: NDArray[np.int64]
    cluster: NDArray[np.int64]
    systems: tuple[str, ...]
    unit: str
    cluster_of_item: NDArray[np.int64]

    @classmethod
    def of(cls, sample: Sample, texts: NDArray[np.int64]) -> ByOutput:
        """Find the outputs of the text of each entry, without the systems that the sample leaves out."""
        names, by_document = sample.table.names, sample.question.by_document
        entry, system, item = systems_of(names, texts, sample.without)
        known, code = np.unique(system, return_inverse=True)
        of_item = np.arange(len(names.items), dtype=np.int64)
        documents = names.document_of_item.astype(np.int64)
        # An item that is in no document is a document of its own.
        clusters = np.where(documents >= 0, documents, len(documents) + of_item) if by_document else of_item
        return cls(
            entry=entry,
            system=code,
            item=item,
            cluster=clusters[item],
            systems=tuple(names.systems[one] for one in known),
            unit="documents" if by_document else "items",
            cluster_of_item=clusters,
        )

    def where(self, mask: Mask) -> ByOutput:
        """Return the outputs of the entries that a mask (one value an entry) keeps."""
        keep = mask[self.entry]
        cut = (self.entry[keep], self.system[keep], self.item[keep], self.cluster[keep])
        return ByOutput(*cut, self.systems, self.unit, self.cluster_of_item)

    def clusters_of(self, items: NDArray[Any]) -> NDArray[np.int64] | None:
        """Return what each of these items is drawn with, None where it is drawn alone."""
        return self.cluster_of_item[items] if self.unit == "documents" else None

    def pairs(self, wanted: Sequence[tuple[str, str]] | None) -> list[tuple[int, int]]:
        """Return the pairs of systems to compare, by code."""
        return chosen_pairs(self.systems, wanted)


def shares(
    make: Rows,
    statistic: str,
    values: Floats,
    outputs: ByOutput,
    labels: Sequence[str | None],
    *,
    n_raters: Sequence[int | None] | None = None,
    note: str | None = None,
    criterion: str | None = None,
) -> Iterator[Row]:
    """Yield the mean of values, an entry a row and a label a column, of each system, with its interval."""
    systems = outputs.systems
    items = [len(np.unique(outputs.item[outputs.system == code])) for code in range(len(systems))]
    for begin, found, said in _means(make.sample, values, outputs):
        for place, one in enumerate(found):
            code = place % len(systems)
            yield make.row(
                statistic,
                one,
                criterion=criterion,
                system=systems[code],
                label=labels[begin + place // len(systems)],
                by_system=True,
                n_items=items[code],
                n_raters=n_raters[code] if n_raters is not None else None,
                note=joined(one.note, note, interval_note(one, outputs.unit)),
                settings=said,
            )


def _means(sample: Sample, values: Floats, outputs: ByOutput) -> Iterator[tuple[int, list[Estimate], dict[str, Any]]]:
    """Yield the means of some labels at a time, by label and then by system; all of them share their resamples.

    With them goes how rows say their intervals.
    """
    n_systems, n_labels = len(outputs.systems), values.shape[1]
    width = max(1, MOST_ENTRIES // max(1, len(outputs.entry)))
    for begin in range(0, n_labels if n_systems else 0, width):
        some = values[outputs.entry, begin : begin + width]
        k = some.shape[1]
        drawn = bootstrap(sample, "label shares", outputs.unit)
        yield (
            begin,
            group_means(
                some.ravel(),
                (outputs.system[:, np.newaxis] + n_systems * np.arange(k)).ravel(),
                np.repeat(outputs.cluster, k),
                n_groups=n_systems * k,
                **drawn.options,
            ),
            drawn.said,
        )


def compared(answers: Answers) -> list[int]:
    """Return the options that differences are given for, of many those that were chosen most.

    Of two that exclude each other the first says it all.
    """
    n = len(answers.options)
    if n == 2 and not answers.several:
        return [0]
    often = np.argsort(-answers.chosen.sum(axis=0), kind="stable")[:MOST_COMPARED]
    return sorted(often.tolist())


def differences(make: Rows, answers: Answers, outputs: ByOutput, criterion: str | None = None) -> Iterator[Row]:
    """Yield how the shares of two systems differ on the items that both have, with p adjusted over all of them."""
    common = make.sample.common
    pairs = outputs.pairs(common.pairs)
    if not pairs:
        return
    options, n = compared(answers), len(outputs.systems)
    columns = [
        item_means(answers.chosen[outputs.entry, k].astype(float), outputs.system, outputs.item, n) for k in options
    ]
    drawn = bootstrap(make.sample, "label differences", outputs.unit)
    # Side by side, so that all labels share their resamples and flips; the items are the same for each.
    tested = paired(
        np.hstack([matrix for matrix, _items in columns]),
        [(place * n + a, place * n + b) for place in range(len(options)) for a, b in pairs],
        clusters=outputs.clusters_of(columns[0][1]),
        n_permutations=flips(common, len(options) * len(pairs)),
        **drawn.options,
    )
    found = [(k, one.a % n, one.b % n, one) for k, one in zip(np.repeat(options, len(pairs)), tested, strict=True)]
    adjusted = adjust([one.permutation_p for *_names, one in found], common.correction)
    said = {
        "means": f"of {outputs.unit}",
        **drawn.said,
        **family_of(common, tested, unit=outputs.unit, of="pairs and labels of one criterion"),
    }
    for (k, a, b, one), p in zip(found, adjusted, strict=True):
        yield make.row(
            "label_difference",
            one.difference,
            **_pair(outputs, a, b),
            criterion=criterion,
            label=answers.options[k],
            n_items=one.n_items,
            p=one.permutation_p,
            p_adjusted=p,
            note=joined(one.difference.note, said.get("cannot_differ")),
            settings=said,
        )


def decisions_compared(make: Rows, decided: Decided, options: Sequence[int], by: str) -> Iterator[Row]:
    """Yield McNemar's test of every pair of systems on the labels that texts come to, one an item."""
    outputs = ByOutput.of(make.sample, decided.texts)
    pairs, common = outputs.pairs(make.sample.common.pairs), make.sample.common
    found: list[tuple[int, tuple[int, int], Estimate]] = []
    for k in options:
        matrix = one_an_item(decided.yes[:, k], outputs)
        found += [(k, (a, b), mcnemar(matrix[:, a], matrix[:, b])) for a, b in pairs]
    adjusted = adjust([one.p for _k, _pair, one in found], common.correction)
    family = f"{len(found)} pairs and labels of one criterion"
    for (k, (a, b), one), p in zip(found, adjusted, strict=True):
        yield make.row(
            "mcnemar",
            one,
            **_pair(outputs, a, b),
            label=decided.options[k],
            p_adjusted=p,
            note=dependent(one, outputs),
            settings={"labels": by, "test": "exact", "correction": common.correction, "family": family},
        )


def dependent(one: Estimate, outputs: ByOutput) -> str | None:
    """Return the note of McNemar's test of two systems."""
    return joined(one.note, DEPENDENT if outputs.unit == "documents" and one.p is not None else None)


def one_an_item(values: Floats, outputs: ByOutput) -> Floats:
    """Return yes (1) or no (0) of each item and system, NaN where none is clear or several texts disagree."""
    matrix, _items = item_means(values[outputs.entry], outputs.system, outputs.item, len(outputs.systems))
    matrix[(matrix != 0) & (matrix != 1)] = np.nan
    return matrix


def _pair(outputs: ByOutput, a: int, b: int) -> dict[str, Any]:
    return {"system": outputs.systems[a], "system_b": outputs.systems[b], "by_system": True}
