"""Labels, right answers, search results and rankings with raters and texts random: rows, findings, tables, charts."""

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from analytics_app import charts
from analytics_app.analyses.base import Common, Question, Sample
from analytics_app.ratings import Table
from analytics_app.ratings.extras.variants import Variants
from analytics_app.results import Row
from analytics_app.show.findings import FindingQuestion, finding
from analytics_app.show.shown import tables_for
from tasks_app.task_types.base import Scale
from tests.analytics_app.answering import AGREED, SIX, TORN, answers, exchanged, ranked, widened
from tests.analytics_app.test_labels import labelled, rows_of
from tests.analytics_app.test_search_results import LABELS, searched
from tests.house.test_analyses import made

FURTHER = "further texts and further raters"
ONE_RATER = "One rater only: nothing can be said about further raters."

Of = Callable[..., list[Row]]


def of_labels(leanings: Sequence[float], **common: Any) -> list[Row]:
    return rows_of("labels", answers(leanings), common=common)


def of_errors(leanings: Sequence[float], **common: Any) -> list[Row]:
    return rows_of("error_labels", answers(leanings, key="error"), labels=(), common=common)


def told(data: Table) -> Table:
    """A table in which Yes is true of every item."""
    return replace(data, names=replace(data.names, features={"truth": np.array(["Yes"] * len(data.names.items))}))


def of_truth(leanings: Sequence[float], **common: Any) -> list[Row]:
    return rows_of("known_truth", told(answers(leanings)), truth="truth", common=common)


def of_ranks(leanings: Sequence[float], names: Callable[[Any], Any] = lambda names: names, **common: Any) -> list[Row]:
    table = ranked(leanings).table()
    table = replace(table, names=names(table.names))
    about = Common(n_resamples=100, n_permutations=999, seed=1, **common)
    question = Question("main", "ranking", Scale.ORDINAL, "quality", (1.0, 2.0, 3.0))
    return list(made("ranking").rows(Sample(table, np.full(len(table), np.nan), question, about, "kept")))


def searching(leanings: Sequence[float], *, queries: int = 40) -> tuple[Table, Variants]:
    """Lists of two results of two systems, labelled by raters who lean to the results of the first system."""
    draw = np.random.default_rng(5)
    shown = {(query, system): ("ab", "cd")[system] for query in range(queries) for system in range(2)}
    said = {
        (query, text): [
            "Relevant" if draw.normal(leaning if text in "ab" else 0.0, 0.8) > 0 else "Not" for leaning in leanings
        ]
        for query in range(queries)
        for text in "abcd"
    }
    data, variants = searched(shown, said)
    return widened(data, items=queries, raters=len(leanings)), variants


def of_search(leanings: Sequence[float], names: Callable[[Any], Any] = lambda names: names, **common: Any) -> list[Row]:
    data, variants = searching(leanings)
    data = replace(data, names=names(data.names))
    return rows_of(
        "search_results", data, labels=LABELS, extras={Variants: variants}, relevant=["Relevant"], cutoffs="2",
        join="mean", common=common,
    )  # fmt: skip


# Each analysis, its statistic of pairs, that of systems, and the value of a pair that does not differ.
KINDS: list[tuple[Of, str, str, float]] = [
    (of_labels, "label_difference", "share", 0.0),
    (of_errors, "label_difference", "share", 0.0),
    (of_truth, "right_difference", "right_share", 0.0),
    (of_search, "precision_difference", "precision_at", 0.0),
    (of_search, "ndcg_difference", "ndcg_at", 0.0),
    (of_ranks, "ranked_above_half", "rank_mean", 0.5),
]


def first(rows: Sequence[Row], statistic: str, **about: Any) -> Row:
    """The first row of a statistic with these columns."""
    return next(
        row
        for row in rows
        if row.statistic == statistic and all(getattr(row, name) == value for name, value in about.items())
    )


@pytest.mark.parametrize(("of", "pair", "level", "even"), KINDS)
def test_where_raters_prefer_different_systems_only_the_test_over_texts_rejects(
    of: Of, pair: str, level: str, even: float
) -> None:
    torn = of(TORN)
    these, further = first(torn, pair), first(torn, f"{pair}_crossed")
    assert (these.p or 1) < 0.05 < (further.p or 0)
    assert further.low is not None
    assert further.high is not None
    assert further.low < even < further.high
    assert further.settings is not None
    assert further.settings["generalises_to"] == FURTHER
    assert further.settings["test"] == "t of a linear mixed model with raters and items random"
    assert torn.index(further) < torn.index(these), "the default comes first"
    of_system = first(torn, f"{level}_crossed")
    assert of_system.settings is not None
    assert of_system.settings["generalises_to"] == FURTHER
    assert (of_system.n_raters, of_system.low is not None) == (4, True)
    agreed = first(of(AGREED), f"{pair}_crossed")
    assert (agreed.p_adjusted or 1) < 0.05


@pytest.mark.parametrize(("of", "pair", "level", "even"), KINDS)
def test_a_plan_for_texts_alone_has_the_published_tests_only(of: Of, pair: str, level: str, even: float) -> None:
    rows = of(TORN, generalise_to="texts")
    assert not [row for row in rows if row.statistic.endswith("_crossed")]
    both = [row for row in of(TORN) if not row.statistic.endswith("_crossed")]
    assert rows == both, f"{pair} and {level} of these raters, around {even}, are the same"


@pytest.mark.parametrize(("of", "pair", "level", "even"), KINDS)
def test_one_rater_allows_no_such_conclusion(of: Of, pair: str, level: str, even: float) -> None:
    rows = of(TORN[:1])
    row = first(rows, f"{pair}_crossed")
    assert (row.value, row.p, row.note) == (None, None, ONE_RATER)
    assert not [row for row in rows if row.statistic == f"{level}_crossed"]
    assert first(rows, pair).value is not None, f"around {even}"


def turned(row: Row, even: float) -> list[float | None]:
    """Value, limits and p of a pair as they are for its systems in the other order."""
    back = [None if one is None else 2 * even - one for one in (row.value, row.high, row.low)]
    return [*back, row.p, row.p_adjusted]


@pytest.mark.parametrize(("of", "pair", "level", "even"), KINDS)
def test_systems_that_change_places_change_only_the_signs(of: Of, pair: str, level: str, even: float) -> None:
    if of in {of_ranks, of_search}:
        before, after = of(SIX), of(SIX, exchanged)
    else:
        key = "error" if of is of_errors else ""
        data = told(answers(SIX, key=key))
        name = {of_labels: "labels", of_errors: "error_labels", of_truth: "known_truth"}[of]
        more: dict[str, Any] = {"truth": "truth"} if of is of_truth else {}
        shown = () if of is of_errors else ("Yes", "No")
        before, after = (
            rows_of(name, replace(data, names=names), labels=shown, **more)
            for names in (data.names, exchanged(data.names))
        )
    a, b = first(before, f"{pair}_crossed").system, first(before, f"{pair}_crossed").system_b
    for row in before:
        if row.statistic == f"{pair}_crossed" and (row.system, row.system_b) == (a, b):
            other = first(after, row.statistic, system=a, system_b=b, label=row.label)
            found = [other.value, other.low, other.high, other.p, other.p_adjusted]
            assert found == pytest.approx(turned(row, even), rel=1e-6, abs=1e-9)
        if row.statistic == f"{level}_crossed" and row.system in {a, b}:
            other = first(after, row.statistic, system=b if row.system == a else a, label=row.label)
            assert [other.value, other.low] == pytest.approx([row.value, row.low], rel=1e-6, abs=1e-9)
            assert (other.n_ratings, other.n_items) == (row.n_ratings, row.n_items)


def test_figures_are_those_of_lmer_test() -> None:
    """Figures of lme4 1.1-31 with lmerTest 3.1-3 on the same answers, with `contest1D` for means.

    Of means lmerTest has 16.07 and 21.84 degrees of freedom. Here six raters whose variance is estimated as 0 allow 15.
    """
    labels, truth, ranks = of_labels(SIX), of_truth(SIX), of_ranks(SIX)
    for row, value, se, df in (
        (first(labels, "label_difference_crossed"), 0.1708333333, 0.07936984391, 10.19150339),
        (first(labels, "share_crossed", system="s0", label="Yes"), 0.5916666667, 0.06334438232, 15),
        (first(labels, "share_crossed", system="s1", label="No"), 1 - 0.4208333333, 0.06334438232, 15),
        (first(truth, "right_difference_crossed"), 0.1708333333, 0.07936984391, 10.19150339),
        (first(truth, "right_against_chance_crossed", system="s0"), 0.09166666667, 0.07442827859, 6.850424694),
        (first(ranks, "ranked_above_half_crossed"), 0.6111111111, 0.04219843255, 7.377960807),
        (first(ranks, "rank_mean_crossed", system="A"), 1.711111111, 0.07123144794, 15),
    ):
        assert row.value == pytest.approx(value, abs=1e-6)
        assert row.se == pytest.approx(se, rel=1e-3)
        assert row.df == pytest.approx(df, rel=1e-3)


def test_unanimous_labels_keep_a_test() -> None:
    given = [(r, i, s, ("Yes", "No")[s]) for r in range(6) for i in range(8) for s in range(2)]
    data = widened(labelled(given), items=8, raters=6)
    row = first(rows_of("labels", data), "label_difference_crossed")
    assert (row.value, row.high) == (1, 1)
    assert row.p == pytest.approx(2**-5)
    assert row.settings is not None
    assert row.settings["test"] == "exact sign test of answers about both systems that share no rater and no text"
    right = first(rows_of("known_truth", told(data), truth="truth"), "right_against_chance_crossed", system="s0")
    assert right.p == pytest.approx(2 * 0.5**6)


def test_a_family_is_all_pairs_and_labels() -> None:
    given = [(r, i, s, "ABC"[(r * 7 + i * 5 + s * (i % 3)) % 3]) for r in range(4) for i in range(9) for s in range(3)]
    rows = rows_of("labels", widened(labelled(given), items=9, raters=4), labels=("A", "B", "C"))
    tests = [row for row in rows if row.statistic == "label_difference_crossed"]
    assert len(tests) == 9
    assert {(row.settings or {})["family"] for row in tests} == {"9 pairs and labels of one criterion"}
    least = min(tests, key=lambda row: row.p if row.p is not None else 1.0)
    assert least.p_adjusted == pytest.approx(min(1.0, 9 * (least.p or 0.0)))


def test_search_results_are_those_of_each_raters_own_labels() -> None:
    """Rater 0 judged all of both lists, rater 1 not the last text of the second."""
    shown = {(query, system): ("ab", "cb")[system] for query in range(2) for system in range(2)}
    said = {(query, text): ["Relevant", "Not"] for query in range(2) for text in "ab"}
    said |= {(0, "c"): ["Not", "Relevant"], (1, "c"): ["Not"]}
    data, variants = searched(shown, said)
    rows = rows_of(
        "search_results", data, labels=LABELS, extras={Variants: variants}, relevant=["Relevant"], cutoffs="1, 2"
    )
    counts = {
        (row.system, row.label): (row.n_ratings, row.n_items, row.n_raters)
        for row in rows
        if row.statistic == "precision_at_crossed"
    }
    assert counts == {
        ("s0", "at 1"): (4, 2, 2), ("s0", "at 2"): (4, 2, 2), ("s1", "at 1"): (3, 2, 2), ("s1", "at 2"): (3, 2, 2),
    }  # fmt: skip
    # The best order of query 1 takes all of its three results, of which rater 1 judged two.
    assert first(rows, "ndcg_at_crossed", system="s0").n_ratings == 3
    assert first(rows, "precision_at_crossed", system="s0", label="at 2").value == pytest.approx(0.5)
    assert "By each rater's own labels" in (first(rows, "precision_at_crossed").note or "")


def test_lists_that_no_rater_judged_alone_allow_no_conclusion_about_raters() -> None:
    shown = {(query, system): ("ab", "cd")[system] for query in range(3) for system in range(2)}
    data, variants = searched(shown, {(query, text): ["Relevant"] for query in range(3) for text in "abcd"})
    # Every text has a rater of its own.
    texts = np.unique(data.part, return_inverse=True)[1].astype(np.int32)
    names = replace(data.names, raters=tuple(f"r{n}" for n in range(12)), rater_ids=np.arange(12, dtype=np.int64))
    data = replace(data, rater=texts, judgments=replace(data.judgments, rater=texts), names=names)
    rows = rows_of(
        "search_results", data, labels=LABELS, extras={Variants: variants}, relevant=["Relevant"], cutoffs="2"
    )
    row = first(rows, "precision_difference_crossed")
    assert (row.value, row.note) == (
        None, "No rater judged a list as far as anybody did, so nothing can be said about further raters."
    )  # fmt: skip


def test_joint_labels_say_that_they_have_no_raters() -> None:
    data = answers(SIX)
    (row,) = [row for row in rows_of("joint_labels", data, good=["tone=Yes"]) if row.statistic == "joint_difference"]
    assert row.note is not None
    assert row.note.startswith(
        "A joint label has no raters of its own, so this test holds for further texts, labelled by"
    )
    assert row.settings is not None
    assert row.settings["generalises_to"] == "further texts, by these raters"
    (before,) = [
        row
        for row in rows_of("joint_labels", data, good=["tone=Yes"], common={"generalise_to": "texts"})
        if row.statistic == "joint_difference"
    ]
    assert before.note is None


@pytest.mark.parametrize(
    ("of", "name", "torn", "agreed"),
    [
        (
            of_labels, "labels",
            "The labels of no two systems differ clearly on tone; these raters label systems differently, but other "
            "raters may not.",
            "s0 gets the label “Yes” more often than s1 on tone.",
        ),
        (
            of_truth, "labels",
            "It was not shown that raters are right more often than chance (45\u00a0%, chance 50\u00a0%) on tone.",
            "It was not shown that raters are right more often than chance (58\u00a0%, chance 50\u00a0%) on tone; by "
            "the answers of these raters they are, but other raters may not be.",
        ),
        (
            of_search, "labels",
            "The precision of no two systems differs clearly on tone; the labels of these raters show a "
            "difference, but those of other raters may not.",
            "s0 has more relevant results among its first 2 than s1 on tone.",
        ),
        (
            of_ranks, "ranking",
            "No two systems differ clearly on tone; these raters rate systems differently, but other raters may not.",
            "A is ranked above B and C on tone; no clear difference between B and C.",
        ),
    ],
)  # fmt: skip
def test_findings_go_by_what_holds_for_further_raters(of: Of, name: str, torn: str, agreed: str) -> None:
    question = FindingQuestion("tone", name, 0.05)
    for leanings, sentence in ((TORN, torn), (AGREED, agreed)):
        found = finding(of(leanings), question)
        assert found is not None
        assert found.text == sentence
    alone = finding(of(AGREED[:1]), question)
    assert alone is not None
    assert alone.text.endswith("; this is about these raters only.")


def test_tables_show_both_conclusions_by_name() -> None:
    for of, name, caption in (
        (of_labels, "labels", "Labels: pairs of systems"),
        (of_errors, "error_labels", "Labels: pairs of systems"),
        (of_truth, "known_truth", "Right answers, pairs of systems"),
        (of_search, "search_results", "Precision, pairs of systems"),
        (of_ranks, "ranking", "Rankings by pair"),
    ):
        tables = {str(table.caption): table for table in tables_for(name, of(TORN), 0.05)}
        heads = [str(column.label) for column in tables[caption].columns]
        assert {"For further texts and raters", "Adjusted p", "Adjusted p, these raters"} <= set(heads), name
        before = {str(table.caption): table for table in tables_for(name, of(TORN, generalise_to="texts"), 0.05)}
        assert "For further texts and raters" not in [str(column.label) for column in before[caption].columns]


@pytest.mark.parametrize(
    ("of", "key"), [(of_truth, "right-by-system"), (of_search, "precision-by-system"), (of_ranks, "mean-ranks")]
)
def test_charts_draw_what_holds_for_further_raters(of: Of, key: str) -> None:
    criterion = of(TORN)[0].criterion
    drawn = {one.key: one for one in charts.draw(of(TORN), "main", criterion, name="Tone")}
    assert "for further texts and further raters" in drawn[key].subtitle
    before = {one.key: one for one in charts.draw(of(TORN, generalise_to="texts"), "main", criterion, name="Tone")}
    assert "for further texts, by these raters" in before[key].subtitle


def test_the_shares_of_labels_are_told_apart_only_for_further_raters() -> None:
    titles = [
        {one.key: one for one in charts.draw(of(TORN, **common), "main", "tone", name="Tone")}["shares"].title
        for of, common in ((of_labels, {}), (of_labels, {"generalise_to": "texts"}))
    ]
    assert titles[0] == "Shares of labels for Tone, system by system"
    assert titles[1].startswith("Tone is “")


def test_a_cut_off_that_no_rater_judged_whole_says_so_and_the_chart_keeps_to_these_raters() -> None:
    data, variants = searching((0.9, 0.4, -0.2), queries=12)
    rank = dict(zip(data.names.shown_part.tolist(), variants.variant, strict=True))
    first_results = np.array([rank[part] == "1" for part in data.part.tolist()])
    data = data.where(first_results == (data.rater < 2))
    rows = rows_of(
        "search_results", data, labels=LABELS, extras={Variants: variants}, relevant=["Relevant"], cutoffs="1, 2"
    )
    assert first(rows, "precision_difference_crossed", label="at 1").p_adjusted is not None
    second = first(rows, "precision_difference_crossed", label="at 2")
    assert (second.value, second.note) == (
        None, "No rater judged a list as far as anybody did, so nothing can be said about further raters."
    )  # fmt: skip
    drawn = {one.key: one for one in charts.draw(rows, "main", "tone", name="Tone")}
    assert drawn["precision-by-system"].title.startswith("Relevant among the first 2 results on Tone")


def flagged(leanings: Sequence[float], **common: Any) -> list[Row]:
    """Error labels with a flag that raters tick where they answer Yes."""
    data = answers(leanings, key="error")
    data = replace(data, names=replace(data.names, criteria=("error", "rude"), criterion_ids=np.arange(2) + 1))
    ticks = replace(
        data, criterion=np.ones_like(data.criterion), label=np.full_like(data.label, -1),
        value=(data.label == data.names.labels.index("Yes")).astype(float),
    )  # fmt: skip
    columns = ("id", "judgment", "rater", "unit", "part", "part_b", "criterion", "number", "value", "shown", "label")
    both = {name: np.concatenate([getattr(data, name), getattr(ticks, name)]) for name in columns}
    return rows_of("error_labels", replace(data, **both), labels=(), common=common)


def test_flags_have_intervals_for_further_raters_where_there_are_some() -> None:
    rows = flagged(TORN)
    crossed, these = (first(rows, name, system="s0") for name in ("flag_share_crossed", "flag_share"))
    as_label = first(rows, "share_crossed", system="s0", label="Yes")
    assert (crossed.value, crossed.low, crossed.high) == pytest.approx((as_label.value, as_label.low, as_label.high))
    assert crossed.settings is not None
    assert (crossed.criterion, crossed.n_raters, crossed.settings["generalises_to"]) == ("rude", 4, FURTHER)
    assert crossed.high - crossed.low > 1.5 * (these.high - these.low), "raters differ"
    for without in (flagged(AGREED[:1]), flagged(TORN, generalise_to="texts")):
        assert not [row for row in without if row.statistic == "flag_share_crossed"]
        assert first(without, "flag_share", system="s0").low is not None


def test_tables_say_what_intervals_of_joint_labels_are_about() -> None:
    about = "labelled by these raters: a joint label has no raters of its own."
    for of, name, caption in (
        (of_labels, "labels", "Labels by system"),
        (of_truth, "known_truth", "Right joint labels beside single answers"),
    ):
        tables = {str(table.caption): table for table in tables_for(name, of(AGREED), 0.05)}
        assert any(about in str(note) for note in tables[caption].notes), name
