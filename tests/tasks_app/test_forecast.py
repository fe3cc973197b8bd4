"""When a study will be done: which speed counts, and when nothing is said of the end."""

from datetime import UTC, datetime, timedelta

import pytest

from tasks_app.selectors.fieldwork.forecast import Outlook, forecast
from tasks_app.selectors.fieldwork.pace import QUARTER, Pace

NOW = datetime(2026, 3, 3, 12, 0, tzinfo=UTC)


def pace(*counts: tuple[float, int]) -> Pace:
    """Return judgments by how many hours ago the quarter of an hour began in which they came."""
    return Pace(NOW, {NOW - timedelta(hours=hours): n for hours, n in sorted(counts, reverse=True)}, 0)


def steady(per_quarter: int, hours: float) -> Pace:
    """Return so many judgments in each quarter of the last hours."""
    quarters = int(timedelta(hours=hours) / QUARTER)
    return pace(*(((place + 1) / 4, per_quarter) for place in range(quarters)))


def test_a_lively_hour_tells_of_the_next_hour_only() -> None:
    """60 came in the last hour and 12 in the 28 hours before: 61 more ask for a longer look back."""
    lively = pace((0.5, 60), (29, 12))
    near, far = forecast("open", 60, 0, lively), forecast("open", 61, 0, lively)
    assert (near.outlook, near.done_at, near.is_far) == (Outlook.AHEAD, NOW + timedelta(hours=1), False)
    # 60 in 6 hours would take 6.1 hours and 60 in 24 hours 24.4; 72 in 29 hours reach far enough.
    assert far.speed is not None
    assert (far.speed.span, far.speed.judgments, far.speed.whole) == (timedelta(hours=29), 72, True)
    assert far.takes == timedelta(hours=61 / (72 / 29))
    assert not far.is_far


def test_a_date_too_far_ahead_is_a_rough_guess() -> None:
    found = forecast("open", 1000, 0, steady(5, 10))
    assert found.speed is not None
    assert (found.speed.span, found.speed.whole) == (timedelta(hours=10), True)
    assert found.takes == timedelta(hours=50)
    assert found.is_far


def test_a_study_that_would_take_for_ever_has_a_forecast() -> None:
    """20 came in a week, and more places are left than a date, or a number of days, can tell."""
    weekly = pace((1, 10), (24 * 7, 10))
    for left in (10**9, 10**12):
        found = forecast("open", left, 0, weekly)
        assert found.outlook == Outlook.AHEAD
        assert found.is_far
        assert found.done_at is not None


def test_the_night_counts_where_the_forecast_reaches_over_it() -> None:
    """40 came in the morning of each of six days: 80 more take some two days, not twelve hours."""
    days = pace(*((24 * day + hour, 10) for day in range(6) for hour in (1, 2, 3, 4)))
    found = forecast("open", 80, 0, days)
    assert found.speed is not None
    assert (found.speed.whole, found.speed.judgments) == (True, 240)
    assert found.takes == timedelta(hours=80 / (240 / 124))


@pytest.mark.parametrize(
    ("state", "left", "later", "came", "outlook"),
    [
        ("draft", 16, 0, pace(), Outlook.DRAFT),
        ("open", 16, 0, pace(), Outlook.NOTHING_YET),
        ("open", 16, 0, pace((0.25, 19)), Outlook.TOO_FEW),
        ("open", 16, 0, pace((0.25, 20)), Outlook.AHEAD),
        ("open", 0, 0, pace((0.25, 20)), Outlook.DONE),
        ("closed", 0, 0, pace((0.25, 20)), Outlook.DONE),
        ("closed", 16, 0, pace((0.25, 20)), Outlook.CLOSED),
        ("paused", 16, 0, pace((0.25, 20)), Outlook.PAUSED),
        ("paused", 16, 0, pace((0.25, 2)), Outlook.PAUSED),
        # All that is open is answered; a task waits for its day.
        ("open", 0, 8, pace((0.25, 20)), Outlook.LATER),
        # 20 in the hour before last: 4 times the usual 6 minutes between two is less than an hour, which is the least.
        ("open", 16, 0, pace((1, 10), (2, 10)), Outlook.AHEAD),
        ("open", 16, 0, pace((1.25, 10), (2, 10)), Outlook.STALLED),
        # 24 in two days: one in two hours is usual, so that eight hours without one mean nothing yet.
        ("open", 16, 0, pace((8, 12), (48, 12)), Outlook.AHEAD),
        ("open", 16, 0, pace((8.25, 12), (48, 12)), Outlook.STALLED),
    ],
)
def test_what_can_be_said(state: str, left: int, later: int, came: Pace, outlook: Outlook) -> None:
    found = forecast(state, left, later, came)
    assert found.outlook == outlook
    assert (found.done_at is not None) == (outlook == Outlook.AHEAD)
