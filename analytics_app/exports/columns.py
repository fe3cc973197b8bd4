"""The columns of the files that leave evalweb, declared once, for the export, the API's schema and docs/columns.md.

Each column of the ratings carries the SQL that fills it, over the tables that `analytics_app.exports.statement` joins.
"""

from dataclasses import dataclass
from enum import StrEnum

from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _


class Kind(StrEnum):
    """Kind of value in a column."""

    WHOLE = "whole number"
    NUMBER = "number"
    WORD = "word"  # from a fixed list, such as a state: it never begins like a formula
    TEXT = "text"  # written by people: neutralised for spreadsheets in CSV
    TIME = "time"
    JSON = "JSON"
    YES_NO = "true or false"


@dataclass(frozen=True, slots=True)
class Column:
    """A column: its name, kind and meaning, and for ratings the SQL that fills it."""

    name: str
    kind: Kind
    doc: str | Promise
    sql: str = ""


FEATURE, OF_SYSTEM = "feature_", "system_"

RATINGS: tuple[Column, ...] = (
    Column("judgment", Kind.WHOLE, _("Number of the judgment: the rows of one answer share it."), "j.judgment"),
    Column("task", Kind.TEXT, _("Key of the task."), "u.task"),
    Column("unit", Kind.TEXT, _("Key of the unit: what one screen showed."), "u.unit"),
    Column("rater", Kind.TEXT, _("Pseudonym of the rater."), "j.rater"),
    Column("item", Kind.TEXT, _("Key of the item."), "i.item"),
    Column("system", Kind.TEXT, _("Key of the system whose text was judged."), "s.system"),
    Column("variant", Kind.TEXT, _("Which of several outputs of one system for one item; mostly empty."), "s.variant"),
    Column("system_b", Kind.TEXT, _("Key of the second system, where two texts were compared."), "sb.system"),
    Column("criterion", Kind.TEXT, _("Key of the criterion, adjective pair or question."), "c.key"),
    Column("value", Kind.NUMBER, _("The rating as a number, on the canonical scale."), "r.value"),
    Column(
        "label",
        Kind.TEXT,
        _("The rating as a word. “none” where a judgment found nothing, “skip” where it was skipped."),
        "r.label",
    ),
    Column("text", Kind.TEXT, _("The rating as a text. With “skip”, the reason."), "r.text"),
    Column(
        "shown_value", Kind.NUMBER, _("The value as it stood on the screen, before turning the scale."), "r.shown_value"
    ),
    Column(
        "arrangement",
        Kind.JSON,
        _("The arrangement of this screen: order of texts, order of criteria."),
        "j.arrangement",
    ),
    Column("span_side", Kind.WORD, _("Where a marked span is: “source” or “output”."), "r.span_side"),
    Column("span_start", Kind.WHOLE, _("First character of the span, from 0."), "r.span_start"),
    Column("span_end", Kind.WHOLE, _("The character after the span."), "r.span_end"),
    Column("category", Kind.TEXT, _("Category of the span."), "r.category"),
    Column("severity", Kind.TEXT, _("Severity of the span."), "r.severity"),
    Column(
        "mark_origin",
        Kind.WORD,
        _(
            "In a text that came with marks: “own” is a mark of the rater's, “kept” one that the text came with, "
            "“changed” one that the rater changed. Empty elsewhere, and in rows stored before this column existed."
        ),
        "r.mark_origin",
    ),
    Column(
        "mark_of",
        Kind.WHOLE,
        _("Number of the mark that a kept or changed one was, from 1, in the order of prefill.csv."),
        "r.mark_of",
    ),
    Column(
        "given_by",
        Kind.TEXT,
        _(
            "Who made the marks that the text came with, as in prefill.csv: a rater of an earlier study, or a system. "
            "Raters never see it. Empty where nobody is named."
        ),
        "(j.given_by->>s.number)",
    ),
    Column(
        "mark_reason",
        Kind.TEXT,
        _("Why a marked span is an error, in the words of the rater, where the study asks for that."),
        "r.mark_reason",
    ),
    Column(
        "wording",
        Kind.TEXT,
        _(
            "In an experiment with the wording of a question: the short name of the wording that the rater read, "
            "“first” for the question's own words. Empty elsewhere."
        ),
        "(j.wordings->>c.key)",
    ),
    Column(
        "seconds",
        Kind.NUMBER,
        _("Active seconds that the judgment took; of a page of several texts, an equal share."),
        "j.seconds",
    ),
    Column(
        "timing",
        Kind.JSON,
        _(
            "Of a text with a set time: “for” (reading or answering), “set” (seconds of the task), “choice” of the "
            "rater (usual, double or none), “allowed” (seconds that this gives, null without limit), “shown” (seconds "
            "for which the text was shown), “arrived” (seconds after which the answer came), “lapsed” (the time for "
            "answering was over), and “unfinished”: what was there of an answer that was not complete then."
        ),
        "j.timing",
    ),
    Column(
        "elsewhere",
        Kind.JSON,
        _(
            "Of a task on another site: “events” that the site reported until the answer, each with its name "
            "(“event”), “at” (seconds since the rater opened the task) and the site's own “detail”, if any; and "
            "“answered” (seconds from the opening to the answer). Empty where no task was opened."
        ),
        "j.elsewhere",
    ),
    Column("submitted_at", Kind.TIME, _("When the judgment was stored, in UTC."), "j.submitted_at"),
    Column("position", Kind.WHOLE, _("Position of the unit in the rater's sequence, from 1."), "j.position"),
    Column(
        "purpose",
        Kind.WORD,
        _(
            "“main”, or “screening”, “training”, “exam”, “warm_up”, “control”, “attention”, “repeat”, “exit”. Only "
            "“main” enters results."
        ),
        "j.purpose",
    ),
    Column("repeat_of", Kind.WHOLE, _("The judgment that this one repeats."), "j.repeat_of"),
    Column("wave", Kind.WHOLE, _("Wave of a study with several, from 1."), "j.wave"),
    Column("group", Kind.TEXT, _("Key of the rater's group."), "j.group_key"),
    Column(
        "document", Kind.TEXT, _("Key of the document that the item belongs to."), "COALESCE(u.document, i.document)"
    ),
    Column("version", Kind.WHOLE, _("Version of the study that was judged."), "j.version"),
    Column(
        "state",
        Kind.WORD,
        _("“submitted”; “surplus” came after the place was taken and enters no result; “skipped”."),
        "j.state",
    ),
    Column(
        "taken_from",
        Kind.TEXT,
        _("Of a judgment taken over from an earlier study: that study and the judgment's number, such as corpus-1/12."),
        "j.taken_from",
    ),
    Column(
        "excluded_by",
        Kind.TEXT,
        _(
            "Quality rules that exclude this rating in the newest planned run, else the newest run; with commas. "
            "“withdrawn_text”: its text was withdrawn."
        ),
        "",  # depends on whether there are exclusions at all
    ),
    Column(
        "rating",
        Kind.WHOLE,
        _("Number of the rating. Rows that share one are one rating of a text that several systems produced alike."),
        "r.rating",
    ),
)

FEATURES = Column(f"{FEATURE}…", Kind.TEXT, _("A property of the item, one column each, such as feature_domain."))
OF_SYSTEMS = Column(
    f"{OF_SYSTEM}…",
    Kind.TEXT,
    _("An attribute of the system in the column system, one column each, such as system_size."),
)
OPEN_ENDED = (FEATURES, OF_SYSTEMS)

RESULTS: tuple[Column, ...] = (
    Column("analysis", Kind.WORD, _("The analysis that gave the number.")),
    Column("statistic", Kind.WORD, _("What the number is, such as mean or alpha.")),
    Column("task", Kind.TEXT, _("Key of the task.")),
    Column("criterion", Kind.TEXT, _("Key of the criterion.")),
    Column("system", Kind.TEXT, _("Key of the system.")),
    Column(
        "system_b", Kind.TEXT, _("Key of the second system of a comparison: differences are system minus system_b.")
    ),
    Column("label", Kind.TEXT, _("The step, label or rule that the number is about.")),
    Column("rater", Kind.TEXT, _("Pseudonym of the rater.")),
    Column("group", Kind.TEXT, _("Key of the group of raters.")),
    Column("wave", Kind.WHOLE, _("Wave of a study with several.")),
    Column("slice", Kind.TEXT, _("A part of the data, as name=value.")),
    Column("metric", Kind.TEXT, _("An automatic metric.")),
    Column("metric_b", Kind.TEXT, _("The second metric of a comparison.")),
    Column("value", Kind.NUMBER, _("The number. Empty where it is undefined; the note says why.")),
    Column("low", Kind.NUMBER, _("Lower end of the interval.")),
    Column("high", Kind.NUMBER, _("Upper end of the interval.")),
    Column("se", Kind.NUMBER, _("Standard error.")),
    Column("df", Kind.NUMBER, _("Degrees of freedom.")),
    Column("p", Kind.NUMBER, _("p value of the test, uncorrected.")),
    Column("p_adjusted", Kind.NUMBER, _("p value after the correction for several tests.")),
    Column("n_ratings", Kind.WHOLE, _("Ratings behind the number.")),
    Column("n_items", Kind.WHOLE, _("Items, texts or documents behind the number.")),
    Column("n_raters", Kind.WHOLE, _("Raters behind the number.")),
    Column("basis", Kind.WORD, _("“all” before quality rules, “kept” after them.")),
    Column("planned", Kind.YES_NO, _("Whether the run was planned before opening; otherwise it is exploratory.")),
    Column("settings", Kind.JSON, _("The settings behind the number, where they differ from row to row.")),
    Column("note", Kind.TEXT, _("A sentence about the number: why it is undefined, or how to read it.")),
)
