"""Partial credit on the marks of the WMT 2021 TED talks, against a program that matches text by text.

Each text had one rater, and no metric's marks are published with them. The predictions are these marks after changes
that spans of metrics show: moved, cut short, with the other severity, left out, repeated, and one over a whole text.
"""

import csv
import gzip
from collections import defaultdict
from functools import cache

import numpy as np
import pytest

from analytics_app.stats.errors.marks import Looks, Spans
from analytics_app.stats.errors.predicted import Counts, micro_f1s
from analytics_app.stats.errors.spans import Kind, PairedLooks, match_counts
from tests.reproduction.published import folder_of, missing

SET = "wmt21_ted_mqm"
SEVERITIES = ("minor", "major")

Mark = tuple[int, int, int, int]  # side, start, end, severity


def published() -> list[list[Mark]]:
    """The marks of people, text by text."""
    texts: dict[tuple[str, str], list[Mark]] = defaultdict(list)
    with gzip.open(folder_of(SET) / "ratings.csv.gz", "rt", encoding="utf-8", newline="") as file:
        for row in csv.DictReader(file):
            marks = texts[row["item_id"], row["system"]]
            if row["start"] and int(row["end"]) > int(row["start"]):
                severity = SEVERITIES.index(row["severity"].lower())
                marks.append((int(row["span_side"] == "source"), int(row["start"]), int(row["end"]), severity))
    return list(texts.values())


def predicted(people: list[list[Mark]]) -> list[list[Mark]]:
    """The marks that a metric might have made."""
    texts, number = [], 0
    for marks in people:
        made: list[Mark] = []
        for side, start, end, severity in marks:
            number += 1
            if number % 5 == 0:
                continue
            moved = 2 * (number % 3)
            made.append((side, start + moved, end + moved + number % 4, severity if number % 4 else 1 - severity))
            if number % 7 == 0:
                made.append((side, start, max(start + 1, (start + end) // 2), severity))
            if number % 41 == 0:
                made += [made[-1], (side, 0, 80, 1)]
        texts.append(made)
    return texts


def best(a: list[Mark], b: list[Mark], penalty: float) -> tuple[float, ...]:
    """The best matching of two lists of marks: its score, the sum of both credits, how short they are, the credits."""

    @cache
    def rest(place: int, used: int) -> tuple[float, ...]:
        if place == len(a):
            return (0.0,) * 5
        found = rest(place + 1, used)
        one = a[place]
        for number, other in enumerate(b):
            common = min(one[2], other[2]) - max(one[1], other[1])
            if used >> number & 1 or one[0] != other[0] or common <= 0:
                continue
            factor = 1.0 if one[3] == other[3] else 1 - penalty
            p, r = common / (one[2] - one[1]), common / (other[2] - other[1])
            short = 1 / (one[2] - one[1] + other[2] - other[1])
            more = (factor * 2 * p * r / (p + r), factor * (p + r), short, factor * p, factor * r)
            with_it = tuple(x + y for x, y in zip(more, rest(place + 1, used | 1 << number), strict=True))
            if [round(value, 9) for value in with_it[:3]] > [round(value, 9) for value in found[:3]]:
                found = with_it
        return found

    return rest(0, 0)


@pytest.mark.parametrize("penalty", [0.0, 0.5])
def test_partial_credit_of_published_marks(penalty: float) -> None:
    if reason := missing(SET):
        pytest.skip(reason)
    people = published()
    metric = predicted(people)
    n = len(people)
    assert n == 15_341
    looks = Looks(np.tile(np.arange(n), 2), np.repeat([0, 1], n))
    columns = np.array([(look, *mark) for look, marks in enumerate([*people, *metric]) for mark in marks]).T
    counts = match_counts(PairedLooks.of(looks), Spans(*columns), Kind("partial", penalty=penalty))
    of_metric = counts[:, [1, 0, 3, 2]]
    options = {"unit": "items", "n_resamples": 0, "confidence": 0.95, "rng": np.random.default_rng(1)}
    (found,), _none = micro_f1s(Counts(of_metric, np.zeros(n, dtype=int), np.arange(n)), 1, **options)

    outcomes = np.array([best(a, b, penalty) for a, b in zip(metric, people, strict=True)]).sum(axis=0)
    precision = outcomes[3] / sum(map(len, metric))
    recall = outcomes[4] / sum(map(len, people))
    assert found.precision.value == pytest.approx(precision, abs=1e-6)
    assert found.recall.value == pytest.approx(recall, abs=1e-6)
    assert found.f1.value == pytest.approx(2 * precision * recall / (precision + recall), abs=1e-6)
    assert 0.5 < found.f1.value < 0.9
