"""What the tests of PANAS support."""

from __future__ import annotations

from collections.abc import Sequence

from django.utils.translation import gettext as _

from analytics_app.models import ResultRow
from analytics_app.show import cells
from analytics_app.show.findings import Asked, Finding, finding_of, sentence
from analytics_app.show.shown import Rows


@finding_of("panas", "affect_mean", "affect_change", "affect_change_adjusted", order=10, parts=True)
def panas(rows: Rows, asked: Asked) -> Finding | None:
    """Say how affect changed, between groups first; with one time only, what the scores are."""
    between, within = rows.of("affect_change_adjusted"), rows.of("affect_change")
    apart = [_between(row, several=_several(between)) for row in between if _is_clear(row, asked.limit)]
    moved = [_within(row, several=_several(within)) for row in within if _is_clear(row, asked.limit)]
    if apart:
        return Finding(sentence("; ".join(apart)))
    # A change within one group alone is no difference between groups, so that is said first.
    if between:
        none = _("No clear difference between groups in how affect changed")
        return Finding(none, "".join(f"; {one}" for one in moved))
    if moved:
        return Finding(sentence("; ".join(moved)))
    if within:
        return Finding(_("Affect did not change clearly"))
    return _scores([row for row in rows.whole.of("affect_mean") if row.value is not None] or rows.of("affect_mean"))


def _is_clear(row: ResultRow, limit: float) -> bool:
    return row.p_adjusted is not None and row.p_adjusted < limit and bool(row.value)


def _called(row: ResultRow) -> str:
    return {"PA": _("positive affect"), "NA": _("negative affect")}.get(str(row.label), str(row.label))


def _several(tests: Sequence[ResultRow]) -> bool:
    """Say whether tests are about several times, so that each has to name its own."""
    return len({_times(row) for row in tests}) > 1


def _times(row: ResultRow) -> tuple[object, object]:
    return (row.settings or {}).get("from"), (row.settings or {}).get("to")


def _when(row: ResultRow, *, several: bool) -> str:
    first, last = _times(row)
    return _(" from %(first)s to %(last)s") % {"first": first, "last": last} if several else ""


def _between(row: ResultRow, *, several: bool) -> str:
    """Say in which group a score ended higher, given where it began."""
    other = (row.slice or "").removeprefix("against=")
    about = {"score": _called(row), "group": row.group or "", "other": other}
    if (row.value or 0.0) > 0:
        said = _("%(score)s ended higher in %(group)s than in %(other)s") % about
    else:
        said = _("%(score)s ended lower in %(group)s than in %(other)s") % about
    return said + _when(row, several=several)


def _within(row: ResultRow, *, several: bool) -> str:
    """Say whether a score rose or fell."""
    about = {"score": _called(row), "group": row.group or ""}
    rose = (row.value or 0.0) > 0
    if row.group:
        said = (_("%(score)s rose in %(group)s") if rose else _("%(score)s fell in %(group)s")) % about
    else:
        said = (_("%(score)s rose") if rose else _("%(score)s fell")) % about
    return said + _when(row, several=several)


def _scores(means: Sequence[ResultRow]) -> Finding | None:
    said = []
    for row in means:
        if row.value is None or row.group:
            continue
        ends = f" ({cells.interval(row.low, row.high, 1).text})" if row.low is not None else ""
        said.append(f"{_called(row)} {cells.figure(row.value, 1)}{ends}")
    if not said:
        return None
    return Finding(_("Mean scores: %(scores)s") % {"scores": ", ".join(said)}, tested=False)
