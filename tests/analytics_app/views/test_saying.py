"""Below the headline of results: one number for a pair, why an interval and a test differ, a sentence for the paper."""

import re
from dataclasses import replace
from itertools import combinations
from typing import Any

import pytest
from django.test import Client

from analytics_app.results import Row
from tasks_app.models import Study
from tests.analytics_app.builders import build_run, funnel
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

    clear = [
        replace(one, n_items=20, n_raters=12, **({"low": 0.5, "high": 1.5} if one.system_b else {}))
        for one in rated(THREE, combinations("abc", 2), correction="holm")
    ]
    said = asked(clear, planned=True)
    assert "May I say so? Yes." in said
    assert "a is rated higher than b and c on style; all pairs differ clearly, in the order a, b, c (" in said
    assert "a − c: 2.00, interval 0.50 to 1.50, p = 0.001" in said
    assert "p adjusted for 3 comparisons by Holm; 20 texts, 12 raters)." in said
    said = asked(clear)
    assert "Yes, with care." in said
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


def test_criteria_of_one_scale_share_an_axis(rosas_browser: Client, closed: Study) -> None:
    other = [replace(one, criterion="other", value=(one.value or 0) + 1) for one in rated(THREE)]
    build_run(closed, [*rated(THREE), *other])
    html = page(rosas_browser, results(closed))
    axes = [re.findall(r'<text x="[^"]*" y="1em">[^<]*', part) for part in html.split('<table class="ew-tracks">')[1:3]]
    assert axes[0] == axes[1] != []
