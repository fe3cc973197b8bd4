"""Ratings of the same texts by several raters, as matrices, for analyses of agreement."""

from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from analytics_app.analyses.base import Question, Sample, in_words
from analytics_app.analyses.shared.filtered import FilteredAnalysis
from analytics_app.ratings import Floats, Mask
from tasks_app import task_types
from tasks_app.task_types.base import Criterion, Outcome, Scale

FIRST = "first of a rater for a text"
SHARED_TEXTS = (
    "{n:,} ratings are {rows:,} rows of ratings.csv: a text that several systems share has a row for each of them, and "
    "counts once."
)
SEVERAL = "Several labels of one rater for a text: only the first counts here."


def outcome_of(question: Question) -> Outcome | None:
    """Return the declared outcome that answers a question."""
    criterion = Criterion(question.criterion, "") if question.criterion is not None else None
    return task_types.kind_of(question.task_type, question.params).outcome_of(criterion)


def low_is_good(question: Question) -> bool:
    """Return whether the lowest value is the best, as with ranks."""
    outcome = outcome_of(question)
    return outcome is not None and outcome.low_is_good


def can_be_compared(question: Question) -> bool:
    """Return whether agreement between raters is meaningful for a question.

    It is not for questions about the rater, which have no text; for places on a screen, which depend on the order of
    the texts there; and for right answers and measurements of a page, such as keys and seconds, which are about the
    rater and not the text. Criteria together can be compared if none of them is measured.
    """
    if not task_types.registry[question.task_type].needs_items:
        return False
    if question.criterion is None:
        each = (outcome_of(replace(question, criterion=criterion.key)) for criterion in question.criteria)
        return not any(outcome is not None and outcome.measured for outcome in each)
    outcome = outcome_of(question)
    return outcome is None or not (outcome.by_place or outcome.graded or outcome.measured)


class BetweenRaters(FilteredAnalysis):
    """An analysis of the agreement between raters of the same texts."""

    @classmethod
    def fits(cls, question: Question) -> bool:
        """Return whether the analysis is meaningful for a question."""
        return super().fits(question) and can_be_compared(question)


@dataclass(frozen=True, slots=True)
class RatedTexts:
    """The first rating of each rater for each text, as numbers; labels as their codes.

    `items` are those of the texts, else the text itself. `order` is that of arrival. `clusters` are the documents of
    the texts, if these were shown whole, and `drawn` names the resampled units of intervals. `domain` is the whole
    scale, as far as it is known. `notes` are sentences about ratings left out, or that have several rows in the file of
    ratings; `shared` has the number of these rows then.
    """

    values: Floats
    texts: NDArray[np.int64]
    items: NDArray[np.int64]
    raters: NDArray[np.int32]
    order: NDArray[np.int64]
    clusters: NDArray[np.int64] | None
    domain: tuple[float, ...] | None
    labels: bool
    notes: tuple[str, ...]
    shared: dict[str, int] = field(default_factory=dict)

    @property
    def settings(self) -> dict[str, Any]:
        """Return the settings of rows about the ratings that are compared."""
        return {"ratings": FIRST, **self.shared}

    @property
    def drawn(self) -> str:
        """Return the name of the units that a bootstrap resamples."""
        return "texts" if self.clusters is None else "documents"

    @property
    def crossed(self) -> Floats | None:
        """Return the ratings as texts by raters if every rater rated every text, else None."""
        text, rater = np.unique(self.texts, return_inverse=True), np.unique(self.raters, return_inverse=True)
        n, k = len(text[0]), len(rater[0])
        if len(self.values) != n * k or not n:
            return None
        table = np.full((n, k), np.nan)
        table[text[1], rater[1]] = self.values
        return None if np.isnan(table).any() else table


def clusters_of_texts(sample: Sample) -> NDArray[np.int64] | None:
    """Return the document of each rating's text; None if documents were not shown whole.

    A text without a document is resampled on its own.
    """
    if not sample.question.by_document:
        return None
    table, names = sample.table, sample.table.names
    item = names.item_of_unit[table.unit]
    document = np.where(item >= 0, names.document_of_item[np.maximum(item, 0)], -1).astype(np.int64)
    return np.where(document >= 0, document, len(names.documents) + table.text)


def shared_by_systems(sample: Sample, counted: Mask) -> tuple[str | None, dict[str, int]]:
    """Return a note, and the number of rows of ratings.csv as a setting, if counted ratings have several rows there.

    A text that several systems produced alike was rated once, and its rating has a row for each of them, or for each
    pair of systems where two texts were compared.
    """
    table, names = sample.table, sample.table.names
    n_outputs = np.bincount(names.shown_part, minlength=len(names.part_ids) + 1) if len(names.shown_part) else None
    if n_outputs is None:
        return None, {}
    rows = np.ones(len(table), dtype=np.int64)
    for part in (table.part, table.part_b):
        rows *= np.where(part >= 0, np.maximum(n_outputs[np.maximum(part, 0)], 1), 1)
    n, n_rows = int(counted.sum()), int(rows[counted].sum())
    if n == n_rows:
        return None, {}
    return SHARED_TEXTS.format(n=n, rows=n_rows), {"n_file_rows": n_rows}


def rated_texts(sample: Sample) -> RatedTexts:
    """Return the first rating of each rater for each text of a sample."""
    once = sample.first_per_rater()
    table, question = once.table, sample.question
    labels = question.scale is Scale.NOMINAL and bool((table.label >= 0).any())
    values = np.where(table.label >= 0, table.label, np.nan) if labels else table.value
    rated = ~np.isnan(values)
    notes = []
    again = sample.table.number[sample.table.label >= 0] > 1
    if labels and again.any():
        notes.append(SEVERAL)
    elif twice := len(sample.table) - len(table):
        notes.append(f"{in_words(twice, 'further rating', 'further ratings')} of a text by the same rater left out.")
    shared_note, shared = shared_by_systems(once, rated)
    if shared_note is not None:
        notes.append(shared_note)
    clusters = clusters_of_texts(once)
    return RatedTexts(
        values=values[rated].astype(np.float64),
        texts=once.text[rated],
        items=_items(once)[rated],
        clusters=clusters[rated] if clusters is not None else None,
        raters=table.rater[rated],
        order=table.id[rated],
        domain=_labels(sample, values[rated]) if labels else (question.domain or None),
        labels=labels,
        notes=tuple(notes),
        shared=shared,
    )


def _items(sample: Sample) -> NDArray[np.int64]:
    """Return the item of the text of each rating; a text without an item is its own."""
    names = sample.table.names
    item = names.item_of_unit[sample.table.unit]
    return np.where(item >= 0, item, len(names.items) + sample.text).astype(np.int64)


def _labels(sample: Sample, values: Floats) -> tuple[float, ...]:
    """Return codes for all labels that the question declares or, if it declares none, for those given."""
    offered, names = sample.question.labels, sample.table.names
    given = np.unique(values).astype(np.int64).tolist()
    # Labels that nobody gave have no code, so they get numbers above all codes.
    unused = [word for word in offered if word not in {names.labels[code] for code in given}]
    known = len(offered) - len(unused) == len(given)
    return tuple(map(float, given)) + (tuple(float(len(names.labels) + n) for n in range(len(unused))) if known else ())
