"""Tables of judged predictions: by subset as published, by model, and pairs of models."""

from collections.abc import Iterator

from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from analytics_app.show.differences import differences
from analytics_app.show.formats import items, pair, part, percent, ratings, share_interval
from analytics_app.show.notes import notes_of
from analytics_app.show.shown import Shown, StoredRows, general_table, lines_of, named, own, table_of, tables_of
from analytics_app.show.table import Table

BY_PART = ("slice", "group", "wave")
# More models have a line each in the table by model, and no column in that by subset.
MOST_IN_COLUMNS = 6

ANSWERS = {
    "all_right": gettext_lazy("All right"),
    "some_right": gettext_lazy("Some right"),
    "none_right": gettext_lazy("None right"),
    "cannot_tell": gettext_lazy("Cannot tell"),
    "wrong_text": gettext_lazy("Source is wrong"),
}
OUTCOMES = {
    "both": gettext_lazy("Both right"),
    "first": gettext_lazy("Only the first"),
    "second": gettext_lazy("Only the second"),
    "neither": gettext_lazy("Neither"),
}


@tables_of("predictions")
def predictions(rows: StoredRows, limit: float) -> Iterator[Table]:
    """Yield the tables by subset, by model and by pair, and the details of subsets."""
    yield from _by_subset(rows)
    yield from _by_system(rows.whole)
    yield from _pairs(rows.whole, limit)
    further = [row for row in rows.parts if row.system_b is not None or row.statistic.endswith("_crossed")]
    yield from general_table(further, limit, caption=_("Right predictions by subset, in detail"))


def _by_subset(rows: StoredRows) -> Iterator[Table]:
    """Yield a line for all items and for each slice: how often each model is right, and all other answers."""
    answers = rows.of("prediction_answers")
    systems = rows.values("system", "prediction_right")[:MOST_IN_COLUMNS]
    columns = [
        named(_("Subset"), lambda row: part(row) or _("All items")),
        own(_("Answers"), ratings),
        own(_("Items"), items),
        *(Shown(_("%(system)s right") % {"system": key}, "prediction_right", percent(1), where={"system": key})
          for key in systems if key),
        *(Shown(words, "prediction_answers", percent(1), where={"label": key}) for key, words in ANSWERS.items()),
        Shown(_("Coverage of the options"), "option_coverage", percent(1)),
    ]  # fmt: skip
    coverage = _("Coverage: the share of answers whose right option is one of those that the item offers.")
    notes = [
        _("Right: of the predictions that were called right or wrong. All right, some right …: of all answers."),
        *([coverage] if rows.has("option_coverage") else []),
        *notes_of(rows.whole.of("prediction_right", "prediction_answers", "option_coverage")),
    ]
    yield from table_of(
        rows, _("Right predictions"), columns, lines_of(answers, *BY_PART), by=BY_PART, notes=notes, used_only=True
    )


def _by_system(rows: StoredRows) -> Iterator[Table]:
    columns = [
        named(_("Model"), lambda row: row.system),
        own(_("Judged predictions"), ratings),
        own(_("Items"), items),
        own(_("Right"), percent(1)),
        Shown(_("For further texts and raters"), "prediction_right_crossed", share_interval),
        own(_("Interval, these raters") if rows.has("prediction_right_crossed") else _("Interval"), share_interval),
    ]
    lines = [row for row in rows.of("prediction_right") if row.system]
    notes = notes_of(rows.of("prediction_right_crossed"))
    yield from table_of(
        rows, _("Right predictions by model"), columns, lines, by=("system",), notes=notes, used_only=True
    )


def _pairs(rows: StoredRows, limit: float) -> Iterator[Table]:
    statistic = "prediction_difference"
    crossed = rows.has(f"{statistic}_crossed")
    columns = [
        named(_("Pair"), pair("−")),
        *(Shown(words, "prediction_pair", percent(1), where={"label": key}) for key, words in OUTCOMES.items()),
        *differences(statistic, limit, _("Difference of shares"), crossed=crossed),
        Shown(_("Items"), statistic, items),
    ]
    by, lines = ("system", "system_b"), rows.of(statistic)
    yield from table_of(rows, _("Right predictions, pairs of models"), columns, lines, by=by, used_only=True)
