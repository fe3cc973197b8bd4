"""Tables of given marks: their fates by system, by severity and by rater, and agreement before and after."""

from collections.abc import Iterator

from django.utils.translation import gettext

from analytics_app.show import formats
from analytics_app.show.formats import digits, raters, ratings, share
from analytics_app.show.notes import notes_of
from analytics_app.show.shown import Shown, StoredRows, general_table, lines_of, named, own, table_of, tables_of
from analytics_app.show.table import Table

OF_RATERS = ("given_kept_of_rater", "given_changed_of_rater", "given_removed_of_rater", "marks_added_of_rater",
             "seconds_per_mark_of_rater", "false_marks_kept_of_rater")  # fmt: skip


OF_FATES = ("given_kept", "given_changed", "given_removed", "marks_added", "marks_before", "marks_after")
# The kinds of agreement, each with its statistics before and after.
AGREEMENT = ("f1_exact", "f1_overlap", "alpha")


def _fates() -> list[Shown]:
    """Return the columns with the fates of given marks."""
    return [
        Shown(gettext("Kept"), "given_kept", share),
        Shown(gettext("Interval"), "given_kept", formats.share_interval),
        Shown(gettext("Changed"), "given_changed", share),
        Shown(gettext("Removed"), "given_removed", share),
        Shown(gettext("Interval"), "given_removed", formats.share_interval),
        Shown(gettext("Given per text"), "marks_before", digits(2)),
        Shown(gettext("Added per text"), "marks_added", digits(2)),
        Shown(gettext("Left per text"), "marks_after", digits(2)),
    ]


def _agreement(rows: StoredRows) -> Iterator[Table]:
    """Yield a table for each kind of agreement: before beside after, on the same texts."""
    captions = {
        "f1_exact": gettext("Agreement before and after: F1 of marks at the same place"),
        "f1_overlap": gettext("Agreement before and after: F1 of marks with a common character"),
        "alpha": gettext("Agreement before and after: alpha over characters"),
    }
    for kind in AGREEMENT:
        before, after = f"{kind}_before", f"{kind}_after"
        columns = [
            named(gettext("Of"), lambda row: row.label or gettext("all marks")),
            Shown(gettext("Before"), before, digits(3)),
            Shown(gettext("Interval"), before, formats.interval(3)),
            Shown(gettext("After"), after, digits(3)),
            Shown(gettext("Interval"), after, formats.interval(3)),
            Shown(gettext("Texts"), after, formats.items),
        ]
        found = rows.of(before, after)
        notes = notes_of(found)
        yield from table_of(rows, captions[kind], columns, lines_of(found, "label"), by=("label",), notes=notes)


@tables_of("given_marks")
def given_marks(rows: StoredRows, limit: float) -> Iterator[Table]:
    """Yield the table of all texts and each system, then those of severities, agreement and raters."""
    whole = rows.whole
    columns = [
        named(gettext("System"), lambda row: row.system or gettext("All systems")),
        Shown(gettext("Given marks"), "given_kept", ratings),
        *_fates(),
        own(gettext("Raters"), raters),
    ]
    of_fates = whole.of(*OF_FATES)
    lines = lines_of([row for row in of_fates if row.label is None], "system")
    yield from table_of(whole, gettext("Marks given beforehand"), columns, lines, by=("system", "label"))
    severities = [row for row in of_fates if row.label is not None]
    severity_columns = [
        named(gettext("Severity"), lambda row: row.label),
        named(gettext("System"), lambda row: row.system or gettext("All systems")),
        Shown(gettext("Given marks"), "given_kept", ratings),
        *_fates(),
    ]
    caption = gettext("Marks given beforehand, by severity")
    lines = lines_of(severities, "label", "system")
    yield from table_of(whole, caption, severity_columns, lines, by=("system", "label"), used_only=True)
    yield from _agreement(whole)
    rater_columns = [
        named(gettext("Rater"), lambda row: row.rater),
        Shown(gettext("Given marks"), "given_kept_of_rater", ratings),
        Shown(gettext("Kept"), "given_kept_of_rater", share),
        Shown(gettext("Changed"), "given_changed_of_rater", share),
        Shown(gettext("Removed"), "given_removed_of_rater", share),
        Shown(gettext("Added per text"), "marks_added_of_rater", digits(2)),
        Shown(gettext("Seconds per mark"), "seconds_per_mark_of_rater", digits(1)),
        Shown(gettext("False marks let stand"), "false_marks_kept_of_rater", share),
    ]
    of_raters = lines_of(whole.of(*OF_RATERS), "rater")
    caption = gettext("Marks given beforehand, by rater")
    yield from table_of(whole, caption, rater_columns, of_raters, by=("rater",), used_only=True)
    further = [*whole.of("seconds_per_mark", "false_marks_kept"), *rows.parts]
    yield from general_table(further, limit, caption=gettext("Further figures of given marks"))
