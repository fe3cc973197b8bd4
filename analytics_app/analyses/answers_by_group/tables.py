"""The table of answers by group: a line for each answer, a column for each group, and a test of each question."""

from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import Any

from django.utils.translation import gettext as _

from analytics_app.analyses.shared.change_tables import family_notes
from analytics_app.models import ResultRow
from analytics_app.show import cells
from analytics_app.show.cells import DASH, Cell
from analytics_app.show.formats import df, digits, interval, p, p_adjusted, raters
from analytics_app.show.notes import notes_of
from analytics_app.show.shown import Rows, named, own, table_of, tables_of
from analytics_app.show.table import Column, Table

TESTS = ("group_association", "group_higher", "group_mean_difference")
MIDDLES = ("group_median", "group_mean")


@tables_of("answers_by_group")
def group_tables(rows: Rows, limit: float) -> Iterator[Table]:
    """Yield a table of answers for each wave, then the tests with their details."""
    for wave in rows.values("wave", "group_answered"):
        yield _answers(rows, wave, limit)
    yield from _tests(rows, limit)


def _answers(rows: Rows, wave: int | None, limit: float) -> Table:
    """Return the answers of groups in a wave; with two groups, with the test of each question."""
    groups = rows.values("group", "group_answered")
    beside = len(groups) == 2
    lines: list[list[Cell]] = []
    for key in rows.values("label", "group_answered"):
        about: dict[str, Any] = {"label": key, "wave": wave}
        test = next(filter(None, (rows.one(name, **about) for name in TESTS)), None) if beside else None
        tail = [_called(test), p(test), p_adjusted(limit)(test)] if beside else []
        for number, (answer, given) in enumerate(_given(rows, groups, about)):
            shown = tail if not number else [Cell("")] * len(tail)
            lines.append([_question(rows, about), cells.name(answer), *given, *shown])
    heads = [Column(_("Question"), number=False), Column(_("Answer"), number=False)]
    heads += [Column(str(group)) for group in groups]
    if beside:
        heads += [Column(_("Test"), number=False), Column(_("p")), Column(_("Adjusted p"))]
    caption = _("Answers by group") if wave is None else _("Answers by group, wave %(n)s") % {"n": wave}
    notes = [
        _("Shares are of the people of a group who answered the question."),
        *notes_of(row for row in rows.of("group_answered", "group_share", *MIDDLES, *TESTS) if row.wave == wave),
        *family_notes(rows.of(*TESTS)),
    ]
    return Table(caption, heads, lines, notes)


def _given(rows: Rows, groups: Sequence[str | None], about: Mapping[str, Any]) -> Iterator[tuple[str, list[Cell]]]:
    """Yield the name and the cells of each line about a question: one for each answer, or the mean or median."""
    options = dict.fromkeys(
        row.metric for row in rows.of("group_share") if (row.label, row.wave) == (about["label"], about["wave"])
    )
    for option in options:
        shares = [rows.one("group_share", metric=option, group=group, **about) for group in groups]
        yield _option(options, option), list(map(_share, shares))
    if not options:
        has_mean = rows.one("group_mean", **about) is not None
        name = _("mean (SD)") if has_mean else _("median (quartiles)")
        yield name, [_middle(rows, group, about) for group in groups]


def _tests(rows: Rows, limit: float) -> Iterator[Table]:
    """Yield a table with one line for each question and pair of groups: the test with its figures."""
    lines = rows.of(*TESTS)
    several = len({row.wave for row in lines}) > 1
    by = ("label", "group", "slice", "wave")

    def effect(row: ResultRow | None) -> ResultRow | None:
        return rows.one(f"{row.statistic}_effect", **{name: getattr(row, name) for name in by}) if row else None

    def statistic(row: ResultRow | None) -> Cell:
        settings = (row.settings or {}) if row is not None else {}
        return cells.number(settings.get("t", settings.get("chi2")))

    columns = [
        named(_("Question and test"), lambda row: _named(row, several=several)),
        own(_("People"), raters),
        own(_("Value"), digits(2)),
        own(_("Interval"), interval(2)),
        own(_("t or χ²"), statistic),
        own(_("df"), df),
        own(_("p"), p),
        own(_("Adjusted p"), p_adjusted(limit)),
        own(_("Effect size g"), lambda row: digits(2)(effect(row))),
        own(_("Interval of g"), lambda row: interval(2)(effect(row))),
    ]
    values = {
        "group_mean_difference": _("Value with Welch's t: difference of means."),
        "group_higher": _("Value with Mann-Whitney: probability that an answer of the first group is higher."),
        "group_association": _("Value with chi-squared and Fisher's exact test: Cramér's V."),
    }
    notes = [sentence for name, sentence in values.items() if rows.of(name)]
    notes += [*notes_of(lines), *family_notes(lines)]
    yield from table_of(rows, _("Tests between groups"), columns, lines, by=by, notes=notes, used_only=True)


def _named(row: ResultRow, *, several: bool) -> str:
    """Return the name of a test: its question, the groups, the wave if there are several, and the test."""
    question = str((row.settings or {}).get("question") or row.label)
    groups = f"{row.group} − {(row.slice or '').removeprefix('against=')}"
    wave = _("wave %(n)s") % {"n": row.wave} if several else None
    return f"{question} ({', '.join(filter(None, (groups, wave, _called(row).text)))})"


def _question(rows: Rows, about: Mapping[str, Any]) -> Cell:
    row = rows.one("group_answered", **about)
    return cells.name((row.settings or {}).get("question") if row is not None else about["label"])


def _option(options: Collection[str | None], option: str | None) -> str:
    """Return the name of an answer; a box is stored as 0 and 1."""
    if set(options) == {"0", "1"}:
        return _("not ticked") if option == "0" else _("ticked")
    return str(option)


def _middle(rows: Rows, group: str | None, about: Mapping[str, Any]) -> Cell:
    """Return mean and SD of numbers, or median and quartiles of steps."""
    where: dict[str, Any] = {"group": group, **about}
    mean, median = rows.one("group_mean", **where), rows.one("group_median", **where)
    if mean is not None and mean.value is not None:
        sd = digits(2)(rows.one("group_sd", **where))
        return Cell(f"{cells.figure(mean.value, 2)} ({sd.text})", mean.value)
    if median is not None and median.value is not None:
        low, high = (cells.figure(quarter, 1) for quarter in (median.settings or {})["quartiles"])
        return Cell(f"{cells.figure(median.value, 1)} ({low}–{high})", median.value)
    return Cell(DASH)


def _share(row: ResultRow | None) -> Cell:
    if row is None or row.value is None:
        return Cell(DASH)
    return Cell(f"{(row.settings or {})['count']} ({cells.percent(row.value).text})", row.value)


def _called(row: ResultRow | None) -> Cell:
    """Return the name of the test of a row in the words of the page."""
    names = {
        "chi-squared": _("chi-squared"),
        "Fisher's exact": _("Fisher's exact"),
        "Fisher's exact, random tables": _("Fisher's exact (random tables)"),
        "Mann-Whitney": _("Mann-Whitney"),
        "Welch's t": _("Welch's t"),
    }
    test = (row.settings or {}).get("test") if row is not None else None
    return Cell(str(names.get(str(test), DASH)))
