"""The finding that the tests of PANAS support."""

from collections.abc import Iterable, Sequence

from django.utils.translation import gettext as _

from analytics_app.models import ResultRow
from analytics_app.show import cells
from analytics_app.show.findings import Finding, FindingQuestion, finding_of, listed, sentence
from analytics_app.show.shown import StoredRows


@finding_of("panas", "affect_mean", "affect_change", "affect_change_adjusted", order=10, parts=True)
def panas(rows: StoredRows, question: FindingQuestion) -> Finding | None:
    """Return the finding about changes of affect, between groups first; with one time only, about the scores."""
    between = [row for row in rows.of("affect_change_adjusted") if row.label]
    within = [row for row in rows.of("affect_change") if row.label]
    apart = _told(row for row in question.clear(between) if row.value)
    moved = _told(row for row in question.clear(within) if row.value)
    if apart:
        return Finding(sentence("; ".join(apart)))
    # A change within one group is no difference between groups, so the lack of a difference comes first.
    if between:
        none = _("No clear difference between groups in how affect changed%(when)s") % {"when": _whole(between)}
        return Finding(none, "".join(f"; {change}" for change in moved))
    if moved:
        return Finding(sentence("; ".join(moved)))
    if within:
        return Finding(_("No clear change in affect%(when)s") % {"when": _whole(within)})
    return _scores([row for row in rows.whole.of("affect_mean") if row.value is not None] or rows.of("affect_mean"))


def _told(tests: Iterable[ResultRow]) -> list[str]:
    """Return phrases about the changes, with both scores in one phrase if groups and times are the same."""
    alike: dict[tuple[object, ...], list[ResultRow]] = {}
    for row in tests:
        alike.setdefault((row.group, row.slice, *_times(row)), []).append(row)
    return [_change(same) for same in alike.values()]


def _change(tests: Sequence[ResultRow]) -> str:
    moved = f"{listed([_moved(row) for row in tests])}{_where(tests[0])}"
    if tests[0].statistic != "affect_change_adjusted":
        return f"{moved}{_when(tests[0])}"
    first, last = _times(tests[0])
    return _("at %(last)s, %(moved)s (adjusted for %(first)s)") % {"first": first, "last": last, "moved": moved}


def _moved(row: ResultRow) -> str:
    """Return a phrase about the direction of a change, between groups or within a group."""
    up = (row.value or 0.0) > 0
    if row.statistic == "affect_change_adjusted":
        text = _("%(score)s was higher") if up else _("%(score)s was lower")
    else:
        text = _("%(score)s rose") if up else _("%(score)s fell")
    return text % {"score": _called(row)}


def _where(row: ResultRow) -> str:
    if not row.group:
        return ""
    if other := (row.slice or "").removeprefix("against="):
        return _(" in %(group)s than in %(other)s") % {"group": row.group, "other": other}
    return _(" in %(group)s") % {"group": row.group}


def _when(row: ResultRow) -> str:
    first, last = _times(row)
    return _(" from %(first)s to %(last)s") % {"first": first, "last": last}


def _whole(tests: Sequence[ResultRow]) -> str:
    """Return a phrase with the two times, if all tests are about the same two."""
    return _when(tests[0]) if len(set(map(_times, tests))) == 1 else ""


def _called(row: ResultRow) -> str:
    return {"PA": _("positive affect"), "NA": _("negative affect")}.get(str(row.label), str(row.label))


def _times(row: ResultRow) -> tuple[object, object]:
    return (row.settings or {}).get("from"), (row.settings or {}).get("to")


def _scores(means: Sequence[ResultRow]) -> Finding | None:
    scores = []
    for row in means:
        if row.value is None or row.group:
            continue
        ends = f" ({cells.interval(row.low, row.high, 1).text})" if row.low is not None else ""
        scores.append(f"{_called(row)} {cells.figure(row.value, 1)}{ends}")
    if not scores:
        return None
    return Finding(_("Mean scores: %(scores)s") % {"scores": ", ".join(scores)}, tested=False)
