"""Tables of labels: by system, by label, pairs of systems, crowd and experts, raters, the least certain texts."""

from collections.abc import Iterator, Sequence

from django.utils.translation import gettext as _

from analytics_app.models import ResultRow
from analytics_app.show import cells, formats
from analytics_app.show import labels as names
from analytics_app.show.cells import DASH, Cell
from analytics_app.show.differences import differences
from analytics_app.show.formats import interval, items, p_adjusted, pair, percent, ratings
from analytics_app.show.index import RowIndex
from analytics_app.show.notes import left_out, notes_of
from analytics_app.show.scope import OF_JOINT_LABELS
from analytics_app.show.shown import Shown, StoredRows, general_table, lines_of, named, own, table_of, tables_of
from analytics_app.show.table import Table

# Statistics with a table of their own; all others, and all slices, groups and waves, are in the general table.
JOINT = ("majority_share", "ds_share", "final_share")
BY_SYSTEM = ("share", "share_crossed", *JOINT)
BY_LABEL = ("distribution", "ds_prevalence", "final_prevalence")
# The most labels that are readable side by side.
MOST_COLUMNS, MOST_ROWS = 8, 12
NUMBERS = (
    "label_confidence", "low_confidence_texts", "majority_ties", "expert_texts", "expert_agreement",
    "expert_majority_agreement", "final_confidence", "low_confidence_left", "not_worse_than_source",
)  # fmt: skip
OF_RATERS = ("rater_accuracy", "wawa_skill", "rater_sensitivity")
OF_PAIRS = ("label_difference", "label_difference_crossed", "mcnemar")
TEXTS_SHOWN, RATERS_SHOWN = 20, 200
COUNTS = ("low_confidence_texts", "majority_ties", "low_confidence_left")


@tables_of("labels")
def labels(rows: StoredRows, limit: float) -> Iterator[Table]:
    """Yield the tables of shares by system and of labels, then those of pairs, confidence, raters and texts."""
    whole = rows.whole
    yield from _by_system(whole)
    yield from _by_label(whole)
    yield from pairs(whole, limit)
    yield from _numbers(whole)
    yield from _raters(whole)
    yield from _uncertain(rows)
    by_subset = [row for row in rows.parts if row.statistic != "uncertain_text"]
    yield from general_table(by_subset, limit, caption=_("Labels by subset"))


def _by_system(rows: StoredRows) -> Iterator[Table]:
    """Yield a table with one line for each system and measure, and one column for each label."""
    of_systems = RowIndex([row for row in rows.of(*BY_SYSTEM) if row.system])
    all_labels = of_systems.values("label", *BY_SYSTEM)
    listed = _often(all_labels, rows)

    def share_of(label: str | None) -> Shown:
        def show(row: ResultRow | None) -> Cell:
            return _with_ends(of_systems.one(row.statistic, system=row.system, label=label) if row else None)

        return own(str(label), show)

    columns = [
        named(_("System"), lambda row: row.system),
        named(_("Measure"), lambda row: _measure(row.statistic)),
        own(_("Items"), items),
        *(share_of(label) for label in listed),
    ]
    systems = of_systems.values("system", *BY_SYSTEM)
    first_rows = {(row.statistic, row.system): row for row in reversed(of_systems.rows) if row.label in listed}
    lines = [first_rows[name, system] for name in BY_SYSTEM for system in systems if (name, system) in first_rows]
    joint = any(row.low is not None for row in of_systems.of(*JOINT))
    notes = [*([str(OF_JOINT_LABELS)] if joint else []), *notes_of(of_systems.rows), *_rarer(all_labels, listed)]
    yield from table_of(rows, _("Labels by system"), columns, lines, notes=notes)


def _often(labels: Sequence[str | None], rows: StoredRows, most: int = MOST_COLUMNS) -> list[str | None]:
    """Return the labels that were chosen most, as many as fit into a table, in their order."""
    share = {row.label: row.value or 0.0 for row in rows.of("distribution")}
    often = sorted(labels, key=lambda label: -share.get(label, 0.0))[:most]
    return [label for label in labels if label in often]


def _rarer(all_labels: Sequence[object], listed: Sequence[object]) -> list[str]:
    """Return a note that rarer labels are not in a table, if any are left out."""
    return left_out(len(all_labels) - len(listed), _("Rarer labels in the file of results: %(n)s."))


def _measure(statistic: str) -> str:
    """Return the short name of a measure, for a table that is only about labels."""
    return _("Share of answers") if statistic in {"share", "distribution"} else names.statistic(statistic)


def _by_label(rows: StoredRows) -> Iterator[Table]:
    """Yield a table with one line for each label, over all systems: answers, likely labels, final labels."""
    of_labels = [row for row in rows.of(*BY_LABEL) if row.label is not None]
    all_labels = list(dict.fromkeys(row.label for row in of_labels))
    listed = _often(all_labels, rows, MOST_ROWS)
    used = [name for name in BY_LABEL if any(row.statistic == name for row in of_labels)]
    was = Shown(_("Before rules"), "distribution", percent(1), before=True)
    columns = [
        named(_("Label"), lambda row: row.label),
        *(Shown(_measure(name), name, percent(1)) for name in used),
        *([was] if any(row.statistic == "distribution" for row in rows.before) else []),
    ]
    lines = [row for row in lines_of(of_labels, "label") if row.label in listed]
    notes = [*notes_of(of_labels), *_rarer(all_labels, listed)]
    yield from table_of(rows, _("Labels, all systems together"), columns, lines, by=("label",), notes=notes)


def pairs(rows: StoredRows, limit: float) -> Iterator[Table]:
    """Yield a table with one line for each pair of systems and label: difference of shares, and McNemar's test."""
    columns = [
        named(_("Pair"), pair("−")),
        named(_("Label"), lambda row: row.label),
        *differences(
            "label_difference", limit, _("Difference of shares"), crossed=rows.has("label_difference_crossed")
        ),
        Shown(_("Items"), "label_difference", items),
    ]
    if rows.of("mcnemar"):
        columns.append(Shown(_("McNemar, adjusted p"), "mcnemar", p_adjusted(limit)))
    by = ("system", "system_b", "label")
    yield from table_of(
        rows, _("Labels: pairs of systems"), columns, lines_of(rows.of(*OF_PAIRS), *by), by=by, used_only=True
    )


def _numbers(rows: StoredRows) -> Iterator[Table]:
    """Yield a table of the confidence of labels, and of the agreement between crowd and experts."""

    def called(row: ResultRow | None) -> Cell:
        name = " – ".join(filter(None, (formats.statistic(row), row.system))) if row is not None else DASH
        return Cell(name, name)

    columns = [
        Shown(_("Measure"), "", called, number=False),
        own(_("Value"), _number),
        own(_("Interval"), interval(3)),
        own(_("Texts"), items),
        Shown(_("Before rules"), "", _number, before=True),
    ]
    lines = [row for name in NUMBERS for row in rows.of(name)]
    yield from table_of(rows, _("Certainty of the labels"), columns, lines, by=("system",))


def _raters(rows: StoredRows) -> Iterator[Table]:
    """Yield a table with one line for each rater, the least accurate first."""

    def about(row: ResultRow | None) -> Cell:
        rater = row.rater if row is not None else None
        own_rows = (rows.one(name, rater=rater, label=None) for name in ("rater_accuracy", "wawa_skill"))
        return ratings(next(filter(None, own_rows), None))

    def accuracy(row: ResultRow) -> float:
        overall = rows.one("rater_accuracy", rater=row.rater, label=None)
        return (overall.value if overall is not None else None) or 0.0

    columns = [
        named(_("Rater"), lambda row: row.rater),
        own(_("Answers"), about),
        Shown(_("Accuracy"), "rater_accuracy", percent(1), {"label": None}),
        Shown(_("With majority"), "wawa_skill", percent(1), {"label": None}),
        *(
            Shown(_("Finds “%(label)s”") % {"label": label}, "rater_sensitivity", percent(0), {"label": label})
            for label in _often(rows.values("label", "rater_sensitivity"), rows)
        ),
    ]
    lines = sorted(lines_of((row for row in rows.of(*OF_RATERS) if row.rater), "rater"), key=accuracy)
    notes = [_("By the model of Dawid and Skene; it is fitted to these same labels.")]
    yield from table_of(
        rows, _("Raters of labels"), columns, lines,
        by=("rater",), notes=notes, most=RATERS_SHOWN, more=_("Further rows in the file of results: %(n)s."),
    )  # fmt: skip


def _uncertain(rows: StoredRows) -> Iterator[Table]:
    """Yield a table of the texts with the least certain labels."""
    columns = [
        named(_("Text"), lambda row: str(row.slice).removeprefix("text=")),
        named(_("Label"), lambda row: row.label),
        own(_("Confidence"), percent(1)),
    ]
    caption, more = _("Texts whose label is least certain"), _("Further rows in the file of results: %(n)s.")
    yield from table_of(rows, caption, columns, rows.of("uncertain_text"), notes=[], most=TEXTS_SHOWN, more=more)


def _with_ends(row: ResultRow | None) -> Cell:
    """Return a cell with a share and its interval."""
    if row is None or row.value is None:
        return Cell(DASH)
    if row.low is None or row.high is None:
        return cells.percent(row.value, 1)
    ends = f"{cells.figure(row.low * 100, 1)}–{cells.figure(row.high * 100, 1)}"
    return Cell(f"{cells.percent(row.value, 1).text} ({ends})", row.value)


def _number(row: ResultRow | None) -> Cell:
    return formats.whole(row) if row is not None and row.statistic in COUNTS else percent(1)(row)
