"""The headline of a page of results: for each kind of analysis, what its adjusted tests support and no more."""

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from itertools import combinations
from typing import Any

import pytest
from django.test import Client

from analytics_app.results import Row
from tasks_app.models import Study
from tests.analytics_app.builders import build_run, funnel, likert_rows, slider_rows
from tests.analytics_app.views.reading import page, results, tables, text

pytestmark = pytest.mark.django_db

CLEAR, UNCLEAR = 0.001, 0.4
Values = Mapping[str, float]
Pairs = Mapping[tuple[str, str], tuple[float, float | None]]


def row(analysis: str, statistic: str, **columns: Any) -> Row:
    """Make a kept row of the task; without `criterion` it is about the task as a whole."""
    by_system = bool(columns.get("system"))
    return Row(analysis=analysis, statistic=statistic, task="main", basis="kept", by_system=by_system, **columns)


def compared(
    analysis: str, level: str, values: Values, tested: str, pairs: Pairs, criterion: str = "style", **settings: Any
) -> Iterator[Row]:
    """Make a value for each system, and a value with its adjusted p for each pair."""
    for system, value in values.items():
        ends = {"low": value - 0.1, "high": value + 0.1}
        yield row(analysis, level, criterion=criterion, system=system, value=value, **ends)
    for (a, b), (value, p) in pairs.items():
        about = {"criterion": criterion, "system": a, "system_b": b, "settings": settings}
        yield row(analysis, tested, **about, value=value, p=p, p_adjusted=p)


def rated(values: Values, clear: Iterable[tuple[str, str]] = (), **settings: Any) -> list[Row]:
    """Make means and differences of which some are clear."""
    found = {tuple(pair) for pair in clear}
    pairs = {(a, b): (values[a] - values[b], CLEAR if (a, b) in found else UNCLEAR) for a, b in combinations(values, 2)}
    return list(compared("systems", "mean", values, "difference", pairs, **settings))


def best_worst(**scores: tuple[float, float, float]) -> list[Row]:
    """Make scores with their intervals."""
    return [
        row("best_worst", "bw_score", criterion="style", system=name, low=low, value=value, high=high)
        for name, (low, value, high) in scores.items()
    ]


def labels(*tests: tuple[str, str, str, float, float]) -> list[Row]:
    """Make tests of how often two systems get a label."""
    return [
        row("labels", "label_difference", criterion="style", label=label, system=a, system_b=b, value=value, p=p,
            p_adjusted=p)
        for label, a, b, value, p in tests
    ]  # fmt: skip


def affect(
    statistic: str, label: str, value: float, p: float | None = None, first: str = "before", **columns: Any
) -> Row:
    """Make a row of PANAS."""
    times = {"from": first, "to": "after"}
    return row("panas", statistic, label=label, value=value, p=p, p_adjusted=p, settings=times, **columns)


def by_group(statistic: str, question: str, p: float) -> Row:
    """Make the test of a question between two groups."""
    about = {"label": "key", "group": "film", "slice": "against=music", "settings": {"question": question}}
    return row("answers_by_group", statistic, value=0.4, p=p, p_adjusted=p, **about)


def triangles(goal: str, *ps: float) -> list[Row]:
    """Make triangle tests of system a against others."""
    plan = {"goal": goal, "alpha": 0.05, "beta": 0.1}
    return [
        row("triangle", "triangle_share", system="a", system_b=f"b{n}", value=0.5, p=p, p_adjusted=p, settings=plan)
        for n, p in enumerate(ps)
    ]


def chosen(*tests: tuple[str, str, float, float]) -> list[Row]:
    """Make tests of whose suggestions editors choose."""
    return [
        row("post_edit", "suggestion_chosen_over", system=a, system_b=b, value=value, p=p, p_adjusted=p)
        for a, b, value, p in tests
    ]


THREE = {"a": 4.0, "b": 3.0, "c": 2.0}
FOUR = {**THREE, "d": 1.0}
ALONE = [row("systems", "mean", criterion="style", system="a", value=92.4, low=88.4, high=96.4)]
PAIR = {("a", "b"): (0.3, CLEAR)}
SCORES = [row("panas", "affect_mean", label="PA", value=31.2, low=29.0, high=33.4)]

CASES: dict[str, tuple[list[Row], str]] = {
    "groups": (
        slider_rows(),
        "HIGH is rated higher than NIU, BART and LUO on content; no clear difference between NIU and BART; "
        "other raters may differ.",
    ),
    "two criteria alike": (
        [*slider_rows(), *slider_rows("style")],
        "HIGH is rated higher than NIU, BART and LUO on content and style; no clear difference between NIU "
        "and BART; other raters may differ.",
    ),
    "two criteria": (
        [*rated(THREE), *likert_rows()],
        "north is rated higher than south and west on Fluency; no clear difference between south and west; "
        "other raters may differ. No two systems differ clearly on style.",
    ),
    "a full order": (
        rated(THREE, combinations("abc", 2)),
        "a is rated higher than b and c on style; b is rated higher than c, too.",
    ),
    "several at the top": (
        rated(FOUR, [("a", "c"), ("a", "d"), ("b", "c"), ("b", "d"), ("c", "d")]),
        "a and b are rated higher than c and d on style; no clear difference between a and b.",
    ),
    "one pair": (rated(THREE, [("a", "c")]), "a is rated higher than c on style; no other pair differs clearly."),
    "some pairs": (
        rated(FOUR, [("a", "c"), ("a", "d"), ("b", "d")]),
        "a is rated higher than c and d on style; 3 of 6 pairs differ clearly.",
    ),
    "none": (rated(THREE), "No two systems differ clearly on style."),
    "none on either of two criteria": (
        [*rated(THREE), *[replace(one, criterion="content") for one in rated(THREE)]],
        "No two systems differ clearly on style or content.",
    ),
    "none of two": (rated({"a": 4.0, "b": 3.0}), "No clear difference between a and b on style."),
    "none could": (
        rated(THREE, cannot_differ="…", cannot_differ_since="units"),
        "No two systems differ clearly on style; there are too few texts for any of the tests to be significant.",
    ),
    "none could, of few that differ": (
        rated(THREE, cannot_differ="…", cannot_differ_since="differing"),
        "No two systems differ clearly on style; they differ on too few texts for any of the tests to be significant.",
    ),
    "none could, of equal texts": (
        rated({"a": 4.0, "b": 4.0}, cannot_differ="…", cannot_differ_since="equal"),
        "No clear difference between a and b on style; they have the same value on every text.",
    ),
    "none could, of few permutations": (
        rated(THREE, cannot_differ="…", cannot_differ_since="permutations"),
        "No two systems differ clearly on style; the tests draw too few permutations to become significant.",
    ),
    "none could, by an earlier version": (
        rated(THREE, cannot_differ="With so few items none of the tests of this family can be significant …"),
        "No two systems differ clearly on style; there are too few data for any of the tests to become significant.",
    ),
    "none of those planned": (
        list(compared("systems", "mean", FOUR, "difference", {("a", "b"): (1, UNCLEAR), ("a", "c"): (2, UNCLEAR)})),
        "None of the 2 comparisons shows a clear difference on style.",
    ),
    "no test": (
        list(compared("systems", "mean", THREE, "difference", {("a", "b"): (1, None)})),
        "Too few ratings to test how systems differ on style.",
    ),
    "one system": (ALONE, "a has a mean of 92.4 on style (88.4 to 96.4)."),
    "magnitudes": (
        list(
            compared("magnitude", "geometric_mean", {"a": 1.2, "b": 2.4}, "magnitude_ratio", {("a", "b"): (0.5, CLEAR)})
        ),
        "b gets higher numbers than a on style.",
    ),
    "preferences": (
        list(compared("pairwise", "bt_strength", {"a": -1, "b": 1}, "win_rate", PAIR)),
        "b is preferred to a on style.",
    ),
    "ranks": (
        list(compared("ranking", "rank_mean", {"a": 1.8, "b": 1.2}, "ranked_above_half", PAIR)),
        "b is ranked above a on style.",
    ),
    "penalties": (
        list(compared("error_spans", "mqm_score", {"a": 1, "b": 3}, "mqm_difference", {("a", "b"): (-2, CLEAR)})),
        "a has a lower MQM penalty than b on style.",
    ),
    "penalties by tests over texts": (
        list(
            compared(
                "error_spans",
                "mqm_score",
                {"a": 1, "b": 3},
                "mqm_difference",
                {("a", "b"): (-2, CLEAR)},
                generalises_to="further texts, by these raters",
            )
        ),
        "a has a lower MQM penalty than b on style; other raters may differ.",
    ),
    "nothing clear by tests over texts": (
        rated({"a": 4.0, "b": 3.0}, generalises_to="further texts, by these raters"),
        "No clear difference between a and b on style.",
    ),
    "best-worst, one above all": (
        best_worst(a=(0.4, 0.5, 0.6), b=(-0.1, 0.0, 0.1)),
        "a is chosen as best more often, and as worst less often, than every other system on style: its interval lies "
        "above all others.",
    ),
    "best-worst, two overlap": (
        best_worst(a=(0.4, 0.5, 0.6), b=(0.3, 0.4, 0.5), c=(-0.9, -0.8, -0.7)),
        "No system stands clearly above all others on style: the intervals of a and b, the two highest, overlap.",
    ),
    "labels": (
        labels(("ok", "a", "b", 0.3, CLEAR), ("ok", "a", "c", 0.4, CLEAR), ("bad", "a", "b", -0.1, UNCLEAR)),
        "a gets the label “ok” more often than b and c on style.",
    ),
    "labels, others too": (
        labels(("ok", "a", "b", -0.3, CLEAR), ("bad", "a", "b", 0.2, CLEAR), ("ok", "a", "c", 0.1, UNCLEAR)),
        "b gets the label “ok” more often than a on style; 2 of 3 label comparisons are significant.",
    ),
    "labels, none": (labels(("ok", "a", "b", 0.3, UNCLEAR)), "The labels of no two systems differ clearly on style."),
    "affect between groups": (
        [affect("affect_change_adjusted", "PA", -2.0, CLEAR, group="film", slice="against=music")],
        "At after, positive affect was lower in film than in music (adjusted for before).",
    ),
    "affect within a group alone": (
        [
            affect("affect_change_adjusted", "PA", -2.0, UNCLEAR, group="film", slice="against=music"),
            affect("affect_change", "NA", 3.0, CLEAR, group="film"),
        ],
        "No clear difference between groups in how affect changed from before to after; negative affect rose in film "
        "from before to after.",
    ),
    "affect in two tasks": (
        [
            affect("affect_change_adjusted", "PA", -2.0, UNCLEAR, group="film", slice="against=music"),
            replace(
                affect("affect_change_adjusted", "PA", 1.0, UNCLEAR, group="film", slice="against=music"), task="b"
            ),
            replace(affect("affect_change", "NA", 3.0, CLEAR, group="film"), task="b"),
        ],
        "No clear difference between groups in how affect changed from before to after; negative affect rose in film "
        "from before to after.",
    ),
    "affect between some times only": (
        [
            affect("affect_change_adjusted", "PA", 3.0, CLEAR, group="film", slice="against=music", first="middle"),
            affect("affect_change_adjusted", "NA", -3.0, CLEAR, group="film", slice="against=music", first="middle"),
            affect("affect_change_adjusted", "PA", 1.0, UNCLEAR, group="film", slice="against=music"),
        ],
        "At after, positive affect was higher and negative affect was lower in film than in music (adjusted for "
        "middle).",
    ),
    "answers that groups gave differently": (
        [
            by_group("group_mean_difference", "Your age", CLEAR),
            by_group("group_higher", "How easy?", CLEAR),
            by_group("group_association", "Your diet", UNCLEAR),
        ],
        "Music and film answered “Your age” and “How easy?” differently.",
    ),
    "answers that groups gave alike": (
        [by_group("group_association", "Your diet", UNCLEAR)],
        "No clear difference between groups in the answers to 1 question.",
    ),
    "affect unchanged": (
        [affect("affect_change", "NA", 3.0, UNCLEAR)],
        "No clear change in affect from before to after.",
    ),
    "affect once": (SCORES, "Mean scores: positive affect 31.2 (29.0 to 33.4)."),
    "what is tested before what is described": (
        [*SCORES, *rated({"a": 4.0, "b": 3.0})],
        "No clear difference between a and b on style. Mean scores: positive affect 31.2 (29.0 to 33.4).",
    ),
    "triangle": (triangles("difference", 0.01), "Raters can tell a and b0 apart."),
    "triangle, many pairs": (
        triangles("difference", *[0.01] * 5, 0.2),
        "Raters can tell a and b0; a and b1; a and b2; and 2 more pairs apart (5 of 6 pairs).",
    ),
    "triangle, similar": (triangles("similarity", 0.08), "Raters hardly tell a and b0 apart."),
    "triangle, not shown": (
        triangles("difference", 0.08),
        "It was not shown that raters can tell a and b0 apart.",
    ),
    "triangle, similar of none": (
        triangles("similarity", 0.2, 0.3),
        "It was not shown of any two systems that they are similar.",
    ),
    "suggestions": (
        chosen(("a", "b", 0.8, CLEAR), ("a", "c", 0.3, CLEAR), ("b", "c", 0.5, UNCLEAR)),
        "Editors choose suggestions of a over b; c over a (2 of 3 pairs).",
    ),
    "suggestions, none": (
        chosen(("a", "b", 0.6, UNCLEAR)),
        "No system's suggestions are chosen clearly more often than another's.",
    ),
    "edits": (
        [row("post_edit", "hter", system=name, value=value) for name, value in (("b", 0.31), ("a", 0.12))],
        "Edits per word (HTER) of each system's suggestions: a 0.12, b 0.31.",
    ),
    "nothing compared": (list(funnel()), "No test of this run compares systems."),
}


def headline(html: str) -> str:
    """Return the headline of a page of results."""
    (found,) = re.findall(r'<h2 class="ew-headline"[^>]*>(.*?)</h2>', html, flags=re.DOTALL)
    return text(found)


@pytest.mark.parametrize("kind", CASES)
def test_the_headline_says_what_tests_support(rosas_browser: Client, closed: Study, kind: str) -> None:
    rows, said = CASES[kind]
    build_run(closed, rows)
    html = page(rosas_browser, results(closed))
    assert headline(html).replace("&#x27;", "'") == said


def test_hidden_systems_are_not_said_to_be_untested(rosas_browser: Client, study: Study) -> None:
    build_run(study, slider_rows())
    assert headline(page(rosas_browser, results(study))) == "Results by system are hidden until the study is closed."


@pytest.mark.parametrize(
    ("rows", "value", "reason"),
    [
        ([], "0.48", "Krippendorff's alpha with interval distances"),
        ([{"statistic": "gwet_ac2"}], "0.48", "Krippendorff's alpha with ordinal distances"),
        ([{"statistic": "gwet_ac1"}], "0.48", "Krippendorff's alpha for labels"),
        ([{"statistic": "gwet_ac1"}, {"statistic": "cohen_kappa", "value": 0.9, "n_raters": 3}], "0.48", "for labels"),
        ([{"statistic": "gwet_ac1"}, {"statistic": "cohen_kappa", "value": 0.3, "n_raters": 2}], "0.30", "two raters"),
        ([{"statistic": "icc", "label": "ICC1k of logs", "value": 0.7}], "0.70", "The intraclass correlation"),
    ],
)
def test_the_measure_of_agreement_follows_scale_and_design(
    rosas_browser: Client, closed: Study, rows: list[dict[str, Any]], value: str, reason: str
) -> None:
    alpha = row("krippendorff", "alpha", criterion="style", value=0.48)
    build_run(closed, [alpha, *(row("agreement", criterion="style", **one) for one in rows)])
    html = page(rosas_browser, results(closed))
    (lines,) = (lines for caption, lines in tables(html) if caption.startswith("Agreement by criterion"))
    assert lines[1][2] == value
    assert reason in text(html).replace("&#x27;", "'")


def test_the_index_gathers_the_questions_of_a_task_of_many(rosas_browser: Client, closed: Study) -> None:
    build_run(closed, [replace(one, criterion=f"q{n}") for n in range(9) for one in ALONE])
    assert index(page(rosas_browser, results(closed))) == f"{INDEX} 9 questions What was excluded Raters Run and files"
    build_run(closed, [*ALONE, *slider_rows()])
    assert (
        index(page(rosas_browser, results(closed))) == f"{INDEX} style content What was excluded Raters Run and files"
    )


# The head of the index, which a phone has folded, and its first link.
INDEX = "On this page Summary"


def index(html: str) -> str:
    """Return the words of the index of a page of results."""
    (found,) = re.findall(r'<nav class="ew-index".*?</nav>', html, flags=re.DOTALL)
    return text(found)


def test_the_summary_shows_systems_pairs_agreement_and_what_was_excluded(rosas_browser: Client, closed: Study) -> None:
    untouched = [
        Row(analysis="funnel", task=task, basis="all", statistic=step, n_ratings=60)
        for task in ("other", "third")
        for step in ("collected", "kept")
    ]
    build_run(closed, [*funnel(), *untouched, *slider_rows()])
    html = page(rosas_browser, results(closed))
    summary = html.split('id="summary"', 1)[1].split("</section>", 1)[0]
    assert [line[0] for line in table_rows(summary, "content Mean, on a scale from 1 to 5")[1:5]] == [
        "HIGH",
        "NIU",
        "BART",
        "LUO",
    ]
    assert table_rows(summary, "content Mean, on a scale from 1 to 5")[1][2:] == ["92.4", "88.4 to 96.4"]
    pairs = table_rows(summary, "Pairs of systems: content")
    assert pairs[0] == ["", "NIU", "BART", "LUO"]
    assert pairs[1] == ["HIGH", "+8.3 p < 0.001", "+9.2 p < 0.001", "+60.6 p < 0.001"]
    assert table_rows(summary, "Agreement by criterion Krippendorff's alpha (interval)")[1][2:] == [
        "0.71",
        "0.65 to 0.76",
    ]
    assert "Krippendorff's alpha with interval distances" in text(summary).replace("&#x27;", "'")
    said = text(summary)
    assert "Likert scale: 9 of 720 ratings excluded (Interquartile range: 9)" in said
    assert "No rating excluded from other and third" in said


def table_rows(html: str, caption: str) -> list[list[str]]:
    """Return the rows of the one table with this caption."""
    (rows,) = (rows for found, rows in tables(html) if found == caption)
    return rows
