"""The table of a question: how many gave each answer, of everybody and of each group and wave."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from django.utils.translation import gettext as _

from analytics_app.models import ResultRow
from analytics_app.views import tables, words
from analytics_app.views.picking import notes_of
from analytics_app.views.result_tables._finding import Found, value
from analytics_app.views.result_tables.registry import tables_of
from analytics_app.views.tables import DASH, Cell, Column, Table

PEOPLE = ("people", "answered", "not_answered")
GLANCES = ("question_mode", "question_median")
MIDDLE = ("answer_lower_quarter", "answer_median", "answer_upper_quarter", "answer_mean", "answer_sd")


@tables_of("questions")
def question_table(rows: Sequence[ResultRow], limit: float) -> Iterator[Table]:
    """Yield a table with a row an answer, then how many answered, then median and mean; of all, a row a question."""
    found = Found([row for row in rows if not row.slice])
    if glances := found.of(*GLANCES):
        yield _at_a_glance(glances)
        return
    parts = list(dict.fromkeys((row.group, row.wave) for row in found.kept))
    columns = [Column(_("Answer"), number=False), *(Column(_part(*part)) for part in parts)]
    if found.both:
        columns.append(Column(_("Before rules")))
    shown: list[list[Cell]] = []
    labels = found.values("label", found.of("answer_count"))
    # A box: 0 and 1 are how it is stored.
    box = {"0": _("not ticked"), "1": _("ticked")} if labels == ["0", "1"] else {}
    for label in labels:
        shown.append([tables.name(box.get(label, label)), *(_share(found, label, part) for part in parts)])
        if found.both:
            shown[-1].append(_share(found, label, (None, None), before=True))
    for name in (*PEOPLE, *MIDDLE):
        if not found.of(name):
            continue
        digits = 0 if name in PEOPLE else 2
        cells = [value(found.one(name, group=group, wave=wave), digits) for group, wave in parts]
        if found.both:
            cells.append(value(found.one(name, before=True, group=None, wave=None), digits))
        shown.append([tables.name(words.statistic(name)), *cells])
    yield Table(_("Answers"), columns, shown, notes_of(found.kept))


def _at_a_glance(rows: Sequence[ResultRow]) -> Table:
    """Return a row a question: how many answered, and what most said, or what the middle is."""
    columns = [
        Column(_("Question"), number=False),
        Column(_("People")),
        Column(_("Most frequent answer"), number=False),
        Column(_("Share")),
        Column(_("Median")),
    ]
    shown = []
    for row in rows:
        said = row.settings or {}
        is_mode = row.statistic == "question_mode"
        shown.append(
            [
                tables.name(said.get("question") or row.label),
                tables.whole(row.n_raters),
                tables.name(", ".join(said.get("answers", ()))),
                tables.percent(row.value) if is_mode else Cell(DASH),
                tables.number(said.get("median"), 1) if is_mode else value(row),
            ]
        )
    return Table(_("Questions at a glance"), columns, shown, notes_of(rows))


def _part(group: str | None, wave: int | None) -> str:
    said = [group] if group else []
    if wave is not None:
        said.append(_("wave %(n)s") % {"n": wave})
    return ", ".join(said) or _("Everybody")


def _share(found: Found, label: str, part: tuple[str | None, int | None], *, before: bool = False) -> Cell:
    """Return how many gave an answer, and which share of those who answered that is."""
    about = {"label": label, "group": part[0], "wave": part[1]}
    number, share = (found.one(name, before=before, **about) for name in ("answer_count", "answer_share"))
    if number is None or number.value is None:
        return Cell(DASH)
    if share is None or share.value is None:
        return tables.whole(int(number.value))
    return Cell(f"{int(number.value)} ({tables.percent(share.value).text})", number.value)
