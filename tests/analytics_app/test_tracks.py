"""Axes of systems with intervals: labelled at both ends, with at least three labels."""

import pytest

from analytics_app.show.tracks import Axis


@pytest.mark.parametrize(
    ("values", "log", "ticks"),
    [
        ((2.03, 4.6), False, ["2", "3", "4", "5"]),
        ((0.5, 4.5), False, ["0", "1", "2", "3", "4", "5"]),
        ((3.1, 3.1), False, ["2.5", "2.75", "3", "3.25", "3.5", "3.75"]),
        ((-0.21, 0.7), False, ["−0.25", "0", "0.25", "0.5", "0.75"]),
        ((0, 1), False, ["0", "0.25", "0.5", "0.75", "1"]),
        ((0.7, 3.0), True, ["0.5", "1", "2", "5"]),
        ((1.1, 1.9), True, ["1", "1.25", "1.5", "1.75", "2"]),
    ],
)
def test_an_axis_is_labelled_at_both_ends_of_the_values(
    values: tuple[float, float], log: bool, ticks: list[str]
) -> None:
    axis = Axis.over(values, log=log)
    assert [word for _place, word in axis.ticks] == ticks
    places = [place for place, _word in axis.ticks]
    assert places[0] <= min(axis.place(value) or 0 for value in values)
    assert places[-1] >= max(axis.place(value) or 0 for value in values)
