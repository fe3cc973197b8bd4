"""Tables of scores over time: how groups began, change within groups, and change between groups."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from django.utils.translation import gettext as _

from analytics_app.models import ResultRow
from analytics_app.show import cells, labels
from analytics_app.show.cells import Words
from analytics_app.show.formats import df, digits, interval, p, p_adjusted, raters, t
from analytics_app.show.notes import notes_of
from analytics_app.show.shown import Shown, StoredRows, named, own, table_of
from analytics_app.show.table import Table

OF_SCALE = ("label", "group", "wave")
OF_CHANGE = (*OF_SCALE, "metric", "metric_b")


@dataclass(frozen=True, slots=True)
class Course:
    """The subject of the tables: the prefix of the statistics, and the names of a score and of its column.

    `captions` are those of the tables of beginnings, of changes and of groups compared; `left` explains the column of
    people who dropped out.
    """

    prefix: str
    head: Words
    called: Callable[[str], str]
    captions: tuple[Words, Words, Words]
    left: str

    @property
    def between(self) -> tuple[str, str]:
        """Return the statistics that compare the changes of groups."""
        return f"{self.prefix}_change_between", f"{self.prefix}_change_adjusted"

    def score(self, lines: Sequence[ResultRow], *, of_change: bool = False) -> Shown:
        """Return the column that names a score with its groups and, if there are several, its wave or two times."""
        several = len(set(map(_times, lines)) if of_change else {row.wave for row in lines}) > 1

        def called(row: ResultRow) -> str:
            other = (row.slice or "").removeprefix("against=")
            group = f"{row.group} − {other}" if other else row.group
            when = _stretch(row) if of_change else _("wave %(n)s") % {"n": row.wave}
            return ", ".join(filter(None, (self.called(str(row.label)), group, when if several else None)))

        return named(self.head, called)


def baseline_table(course: Course, rows: StoredRows, limit: float) -> Iterator[Table]:
    """Yield a table with one line for each score and pair of groups: the difference at the first time."""
    baseline, effect = f"{course.prefix}_baseline", f"{course.prefix}_baseline_effect"
    lines = rows.of(baseline)
    columns = [
        course.score(lines),
        *_tested(_("Difference"), limit),
        Shown(_("Effect size g"), effect, digits(2)),
        Shown(_("Interval of g"), effect, interval(2)),
        Shown(_("Before rules"), "", digits(2), before=True),
    ]
    notes = [*notes_of(rows.of(baseline, effect)), *family_notes(lines)]
    yield from table_of(rows, course.captions[0], columns, lines, by=(*OF_SCALE, "slice"), notes=notes)


def change_table(course: Course, rows: StoredRows, limit: float) -> Iterator[Table]:
    """Yield a table with one line for each score, group and pair of times: the change."""
    effect = f"{course.prefix}_change_effect"
    every = rows.of(f"{course.prefix}_change")
    lines = [row for row in every if row.label]
    columns = [
        course.score(lines, of_change=True),
        _left(),
        *_tested(_("Change"), limit),
        Shown(_("Effect size d_z"), effect, digits(2)),
        Shown(_("Interval of d_z"), effect, interval(2)),
        Shown(_("Before rules"), "", digits(2), before=True),
    ]
    notes = [*notes_of([*every, *rows.of(effect)]), _(course.left), *family_notes(lines)]
    title = _titled(str(course.captions[1]), lines)
    yield from table_of(rows, title, columns, lines, by=OF_CHANGE, notes=notes, for_notes=bool(every))


def between_table(course: Course, rows: StoredRows, limit: float) -> Iterator[Table]:
    """Yield a table of differences between groups: of changes, or of the later time adjusted for the earlier."""
    lines = rows.of(*course.between)
    effects = {name: f"{name}_effect" for name in course.between}
    by = (*OF_CHANGE, "slice")

    def effect(row: ResultRow | None) -> ResultRow | None:
        about = {name: getattr(row, name) for name in by}
        return rows.one(effects[row.statistic], **about) if row is not None else None

    columns = [
        course.score(lines, of_change=True),
        named(_("Compared"), lambda row: _("change") if row.statistic == course.between[0] else _("adjusted")),
        _left(),
        *_tested(_("Difference"), limit),
        own(_("Effect size"), lambda row: digits(2)(effect(row))),
        own(_("Interval of effect size"), lambda row: interval(2)(effect(row))),
        Shown(_("Before rules"), "", digits(2), before=True),
    ]
    notes = [
        *notes_of(rows.of(*course.between, *effects.values())),
        _("Change: Welch's t test on the changes; effect size d_ppc2 (Morris 2008)."),
        _("Adjusted: analysis of covariance with the earlier time as covariate; effect size over the residual SD."),
        _(course.left),
        *family_notes(lines),
    ]
    yield from table_of(rows, _titled(str(course.captions[2]), lines), columns, lines, by=by, notes=notes)


def _stretch(row: ResultRow) -> str:
    first, last = _times(row)
    return _("%(first)s to %(last)s") % {"first": first, "last": last}


def _times(row: ResultRow) -> tuple[object, object]:
    """Return the names of the two times of a change; rows of older runs have them in their settings only."""
    return (row.settings or {}).get("from"), (row.settings or {}).get("to")


def _left() -> Shown:
    """Return the column of people who answered at the earlier time only."""
    return own(_("Dropped out"), lambda row: cells.number((row.settings or {}).get("dropped_out") if row else None, 0))


def _tested(head: str, limit: float) -> list[Shown]:
    """Return the columns of a difference and its test."""
    return [
        own(_("People"), raters),
        own(head, digits(2)),
        own(_("Interval"), interval(2)),
        own(_("t"), t),
        own(_("df"), df),
        own(_("p"), p),
        own(_("Adjusted p"), p_adjusted(limit)),
    ]


def family_notes(rows: Sequence[ResultRow]) -> Iterator[str]:
    """Yield a sentence with the tests of a family, and the adjustment of p."""
    for family, method in dict.fromkeys(
        ((row.settings or {}).get("family"), (row.settings or {}).get("correction")) for row in rows
    ):
        if family and method != "none":
            name = labels.CORRECTIONS.get(str(method), method)
            yield _("Adjusted p: %(method)s over %(family)s.") % {"method": name, "family": family}


def _titled(caption: str, rows: Sequence[ResultRow]) -> str:
    """Return the caption with the two times, if all rows are about the same two."""
    times = set(map(_times, rows))
    if len(times) != 1:
        return caption
    ((first, last),) = times
    return _("%(what)s, from %(first)s to %(last)s") % {"what": caption, "first": first, "last": last}
