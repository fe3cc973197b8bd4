"""Tables of post-edits: systems, pairs, editors."""

from collections.abc import Iterator

from django.utils.translation import gettext as _

from analytics_app.show.formats import digits, interval, items, p_adjusted, pair, percent, ratings, share
from analytics_app.show.notes import notes_of
from analytics_app.show.shown import Shown, StoredRows, general_table, lines_of, named, own, table_of, tables_of
from analytics_app.show.table import Table

OF_EDITORS = (
    "edit_distance_of_editor", "hter_of_editor", "unedited_of_editor", "seconds_per_word_of_editor",
    "keystrokes_per_character_of_editor",
)  # fmt: skip
IDENTICAL = "identical_suggestions"
OF_SYSTEMS = (
    "suggestion_chosen", "edit_distance", "hter", "unedited_share", "seconds_per_word", "keystrokes_per_character"
)  # fmt: skip


@tables_of("post_edit")
def post_edit(rows: StoredRows, limit: float) -> Iterator[Table]:
    """Yield choices and work by system, then distances to suggestions chosen and not chosen, then editors."""
    whole = rows.whole
    yield from _systems(whole, limit)
    yield from _distances(whole)
    yield from _identical(whole)
    yield from _editors(whole)
    further = [row for row in whole.kept if row.statistic not in {*OF_SYSTEMS, *OF_EDITORS, IDENTICAL}]
    yield from general_table([*further, *rows.parts], limit, caption=_("Further figures, and parts of the texts"))


def _systems(rows: StoredRows, limit: float) -> Iterator[Table]:
    by = ("system", "system_b", "label")
    of_systems = [row for row in rows.kept if row.system and not row.system_b and row.label is None]
    choice = [
        Shown(_("Chosen"), "suggestion_chosen", percent(1)),
        Shown(_("Interval"), "suggestion_chosen", interval(2)),
        Shown(_("Times shown"), "suggestion_chosen", ratings),
        Shown(_("Adjusted p"), "suggestion_chosen", p_adjusted(limit)),
    ]
    columns = [
        named(_("System"), lambda row: row.system),
        *(choice if any(row.statistic == "suggestion_chosen" for row in of_systems) else []),
        Shown(_("Left unchanged"), "unedited_share", percent(1)),
        Shown(_("Seconds per word"), "seconds_per_word", digits(2)),
        Shown(_("Keystrokes per character"), "keystrokes_per_character", digits(2)),
        Shown(_("Edited"), "unedited_share", ratings),
    ]
    lines = lines_of((row for row in of_systems if row.statistic in OF_SYSTEMS), "system")
    notes = notes_of(row for row in of_systems if row.statistic not in {"edit_distance", "hter"})
    yield from table_of(rows, _("Choices and work by system"), columns, lines, by=by, notes=notes)


def _identical(rows: StoredRows) -> Iterator[Table]:
    columns = [
        named(_("Systems"), pair("=")),
        own(_("Items"), items),
        own(_("Same suggestion"), percent(1)),
    ]
    yield from table_of(rows, _("Items with the same suggestion by both systems"), columns, rows.of(IDENTICAL))


def _distances(rows: StoredRows) -> Iterator[Table]:
    called = {None: _("all"), "chosen": _("chosen"), "not chosen": _("not chosen")}
    columns = [
        named(_("System"), lambda row: row.system),
        named(_("Suggestions"), lambda row: called.get(row.label, row.label)),
        own("HTER", digits(3)),
        own(_("Interval"), interval(3)),
        Shown(_("Character distance"), "edit_distance", digits(3)),
        Shown(_("Interval"), "edit_distance", interval(3)),
        Shown(_("Edited texts"), "edit_distance", ratings),
    ]
    lines = [row for row in rows.of("hter") if row.system]
    caption = _("From suggestions to the edited text: lower is better")
    yield from table_of(rows, caption, columns, lines, by=("system", "label"), notes=notes_of(lines))


def _editors(rows: StoredRows) -> Iterator[Table]:
    distance, hter, unedited, seconds, keystrokes = OF_EDITORS
    columns = [
        named(_("Editor"), lambda row: row.rater),
        Shown(_("Texts"), unedited, ratings),
        Shown(_("Character distance"), distance, digits(3)),
        Shown("HTER", hter, digits(3)),
        Shown(_("Left unchanged"), unedited, share),
        Shown(_("Seconds per word"), seconds, digits(2)),
        Shown(_("Keystrokes per character"), keystrokes, digits(2)),
    ]
    lines = lines_of((row for row in rows.of(*OF_EDITORS) if row.rater), "rater")
    yield from table_of(rows, _("Editors, and the suggestions they chose"), columns, lines, by=("rater",))
