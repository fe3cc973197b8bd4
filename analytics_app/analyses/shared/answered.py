"""Answers that were analysed: those with ratings and, if errors are marked, those without an error."""

import numpy as np
from numpy.typing import NDArray

from analytics_app.analyses.base import Sample
from analytics_app.ratings.extras.excluded import Gone, answered
from tasks_app import task_types


def judgments_of(sample: Sample) -> NDArray[np.int64]:
    """Return the codes of the analysed judgments of a whole task; the calling analysis needs the extra `Gone`."""
    table, nobody = sample.table, np.empty(0, dtype=np.int64)
    if not any(outcome.per == "span" for outcome in task_types.registry[sample.question.task_type].outcomes):
        return np.unique(table.judgment).astype(np.int64)
    excluded = sample.extras[Gone]
    out = (excluded.raters, excluded.judgments) if sample.basis == "kept" else (nobody, nobody)
    return np.flatnonzero(answered(table, *out)).astype(np.int64)
