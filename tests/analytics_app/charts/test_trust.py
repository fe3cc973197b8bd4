"""The chart of trust coefficients: its title claims what the numbers say."""

import pytest

from analytics_app import charts
from analytics_app.results import Row


def rows(*values: float) -> list[Row]:
    return [
        Row(
            analysis="trust",
            statistic="trust_coefficient",
            task="main",
            criterion="fluency",
            rater=f"r{number}",
            value=value,
            n_ratings=20,
            settings={"level": "nominal", "groups": "all 26"},
        )
        for number, value in enumerate(values)
    ]


@pytest.mark.parametrize(
    ("values", "title"),
    [
        ((1.0, 0.83, 0.41, 0.9), "1 of 4 raters is trusted at .5 or below"),
        ((1.0, 0.5, 0.41), "2 of 3 raters are trusted at .5 or below"),
        ((1.0, 0.7, 0.83), "No rater is trusted at .5 or below; the lowest is r1 with .70"),
    ],
)
def test_the_title_counts_who_is_below_the_limit(values: tuple[float, ...], title: str) -> None:
    (drawn,) = charts.draw(rows(*values), "main", "fluency")
    assert drawn.title == title
    assert "all 26 groups of raters" in charts.subtitle(drawn.spec)


@pytest.mark.parametrize("n", [2, 60])
def test_two_raters_are_no_chart_and_many_a_table(n: int) -> None:
    assert charts.draw(rows(*[0.7] * n), "main", "fluency") == []
