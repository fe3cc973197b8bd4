"""Tables of PANAS: scores by group and time, change within groups, change between groups."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from django.utils.translation import gettext as _
from django.utils.translation import gettext_noop

from analytics_app.models import ResultRow
from analytics_app.show import cells, labels
from analytics_app.show.formats import df, digits, interval, p, p_adjusted, raters, share, t, whole
from analytics_app.show.notes import notes_of
from analytics_app.show.registry import tables_of
from analytics_app.show.shown import Rows, Shown, named, own, table_of
from analytics_app.show.table import Table

BETWEEN = ("affect_change_between", "affect_change_adjusted")
OF_SCALE = ("label", "group", "wave")
OF_CHANGE = (*OF_SCALE, "metric", "metric_b")

_WHO_LEFT = gettext_noop(
    "Left: people of the groups compared who answered at the earlier time but not at the later one."
)


@tables_of("panas")
def panas_tables(rows: Rows, limit: float) -> Iterator[Table]:
    """Yield scores, then how groups began or changed, then what differs between groups."""
    yield from _scores(rows)
    yield from _baseline(rows, limit)
    yield from _changes(rows, limit)
    yield from _between(rows, limit)


def _scores(rows: Rows) -> Iterator[Table]:
    """Yield a line a score, group and wave; the column of people says how many have that score."""
    lines = rows.of("affect_mean")
    columns = [
        _score(lines),
        own(_("People"), raters),
        own(_("Mean"), digits(1)),
        own(_("Interval"), interval(1)),
        Shown(_("SD"), "affect_sd", digits(1)),
        Shown(_("Alpha"), "affect_alpha", digits(2)),
        Shown(_("Interval of alpha"), "affect_alpha", interval(2)),
        Shown(_("No score"), "affect_missing", whole),
        Shown(_("Prorated"), "affect_prorated", whole),
        Shown(_("Dropped out"), "affect_attrition", share, {"label": None}),
        Shown(_("Mean before rules"), "", digits(1), before=True),
    ]
    notes = notes_of(rows.of("affect_mean", "affect_sd", "affect_alpha", "affect_attrition"))
    if rows.of("affect_attrition"):
        notes.append(_("Dropped out: share of the people of the first time who did not answer at this time."))
    yield from table_of(rows, _("Positive and negative affect"), columns, lines, by=OF_SCALE, notes=notes)


def _baseline(rows: Rows, limit: float) -> Iterator[Table]:
    """Yield a line a score and pair of groups: how far apart they began."""
    lines = rows.of("affect_baseline")
    columns = [
        _score(lines),
        *_tested(_("Difference"), limit),
        Shown(_("Effect size g"), "affect_baseline_effect", digits(2)),
        Shown(_("Interval of g"), "affect_baseline_effect", interval(2)),
        Shown(_("Before rules"), "", digits(2), before=True),
    ]
    notes = [*notes_of(rows.of("affect_baseline", "affect_baseline_effect")), *_family(lines)]
    yield from table_of(rows, _("Groups at the beginning"), columns, lines, by=(*OF_SCALE, "slice"), notes=notes)


def _changes(rows: Rows, limit: float) -> Iterator[Table]:
    """Yield a line a score, group and pair of times: how far the score changed."""
    every = rows.of("affect_change")
    lines = [row for row in every if row.label]
    columns = [
        _score(lines, of_change=True),
        _left(),
        *_tested(_("Change"), limit),
        Shown(_("Effect size d_z"), "affect_change_effect", digits(2)),
        Shown(_("Interval of d_z"), "affect_change_effect", interval(2)),
        Shown(_("Before rules"), "", digits(2), before=True),
    ]
    notes = [*notes_of([*every, *rows.of("affect_change_effect")]), _(_WHO_LEFT), *_family(lines)]
    title = _titled(_("Change"), lines)
    yield from table_of(rows, title, columns, lines, by=OF_CHANGE, notes=notes, for_notes=bool(every))


def _between(rows: Rows, limit: float) -> Iterator[Table]:
    """Yield a line a score, pair of groups, pair of times and way of comparing: the changes, or the ends adjusted."""
    lines = rows.of(*BETWEEN)
    effects = {name: f"{name}_effect" for name in BETWEEN}
    by = (*OF_CHANGE, "slice")

    def effect(row: ResultRow | None) -> ResultRow | None:
        about = {name: getattr(row, name) for name in by}
        return rows.one(effects[row.statistic], **about) if row is not None else None

    columns = [
        _score(lines, of_change=True),
        named(_("Compared"), lambda row: _("change") if row.statistic == BETWEEN[0] else _("adjusted")),
        _left(),
        *_tested(_("Difference"), limit),
        own(_("Effect size"), lambda row: digits(2)(effect(row))),
        own(_("Interval of effect size"), lambda row: interval(2)(effect(row))),
        Shown(_("Before rules"), "", digits(2), before=True),
    ]
    notes = [
        *notes_of(rows.of(*BETWEEN, *effects.values())),
        _("Change: Welch's t test on the changes; effect size d_ppc2 (Morris 2008)."),
        _("Adjusted: analysis of covariance with the earlier time as covariate; effect size over the residual SD."),
        _(_WHO_LEFT),
        *_family(lines),
    ]
    yield from table_of(rows, _titled(_("Groups compared"), lines), columns, lines, by=by, notes=notes)


def _score(lines: Sequence[ResultRow], *, of_change: bool = False) -> Shown:
    """Return the column that names a score with its groups and, where there are several, its wave or its two times."""
    several = len(set(map(_times, lines)) if of_change else {row.wave for row in lines}) > 1
    scores = {"PA": _("Positive affect"), "NA": _("Negative affect")}

    def called(row: ResultRow) -> str:
        other = (row.slice or "").removeprefix("against=")
        group = f"{row.group} − {other}" if other else row.group
        when = _stretch(row) if of_change else _("wave %(n)s") % {"n": row.wave}
        return ", ".join(filter(None, (scores.get(str(row.label), str(row.label)), group, when if several else None)))

    return named(_("Score"), called)


def _stretch(row: ResultRow) -> str:
    first, last = _times(row)
    return _("%(first)s to %(last)s") % {"first": first, "last": last}


def _times(row: ResultRow) -> tuple[object, object]:
    """Return the names of the two times of a change; rows of older runs have them in their settings only."""
    return (row.settings or {}).get("from"), (row.settings or {}).get("to")


def _left() -> Shown:
    """Return the column of people who answered at the earlier time only."""
    return own(_("Dropped out"), lambda row: cells.number((row.settings or {}).get("dropped_out") if row else None, 0))


def _tested(of: str, limit: float) -> list[Shown]:
    """Return the columns of a difference and its test."""
    return [
        own(_("People"), raters),
        own(of, digits(2)),
        own(_("Interval"), interval(2)),
        own(_("t"), t),
        own(_("df"), df),
        own(_("p"), p),
        own(_("Adjusted p"), p_adjusted(limit)),
    ]


def _family(rows: Sequence[ResultRow]) -> Iterator[str]:
    """Say of how many tests a family is, and how p was adjusted."""
    for family, method in dict.fromkeys(
        ((row.settings or {}).get("family"), (row.settings or {}).get("correction")) for row in rows
    ):
        if family and method != "none":
            name = labels.CORRECTIONS.get(str(method), method)
            yield _("Adjusted p: %(method)s over %(family)s.") % {"method": name, "family": family}


def _titled(what: str, rows: Sequence[ResultRow]) -> str:
    """Say between which times, where all rows are about the same two."""
    times = set(map(_times, rows))
    if len(times) != 1:
        return what
    ((first, last),) = times
    return _("%(what)s, from %(first)s to %(last)s") % {"what": what, "first": first, "last": last}
