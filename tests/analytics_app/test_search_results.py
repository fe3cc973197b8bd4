"""Search results: precision and nDCG of small lists by hand, and what is said of unjudged and repeated results."""

import math
from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import pytest
from django.core.exceptions import ValidationError

from analytics_app.analyses.search_results.settings import CutoffsField, GainsField, gains_of
from analytics_app.ratings import Table
from analytics_app.ratings.extras.variants import Variants
from analytics_app.results import Row
from tests.analytics_app.test_labels import labelled, rows_of, value

LABELS = ("Relevant", "Partly", "Not")

# The results of each query and system in their order: letters are texts, of which equal ones are one text.
Shown = dict[tuple[int, int], str]


def searched(shown: Shown, said: dict[tuple[int, str], Sequence[str]]) -> tuple[Table, Variants]:
    """Make the table of answers about texts of queries, an answer of each rater, with their ranks."""
    texts = sorted({(query, text) for (query, _system), listed in shown.items() for text in listed})
    of_text = {text: number for number, text in enumerate(texts)}
    given = [
        (rater, query, number, label)
        for (query, text), number in of_text.items()
        for rater, label in enumerate(said.get((query, text), ()))
    ]
    data = labelled(given)
    places = sorted(
        (of_text[query, text], system, query, rank)
        for (query, system), listed in shown.items()
        for rank, text in enumerate(listed, start=1)
    )
    part, system, query, rank = (list(column) for column in zip(*places, strict=True))
    part_of = {(item, code): number for number, (item, code) in enumerate(sorted({(q, n) for _r, q, n, _l in given}))}
    recoded = {n: code for (_q, n), code in part_of.items()}
    unjudged = [number for number in of_text.values() if number not in recoded]
    recoded |= {number: len(part_of) + place for place, number in enumerate(unjudged)}
    order = np.argsort([recoded[number] for number in part], kind="stable")
    names = replace(
        data.names,
        part_ids=np.arange(len(texts)),
        unit_of_part=np.zeros(len(texts), dtype=np.int32),
        shown_part=np.array([recoded[number] for number in part], dtype=np.int32)[order],
        shown_system=np.array(system, dtype=np.int32)[order],
        shown_item=np.array(query, dtype=np.int32)[order],
    )
    zeros = np.zeros(len(data.judgments.unit), dtype=np.int32)
    data = replace(data, names=names, judgments=replace(data.judgments, unit=zeros))
    return data, Variants(tuple(str(rank[place]) for place in order.tolist()))


def rows(shown: Shown, said: dict[tuple[int, str], Sequence[str]], **settings: object) -> list[Row]:
    data, variants = searched(shown, said)
    settings = {"relevant": ["Relevant"], "cutoffs": "1, 3", **settings}
    return rows_of("search_results", data, labels=LABELS, extras={Variants: variants}, **settings)


# Two queries, two systems; a text that both return was shown once.
SHOWN = {(0, 0): "abc", (0, 1): "cba", (1, 0): "de", (1, 1): "efg"}
SAID = {
    (0, "a"): ["Relevant"] * 3,
    (0, "b"): ["Not", "Not", "Partly"],
    (0, "c"): ["Partly", "Partly", "Not"],
    (1, "d"): ["Relevant"] * 2,
    (1, "e"): ["Relevant", "Not", "Relevant"],
    (1, "f"): ["Not"],
}


def test_precision_by_hand() -> None:
    found = rows(SHOWN, SAID)
    # Query 0: a alone is relevant. Query 1: d and e, of which system 1 has e only.
    assert value(found, "precision_at", system="s0", label="at 1") == 1
    assert value(found, "precision_at", system="s1", label="at 1") == pytest.approx(1 / 2)
    assert value(found, "precision_at", system="s0", label="at 3") == pytest.approx((1 / 3 + 2 / 3) / 2)
    assert value(found, "precision_at", system="s1", label="at 3") == pytest.approx(1 / 3)
    (pair,) = [row for row in found if row.statistic == "precision_difference" and row.label == "at 3"]
    assert (pair.system, pair.system_b) == ("s0", "s1")
    assert pair.value == pytest.approx(1 / 6)
    # Of two queries one differs: both flips are as far from zero.
    assert pair.p == 1
    assert pair.settings
    assert pair.settings["family"] == "2 pairs and cut-offs of one measure"


def test_ndcg_by_hand() -> None:
    found = rows(SHOWN, SAID, gains="Relevant=3\nPartly=1")
    second, third = 1 / math.log2(3), 1 / 2
    of_first = [(3 + third) / (3 + second), 1.0]
    of_second = [(1 + 3 * third) / (3 + second), 3 / (3 + 3 * second)]
    assert value(found, "ndcg_at", system="s0", label="at 3") == pytest.approx(sum(of_first) / 2)
    assert value(found, "ndcg_at", system="s1", label="at 3") == pytest.approx(sum(of_second) / 2)
    # Without gains, every relevant label has one.
    plain = rows(SHOWN, SAID)
    assert value(plain, "ndcg_at", system="s0", label="at 3") == 1
    assert value(plain, "ndcg_at", system="s1", label="at 3") == pytest.approx((third + 1 / (1 + second)) / 2)


def test_what_nobody_judged_is_counted_and_said() -> None:
    found = rows(SHOWN, SAID)
    assert value(found, "judged_at", system="s1", label="at 3") == pytest.approx(5 / 6)
    notes = {(row.system, row.label): row.note for row in found if row.statistic == "judged_at"}
    assert notes["s1", "at 3"] == "1 result was not judged, which counts as not relevant."
    assert notes["s0", "at 3"] == "1 rank has no result, which counts as not relevant."
    assert notes["s0", "at 1"] is None


def test_raters_are_joined_as_the_plan_says() -> None:
    mean = rows(SHOWN, SAID, join="mean")
    assert value(mean, "precision_at", system="s1", label="at 1") == pytest.approx((0 + 2 / 3) / 2)
    tied = rows({(0, 0): "a", (0, 1): "a"}, {(0, "a"): ["Relevant", "Not"]}, cutoffs="1")
    (row,) = [row for row in tied if row.statistic == "precision_at" and row.system == "s0"]
    assert row.value == 0
    assert "1 result has a tie of labels, of which the least relevant counts." in (row.note or "")
    model = rows(SHOWN, SAID, join="dawid_skene")
    assert value(model, "precision_at", system="s0", label="at 1") == 1


def test_a_repeated_result_gains_nothing() -> None:
    found = rows({(0, 0): "aab", (0, 1): "ba"}, {(0, "a"): ["Relevant"], (0, "b"): ["Relevant"]}, cutoffs="3")
    assert value(found, "precision_at", system="s0", label="at 3") == pytest.approx(2 / 3)
    (row,) = [row for row in found if row.statistic == "ndcg_at" and row.system == "s0"]
    assert row.value == pytest.approx((1 + 1 / 2) / (1 + 1 / math.log2(3)))
    assert "1 result stands in a list a second time" in (row.note or "")


def test_outputs_have_a_text_for_each_criterion_that_is_asked_apart() -> None:
    data, variants = searched(SHOWN, SAID)
    names, n = data.names, len(data.names.part_ids)
    # Every output is shown a second time, with a question about something else.
    twice = replace(
        names,
        part_ids=np.arange(2 * n),
        unit_of_part=np.zeros(2 * n, dtype=np.int32),
        shown_part=np.r_[names.shown_part, names.shown_part + n],
        shown_system=np.tile(names.shown_system, 2),
        shown_item=np.tile(names.shown_item, 2),
    )
    settings = {"labels": LABELS, "relevant": ["Relevant"], "cutoffs": "1, 3"}
    extras = {Variants: Variants(variants.variant * 2)}
    found = rows_of("search_results", replace(data, names=twice), extras=extras, **settings)
    assert found == rows(SHOWN, SAID)


def test_queries_without_results_or_gains_are_left_out_and_counted() -> None:
    shown = {(0, 0): "a", (0, 1): "b", (1, 0): "c", (2, 0): "d", (2, 1): "d"}
    said = {(0, "a"): ["Relevant"], (0, "b"): ["Not"], (1, "c"): ["Relevant"], (2, "d"): ["Not"]}
    found = rows(shown, said, cutoffs="1")
    (second,) = [row for row in found if row.statistic == "precision_at" and row.system == "s1"]
    assert (second.value, second.n_items) == (0, 2)
    assert "Left out: 1 query without results of this system." in (second.note or "")
    (ndcg,) = [row for row in found if row.statistic == "ndcg_at" and row.system == "s0"]
    assert (ndcg.value, ndcg.n_items) == (1, 2)
    assert "Left out: 1 query without a result that has a gain." in (ndcg.note or "")
    nothing = rows({(0, 0): "a", (0, 1): "b"}, {(0, "a"): ["Not"], (0, "b"): ["Not"]}, cutoffs="1")
    assert {row.note for row in nothing if row.statistic == "ndcg_at"} == {
        "No result of any query has a gain, so there is no best possible order."
    }
    assert not [row for row in nothing if row.statistic == "ndcg_difference"]


def test_what_cannot_be_computed_is_said() -> None:
    data, variants = searched(SHOWN, SAID)
    words = Variants(("second", *variants.variant[1:]))
    (row,) = rows_of("search_results", data, labels=LABELS, extras={Variants: words}, relevant=["Relevant"])
    assert row.note == (
        "The variant of a result must be its rank, a whole number from 1; 1 result has another, such as “second”."
    )
    (row,) = rows(SHOWN, SAID, relevant=["relevant"])
    assert row.note == "No label that is offered, or that anybody gave: relevant."
    (row,) = rows_of("search_results", data, labels=LABELS, params={"multiple": True}, relevant=["Relevant"])
    assert row.note == "Several options may be chosen, so no result has one label."
    assert rows(SHOWN, SAID, relevant=[]) == []


def test_settings_are_checked_and_written_in_one_way() -> None:
    assert CutoffsField().clean("10, 1 5,5") == "1, 5, 10"
    assert GainsField().clean(" Partly relevant = 1 \n\nA=B=2.0") == "Partly relevant=1\nA=B=2"
    assert gains_of("A=B=2") == {"A=B": 2.0}
    for wrong in ("0", "1.5", "x", "1001", "1,2,3,4,5,6,7"):
        with pytest.raises(ValidationError):
            CutoffsField().clean(wrong)
    for wrong, line in (("Relevant", 1), ("Relevant=2\nPartly=-1", 2), ("=1", 1), ("A=1\nA=2", 2), ("A=nan", 1)):
        with pytest.raises(ValidationError, match=f"Line {line}: "):
            GainsField(required=False).clean(wrong)
