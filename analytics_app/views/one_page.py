"""The summary of a run as files: one A4 page as PDF, and the forest of its systems as SVG, PNG and PDF."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from zoneinfo import ZoneInfo

from django.utils import timezone
from django.utils.formats import date_format
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from analytics_app.charts import pictures
from analytics_app.charts.forest import forest
from analytics_app.charts.sheet import Block, drawn_block, whole
from analytics_app.charts.svg import INK, QUIET
from analytics_app.models import Run
from analytics_app.selectors.departures import departures_of
from analytics_app.selectors.sections import names_of
from analytics_app.show.cells import whole as whole_number
from analytics_app.show.matrix import Matrix
from analytics_app.show.tracks import Tracks
from analytics_app.views import run_sections, run_words, standing
from analytics_app.views.figures import Figure
from analytics_app.views.summary import Summary, summary_of, with_leading_figure
from tasks_app.models import Study

# A4 in points.
PAGE_WIDTH, PAGE_HEIGHT, MARGIN = 595.0, 842.0, 36.0
WIDTH = PAGE_WIDTH - 2 * MARGIN
TITLE, HEADLINE, NORMAL, SMALL = 12.0, 15.0, 10.0, 8.5
GAP = 14.0
# The most findings below the headline; further ones are counted.
FINDINGS = 6
# The width of the forest as a file: that of a page of a paper with two columns.
FOREST_WIDTH = 640.0
CELL = 54.0

# A function that draws a part of the page at a width.
Make = Callable[[float], Block]


@dataclass(frozen=True, slots=True)
class ReadSummary:
    """The summary of a run, its first figure if it has no forest, and the numbers of raters."""

    summary: Summary
    figure: Figure | None
    simulated: int
    raters: int


def read_summary(study: Study, run: Run, *, systems: bool) -> ReadSummary:
    """Return the summary of a run that is done, the same as on its page."""
    names = names_of(study)
    read = run_sections.read(run, names, systems=systems)
    summary = summary_of(run, names, read.places, run_words.funnels(read.rows, names.tasks), systems=systems)
    leading, _sections = with_leading_figure(summary, read.tasks)
    return ReadSummary(summary, leading.figures[0] if leading else None, *run_words.simulated(run))


def forest_file(study: Study, run: Run, summary: Summary, format: pictures.Format) -> bytes | None:
    """Return the forest of all criteria as a file; None if the run compares no systems, or may not show them."""
    if not summary.forest:
        return None
    block = Block(FOREST_WIDTH)
    for tracks in summary.forest:
        block.put_below(forest(tracks, FOREST_WIDTH))
        block.gap(GAP)
    for text in (*summary.legend, standing.provenance(run, study)):
        block.paragraph(text, size=SMALL, colour=QUIET)
    return pictures.write(whole(block, title=" ".join(summary.headline), margin=GAP), format)


def one_page(study: Study, run: Run, *, systems: bool, named: bool = True) -> bytes:
    """Return the summary of a run on one A4 page, as PDF."""
    return pictures.write(drawn_page(study, run, systems=systems, named=named), "pdf")


def drawn_page(study: Study, run: Run, *, systems: bool, named: bool = True) -> str:
    """Return the page as a drawing; not `named`, without the accounts of researchers."""
    shown = read_summary(study, run, systems=systems)
    page = _head(study, run, shown, named=named)
    foot = _foot(study, run, shown)
    page.gap(GAP)
    room = PAGE_HEIGHT - 2 * MARGIN - page.height - foot.height - GAP
    page.put_below(_body(shown, room))
    page.put(foot, 0.0, PAGE_HEIGHT - 2 * MARGIN - foot.height)
    return whole(page, title=study.title, margin=MARGIN, height=PAGE_HEIGHT)


def _head(study: Study, run: Run, shown: ReadSummary, *, named: bool) -> Block:
    """Return the block with the names of study and run, and the findings."""
    block = Block(WIDTH)
    block.paragraph(study.title, size=TITLE, bold=True)
    kind = _("planned") if run.planned else _("exploratory")
    about = [_("Results of run %(n)s, %(kind)s") % {"n": run.number, "kind": kind}]
    if run.finished is not None:
        about.append(date_format(timezone.localtime(run.finished, ZoneInfo(study.timezone)), "j M Y"))
    block.paragraph(" · ".join(about), size=NORMAL, colour=QUIET)
    block.gap(GAP)
    for text in shown.summary.headline or [_no_headline(shown.summary)]:
        block.paragraph(text, size=HEADLINE, bold=True)
    block.gap(NORMAL / 2)
    for text in shown.summary.more[:FINDINGS]:
        block.paragraph(f"• {text}", size=NORMAL)
    more = len(shown.summary.more) - FINDINGS
    if more > 0:
        sentence = ngettext("%(n)s more finding on the results page.", "%(n)s more findings on the results page.", more)
        block.paragraph(sentence % {"n": more}, size=NORMAL, colour=QUIET)
    for text in _cautions(study, run, shown, named=named):
        block.gap(NORMAL / 2)
        block.paragraph(text, size=NORMAL, bold=True)
    return block


def _no_headline(summary: Summary) -> str:
    if summary.hidden:
        return _("Results by system are hidden until the study is closed.")
    return _("No test of this run compares systems.")


def _cautions(study: Study, run: Run, shown: ReadSummary, *, named: bool) -> Iterator[str]:
    """Yield the warnings that readers need before they use the numbers."""
    if simulated := run_words.simulated_in_words(shown.simulated, shown.raters):
        yield simulated
    for departure in departures_of(study):
        yield run_words.departure_in_words(departure, study, named=named)
    if run.erased_since:
        yield run_words.erased_in_words(run.erased_since)


def _foot(study: Study, run: Run, shown: ReadSummary) -> Block:
    """Return the block with the basis of the numbers, and their origin."""
    block = Block(WIDTH)
    block.rule(0.0, 0.0, WIDTH, 0.0, colour=QUIET, thick=0.5)
    block.gap(NORMAL / 2)
    base = [ngettext("%(n)s rating", "%(n)s ratings", run.n_counted) % {"n": whole_number(run.n_counted).text}]
    if shown.raters:
        base.append(ngettext("%(n)s rater", "%(n)s raters", shown.raters) % {"n": whole_number(shown.raters).text})
    base += [shown.summary.basis] if shown.summary.basis else []
    block.paragraph(" · ".join([*base, *shown.summary.excluded]), size=NORMAL)
    for text in (*shown.summary.legend, *shown.summary.agreement_reasons, standing.standing(run, study)):
        block.paragraph(text, size=SMALL, colour=QUIET)
    origin = _("Study %(study)s, run %(run)s, computed by evalweb %(version)s.")
    block.paragraph(
        origin % {"study": study.slug, "run": run.number, "version": run.code_version or "–"}, size=SMALL, colour=QUIET
    )
    return block


def _body(shown: ReadSummary, room: float) -> Block:
    """Return as much of forest, matrix and agreement as fits into a height, with a sentence about the rest."""
    summary = shown.summary
    forests = list(summary.forest)
    others = list(_others(shown, len(forests)))
    some: Sequence[Sequence[Make]] = (others, others[-1:], [])
    for n in range(len(forests), 0, -1):
        for beside in some:
            for columns in (1, 2):
                body = _laid_out(forests[:n], beside, len(forests) - n, columns)
                if body.height <= room:
                    return body
    if forests:
        return _shortened(forests, others[-1:], room)
    fitting = (body for body in (_laid_out([], beside) for beside in some) if body.height <= room)
    return next(fitting, Block(WIDTH))


def _shortened(forests: Sequence[Tracks], beside: Sequence[Make], room: float) -> Block:
    """Return the first forest with as many systems as fit."""
    first = forests[0]
    for most in range(len(first.lines) - 1, 0, -1):
        block = Block(WIDTH)
        block.put_below(forest(first, WIDTH, most=most))
        sentence = _("The first %(n)s of %(all)s systems; all of them are on the results page.")
        block.paragraph(sentence % {"n": most, "all": len(first.lines)}, size=SMALL, colour=QUIET)
        block.gap(GAP)
        block.put_below(_laid_out([], beside, len(forests) - 1))
        if block.height <= room:
            return block
    return Block(WIDTH)


def _others(shown: ReadSummary, forests: int) -> Iterator[Make]:
    """Yield the functions that draw the first figure, the matrix and the agreement at a width."""
    summary = shown.summary
    if not forests and shown.figure is not None:
        figure = shown.figure
        yield lambda width: _figure(figure, width)
    matrix = summary.pairs[0].matrix if summary.pairs else None
    if matrix is not None and not matrix.wide:
        yield lambda width: _matrix(matrix, width)
    if summary.agreement is not None:
        agreement = summary.agreement
        yield lambda width: forest(agreement, width)


def _laid_out(forests: Sequence[Tracks], others: Sequence[Make], left_out: int = 0, columns: int = 1) -> Block:
    """Return blocks one below the other; `left_out` criteria are only on the results page."""
    block = Block(WIDTH)
    width = (WIDTH - 2 * GAP * (columns - 1)) / columns
    for n in range(0, len(forests), columns):
        row = Block(WIDTH)
        for place, tracks in enumerate(forests[n : n + columns]):
            row.put(forest(tracks, width), place * (width + 2 * GAP), 0.0)
        block.put_below(row)
        block.gap(GAP)
    if left_out:
        sentence = ngettext(
            "%(n)s more criterion on the results page.", "%(n)s more criteria on the results page.", left_out
        )
        block.paragraph(sentence % {"n": left_out}, size=SMALL, colour=QUIET)
        block.gap(GAP)
    for make in others:
        block.put_below(make(WIDTH))
        block.gap(GAP)
    return block


def _figure(figure: Figure, width: float) -> Block:
    block = Block(width)
    block.paragraph(figure.plot.title, size=NORMAL, bold=True)
    block.paragraph(figure.subtitle, size=SMALL, colour=QUIET)
    block.gap(NORMAL / 2)
    block.put_below(drawn_block(figure.plot.svg, width))
    return block


def _matrix(matrix: Matrix, width: float) -> Block:
    """Draw the differences of pairs with their adjusted p, significant ones in bold."""
    block = Block(width)
    block.paragraph(str(matrix.caption), size=NORMAL, bold=True)
    block.paragraph(
        f"{matrix.measure}{_('; p is adjusted; values in bold are significant.')}", size=SMALL, colour=QUIET
    )
    block.gap(NORMAL / 2)
    column = min(2 * CELL, (width * 0.7) / len(matrix.columns))
    left = width - column * len(matrix.columns)
    block.put_below(_row(left, column, "", [(name, "", False) for name in matrix.columns]))
    for name, pairs in matrix.rows:
        block.rule(0.0, block.height, width, block.height, colour=QUIET, thick=0.3)
        block.put_below(
            _row(left, column, name, [(p.value, f"p {p.p}", p.clear) if p else ("", "", False) for p in pairs])
        )
    return block


def _row(left: float, column: float, name: str, shown: Sequence[tuple[str, str, bool]]) -> Block:
    """Draw a row of the matrix: words with small words below them, right-aligned in their columns."""
    block = Block(left + column * len(shown))
    title = Block(left - 6)
    title.paragraph(name, size=SMALL)
    block.put(title, 0.0, 3.0)
    for n, (value, below, clear) in enumerate(shown, start=1):
        cell = Block(column - 6)
        for size, words, colour in ((SMALL, value, INK), (SMALL - 1, below, QUIET)):
            if words:
                cell.paragraph(words, size=size, colour=colour, bold=clear and colour == INK)
        block.put(cell, left + (n - 1) * column + 6, 3.0)
    block.gap(3.0)
    return block
