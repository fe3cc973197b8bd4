"""Tables of post-edits: systems, pairs, editors."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from django.utils.translation import gettext as _

from analytics_app.models import ResultRow
from analytics_app.views import tables
from analytics_app.views.picking import notes_of
from analytics_app.views.result_tables.registry import general_table, tables_of
from analytics_app.views.tables import Cell, Column, Table

OF_EDITORS = (
    "edit_distance_of_editor", "hter_of_editor", "unedited_of_editor", "seconds_per_word_of_editor",
    "keystrokes_per_character_of_editor",
)  # fmt: skip
OF_SYSTEMS = (
    "suggestion_chosen", "edit_distance", "hter", "unedited_share", "seconds_per_word", "keystrokes_per_character"
)  # fmt: skip


@tables_of("post_edit")
def post_edit(rows: Sequence[ResultRow], limit: float) -> Iterator[Table]:
    """Yield choices and work by system, then distances to suggestions chosen and not chosen, then editors."""
    whole = [row for row in rows if not (row.slice or row.group or row.wave)]
    kept = [row for row in whole if row.basis == "kept"] or whole
    yield from _systems(kept, limit)
    yield from _distances(kept)
    yield from _editors(kept)
    own = {*OF_SYSTEMS, *OF_EDITORS}
    rest = [row for row in kept if row.statistic not in own] + [row for row in rows if row not in whole]
    if rest:
        yield general_table(rest, limit, caption=_("Further figures, and parts of the texts"))


def _systems(kept: Sequence[ResultRow], limit: float) -> Iterator[Table]:
    of = {(row.statistic, row.system): row for row in kept if row.system and not row.system_b and row.label is None}
    systems = list(dict.fromkeys(system for statistic, system in of if statistic in OF_SYSTEMS))
    if not systems:
        return
    has_choice = any(statistic == "suggestion_chosen" for statistic, _system in of)
    columns = [Column(_("System"), number=False)]
    if has_choice:
        columns += [Column(_("Chosen")), Column(_("Interval")), Column(_("Times shown")), Column(_("Adjusted p"))]
    columns += [Column(_("Left unchanged")), Column(_("Seconds per word")), Column(_("Keystrokes per character"))]
    columns += [Column(_("Edited"))]
    cells = []
    for system in systems:
        choice, same = of.get(("suggestion_chosen", system)), of.get(("unedited_share", system))
        cell = [tables.name(system)]
        if has_choice:
            cell += [
                tables.percent(choice.value if choice else None, 1), _ends(choice),
                tables.whole(choice.n_ratings if choice else None),
                tables.p_value(choice.p_adjusted if choice else None, limit),
            ]  # fmt: skip
        cell += [tables.percent(same.value if same else None, 1)]
        cell += [_value(of.get((one, system))) for one in ("seconds_per_word", "keystrokes_per_character")]
        cells.append([*cell, tables.whole(same.n_ratings if same else None)])
    shown = [row for (statistic, _system), row in of.items() if statistic not in ("edit_distance", "hter")]
    yield Table(_("Choices and work by system"), columns, cells, notes_of(shown))


def _distances(kept: Sequence[ResultRow]) -> Iterator[Table]:
    found = [row for row in kept if row.statistic == "hter" and row.system]
    letters = {(row.system, row.label): row for row in kept if row.statistic == "edit_distance"}
    if not found:
        return
    called = {None: _("all"), "chosen": _("chosen"), "not chosen": _("not chosen")}
    columns = [
        Column(_("System"), number=False), Column(_("Suggestions"), number=False), Column("HTER"),
        Column(_("Interval")), Column(_("Character distance")), Column(_("Interval")), Column(_("Edited texts")),
    ]  # fmt: skip
    cells = []
    for row in found:
        other = letters.get((row.system, row.label))
        cells.append(
            [
                tables.name(row.system), tables.name(called.get(row.label, row.label)), _value(row, 3), _ends(row, 3),
                _value(other, 3), _ends(other, 3), tables.whole(other.n_ratings if other else None),
            ]
        )  # fmt: skip
    yield Table(_("From suggestions to the edited text: lower is better"), columns, cells, notes_of(found))


def _editors(kept: Sequence[ResultRow]) -> Iterator[Table]:
    of = {(row.statistic, row.rater): row for row in kept if row.rater and row.statistic in OF_EDITORS}
    raters = list(dict.fromkeys(rater for _statistic, rater in of))
    if not raters:
        return
    columns = [
        Column(_("Editor"), number=False), Column(_("Texts")), Column(_("Character distance")), Column("HTER"),
        Column(_("Left unchanged")), Column(_("Seconds per word")), Column(_("Keystrokes per character")),
    ]  # fmt: skip
    cells = []
    for rater in raters:
        found = [of.get((statistic, rater)) for statistic in OF_EDITORS]
        same = found[2]
        cells.append(
            [
                tables.name(rater), tables.whole(same.n_ratings if same else None), _value(found[0], 3),
                _value(found[1], 3), tables.percent(same.value if same else None), _value(found[3]), _value(found[4]),
            ]
        )  # fmt: skip
    yield Table(_("Editors, and the suggestions they chose"), columns, cells, notes_of(of.values()))


def _value(row: ResultRow | None, digits: int = 2) -> Cell:
    return tables.number(row.value if row is not None else None, digits)


def _ends(row: ResultRow | None, digits: int = 2) -> Cell:
    return tables.interval(row.low, row.high, digits) if row is not None else Cell(tables.DASH)
