"""The table of scored questionnaires, with one line for each score, group and wave."""

from collections.abc import Iterator, Sequence

from django.utils.translation import gettext as _

from analytics_app.models import ResultRow
from analytics_app.show.formats import digits, interval, raters, whole
from analytics_app.show.notes import notes_of
from analytics_app.show.shown import Rows, Shown, named, own, table_of, tables_of
from analytics_app.show.table import Table

BY = ("label", "group", "wave")


@tables_of("instruments")
def scores_table(rows: Rows, limit: float) -> Iterator[Table]:
    """Yield means with intervals, spread, reliability, and people without a score."""
    lines = rows.of("score_mean")
    columns = [
        named(_("Score"), _called),
        own(_("People"), raters),
        own(_("Mean"), digits(2)),
        own(_("Interval"), interval(2)),
        Shown(_("SD"), "score_sd", digits(2)),
        Shown(_("Alpha"), "score_alpha", digits(2)),
        Shown(_("Interval of alpha"), "score_alpha", interval(2)),
        Shown(_("No score"), "score_missing", whole),
        Shown(_("Mean before rules"), "", digits(2), before=True),
    ]
    notes = [*notes_of(rows.of("score_mean", "score_sd", "score_alpha")), *_ranges(lines)]
    yield from table_of(rows, _("Scores of the questionnaire"), columns, lines, by=BY, notes=notes)


def _called(row: ResultRow) -> str:
    """Return the name of a score with its group and wave."""
    wave = _("wave %(n)s") % {"n": row.wave} if row.wave else None
    name = (row.settings or {}).get("name") or row.label
    return ", ".join(filter(None, (str(name), row.group, wave)))


def _ranges(lines: Sequence[ResultRow]) -> Iterator[str]:
    """Yield sentences about the ranges of scores, and their sources."""
    for low, high in dict.fromkeys(tuple((row.settings or {})["limits"]) for row in lines):
        yield _("Scores go from %(low)s to %(high)s.") % {"low": f"{low:g}", "high": f"{high:g}"}
    for source in dict.fromkeys((row.settings or {})["source"] for row in lines):
        yield _("Scored as published: %(source)s") % {"source": source}
