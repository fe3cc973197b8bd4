"""Curves of planning pages, and the shares and numbers in their sentences."""

from analytics_app.views.planning.base import exactly, plain, share
from analytics_app.views.planning.curve import Curve, nice


def test_axes_have_round_marks() -> None:
    assert nice(0, 1) == [0, 0.2, 0.4, 0.6, 0.8, 1]
    assert nice(33, 91) == [40, 60, 80]
    assert nice(-0.3, 1) == [0, 0.5, 1]
    curve = Curve("t", "n", [(10, 0.5), (20, 1.0)], mark=(20, 1.0, "20: 100 %"))
    assert curve.line == "48.0,99.0 326.0,16.0"
    assert curve.mark_words.text == "end"
    one = Curve("t", "n", [(10, 0.5)])
    assert one.line


def test_the_word_of_the_target_stands_where_no_curve_crosses_it() -> None:
    steep = Curve("t", "n", [(10, 0.1), (20, 0.2), (40, 0.95)], limit=(0.8, "target"))
    assert (steep.limit_word.anchor, steep.limit_word.y) == ("start", steep.limit_at.at - 4)
    high = Curve("t", "n", [(10, 0.82), (20, 0.9), (40, 0.99)], limit=(0.8, "target"))
    assert high.limit_word.y > high.limit_at.at, "below the line, since the curve is above it"
    through = Curve("t", "n", [(10, 0.7), (12, 0.9), (40, 0.99)], limit=(0.8, "target"))
    assert through.limit_word.anchor == "end"


def test_shares_and_numbers_are_written_as_they_are() -> None:
    assert exactly(0.9999) == "99.99\xa0%"
    assert exactly(1 - 0.05) == "95\xa0%"
    assert share(0.9999) == "over 99\xa0%"
    assert share(0.9999, 1) == "over 99.9\xa0%"
    assert share(1.0) == "100\xa0%"
    assert (plain(0.001), plain(5), plain(12345.5)) == ("0.001", "5", "12,345.5")
