"""Tables of PANAS: scores by group and time, change within groups, change between groups."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from django.utils.translation import gettext as _

from analytics_app.models import ResultRow
from analytics_app.views import tables, words
from analytics_app.views.picking import notes_of
from analytics_app.views.result_tables._finding import Found, count, ends, tested, value
from analytics_app.views.result_tables.registry import tables_of
from analytics_app.views.tables import Cell, Column, Table

BETWEEN = ("affect_change_between", "affect_change_adjusted")


@tables_of("panas")
def panas_tables(rows: Sequence[ResultRow], limit: float) -> Iterator[Table]:
    """Yield scores, then changes where there was a time before, then what differs between groups."""
    found = Found(rows)
    yield _scores(found)
    if found.of("affect_change"):
        yield _changes(found, limit)
    if found.of(*BETWEEN):
        yield _between(found, limit)


def _scores(found: Found) -> Table:
    """Return a row a score, group and wave; the column of people says how many have that score."""
    columns = [
        Column(_("Score"), number=False),
        Column(_("People")),
        Column(_("Mean")),
        Column(_("Interval")),
        Column(_("SD")),
        Column(_("Alpha")),
        Column(_("Interval of alpha")),
        Column(_("No score")),
        Column(_("Prorated")),
        Column(_("Dropped out")),
        *([Column(_("Mean before rules"))] if found.both else []),
    ]
    means = found.of("affect_mean")
    several = len(found.values("wave", means)) > 1
    notes = notes_of(found.of("affect_mean", "affect_sd", "affect_alpha", "affect_attrition"))
    if found.of("affect_attrition"):
        notes.append(_("Dropped out: share of the people of the first time who did not answer at this time."))
    shown = [_score(found, row, several=several) for row in means]
    return Table(_("Positive and negative affect"), columns, shown, notes)


def _score(found: Found, row: ResultRow, *, several: bool) -> list[Cell]:
    about: dict[str, Any] = {"group": row.group, "wave": row.wave}
    of_scale = {**about, "label": row.label}
    alpha, gone = found.one("affect_alpha", **of_scale), found.one("affect_attrition", **about)
    cells = [
        tables.name(_called(row, several=several)),
        tables.whole(row.n_raters),
        value(row, 1),
        ends(row, 1),
        value(found.one("affect_sd", **of_scale), 1),
        value(alpha),
        ends(alpha),
        count(found.one("affect_missing", **of_scale)),
        count(found.one("affect_prorated", **of_scale)),
        tables.percent(gone.value if gone is not None else None),
    ]
    if found.both:
        cells.append(value(found.one("affect_mean", before=True, **of_scale), 1))
    return cells


def _changes(found: Found, limit: float) -> Table:
    rows = found.of("affect_change")
    several = len(found.values("wave", rows)) > 1
    columns = [
        Column(_("Score"), number=False),
        *_tested_columns(_("Change")),
        Column(_("Effect size d_z")),
        *([Column(_("Before rules"))] if found.both else []),
    ]
    shown = []
    for row in rows:
        about: dict[str, Any] = {"label": row.label, "group": row.group, "wave": row.wave}
        cells = [
            tables.name(_called(row, several=several)),
            *_tested_cells(row, limit),
            value(found.one("affect_change_effect", **about)),
        ]
        if found.both:
            cells.append(value(found.one("affect_change", before=True, **about)))
        shown.append(cells)
    notes = notes_of(found.of("affect_change", "affect_change_effect"))
    return Table(_titled(_("Change"), rows), columns, shown, [*notes, *_family(rows)])


def _between(found: Found, limit: float) -> Table:
    """Return a row a score, pair of groups and way of comparing them: the changes, or the ends adjusted."""
    rows = found.of(*BETWEEN)
    several = len(found.values("wave", rows)) > 1
    columns = [
        Column(_("Score"), number=False),
        Column(_("Compared"), number=False),
        *_tested_columns(_("Difference")),
        Column(_("Effect size")),
        *([Column(_("Before rules"))] if found.both else []),
    ]
    shown = []
    for row in rows:
        about: dict[str, Any] = {"label": row.label, "group": row.group, "slice": row.slice, "wave": row.wave}
        cells = [
            tables.name(_called(row, several=several)),
            tables.name(_("change") if row.statistic == BETWEEN[0] else _("adjusted")),
            *_tested_cells(row, limit),
            value(found.one(f"{row.statistic}_effect", **about)),
        ]
        if found.both:
            cells.append(value(found.one(row.statistic, before=True, **about)))
        shown.append(cells)
    said = [
        *notes_of(found.of(*BETWEEN, *(f"{name}_effect" for name in BETWEEN))),
        _("Change: Welch's t test on the changes; effect size d_ppc2 (Morris 2008)."),
        _("Adjusted: analysis of covariance with the first time as covariate; effect size over the residual SD."),
        *_family(rows),
    ]
    return Table(_titled(_("Groups compared"), rows), columns, shown, said)


def _tested_columns(of: str) -> list[Column]:
    return [
        Column(_("People")),
        Column(of),
        Column(_("Interval")),
        Column(_("t")),
        Column(_("df")),
        Column(_("p")),
        Column(_("Adjusted p")),
    ]


def _tested_cells(row: ResultRow, limit: float) -> Iterator[Cell]:
    yield tables.whole(row.n_raters)
    yield value(row)
    yield ends(row)
    yield from tested(row, limit)


def _family(rows: Sequence[ResultRow]) -> Iterator[str]:
    """Say of how many tests a family is, and how p was adjusted."""
    for family, method in dict.fromkeys(
        ((row.settings or {}).get("family"), (row.settings or {}).get("correction")) for row in rows
    ):
        if family and method != "none":
            name = words.CORRECTIONS.get(str(method), method)
            yield _("Adjusted p: %(method)s over %(family)s.") % {"method": name, "family": family}


def _titled(what: str, rows: Sequence[ResultRow]) -> str:
    """Say between which times, where all rows are about the same two."""
    times = {((row.settings or {}).get("from"), (row.settings or {}).get("to")) for row in rows}
    if len(times) > 1:
        return what
    ((first, last),) = times
    return _("%(what)s, from %(first)s to %(last)s") % {"what": what, "first": first, "last": last}


def _called(row: ResultRow, *, several: bool) -> str:
    """Name a score with its groups, and its wave where there are several."""
    name = {"PA": _("Positive affect"), "NA": _("Negative affect")}.get(str(row.label), str(row.label))
    other = (row.slice or "").removeprefix("against=")
    group = f"{row.group} − {other}" if other else row.group
    wave = _("wave %(n)s") % {"n": row.wave} if several else None
    return ", ".join(filter(None, (name, group, wave)))
