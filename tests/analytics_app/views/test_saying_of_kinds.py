"""May I say so?: the sentence for a paper about each kind of data, where there is an effect and where there is none."""

import re
from collections.abc import Callable, Sequence
from html import unescape
from typing import Any, NamedTuple

import pytest
from django.test import Client

from analytics_app.results import TO_RATERS_AND_TEXTS, TO_TEXTS, Row
from tasks_app.models import Booklet, Study
from tests.analytics_app.answering import AGREED, TORN
from tests.analytics_app.builders import build_run
from tests.analytics_app.test_crossed_shares import of_errors, of_labels, of_ranks, of_search, of_truth
from tests.analytics_app.views.reading import page, results, text
from tests.analytics_app.views.test_findings import ALONE, best_worst, row

pytestmark = pytest.mark.django_db

NONE = (0.0, 0.0, 0.0, 0.0, 0.0)
FIGURES = r"95 % interval −?\d+ to −?\d+, p (= \d\.\d{3}|< 0\.001)"
RANDOM = "raters and texts random; 40 texts, 5 raters"


class Saying(NamedTuple):
    """What a page says: the verdict, the sentence for a paper, and the cautions."""

    verdict: str
    sentence: str
    cautions: str


def said(browser: Client, study: Study, rows: Sequence[Row]) -> Saying:
    """Store a planned run of a complete study with these rows, and read its page."""
    Booklet.objects.filter(task__study=study).update(n_places=0)
    build_run(study, rows, planned=True, facts={"simulated_raters": 0, "raters": 5})
    html = page(browser, results(study))
    (found,) = re.findall(r'<details class="ew-more ew-saying">(.*?)</details>', html, flags=re.DOTALL)
    sentence = re.search(r"<p dir=\"auto\" data-copy-source>(.*?)</p>", found, flags=re.DOTALL)
    verdict = re.search(r"<strong>(.*?)</strong>", found)
    assert verdict is not None
    return Saying(
        verdict=unescape(text(verdict[1])),
        sentence=unescape(text(sentence[1] if sentence else "")),
        cautions=text(found[found.rindex("</blockquote>") :] if sentence else ""),
    )


def effects(*tests: tuple[str, float, float]) -> list[Row]:
    """Effects of types of errors on ratings, with their p."""
    about = {"generalises_to": TO_RATERS_AND_TEXTS, "family": "types of errors", "correction": "holm"}
    return [
        row("error_counts", "error_effect_crossed", criterion="style", label=label, value=value, low=value - 0.3,
            high=value + 0.3, p=p, p_adjusted=p, n_items=40, n_raters=5, settings=about)
        for label, value, p in tests
    ]  # fmt: skip


def triangle(right: int, p: float, *, goal: str = "difference", raters: int = 30) -> list[Row]:
    """A triangle test of two systems by 30 choices."""
    about = {"goal": goal, "alpha": 0.05, "beta": 0.1, "family": "1 pairs of the task", "correction": "holm"}
    return [
        row("triangle", "triangle_share", system="a", system_b="b", value=right / 30, low=0.3, high=0.8, p=p,
            p_adjusted=p, n_ratings=30, n_raters=raters, n_items=12, settings=about)
    ]  # fmt: skip


# Each kind: rows with an effect and without, the claim of each up to its figures, the figures, what is random, and what
# the sentence says it does not show where nothing is shown.
Of = Callable[..., list[Row]]
PLANTED: dict[str, tuple[Of, str, str, str, str, str]] = {
    "labels": (
        of_labels,
        "s0 gets the label “Yes” more often than s1 on tone",
        "The labels of no two systems differ clearly on tone",
        rf"s[01] − s[01], “Yes”: −?\d+ percentage points, {FIGURES}",
        RANDOM,
        "This does not show that the systems get the labels equally often.",
    ),
    "error labels": (
        of_errors,
        "s1 gets the label “No” more often than s0 on error",
        "The labels of no two systems differ clearly on error",
        rf"s[01] − s[01], “No”: \d+ percentage points, {FIGURES}",
        RANDOM,
        "This does not show that the systems get the labels equally often.",
    ),
    "known truth": (
        lambda leanings: of_truth(tuple(one + 1.0 for one in leanings)) if leanings != NONE else of_truth(leanings),
        r"Raters are right in \d+ % of their answers, more often than chance \(50 %\) on tone",
        r"It was not shown that raters are right more often than chance \(\d+ %, chance 50 %\) on tone",
        rf"share of right answers, difference from chance: −?\d+ percentage points, {FIGURES}",
        "raters and texts random; p adjusted for 3 comparisons by Holm, intervals not adjusted; 40 texts, 5 raters",
        "This does not show that raters guess.",
    ),
    "search results": (
        of_search,
        "s0 has more relevant results among its first 2 than s1 on tone",
        "The precision of no two systems differs clearly on tone",
        rf"s[01] − s[01], first 2 results: −?\d+ percentage points, {FIGURES}",
        "raters and queries random; 40 queries, 5 raters",
        "This does not show that the systems are equal.",
    ),
    "rankings": (
        of_ranks,
        "A is ranked above B and C on quality; no clear difference between B and C",
        "No two systems differ clearly on quality",
        r"A over C: \d+ %, 95 % interval \d+ % to \d+ %, p (= \d\.\d{3}|< 0\.001)",
        "raters and texts random; p adjusted for 3 comparisons by Holm, intervals not adjusted; 60 texts, 5 raters",
        "This does not show that the systems are equal.",
    ),
}


@pytest.mark.parametrize("kind", PLANTED)
def test_a_sentence_claims_a_planted_effect_and_nothing_where_nothing_was_planted(
    rosas_browser: Client, closed: Study, kind: str
) -> None:
    of, claim, none, figures, random, unproven = PLANTED[kind]
    found = said(rosas_browser, closed, of(AGREED))
    assert re.match(claim, found.sentence), found.sentence
    assert re.search(figures, found.sentence), found.sentence
    assert random in found.sentence
    assert unproven not in found.sentence
    assert found.verdict == "Yes, with reservations: only 5 raters."
    found = said(rosas_browser, closed, of(NONE))
    assert re.match(none, found.sentence), found.sentence
    assert re.search(f"{FIGURES}|{figures}", found.sentence), found.sentence
    assert random in found.sentence
    assert found.sentence.endswith(unproven)


def test_a_difference_that_only_these_raters_show_is_said_to_be_theirs(rosas_browser: Client, closed: Study) -> None:
    found = said(rosas_browser, closed, of_labels(TORN))
    assert found.sentence.startswith(
        "The labels of no two systems differ clearly on tone; these raters label systems differently, but other raters "
        "may not ("
    )
    found = said(rosas_browser, closed, of_labels(AGREED, generalise_to="texts"))
    assert "test for further texts, by these raters; 40 texts, 5 raters" in found.sentence
    assert found.verdict == "Yes, with reservations: only 5 raters; about these raters only."


@pytest.mark.parametrize(
    ("rows", "sentence", "caution"),
    [
        (
            effects(("noise", -1.2, 0.001), ("gap", -0.1, 0.6)),
            "Ratings fall with each error of the type “noise” on style (per error of the type “noise”: −1.20, 95 % "
            "interval −1.50 to −0.90, p = 0.001; per error of the type “gap”: −0.10, 95 % interval −0.40 to 0.20, p = "
            "0.600; raters and texts random; p adjusted for 2 comparisons by Holm, intervals not adjusted; 40 texts, 5 "
            "raters).",
            "this is an association, not a cause",
        ),
        (
            effects(("noise", -0.1, 0.6)),
            "It was not shown that ratings fall with the errors of any type on style (per error of the type “noise”: "
            "−0.10, 95 % interval −0.40 to 0.20, p = 0.600; raters and texts random; 40 texts, 5 raters). This does "
            "not show that errors of these types do not matter.",
            "this is an association, not a cause",
        ),
        (
            triangle(18, 0.001),
            "Raters can tell a and b apart (a and b: 18 of 30 choices right, 60 % where guessing gives 33 %, 95 % "
            "interval 30 % to 80 %, p = 0.001; exact one-sided binomial test, planned for a difference at a risk of "
            "0.05; 12 texts, 30 raters).",
            "The test does not say which system is better.",
        ),
        (
            triangle(12, 0.4, raters=10),
            "It was not shown that raters can tell a and b apart (a and b: 12 of 30 choices right, 40 % where guessing "
            "gives 33 %, 95 % interval 30 % to 80 %, p = 0.400; exact one-sided binomial test, planned for a "
            "difference at a risk of 0.05; 12 texts, 10 raters). This does not show that they cannot be told apart.",
            "Some raters chose several times: p is right all the same, but the intervals are too narrow.",
        ),
        (
            triangle(12, 0.4, goal="similarity"),
            "It was not shown that a and b are similar (a and b: 12 of 30 choices right, 40 % where guessing gives "
            "33 %, 95 % interval 30 % to 80 %, p = 0.400; exact one-sided binomial test, planned for similarity at a "
            "risk of 0.1; 12 texts, 30 raters). This does not show that they differ.",
            "other texts may be easier or harder to tell apart",
        ),
        (
            best_worst(a=(0.4, 0.5, 0.6), b=(0.3, 0.4, 0.5)),
            "No system stands clearly above all others on style: the interval of the highest score, that of a, "
            "overlaps with every other interval (a: 0.50, 95 % interval 0.40 to 0.60; b: 0.40, 95 % interval 0.30 to "
            "0.50; 5 raters). This does not show that the systems are equal.",
            "The method has no test of pairs: the finding goes by the intervals of scores.",
        ),
        (
            ALONE,
            "a has a mean of 92.4 on style (95 % interval 88.4 to 96.4; 5 raters).",
            "Only one system was judged, so nothing is compared; do not call its value high or low.",
        ),
        (
            [
                row("krippendorff", "alpha", criterion="style", value=0.5, low=0.4, high=0.6, n_items=40, n_raters=5,
                    settings={"level": "ordinal", "interval": "bootstrap over texts"})
            ],
            "Raters agreed on style with a value of 0.50 (interval 0.40 to 0.60) by Krippendorff's alpha (ordinal) "
            "(interval for further texts, by these raters; 40 texts, 5 raters).",
            "Agreement does not show that ratings are right: raters may agree on an error.",
        ),
    ],
)  # fmt: skip
def test_a_sentence_has_figures_and_says_what_they_do_not_show(
    rosas_browser: Client, closed: Study, rows: list[Row], sentence: str, caution: str
) -> None:
    found = said(rosas_browser, closed, rows)
    assert found.sentence == sentence
    assert caution in found.cautions


def test_a_sentence_is_about_the_finding_and_not_about_another_comparison_beside_it(
    rosas_browser: Client, closed: Study
) -> None:
    means: dict[str, Any] = {"criterion": "style", "analysis": "systems", "n_items": 9}
    rows = [
        row(**means, statistic="mean", system="a", value=4.0, n_raters=2),
        row(**means, statistic="mean", system="b", value=3.0, n_raters=2),
        row(**means, statistic="difference", system="a", system_b="b", value=1.0, p=0.2, p_adjusted=0.2,
            settings={"generalises_to": TO_TEXTS}),
    ]  # fmt: skip
    copies = row("robustness", "robustness_difference", criterion="style", label="typos", value=0.3, low=-0.1, high=0.7,
        p=0.2, p_adjusted=0.2, n_items=20, settings={"generalises_to": TO_TEXTS, "degraded": "typos"})  # fmt: skip
    found = said(rosas_browser, closed, [copies, *rows])
    assert found.sentence.startswith("It was not shown that raters rate any degraded copy lower than its original on")
    assert "original − copy" in found.sentence
    assert "a − b" not in found.sentence
    assert "test for further texts, by these raters; 20 texts" in found.sentence
