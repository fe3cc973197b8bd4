"""Below the headline of results: one number for a pair, why an interval and a test differ, a sentence for the paper."""

import re
from dataclasses import replace
from itertools import combinations
from typing import Any

import pytest
from django.test import Client

from analytics_app.results import Row
from tasks_app.models import Booklet, RaterSet, Study
from tests.analytics_app.builders import SETTINGS, build_run, funnel
from tests.analytics_app.views.reading import page, results, text
from tests.analytics_app.views.test_findings import THREE, rated, row

pytestmark = pytest.mark.django_db


def preferences(share: float, half: float, p: float, adjusted: float, ends: tuple[float, float]) -> list[Row]:
    """Make the strengths of two systems, and how often the first is preferred, without ties and with halves of them."""
    strengths = [row("pairwise", "bt_strength", criterion="style", system=name, value=0.0) for name in "ab"]
    pair = {"criterion": "style", "system": "a", "system_b": "b", "n_items": 12, "n_raters": 6}
    low, high = ends
    return [
        *strengths,
        row("pairwise", "win_rate", **pair, value=share, p=p, p_adjusted=adjusted, settings={"correction": "holm"}),
        row("pairwise", "win_rate_half", **pair, value=half, low=low, high=high),
    ]


def test_a_pair_has_one_number_and_an_interval_that_differs_from_its_test_is_explained(
    rosas_browser: Client, closed: Study
) -> None:
    def shown(*given: Any) -> str:
        build_run(closed, preferences(*given))
        return text(page(rosas_browser, results(closed)))

    said = shown(0.21, 0.24, 0.03, 0.06, (0.1, 0.4))
    matrix = said[said.index("Pairs of systems: style") :]
    assert "24 % p = 0.060" in matrix
    assert "21 %" not in matrix[: matrix.index("ratings")]
    assert "a and b: the interval leaves out 50 %, but the adjusted p is not significant." in said
    assert "Go by p." in said
    said = shown(0.21, 0.24, 0.2, 0.2, (0.1, 0.4))
    assert "but the test is not significant: the two are computed in different ways" in said
    said = shown(0.21, 0.24, 0.001, 0.001, (0.1, 0.6))
    assert "the test is significant although the interval includes 50 %" in said
    for agreeing in ((0.21, 0.24, 0.001, 0.001, (0.1, 0.4)), (0.45, 0.46, 0.6, 0.6, (0.3, 0.6))):
        assert "a and b: the" not in shown(*agreeing)


def test_a_sentence_for_the_paper_says_no_more_than_the_data_carry(rosas_browser: Client, closed: Study) -> None:
    def asked(rows: list[Row], **run: Any) -> str:
        number = build_run(closed, rows, **run).number
        html = page(rosas_browser, f"{results(closed)}{number}/")
        found = re.search(r'<details class="ew-more ew-saying">.*?</details>', html, flags=re.DOTALL)
        return text(found[0]).replace("&#x27;", "'") if found else ""

    Booklet.objects.filter(task__study=closed).update(n_places=0)
    clear = [
        replace(one, n_items=20, n_raters=12, **({"low": 0.5, "high": 1.5} if one.system_b else {}))
        for one in rated(THREE, combinations("abc", 2), correction="holm")
    ]
    said = asked(clear, planned=True)
    assert "May I say so? Yes." in said
    assert "a is rated higher than b and c on style; b is rated higher than c, too (" in said
    assert "a − c: 2.00, 95 % interval 0.50 to 1.50, p = 0.001" in said
    assert "p adjusted for 3 comparisons by Holm, intervals not adjusted; 20 texts, 12 raters)." in said
    said = asked(clear)
    assert "Yes, with reservations: exploratory." in said
    assert "Call it exploratory" in said
    said = asked([replace(one, n_items=8, n_raters=3) for one in rated(THREE)], planned=True)
    assert "No two systems differ clearly on style (" in said
    assert "This does not show that the systems are equal." in said
    assert "The test has only 8 texts; say so." in said
    assert "Only 3 raters judged; say so." in said
    said = asked(clear, facts={"simulated_raters": 12, "raters": 12})
    assert "No: simulated raters took part." in said
    assert "With the same numbers from people, a paper could say:" in said
    low = row("krippendorff", "alpha", criterion="style", value=0.3)
    assert "Raters agree little (alpha 0.30)" in asked([*clear, low], planned=True)
    said = asked(clear, facts={"simulated_raters": 0, "tasks": {"main": {"uncorrected": True}}})
    assert "Not with these numbers" in said
    assert "is rated higher" not in said
    assert asked(list(funnel())) == ""


def test_a_verdict_names_weaknesses_of_the_data(rosas_browser: Client, closed: Study) -> None:
    def verdict(rows: list[Row]) -> str:
        number = build_run(closed, rows, planned=True).number
        (found,) = re.findall(
            r"May I say so\? <strong>(.*?)</strong>", page(rosas_browser, f"{results(closed)}{number}/")
        )
        return str(found)

    def speeds(*shares: float) -> list[Row]:
        of_rater = {"criterion": None, "n_ratings": 12}
        return [
            row("rater_quality", "rater_fast_screens", rater=f"r-{n}", value=share, **of_rater)
            for n, share in enumerate(shares)
        ]

    pairs = [replace(one, n_items=20, n_raters=5) for one in rated(THREE, combinations("abc", 2))]
    Booklet.objects.filter(task__study=closed).update(n_places=36)
    RaterSet.objects.filter(task__study=closed).update(n_answered=0)
    places = sum(Booklet.objects.filter(task__study=closed).values_list("n_places", flat=True))
    few, missing = "Yes, with reservations: ", f"0 of {places} judgments; "
    assert verdict([*pairs, *speeds(0.9, 0.8, 0.7, 0.6, 0.1)]) == (
        f"{few}{missing}most raters answered faster than the texts can be read; only 5 raters."
    )
    assert verdict([*pairs, *speeds(0.9, 0.1, 0.1)]) == (
        f"{few}{missing}1 of 3 raters answered faster than the texts can be read; only 5 raters."
    )
    Booklet.objects.filter(task__study=closed).update(n_places=0)
    assert verdict([*pairs, *speeds(0.1, 0.1)]) == f"{few}only 5 raters."
    over_texts = {"generalises_to": "further texts, by these raters"}
    rows = [replace(one, n_raters=9, settings=over_texts) for one in pairs]
    assert verdict(rows) == f"{few}about these raters only."
    assert verdict([replace(one, n_raters=9) for one in pairs]) == "Yes."


def test_a_sentence_for_the_paper_has_the_figures_of_pairs_without_a_clear_difference(
    rosas_browser: Client, closed: Study
) -> None:
    pairs = [replace(one, low=-1.0, high=2.5) if one.system_b else one for one in rated(THREE, [("a", "c")])]
    build_run(closed, pairs)
    said = text(page(rosas_browser, results(closed)))
    assert "a − b: 1.00, 95 % interval −1.00 to 2.50, p = 0.400" in said
    assert "A difference that is not clear does not show that two systems are equal." in said


def test_one_question_of_several_is_said_not_to_be_corrected_across_them(rosas_browser: Client, closed: Study) -> None:
    def said(*criteria: str, **settings: Any) -> str:
        family = {"family": "3 pairs of one criterion", "correction": "holm"}
        rows = [
            replace(one, criterion=key) for key in criteria for one in rated(THREE, combinations("abc", 2), **family)
        ]
        build_run(closed, rows, settings={**SETTINGS, **settings})
        return text(page(rosas_browser, results(closed)))

    apart = "one of 3 questions that compare systems, not corrected across them"
    assert f"p adjusted for 3 comparisons by Holm, intervals not adjusted; {apart}" in said("style", "tone", "flow")
    assert "not corrected across" not in said("style")
    assert "not corrected across" not in said("style", "tone", "flow", primary="style")


def test_every_criterion_of_the_headline_has_its_sentence_and_its_pairs(rosas_browser: Client, closed: Study) -> None:
    def of(criterion: str, items: int) -> list[Row]:
        return [
            replace(one, criterion=criterion, n_items=items, n_raters=12)
            for one in rated(THREE, combinations("abc", 2))
        ]

    build_run(closed, [*of("style", 20), *of("tone", 8)], planned=True)
    html = page(rosas_browser, results(closed))
    (found,) = re.findall(r"<blockquote data-copy>(.*?)</blockquote>", html, flags=re.DOTALL)
    for criterion in ("style", "tone"):
        assert f"a is rated higher than b and c on {criterion}; b is rated higher than c, too (" in text(found)
    summary = html[html.index('id="summary"') :]
    summary = summary[: summary.index("</section>")]
    for criterion in ("style", "tone"):
        assert f"Pairs of systems: {criterion}" in summary
    assert "only 8 texts (tone)" in text(summary)
    assert "tone: The test has only 8 texts; say so." in text(summary)


def test_bold_values_of_pairs_are_those_that_are_significant(rosas_browser: Client, closed: Study) -> None:
    build_run(closed, rated(THREE, [("a", "c")]))
    html = page(rosas_browser, results(closed))
    matrix = html[html.index('<table class="ew-matrix">') :]
    assert "p is adjusted; values in bold are significant." in text(matrix)
    pairs = re.findall(r"<td[^>]*>(.*?) <small>p (.*?)</small>", matrix[: matrix.index("</table>")])
    assert {(value.startswith("<strong>"), p) for value, p in pairs} == {(True, "= 0.001"), (False, "= 0.400")}


PANELS = {
    "further texts and further raters": "Lines: 95 % intervals for further texts and further raters.",
    "further texts, by these raters": "Lines: 95 % intervals for further texts, by these raters.",
    None: "Lines: 95 % intervals.",
}


def test_each_panel_names_the_level_and_the_scope_of_its_own_lines(rosas_browser: Client, closed: Study) -> None:
    def panel(criterion: str, scope: str | None) -> list[Row]:
        settings = {"generalises_to": scope} if scope else {}
        return [replace(one, criterion=criterion, settings=settings) for one in rated(THREE)]

    for scope, note in PANELS.items():
        build_run(closed, panel("style", scope))
        assert note in text(page(rosas_browser, results(closed)))
    other = [replace(one, statistic="mean_over_raters") for one in panel("other", None) if one.system_b is None]
    build_run(closed, [*panel("style", "further texts, by these raters"), *panel("other", None), *other])
    said = text(page(rosas_browser, results(closed)))
    assert "style: Lines: 95 % intervals for further texts, by these raters." in said
    assert (
        "other: Thick lines: 95 % intervals for further texts, by these raters. Thin lines: for further raters, on "
        "these texts." in said
    )


def test_criteria_of_one_scale_share_an_axis(rosas_browser: Client, closed: Study) -> None:
    other = [replace(one, criterion="other", value=(one.value or 0) + 1) for one in rated(THREE)]
    build_run(closed, [*rated(THREE), *other])
    html = page(rosas_browser, results(closed))
    axes = [re.findall(r'<text x="[^"]*" y="1em">[^<]*', part) for part in html.split('<table class="ew-tracks">')[1:3]]
    assert axes[0] == axes[1] != []
