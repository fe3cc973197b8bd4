"""The error of joint labels with fewer judgments: rows by hand, by the model, and what is said where there is none."""

import re

import numpy as np
import pytest
from scipy.stats import hypergeom

from analytics_app import charts
from analytics_app.analyses import fewer_judgments
from analytics_app.analyses.fewer_judgments import enough
from analytics_app.results import Row
from tests.analytics_app.test_labels import labelled, rows_of


def votes(*yes: int, k: int) -> list[tuple[int, int, int, str]]:
    """Let k raters judge items, of which so many say Yes."""
    return [(rater, item, 0, "Yes" if rater < n else "No") for item, n in enumerate(yes) for rater in range(k)]


def curve(rows: list[Row], statistic: str) -> dict[str | None, float | None]:
    return {row.label: row.value for row in rows if row.statistic == statistic}


def test_the_majority_of_fewer_judgments_by_the_hypergeometric_distribution() -> None:
    rows = rows_of("fewer_judgments", labelled(votes(7, 2, 10, k=10)), rounds=0)
    found = curve(rows, "majority_error")
    assert list(found) == [str(m) for m in range(1, 11)]

    def wrong(minority: int, m: int) -> float:
        drawn = hypergeom(10, minority, m)
        return sum(float(drawn.pmf(x)) * (1 if 2 * x > m else 0.5 if 2 * x == m else 0) for x in range(m + 1))

    for m in range(1, 11):
        assert found[str(m)] == pytest.approx((wrong(3, m) + wrong(2, m)) / 3, abs=1e-12)
    first, last = rows[0], rows[9]
    assert (first.n_items, first.n_ratings) == (3, 3)
    assert first.low is not None
    assert (last.value, last.low, last.high) == (0, None, None)
    assert not curve(rows, "model_error")


def test_ties_and_texts_with_fewer_judgments_are_left_out_and_counted() -> None:
    given = [*votes(3, 2, 4, k=4), (0, 3, 0, "Yes"), (1, 3, 0, "Yes")]
    (row, *_more) = rows_of("fewer_judgments", labelled(given), rounds=0)
    assert row.n_items == 2
    assert row.value == pytest.approx(1 / 8)
    assert (row.note or "").startswith("1 text is left out: fewer than 4 judgments.")
    assert "1 text is left out: the votes of all judgments are tied." in (row.note or "")
    (row, *_more) = rows_of("fewer_judgments", labelled(given), rounds=0, judgments=2)
    assert row.n_items == 3


def test_the_model_on_samples_is_seeded_and_exact_at_all_judgments() -> None:
    rng = np.random.default_rng(7)
    given = [
        (rater, item, 0, "Yes" if (item < 15) != (rng.random() < (0.1 if rater < 5 else 0.35)) else "No")
        for item in range(30)
        for rater in range(7)
    ]
    rows = rows_of("fewer_judgments", labelled(given), rounds=10)
    found = curve(rows, "model_error")
    assert found["1"] is None
    assert found["7"] == 0
    assert found["3"] is not None
    assert 0 < found["3"] < 0.3
    (first, *_more) = [row for row in rows if row.statistic == "model_error"]
    assert all(row.low is row.high is row.se is None for row in (first, *_more))
    assert first.note == "With one judgment per text there is no model, so its labels begin with two."
    assert curve(rows_of("fewer_judgments", labelled(given), rounds=10), "model_error") == found


def test_of_many_judgments_fewer_samples_are_drawn_and_the_rows_say_so(monkeypatch: pytest.MonkeyPatch) -> None:
    # Samples of 1 to 4 judgments read 200 of 80 answers; limits of 700 and 1,300 stand for those of large studies.
    given = [(rater, item, 0, "Yes" if (rater + item) % 3 else "No") for item in range(20) for rater in range(4)]
    monkeypatch.setattr(fewer_judgments, "READ", 700)
    monkeypatch.setattr(fewer_judgments, "MOST_READ", 1_300)

    def of_model(rounds: int) -> list[Row]:
        rows = rows_of("fewer_judgments", labelled(given), rounds=rounds)
        return [row for row in rows if row.statistic == "model_error"]

    rows = of_model(20)
    assert {(row.settings or {})["rounds"] for row in rows} == {3}
    assert all("3 samples were drawn for each number of judgments instead of 20" in (row.note or "") for row in rows)
    chosen = of_model(3)
    assert [row.value for row in chosen] == [row.value for row in rows]
    assert not any("instead of" in (row.note or "") for row in chosen)
    # At least two are drawn while these can be afforded, and beyond that there is no curve.
    monkeypatch.setattr(fewer_judgments, "READ", 100)
    assert {(row.settings or {})["rounds"] for row in of_model(20)} == {2}
    monkeypatch.setattr(fewer_judgments, "MOST_READ", 399)
    assert [(row.value, row.note) for row in of_model(20)] == [(None, fewer_judgments.TOO_MANY)]


def test_several_labels_are_decided_one_by_one() -> None:
    given = [(rater, 0, 0, label) for rater in range(3) for label in ("Yes", "No") if label == "Yes" or rater == 0]
    rows = rows_of("fewer_judgments", labelled(given), params={"multiple": True}, rounds=2)
    # "Yes" is chosen by all; "No" by one of three.
    assert curve(rows, "majority_error")["1"] == pytest.approx((0 + 1 / 3) / 2)
    assert curve(rows, "model_error")["3"] == 0


def test_no_curve_has_its_reason() -> None:
    (row,) = rows_of("fewer_judgments", labelled(votes(1, 1, k=1)))
    assert (row.note or "").startswith("No text has two judgments")
    (row,) = rows_of("fewer_judgments", labelled(votes(1, 1, k=2)))
    assert (row.note or "").startswith("The votes of every text are tied")
    (row,) = rows_of("fewer_judgments", labelled(votes(2, 3, k=3)), judgments=5)
    assert row.note == "No text has 5 judgments; the most that a text has is 3."


def test_the_finding_names_a_number_only_with_its_interval() -> None:
    sure = rows_of("fewer_judgments", labelled(votes(*[9, 1] * 50, k=10)), rounds=0)
    assert enough(sure).startswith(
        "From 3 of 10 judgments per text on, fewer than 5.0\u00a0% of majority labels differ"
    )
    # No error on 40 texts leaves up to 8.8 % by Clopper and Pearson, no error on 100 texts 3.6 %.
    few = rows_of("fewer_judgments", labelled(votes(*[9, 1] * 20, k=10)), rounds=0)
    assert enough(few) == (
        "With 9 instead of 10 judgments per text, 0.0\u00a0% of majority labels would change "
        "(interval up to 8.8\u00a0%)"
    )
    unsure = rows_of("fewer_judgments", labelled(votes(*[6, 5] * 9, k=11)), rounds=0)
    assert enough(unsure).startswith("With 10 instead of 11 judgments per text, ")
    assert enough([]) == ""


def test_steps_of_ten_are_written_as_numbers_on_the_axis() -> None:
    """By "~g", d3 writes 40 as 4e+1 where the axis has steps of ten."""
    rows = rows_of("fewer_judgments", labelled(votes(4, 6, 9, 10, 10, 10, k=10)), rounds=0)
    (chart,) = charts.draw_task(rows, "main")
    assert ">10<" in chart.svg
    assert "e+" not in "".join(re.findall(r"<text[^>]*>([^<]*)<", chart.svg))
