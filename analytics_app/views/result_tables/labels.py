"""Tables of labels: by system, by label, pairs of systems, crowd and experts, raters, the least certain texts."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from django.utils.translation import gettext as _

from analytics_app.models import ResultRow
from analytics_app.views import tables, words
from analytics_app.views.picking import notes_of
from analytics_app.views.result_tables.registry import general_table, tables_of
from analytics_app.views.tables import Cell, Column, Table

# What has a table of its own; everything else, and every slice, group and wave, stands in the general one.
BY_SYSTEM = ("share", "majority_share", "ds_share", "final_share")
BY_LABEL = ("distribution", "ds_prevalence", "final_prevalence")
# More labels side by side are not read.
MOST_COLUMNS, MOST_ROWS = 8, 12
NUMBERS = (
    "label_confidence", "low_confidence_texts", "majority_ties", "expert_texts", "expert_agreement",
    "expert_majority_agreement", "final_confidence", "low_confidence_left", "not_worse_than_source",
)  # fmt: skip
OF_RATERS = ("rater_accuracy", "wawa_skill", "rater_sensitivity")
OF_PAIRS = ("label_difference", "mcnemar")
TEXTS_SHOWN, RATERS_SHOWN = 20, 200
COUNTS = ("low_confidence_texts", "majority_ties", "low_confidence_left")


@tables_of("labels")
def labels(rows: Sequence[ResultRow], limit: float) -> Iterator[Table]:
    """Yield few numbers first: shares by system, the labels in the end, then what they rest on."""
    whole = [row for row in rows if not (row.slice or row.group or row.wave)]
    kept = [row for row in whole if row.basis == "kept"] or whole
    before = [row for row in whole if row.basis == "all"] if any(row.basis == "kept" for row in whole) else []
    yield from by_system(kept)
    yield from by_label(kept, before)
    yield from pairs(kept, limit)
    yield from numbers(kept, before)
    yield from raters(kept)
    yield from uncertain(rows)
    rest = [row for row in rows if (row.slice or row.group or row.wave) and row.statistic != "uncertain_text"]
    if rest:
        yield general_table(rest, limit, caption=_("Labels by subset"))


def by_system(kept: Sequence[ResultRow]) -> Iterator[Table]:
    """Yield a row a system and measure, a column a label."""
    found = [row for row in kept if row.statistic in BY_SYSTEM and row.system]
    if not found:
        return
    of = {(row.statistic, row.system, row.label): row for row in found}
    systems = list(dict.fromkeys(row.system for row in found))
    every = list(dict.fromkeys(row.label for row in found))
    listed = _often(every, kept)
    columns = [Column(_("System"), number=False), Column(_("Measure"), number=False), Column(_("Items"))]
    columns += [Column(str(label)) for label in listed]
    cells = []
    for statistic in BY_SYSTEM:
        for system in systems:
            own = [of.get((statistic, system, label)) for label in listed]
            first = next((row for row in own if row is not None), None)
            if first is not None:
                head = [tables.name(system), tables.name(_measure(statistic)), tables.whole(first.n_items)]
                cells.append([*head, *(_with_ends(row) for row in own)])
    yield Table(_("Labels by system"), columns, cells, [*notes_of(found), *_left_out(every, listed)])


def _often(labels: Sequence[str | None], kept: Sequence[ResultRow], most: int = MOST_COLUMNS) -> list[str | None]:
    """Return the labels that were chosen most, as many as a table has room for, in their order."""
    share = {row.label: row.value or 0.0 for row in kept if row.statistic == "distribution"}
    often = sorted(labels, key=lambda label: -share.get(label, 0.0))[:most]
    return [label for label in labels if label in often]


def _left_out(every: Sequence[object], listed: Sequence[object]) -> list[str]:
    """Say that rarer labels are not in a table."""
    left = len(every) - len(listed)
    return [_("%(n)s rarer labels are in the file of results.") % {"n": left}] if left else []


def _measure(statistic: str) -> str:
    """Name a measure of a table in which everything is about labels."""
    return _("Share of answers") if statistic in {"share", "distribution"} else words.statistic(statistic)


def by_label(kept: Sequence[ResultRow], before: Sequence[ResultRow]) -> Iterator[Table]:
    """Yield a row a label, all systems together: answers, the likely labels, the labels in the end."""
    found = [row for row in kept if row.statistic in BY_LABEL and row.label is not None]
    if not found:
        return
    of = {(row.statistic, row.label): row for row in found}
    earlier = {row.label: row for row in before if row.statistic == "distribution"}
    every = list(dict.fromkeys(row.label for row in found))
    listed = _often(every, kept, MOST_ROWS)
    used = [one for one in BY_LABEL if any(row.statistic == one for row in found)]
    columns = [Column(_("Label"), number=False), *(Column(_measure(one)) for one in used)]
    columns += [Column(_("Before rules"))] if earlier else []
    cells = []
    for label in listed:
        row = [tables.name(label), *(tables.percent(_value(of.get((one, label))), 1) for one in used)]
        row += [tables.percent(_value(earlier.get(label)), 1)] if earlier else []
        cells.append(row)
    yield Table(_("Labels, all systems together"), columns, cells, [*notes_of(found), *_left_out(every, listed)])


def pairs(kept: Sequence[ResultRow], limit: float) -> Iterator[Table]:
    """Yield a row a pair of systems and label: the difference of shares, and McNemar's test on the texts' labels."""
    found = [row for row in kept if row.statistic in OF_PAIRS]
    if not found:
        return
    of = {(row.statistic, row.system, row.system_b, row.label): row for row in found}
    columns = [Column(_("Pair"), number=False), Column(_("Label"), number=False), Column(_("Items"))]
    columns += [Column(_("Difference of shares")), Column(_("Over items")), Column(_("p")), Column(_("Adjusted p"))]
    with_test = any(row.statistic == "mcnemar" for row in found)
    columns += [Column(_("McNemar, adjusted p"))] if with_test else []
    cells = []
    for a, b, label in dict.fromkeys((row.system, row.system_b, row.label) for row in found):
        one, test = of.get(("label_difference", a, b, label)), of.get(("mcnemar", a, b, label))
        row = [
            tables.name(f"{a} − {b}"),
            tables.name(label),
            tables.whole(one.n_items if one else None),
            tables.number(_value(one), 3),
            tables.interval(one.low, one.high, 3) if one else Cell(tables.DASH),
            tables.p_value(one.p if one else None),
            tables.p_value(one.p_adjusted if one else None, limit),
        ]
        row += [tables.p_value(test.p_adjusted if test else None, limit)] if with_test else []
        cells.append(row)
    yield Table(_("Labels: pairs of systems"), columns, cells, notes_of(found))


def numbers(kept: Sequence[ResultRow], before: Sequence[ResultRow]) -> Iterator[Table]:
    """Yield how sure the labels are, and how far crowd and experts agree."""
    found = [row for name in NUMBERS for row in kept if row.statistic == name]
    if not found:
        return
    earlier = {(row.statistic, row.system): row for row in before}
    columns = [Column(_("Measure"), number=False), Column(_("Value")), Column(_("Interval")), Column(_("Texts"))]
    columns += [Column(_("Before rules"))] if earlier else []
    cells = []
    for row in found:
        said = " – ".join(filter(None, (words.statistic(row.statistic), row.system)))
        cell = [Cell(said, said), _number(row), tables.interval(row.low, row.high, 3), tables.whole(row.n_items)]
        cell += [_number(earlier.get((row.statistic, row.system)))] if earlier else []
        cells.append(cell)
    yield Table(_("Certainty of the labels"), columns, cells, notes_of(found))


def raters(kept: Sequence[ResultRow]) -> Iterator[Table]:
    """Yield a row a rater, the least accurate first."""
    found = [row for row in kept if row.statistic in OF_RATERS and row.rater]
    if not found:
        return
    of = {(row.statistic, row.rater, row.label): row for row in found}
    listed = _often(list(dict.fromkeys(row.label for row in found if row.statistic == "rater_sensitivity")), kept)
    names = list(dict.fromkeys(row.rater for row in found))
    names.sort(key=lambda name: _value(of.get(("rater_accuracy", name, None))) or 0.0)
    columns = [
        Column(_("Rater"), number=False),
        Column(_("Answers")),
        Column(_("Accuracy")),
        Column(_("With majority")),
    ]
    columns += [Column(_("Finds “%(label)s”") % {"label": label}) for label in listed]
    cells = []
    for name in names[:RATERS_SHOWN]:
        accuracy, skill = of.get(("rater_accuracy", name, None)), of.get(("wawa_skill", name, None))
        about = accuracy or skill
        row = [tables.name(name), tables.whole(about.n_ratings if about else None)]
        row += [tables.percent(_value(accuracy), 1), tables.percent(_value(skill), 1)]
        row += [tables.percent(_value(of.get(("rater_sensitivity", name, label)))) for label in listed]
        cells.append(row)
    notes = [_("By the model of Dawid and Skene; it is fitted to these same labels.")]
    if len(names) > RATERS_SHOWN:
        notes.append(_("%(n)s more rows are in the file of results.") % {"n": len(names) - RATERS_SHOWN})
    yield Table(_("Raters of labels"), columns, cells, notes)


def uncertain(rows: Sequence[ResultRow]) -> Iterator[Table]:
    """Yield the texts whose label is least certain."""
    found = [row for row in rows if row.statistic == "uncertain_text"]
    found = [row for row in found if row.basis == "kept"] or found
    if not found:
        return
    columns = [Column(_("Text"), number=False), Column(_("Label"), number=False), Column(_("Confidence"))]
    shown = found[:TEXTS_SHOWN]
    cells = [
        [tables.name(str(row.slice).removeprefix("text=")), tables.name(row.label), tables.percent(row.value, 1)]
        for row in shown
    ]
    left = len(found) - len(shown)
    notes = [_("%(n)s more rows are in the file of results.") % {"n": left}] if left else []
    yield Table(_("Texts whose label is least certain"), columns, cells, notes)


def _value(row: ResultRow | None) -> float | None:
    return row.value if row is not None else None


def _with_ends(row: ResultRow | None) -> Cell:
    """Return a share with its interval in one cell."""
    if row is None or row.value is None:
        return Cell(tables.DASH)
    if row.low is None or row.high is None:
        return tables.percent(row.value, 1)
    ends = f"{tables.figure(row.low * 100, 1)}–{tables.figure(row.high * 100, 1)}"
    return Cell(f"{tables.percent(row.value, 1).text} ({ends})", row.value)


def _number(row: ResultRow | None) -> Cell:
    if row is None or row.value is None:
        return Cell(tables.DASH)
    return tables.whole(int(row.value)) if row.statistic in COUNTS else tables.percent(row.value, 1)
