"""The chart of a rater's page: seconds for each unit, in the order in which they came."""

from collections.abc import Sequence
from statistics import median

from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from analytics_app.show.cells import figure, whole
from analytics_app.views.monitor import marks
from analytics_app.views.monitor.charts import Chart
from tasks_app.selectors.fieldwork.timeline import SeenUnit

# A unit that took so many times the median would press all others flat; its bar is cut, its seconds are in the table.
CUT_AT = 5


def seconds_chart(units: Sequence[SeenUnit], *, reads_gold: bool) -> Chart | None:
    """Draw the seconds of a rater's units with failed checks marked; None if fewer than two were measured."""
    timed = [unit for unit in units if unit.seconds is not None]
    if len(timed) < 2:
        return None
    seconds = [float(unit.seconds or 0) for unit in timed]
    middle = median(seconds)
    most = min(max(seconds), CUT_AT * middle) or 1
    failed = [reads_gold and unit.passed is False for unit in timed]
    width = 100 / len(timed)
    drawn = [
        marks.bar(place * width + width * 0.08, width * 0.84, min(1, value / most), "bar bad" if bad else "bar")
        for place, (value, bad) in enumerate(zip(seconds, failed, strict=True))
    ]
    y = marks.BASE - marks.HEIGHT * min(1, middle / most)
    drawn += [
        marks.baseline(),
        marks.line(0, y, 100, y, "reference"),
        marks.label(0, _("first")),
        marks.label(100, _("last")),
    ]
    sentence = ngettext(
        "Half of %(n)s unit took %(seconds)s s or less", "Half of %(n)s units took %(seconds)s s or less", len(timed)
    )
    title = sentence % {"n": whole(len(timed)).text, "seconds": figure(middle, 0 if middle >= 10 else 1)}
    subtitle = _("Active seconds for each unit, in the order in which units were shown; the line is the median.")
    if any(failed):
        subtitle = f"{subtitle} {_('Red: a known answer was missed.')}"
    return Chart("seconds", title, subtitle, drawn, (), ())
