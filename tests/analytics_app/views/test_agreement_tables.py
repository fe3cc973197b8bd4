"""Tables of agreement, order effects and fieldwork: what is read first, and what is said once."""

from collections.abc import Mapping, Sequence
from typing import Any

import pytest

from analytics_app.models import Plot, ResultRow
from analytics_app.show.shown import shared_tables, tables_for
from analytics_app.show.table import Table
from analytics_app.views.figures import figure


def row(analysis: str, statistic: str, value: float | None = 0.5, **columns: Any) -> ResultRow:
    return ResultRow(**{"analysis": analysis, "statistic": statistic, "value": value, "basis": "kept", **columns})


def first_column(table: Table) -> list[str]:
    return [line[0].text for line in table.rows]


def read(rows: Sequence[ResultRow]) -> Table:
    ((_order, table),) = shared_tables(rows, 0.05, folded=False)
    return table


def test_labels_steps_and_numbers_lead_with_their_own() -> None:
    alpha = row("krippendorff", "alpha", settings={"level": "nominal"})
    kappa, percent = row("kappa", "cohen_kappa"), row("agreement", "percent_agreement")
    labels = read([alpha, kappa, row("agreement", "gwet_ac1"), percent])
    assert first_column(labels) == [
        "Percent agreement", "Krippendorff's alpha (nominal)", "Cohen's kappa", "Gwet's AC1",
    ]  # fmt: skip
    weighted = row("kappa", "cohen_kappa_quadratic")
    steps = read([percent, kappa, weighted, row("agreement", "gwet_ac2", settings={"weights": "quadratic"}), alpha])
    assert first_column(steps)[:3] == [
        "Krippendorff's alpha (nominal)", "Cohen's kappa, quadratic weights", "Gwet's AC2 (quadratic)",
    ]  # fmt: skip
    form = {"form": "ICC1k", "k": 3, "model": "one-way random, mean of k ratings"}
    numbers = read([alpha, row("correlation", "pearson"), row("icc", "icc", label="ICC1k", settings=form)])
    assert first_column(numbers)[0] == "ICC1k: one-way random, mean of 3 ratings"


def test_magnitudes_show_their_logarithms() -> None:
    rows = [
        row("icc", "icc", label=label, settings={"k": 3, "model": "one-way random, mean of k ratings"})
        for label in ("ICC1k of logs", "ICC1k")
    ]
    assert first_column(read(rows)) == ["ICC1k of logs: one-way random, mean of 3 ratings"]


def test_before_and_after_the_rules() -> None:
    rows = [row("agreement", "gwet_ac1", 0.6), row("agreement", "gwet_ac1", 0.4, basis="all")]
    (line,) = read(rows).rows
    assert [cell.text for cell in line][1::5] == ["0.600", "0.400"]


def test_an_undefined_coefficient_is_a_dash_and_a_sentence() -> None:
    table = read(
        [row("agreement", "fleiss_kappa", None, note="Texts have 2 to 3 ratings."), row("agreement", "gwet_ac1")]
    )
    assert [line[1].text for line in table.rows] == ["0.500", "–"]
    assert table.notes == ["Texts have 2 to 3 ratings. (Fleiss' kappa)"]


def test_pairs_of_raters() -> None:
    assert shared_tables([row("kappa", "cohen_kappa")], 0.05, folded=True) == []
    pairs = [row("kappa", "cohen_kappa_pair", label="ada and ben", n_items=12)]
    ((_order, table),) = shared_tables(pairs, 0.05, folded=True)
    assert [cell.text for cell in table.rows[0]] == ["ada and ben", "Cohen's kappa of two raters", "0.500", "–", "12"]


def fieldwork(**values: Mapping[str | None, float]) -> list[ResultRow]:
    return [row("fieldwork", name, value, label=label) for name, of in values.items() for label, value in of.items()]


def test_fieldwork_is_a_line_a_measure() -> None:
    rows = fieldwork(
        raters_analysed={None: 12},
        judgments_per_rater={"least": 6, "median": 12, "most": 20},
        minutes={"lower quartile": 8.26, "median": 10, "upper quartile": 12.5},
        control_accuracy={None: 0.925},
        raters_ended={"withdrawn": 2, "failed": 1},
    )
    (table,) = tables_for("fieldwork", rows, 0.05)
    assert [[cell.text for cell in line][:2] for line in table.rows] == [
        ["Raters analysed", "12"],
        ["Judgments per rater (least, median, most)", "6, 12, 20"],
        ["Minutes per rater (median, and the middle half)", "10.0 (8.3 to 12.5)"],
        ["Controls passed", "92.5\u00a0%"],
        ["Raters who ended otherwise: withdrawn", "2"],
        ["Raters who ended otherwise: failed", "1"],
    ]
    before = [row("fieldwork", "raters_analysed", 14, basis="all")]
    (both,) = tables_for("fieldwork", [*rows, *before], 0.05)
    assert [cell.text for cell in both.rows[0]] == ["Raters analysed", "12", "–", "14"]


def test_the_most_frequent_labels_get_the_columns() -> None:
    """Ten labels for eight columns: the two that were chosen least stand in the file alone."""
    frequent = {f"l{number}": number / 100 for number in range(10)}
    shares = [row("labels", "share", 0.1, system="a", label=label) for label in frequent]
    spread = [row("labels", "distribution", share, label=label) for label, share in frequent.items()]
    by_system = tables_for("labels", [*shares, *spread], 0.05)[0]
    assert [column.label for column in by_system.columns][3:] == [f"l{number}" for number in range(2, 10)]
    assert by_system.notes == ["Rarer labels in the file of results: 2."]


def test_order_effects_are_tests_first_then_places_then_times() -> None:
    rows = [
        row("order_effects", "place_effect", 0.2, label="place 1", low=0.1, high=0.3),
        row("order_effects", "place_mean", 3.5, label="place 1"),
        row("order_effects", "place_test", 4.2, p=0.02, df=1.0),
        row("order_effects", "second_half", -0.3, p=0.2, low=-0.8, high=0.2),
        row("order_effects", "seconds_a_unit", 12.3, label="fifth 1"),
        row("order_effects", "place_test", 1.0, p=0.5, slice="domain=news"),
    ]
    tests, places, times, parts = tables_for("order_effects", rows, 0.05)
    # F says nothing to readers.
    assert [cell.text for cell in tests.rows[0]][1:4] == ["–", "–", "0.020"]
    assert tests.rows[0][3].strong
    assert [cell.text for cell in tests.rows[1]][1:4] == ["−0.300", "−0.800 to 0.200", "0.200"]
    assert [cell.text for cell in places.rows[0]][2:5] == ["0.200", "0.100 to 0.300", "3.50"]
    assert times.rows[0][2].text == "12.3"
    assert len(parts.rows) == 1


def test_raters_who_agree_least_come_first() -> None:
    values = {"ada": 0.8, "ben": 0.1, "cem": None}
    rows = [
        row("with_rest", "correlation_with_rest", value, rater=rater, note=None if value else "One value.")
        for rater, value in values.items()
    ]
    (table,) = tables_for("with_rest", rows, 0.05)
    assert first_column(table) == ["ben", "ada", "cem"]
    errors = [
        row("with_rest", "prediction_absolute", value, rater=rater, n_ratings=9)
        for rater, value in {None: 0.6, "ada": 0.4, "ben": 0.8}.items()
    ]
    squares = [row("with_rest", "prediction_square", 1.25, rater="ben")]
    averages = [row("with_rest", "prediction_averages", 0.3)]
    _agreement, predicted = tables_for("with_rest", [*rows, *errors, *squares, *averages], 0.05)
    assert [[cell.text for cell in line] for line in predicted.rows] == [
        ["All raters", "0.60", "–", "9", "0.30"],
        ["ben", "0.80", "1.25", "9", "–"],
        ["ada", "0.40", "–", "9", "–"],
    ]  # fmt: skip
    repeats = [
        row("intra_rater", "repeats_equal", 0.6),
        *(row("intra_rater", "rater_repeats_equal", value, rater=rater, n_items=5) for rater, value in values.items()),
    ]
    together, each = tables_for("intra_rater", repeats, 0.05)
    assert (len(together.rows), first_column(each)) == (1, ["ben", "ada", "cem"])


@pytest.mark.parametrize(("values", "shown"), [([0.25, -1.0], ["0.250", "-1.000"]), ([0.25, 1.5], ["0.25", "1.50"])])
def test_numbers_behind_a_plot_have_the_digits_of_their_range(values: list[float], shown: list[str]) -> None:
    points = [{"name": f"s{number}", "value": value} for number, value in enumerate(values)]
    columns = {"columns": [["name", "System"], ["value", "Mean"]], "subtitle": "Means"}
    table = figure(Plot(key="main/fluency/means", spec={"usermeta": columns, "data": {"values": points}})).table
    assert [line[1].text.replace("\N{MINUS SIGN}", "-") for line in table.rows] == shown
