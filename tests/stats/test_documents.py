"""Where documents were shown whole they are drawn, not their texts.

The oracle: texts of a document that are copies of each other say no more than one of them, so the interval has to be
that of the texts without the copies. Drawn text by text it would be narrower by the root of their number.
"""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from analytics_app.stats.agreement.correlation import between_raters
from analytics_app.stats.agreement.fleiss import fleiss_kappa
from analytics_app.stats.agreement.krippendorff import krippendorff_alpha
from analytics_app.stats.agreement.percent import percent_agreement
from analytics_app.stats.comparison.friedman import concordance
from analytics_app.stats.errors.characters import character_alpha
from analytics_app.stats.errors.marks import Looks, Spans
from analytics_app.stats.errors.spans import Kind, span_f1s
from analytics_app.stats.metrics.metric_meta import over_systems, over_texts
from analytics_app.stats.metrics.tau_like import tau_like
from analytics_app.stats.values import Estimate

DRAW = np.random.default_rng(5)
N, COPIES = 24, 4
QUALITY = DRAW.normal(size=(N, 1))
# Texts by raters, items by systems.
STEPS = np.clip(np.round(3 + QUALITY + DRAW.normal(size=(N, 2))), 1, 5)
SCORES = 3 + QUALITY + DRAW.normal(size=(N, 4))
METRIC = SCORES + DRAW.normal(size=(N, 4))


def options(n_resamples: int = 400) -> dict[str, Any]:
    return {"n_resamples": n_resamples, "confidence": 0.95, "rng": np.random.default_rng(9)}


def copied(table: np.ndarray, copies: int) -> tuple[np.ndarray, np.ndarray]:
    """Return every row so many times, and the document of each: its row."""
    return np.repeat(table, copies, axis=0), np.repeat(np.arange(len(table)), copies)


def _ratings(
    statistic: Callable[..., Estimate], copies: int, together: bool, with_raters: bool = False, **more: Any
) -> Estimate:
    table, document = copied(STEPS, copies)
    n, k = table.shape
    columns = [table.ravel(), np.repeat(np.arange(n), k)]
    columns += [np.tile(np.arange(k), n)] if with_raters else []
    return statistic(*columns, clusters=np.repeat(document, k) if together else None, **more, **options())


def alpha(level: str) -> Callable[[int, bool], Estimate]:
    return lambda copies, together: _ratings(krippendorff_alpha, copies, together, level=level)


def percent(copies: int, together: bool) -> Estimate:
    return _ratings(percent_agreement, copies, together)


def fleiss(copies: int, together: bool) -> Estimate:
    return _ratings(fleiss_kappa, copies, together)


def pooled(method: str) -> Callable[[int, bool], Estimate]:
    """Three raters, two a text: then the stacked correlation is resampled."""

    def of(copies: int, together: bool) -> Estimate:
        table, document = copied(STEPS, copies)
        raters = np.repeat(np.where(np.arange(N)[:, np.newaxis] % 2 == 0, [[0, 1]], [[1, 2]]), copies, axis=0)
        unit = np.repeat(np.arange(len(table)), 2)
        clusters = np.repeat(document, 2) if together else None
        found = between_raters(table.ravel(), unit, raters.ravel(), method=method, clusters=clusters, **options())
        return found.pooled

    return of


def w(copies: int, together: bool) -> Estimate:
    ranks, document = copied(np.argsort(np.argsort(SCORES)) + 1.0, copies)
    other, _document = copied(np.argsort(np.argsort(METRIC)) + 1.0, copies)
    n = len(ranks)
    items = np.repeat(np.arange(n), 4)
    return concordance(
        np.concatenate([ranks.ravel(), other.ravel()]),
        np.concatenate([items, items + n]),
        np.tile(np.arange(4), 2 * n),
        np.tile(items, 2),
        clusters=np.tile(np.repeat(document, 4), 2) if together else None,
        **options(),
    )


def tau(copies: int, together: bool) -> Estimate:
    (human, document), (metric, _document) = copied(SCORES, copies), copied(METRIC, copies)
    return tau_like(human, metric, clusters=document if together else None, **options()).pooled


def systems(copies: int, together: bool) -> Estimate:
    (human, document), (metric, _document) = copied(SCORES, copies), copied(METRIC, copies)
    return over_systems(human, metric, clusters=document if together else None, **options()).pearson


def texts(copies: int, together: bool) -> Estimate:
    (human, document), (metric, _document) = copied(SCORES, copies), copied(METRIC, copies)
    item = document if together else np.arange(len(document))
    return over_texts(human.ravel(), metric.ravel(), np.repeat(item, 4), **options(100)).pearson


def _marked(copies: int) -> tuple[Looks, Spans, np.ndarray]:
    """Two raters mark one stretch in each text, that of the second begins a little later."""
    later, document = copied(np.abs(np.round(3 * (STEPS[:, :1] - STEPS[:, 1:]))), copies)
    n = len(document)
    looks = Looks(np.repeat(np.arange(n), 2), np.tile([0, 1], n))
    start = np.zeros(2 * n, dtype=np.intp)
    start[1::2] = later[:, 0]
    none = np.zeros(2 * n, dtype=np.intp)
    return looks, Spans(np.arange(2 * n), none, start, start + 6, none), document


def exact_f1(copies: int, together: bool) -> Estimate:
    looks, spans, document = _marked(copies)
    (found,) = span_f1s(looks, spans, [Kind("exact")], clusters=document if together else None, **options())
    return found.mean


def characters(copies: int, together: bool) -> Estimate:
    looks, spans, document = _marked(copies)
    lengths = np.full(len(document), 40)
    return character_alpha(looks, spans, lengths, n_labels=1, clusters=document if together else None, **options())


STATISTICS: dict[str, Callable[[int, bool], Estimate]] = {
    **{f"alpha {level}": alpha(level) for level in ("nominal", "ordinal", "interval", "ratio")},
    "percent": percent, "fleiss": fleiss, "pearson": pooled("pearson"), "spearman": pooled("spearman"),
    "concordance": w, "tau-like": tau, "over systems": systems, "over texts": texts,
    "span F1": exact_f1, "alpha over characters": characters,
}  # fmt: skip


@pytest.mark.parametrize("name", STATISTICS)
def test_copies_within_a_document_make_no_interval_narrower(name: str) -> None:
    of = STATISTICS[name]
    once, whole, one_by_one = of(1, True), of(COPIES, True), of(COPIES, False)
    # The sample of alpha and of kappa is finite, and copies make it larger.
    assert whole.value == pytest.approx(once.value, abs=0.02)
    assert (whole.low, whole.high, whole.se) == pytest.approx((once.low, once.high, once.se), abs=0.03)
    assert one_by_one.value == whole.value
    # Half of it, but for a correlation of four systems, which has its ends near.
    assert one_by_one.se < 0.85 * whole.se


def test_few_documents_give_no_interval_of_agreement_however_many_texts() -> None:
    units, values = np.repeat(np.arange(N), 2), STEPS.ravel()
    found = krippendorff_alpha(values, units, level="ordinal", clusters=units % 9, **options())
    assert (found.low, found.n_items) == (None, N)
    assert found.note == "Too few documents with two ratings or more for an interval: 9, and it takes 10."
    assert percent_agreement(values, units, clusters=units % 9, **options()).note == found.note
    assert percent_agreement(values, units, clusters=units % 10, **options()).low is not None


def test_a_text_is_in_one_document() -> None:
    with pytest.raises(ValueError, match="in one cluster only"):
        krippendorff_alpha([1, 2, 1, 2], [0, 0, 1, 1], level="nominal", clusters=[0, 1, 2, 2])
