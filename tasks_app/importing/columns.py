"""The columns of a file of ratings in long form: the same for import, export and API."""

from django.utils.translation import gettext_lazy as _

from tasks_app.studyfile.columns import Column, Kind, TableDeclaration

RATINGS = TableDeclaration(
    "ratings",
    ("csv", "tsv", "jsonl"),
    (
        Column("rater", Kind.WORD, _("Who rated: a pseudonym, at most 40 characters."), True),
        Column("item", Kind.WORD, _("Key of the item.")),
        Column("system", Kind.WORD, _("Key of the system whose text was rated.")),
        Column("criterion", Kind.WORD, _("Key or name of the criterion; not needed where the task asks one only.")),
        Column("value", Kind.NUMBER, _("The rating as a number, on the scale of the task.")),
        Column("label", Kind.EXACT, _("The rating as a word; “none” where nothing was found, “skip” where skipped.")),
        Column("text", Kind.EXACT, _("The rating as a text. With “skip”, the reason.")),
        Column("task", Kind.WORD, _("Key of the task; needed where several tasks show the text.")),
        Column("unit", Kind.WORD, _("Key of the unit, instead of item and system or beside them.")),
        Column("variant", Kind.WORD, _("Which of several outputs of one system for one item.")),
        Column("system_b", Kind.WORD, _("Key of the second system, where two texts were compared.")),
        Column("judgment", Kind.WORD, _("Identifies an answer: the rows of one answer share it.")),
        Column("submitted_at", Kind.TIME, _("When the answer was given; without a zone, in the study's own.")),
        Column("started_at", Kind.TIME, _("When the text was first shown; without a zone, in the study's own.")),
        Column("seconds", Kind.NUMBER, _("Active seconds that the answer took.")),
        Column("position", Kind.WHOLE, _("Position of the unit in the rater's sequence, from 1.")),
        Column(
            "purpose",
            Kind.WORD,
            _("main (default), screening, training, exam, warm_up, control, attention, repeat or exit."),
        ),
        Column("repeat_of", Kind.WORD, _("The judgment that a repeat repeats; without it, the one before.")),
        Column("wave", Kind.WHOLE, _("Wave of a study with several, from 1.")),
        Column("group", Kind.WORD, _("Key of the group the rater is in.")),
        Column("version", Kind.WHOLE, _("Version of the study that was judged; without it, the current one.")),
        Column("state", Kind.WORD, _("submitted (default), surplus, skipped or withdrawn.")),
        Column("shown_value", Kind.NUMBER, _("The value as it stood on the screen.")),
        Column("arrangement", Kind.OBJECT, _("What was drawn for the screen, as a JSON object.")),
        Column("span_side", Kind.WORD, _("Where a marked span is: source or output.")),
        Column("span_start", Kind.WHOLE, _("First character of the span, from 0.")),
        Column("span_end", Kind.WHOLE, _("The character after the span.")),
        Column("category", Kind.WORD, _("Category of the span.")),
        Column("severity", Kind.WORD, _("Severity of the span.")),
        Column("mark_origin", Kind.WORD, _("In a text that came with marks: own, kept or changed.")),
        Column("mark_of", Kind.WHOLE, _("Number of the mark that a kept or changed one was, from 1.")),
        Column("given_by", Kind.TEXT, _("Not used: the column arrangement says it.")),
        Column("mark_reason", Kind.TEXT, _("Why a marked span is an error, in the words of the rater.")),
        Column("wording", Kind.TEXT, _("Not used: the column arrangement says it.")),
        Column("rating", Kind.WORD, _("Rows that share it are one rating of a text that several systems produced.")),
        Column("document", Kind.TEXT, _("Not used: it belongs to the items.")),
        Column("taken_from", Kind.TEXT, _("Not used: the judgment counts as one of this file.")),
        Column("excluded_by", Kind.TEXT, _("Not used: quality rules are applied anew.")),
        Column("elsewhere", Kind.TEXT, _("Not used: another site reported it to evalweb.")),
        Column("timing", Kind.TEXT, _("Not used: it is the record of a set time kept by evalweb's own clock.")),
    ),
    (
        Column("feature_", Kind.TEXT, _("Not used: they belong to the items.")),
        Column("system_", Kind.TEXT, _("Not used: they belong to the systems.")),
    ),
)


def times_of(declared: TableDeclaration) -> tuple[str, ...]:
    """Return the names of the columns that hold times."""
    return tuple(column.name for column in declared.columns if column.kind is Kind.TIME)


TIMES = times_of(RATINGS)

# Columns of an export that are worked out anew here, or come from the study's items.
NOT_USED = (
    "document", "elsewhere", "excluded_by", "feature_", "given_by", "system_", "taken_from", "timing", "wording",
)  # fmt: skip


def is_used(name: str) -> bool:
    """Return whether an import takes anything from a column."""
    return name == "system_b" or not name.startswith(NOT_USED)
