"""Tables of a project: systems, agreement and labels of its studies side by side, for pages and files."""

from collections.abc import Iterable, Mapping, Sequence

from django.urls import reverse
from django.utils.translation import gettext as _

from analytics_app.models import ResultRow, Run
from analytics_app.selectors.project_labels import ALL_TEXTS, ALPHA, KAPPA, SAME, Annotations, AnnotationsSideBySide
from analytics_app.selectors.projects import SideBySide
from analytics_app.show import cells, labels
from analytics_app.show.cells import DASH, Cell
from analytics_app.show.table import Column, Table
from tasks_app.models import Study

# More labels side by side are not read; the files have them all.
MOST_LABELS = 12

Progress = Mapping[int, float | None]


def agreement_table(annotations: AnnotationsSideBySide, progress: Progress, most: int | None = None) -> Table:
    """Return the table with one line for each study: its progress, the agreement, and the share of each label.

    `progress` is the answered share of the places of a study, by its key. With `most` so many lines are shown, and so
    many labels that a page has room for them.
    """
    shown = [result for result in annotations.results if not result.is_empty]
    listed = annotations.labels[:MOST_LABELS] if most else annotations.labels
    columns = [
        Column(_("Study"), number=False),
        Column(_("Question"), number=False),
        Column(_("Answered")),
        Column(_("Texts")),
        Column(_("Raters")),
        Column(labels.statistic(KAPPA[1])),
        Column(_("Interval")),
        Column(labels.statistic(ALPHA[1])),
        Column(labels.statistic(SAME[1])),
        *(Column(label) for label in listed),
    ]
    rows = [
        [
            head_of(result.study, result.run),
            cells.name(result.criterion),
            cells.percent(progress.get(result.study.pk)),
            cells.whole(_count(result, "n_items")),
            cells.whole(_count(result, "n_raters")),
            cells.number(_value(result.agreement.get(KAPPA))),
            _interval(result.agreement.get(KAPPA)),
            cells.number(_value(result.agreement.get(ALPHA))),
            cells.percent(_value(result.agreement.get(SAME))),
            *(cells.percent(_value(result.shares.get(label)), 1) for label in listed),
        ]
        for result in shown
    ]
    notes = [
        *_undefined(shown),
        *_more(len(rows) - len(rows[:most]), _("Further studies in the files: %(n)d.")),
        *_more(len(annotations.labels) - len(listed), _("Further labels in the files: %(n)d.")),
    ]
    return Table(_caption(_("Agreement and labels"), annotations.part), columns, rows[:most], notes, key="agreement")


def raters_table(annotations: AnnotationsSideBySide, most: int | None = None) -> Table:
    """Return the table with one line for each rater of a study: the share of each label, and seconds."""
    listed = annotations.labels[:MOST_LABELS] if most else annotations.labels
    columns = [
        Column(_("Study"), number=False),
        Column(_("Rater"), number=False),
        Column(_("Answers")),
        Column(labels.statistic("seconds_median")),
        *(Column(label) for label in listed),
    ]
    rows = [
        [
            head_of(result.study, result.run),
            cells.name(rater),
            cells.whole(next((share.n_ratings for share in shares.values()), None)),
            cells.number(_value(result.seconds.get(rater)), 1),
            *(cells.percent(_value(shares.get(label)), 1) for label in listed),
        ]
        for result in annotations.results
        for rater, shares in result.of_raters.items()
    ]
    notes = _more(len(rows) - len(rows[:most]), _("Further raters in the files: %(n)d."))
    return Table(_caption(_("Labels by rater"), annotations.part), columns, rows[:most], notes, key="raters")


def systems_table(side_by_side: SideBySide) -> Table:
    """Return the table with one line for each study: the main score of each system with its interval."""
    columns = [Column(_("Study"), number=False), Column(_("Question"), number=False), Column(_("Score"), number=False)]
    for name in side_by_side.systems.values():
        columns += [Column(name), Column(_("%(system)s, interval") % {"system": name})]
    rows = []
    for result in side_by_side.results:
        if result.score is None:
            continue
        row = [
            head_of(result.study, result.run),
            cells.name(result.criterion),
            cells.name(labels.statistic(result.score[1])),
        ]
        for key in side_by_side.systems:
            score = result.scores.get(key)
            row += [cells.number(_value(score)), _interval(score)]
        rows.append(row)
    return Table(_("Systems side by side"), columns, rows, key="systems")


def part_in_words(part: str) -> str:
    """Return the name of a part of the texts."""
    return _("All texts") if part == ALL_TEXTS else part


def head_of(study: Study, run: Run | None) -> Cell:
    """Return the head of a line: the title of the study, which leads to the run that its numbers are from."""
    url = reverse("analytics:run", args=[study.slug, run.number]) if run is not None else ""
    return Cell(study.title, url=url)


def _caption(caption: str, part: str) -> str:
    return caption if part == ALL_TEXTS else _("%(table)s: %(part)s") % {"table": caption, "part": part}


def _count(result: Annotations, name: str) -> int | None:
    """Return the number of texts or raters behind the numbers of a study: of agreement, else of labels."""
    rows = [*(result.agreement.get(kind) for kind in (SAME, KAPPA, ALPHA)), *result.shares.values()]
    return next((n for row in rows if row is not None and (n := getattr(row, name)) is not None), None)


def _value(row: ResultRow | None) -> float | None:
    return row.value if row is not None else None


def _interval(row: ResultRow | None) -> Cell:
    return cells.interval(row.low, row.high) if row is not None else Cell(DASH)


def _undefined(results: Iterable[Annotations]) -> list[str]:
    """Return the reasons why measures of agreement are undefined, each once with its studies."""
    titles: dict[str, list[str]] = {}
    for result in results:
        for row in result.agreement.values():
            if row.value is None and row.note:
                sentence = f"{labels.statistic(row.statistic)}: {row.note}"
                titles.setdefault(sentence, []).append(result.study.title)
    return [f"{', '.join(studies)} – {sentence}" for sentence, studies in titles.items()]


def _more(n: int, sentence: str) -> Sequence[str]:
    return [sentence % {"n": n}] if n > 0 else []
