"""The summary of a run: the findings of its tests in sentences, a forest and a matrix, before any table."""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from analytics_app import charts
from analytics_app.analyses.krippendorff import RELIABLE, TENTATIVE
from analytics_app.models import ResultRow, Run
from analytics_app.selectors.carefulness import FAST_SCREENS
from analytics_app.selectors.planning import SPREADS
from analytics_app.selectors.sections import PAIRS_SHOWN, CriterionRows, ResultNames, rows_of_summary
from analytics_app.show import agreement_choice, findings
from analytics_app.show.comparisons import Compared, comparison_of
from analytics_app.show.index import RowIndex
from analytics_app.show.lines_note import explanations_of, note_of
from analytics_app.show.matrix import Matrix, matrix_of
from analytics_app.show.measures import measured
from analytics_app.show.other_verdicts import verdicts_on_steps
from analytics_app.show.raters_disagree import remark_of
from analytics_app.show.tracks import Tracks, tracks_of
from analytics_app.views.basis import basis_of
from analytics_app.views.run_words import Funnel
from analytics_app.views.sections import Section
from tasks_app.importing.conflicts import left_out_in_words
from tasks_app.models import Event

# The analysis whose rows planning starts from.
COMPONENTS = "variance_components"
# The number of sentences in the headline; the others are below it.
HEADLINES = 2
# The most criteria of the headline whose pairs and sentence for a paper are in the summary.
MOST_CLAIMED = 3
# The most sections of a task that an index lists; with more, the questions share an entry.
MOST_LISTED = 8
# The most lines of a forest in the summary.
MOST_LINES = 60


@dataclass(frozen=True, slots=True)
class Place:
    """The summary of one criterion: its finding, the comparison of systems, the agreement, and the scale.

    `has_components` says that the run has standard deviations of the criterion to plan with. `beside` are further
    findings of the section, about other data than ratings.
    """

    key: str
    title: str
    finding: findings.Finding | None
    compared: Compared | None
    agreement: agreement_choice.Choice | None
    scale: tuple[float, float] | None = None
    has_components: bool = False
    beside: tuple[findings.Finding, ...] = ()


@dataclass(frozen=True, slots=True)
class Pairs:
    """The matrix of a criterion's pairs, and sentences that say why an interval or a model and a test differ."""

    matrix: Matrix
    disagreements: Sequence[str]


@dataclass(frozen=True, slots=True)
class Summary:
    """The top of a results page. `headline` and `more` are sentences; with `hidden`, systems are not shown.

    `pairs` are those of the places in the headline. `leading` is the place of the first finding that compares systems,
    and `basis` the ratings and raters behind it, where they are not all that the run counts; `claimed` are the places
    whose comparisons the headline names, the leading one first. `said` are the places whose findings the headline
    names, with evidence for a sentence in a paper.
    `fast_screens` are the shares of screens of each rater that were too fast to be read.
    """

    hidden: bool
    headline: Sequence[str]
    more: Sequence[str]
    forest: Sequence[Tracks]
    pairs: Sequence[Pairs]
    agreement: Tracks | None
    agreement_reasons: Sequence[str]
    excluded: Sequence[str]
    leading: Place | None
    claimed: Sequence[Place]
    said: Sequence[Place]
    places: Mapping[str, Place]
    fast_screens: Sequence[ResultRow]
    basis: str = ""

    @property
    def in_sight(self) -> Sequence[Tracks]:
        """Return the part of the forest in the summary: the first criterion, and further ones that fit."""
        n, lines = 1, 0
        for n, tracks in enumerate(self.forest, start=1):
            lines += len(tracks.lines)
            if lines > MOST_LINES and n > 1:
                return self.forest[: n - 1]
        return self.forest[:n]

    @property
    def in_sections(self) -> Sequence[Tracks]:
        """Return the rest of the forest, which has its parts in the sections of their criteria."""
        return self.forest[len(self.in_sight) :]

    @property
    def legend(self) -> Iterator[str]:
        """Yield sentences that explain the lines of the forest."""
        yield from explanations_of(self.forest, [place.compared for place in self.places.values() if place.compared])


@dataclass(frozen=True, slots=True)
class Entry:
    """An entry of the index: its target on the page, its words, and whether its section is shown."""

    key: str
    title: str
    section: str = ""
    opened: bool = False


@dataclass(frozen=True, slots=True)
class Glance:
    """The top of a section: its finding ("" if there is none), its systems and their pairs.

    Systems and pairs are not repeated if the summary shows them.
    """

    finding: str
    matrix: Matrix | None
    forest: Tracks | None


def summary_of(
    run: Run, names: ResultNames, places: Sequence[CriterionRows], funnels: Sequence[Funnel], *, systems: bool
) -> Summary:
    """Return the summary of a run; `places` are in the order of the page."""
    limit = round(1 - float(run.settings.get("confidence", 0.95)), 9)
    rows: dict[tuple[str, str], list[ResultRow]] = {}
    read_rows = rows_of_summary(run, _statistics(), systems=systems)
    summary_rows = [row for row in read_rows if row.statistic != FAST_SCREENS]
    names.put_into(summary_rows)
    for row in summary_rows:
        rows.setdefault((row.task or "", row.criterion or ""), []).append(row)
    placed = [_place(at, rows.get((at.task, at.criterion), []), names, limit) for at in places]
    headline, more = _sentences(placed, str(run.settings.get("primary") or ""), hidden=not systems)
    compared = [place for place in placed if place.compared is not None]
    leading = next((place for place in compared if place.finding is not None), None)
    claimed = _claimed(leading, compared, headline)
    return Summary(
        hidden=not systems,
        headline=headline,
        more=more,
        forest=list(_forest(compared)),
        pairs=list(_pairs(claimed)),
        agreement=_agreement([place for place in placed if place.agreement is not None]),
        agreement_reasons=list(dict.fromkeys(str(place.agreement.reason) for place in placed if place.agreement)),
        excluded=[*_left_out(run), *_excluded(funnels)],
        leading=leading,
        claimed=claimed,
        said=_said(placed, headline),
        places={place.key: place for place in placed},
        fast_screens=[row for row in read_rows if row.statistic == FAST_SCREENS],
        basis=basis_of(run, leading.compared, leading.title)
        if leading is not None and leading.compared is not None
        else "",
    )


def _claimed(leading: Place | None, places: Sequence[Place], headline: Sequence[str]) -> list[Place]:
    """Return the leading place, and others with a comparison in the headline, as many as are read at once."""
    named = [
        place
        for place in places
        if place is not leading and place.finding is not None and place.finding.tested and place.finding.criterion
        and any(_names(text, place.finding) for text in headline)
    ]  # fmt: skip
    return [leading, *named][:MOST_CLAIMED] if leading is not None else []


def _said(places: Sequence[Place], headline: Sequence[str]) -> list[Place]:
    """Return the places of the findings in the headline that have evidence, in the order of the headline."""
    named = []
    for text in headline:
        for place in places:
            finding = place.finding
            if finding is not None and finding.evidence is not None and _names(text, finding) and place not in named:
                named.append(place)
    return named[:MOST_CLAIMED]


def _names(text: str, finding: findings.Finding) -> bool:
    return text.startswith(finding.start) and finding.criterion in text


def _pairs(places: Sequence[Place]) -> Iterator[Pairs]:
    """Yield the matrices of places with sentences about pairs of which two methods say different things."""
    for place in places:
        matrix = _matrix(place)
        if matrix is not None and place.compared is not None:
            yield Pairs(matrix, [*place.compared.disagreements, *verdicts_on_steps(place.compared)])


def at_a_glance(summary: Summary, section: Section) -> Glance | None:
    """Return the top of an open section; the summary has the matrix of the first section."""
    place = summary.places.get(section.key)
    if place is None or not section.opened:
        return None
    texts = [finding.text for finding in (place.finding, *place.beside) if finding is not None]
    matrix = _matrix(place)
    shown = matrix is not None and any(matrix.caption == pairs.matrix.caption for pairs in summary.pairs)
    own = next((tracks for tracks in summary.in_sections if tracks.key == place.key), None)
    return Glance(" ".join(text for text in texts if text not in summary.headline), None if shown else matrix, own)


def without_repeats(summary: Summary, section: Section) -> Section:
    """Fold the figures with numbers that are in the summary, or in the matrix of the section's pairs."""
    place = summary.places.get(section.key)
    if place is None or place.compared is None:
        return section
    shown = []
    if any(tracks.key == place.key for tracks in summary.forest):
        shown.append(_rounded(row.value for row in place.compared.levels))
    if _matrix(place) is not None:
        shown.append(_rounded(row.value for row in place.compared.pairs))
    repeated = [figure for figure in section.figures if _rounded(charts.values(figure.plot.spec)) in shown]
    shown_first = [figure for figure in section.figures if figure not in repeated]
    return replace(section, figures=shown_first, aside=[*repeated, *section.aside])


def _rounded(values: Iterable[float | None]) -> list[float]:
    """Return values for comparison: sorted, and rounded so that storing does not change them."""
    return sorted(round(value, 9) for value in values if value is not None)


def _statistics() -> dict[str, set[str]]:
    """Return the statistics in a summary, by analysis."""
    statistics = {entry.analysis: set(entry.statistics) for entry in findings.registered()}
    for name in agreement_choice.ANALYSES:
        statistics.setdefault(name, set()).update(agreement_choice.STATISTICS)
    statistics.setdefault(COMPONENTS, set()).update(SPREADS)
    return statistics


def _place(at: CriterionRows, rows: Sequence[ResultRow], names: ResultNames, limit: float) -> Place:
    title = names.criteria.get(at.criterion, at.criterion)
    question = findings.FindingQuestion(title, names.types.get(at.task, ""), limit)
    index = RowIndex(rows)
    compared = comparison_of(index, limit)
    remark = remark_of(compared, title)
    finding = findings.finding(rows, question)
    if finding is not None and finding.tested and compared is not None and verdicts_on_steps(compared):
        finding = replace(finding, rest=finding.rest + _("; the model of ordinal steps disagrees"))
    of_agreement = RowIndex([row for row in rows if row.analysis in agreement_choice.ANALYSES])
    agreement = agreement_choice.chosen(of_agreement) if at.criterion else None
    return Place(
        key=at.key,
        title=title or names.tasks.get(at.task, at.task),
        finding=finding,
        compared=compared,
        agreement=agreement if agreement is not None and agreement.leading.value is not None else None,
        scale=names.scales.get(at.task),
        has_components=any(row.analysis == COMPONENTS and row.value is not None for row in rows),
        beside=(*([remark] if remark is not None else []), *findings.findings_beside(rows, question)),
    )


def _sentences(places: Sequence[Place], primary: str, *, hidden: bool) -> tuple[list[str], list[str]]:
    """Return the sentences of the headline, and those below it.

    The headline answers the study's question: the primary criterion comes first, then tested findings, then
    descriptions. Where the primary criterion has no finding it says so, or nothing while systems are hidden; findings
    about the design of the study are always below.
    """
    of_primary = [place for place in places if primary and place.key.endswith(f"--{primary}")]
    all_findings = [place.finding for place in places if place.finding]
    on_design = [finding for finding in all_findings if finding.on_design]
    first = [place.finding for place in of_primary if place.finding and not place.finding.on_design]
    others = [finding for finding in all_findings if finding not in first and not finding.on_design]
    others += [finding for place in places for finding in place.beside]
    below = findings.sentences_of(on_design)
    if of_primary and not first:
        none = _("There is no finding on the primary criterion, %(name)s.") % {"name": of_primary[0].title}
        return [] if hidden else [none], [*findings.sentences_of(others), *below]
    sentences = [*findings.sentences_of(first), *findings.sentences_of(others)]
    return sentences[:HEADLINES], [*sentences[HEADLINES:], *below]


def _forest(places: Sequence[Place]) -> Iterator[Tracks]:
    """Yield the systems of each criterion; criteria of one task with the same measure share an axis."""
    together: dict[object, list[float]] = {}
    for place in places:
        together.setdefault(_axis_of(place), []).extend(_values(place))
    for place in places:
        tracks = forest_of(place, together[_axis_of(place)])
        if tracks is not None and len(tracks.lines) > 1:
            yield tracks


def _axis_of(place: Place) -> object:
    """Return the key of criteria that share an axis: the task, its scale, and the measure."""
    measure = str(place.compared.comparison.measure) if place.compared is not None else ""
    return place.key.partition("--")[0], place.scale, measure


def _values(place: Place) -> Iterator[float]:
    compared = place.compared
    if compared is not None and len(compared.levels) > 1:
        for row in (*compared.levels, *_thin(compared).values()):
            yield from (end for end in (row.value, row.low, row.high) if end is not None)


def forest_of(place: Place, ends: Sequence[float] = ()) -> Tracks | None:
    """Return the systems of one criterion, the best first, with lines between groups that tests separate.

    `ends` are values that the axis includes.
    """
    compared = place.compared
    if compared is None or not compared.levels:
        return None
    comparison = compared.comparison
    firsts = {group[0] for group in compared.clusters[1:]}
    return tracks_of(
        compared.levels,
        caption=place.title,
        measure=measured(comparison, place.scale, place.compared),
        head=_("System"),
        key=place.key,
        name=lambda row: str(row.system),
        second=lambda row: _thin(compared).get(str(row.system)),
        on_request=compared.crossed,
        apart=lambda row: row.system in firsts,
        ends=ends,
        log=comparison.unit == "ratio",
        note=note_of(compared),
    )


def _thin(compared: Compared) -> Mapping[str, ResultRow]:
    """Return the rows of the thin lines: the intervals over texts beside the model's, else those over raters."""
    return compared.over_texts if compared.crossed else compared.over_raters


def _matrix(place: Place | None) -> Matrix | None:
    if place is None or place.compared is None or len(place.compared.pairs) > PAIRS_SHOWN:
        return None
    return matrix_of(place.compared, _("Pairs of systems: %(criterion)s") % {"criterion": place.title})


def _agreement(places: Sequence[Place]) -> Tracks | None:
    """Return the leading measure of agreement of each criterion, with Krippendorff's bounds if they apply."""
    leading = {id(place.agreement.leading): (place, place.agreement) for place in places if place.agreement}
    rows = [agreement.leading for _place, agreement in leading.values()]
    alphas = all(map(agreement_choice.is_alpha, rows))
    measures = list(dict.fromkeys(agreement.measure for _place, agreement in leading.values()))

    def name(row: ResultRow) -> str:
        place, agreement = leading[id(row)]
        return place.title if len(measures) == 1 else f"{place.title} ({agreement.measure})"

    return tracks_of(
        rows,
        caption=_("Agreement by criterion"),
        measure=measures[0] if len(measures) == 1 else "",
        head=_("Criterion"),
        name=name,
        marks=[(TENTATIVE, _("tentative: .667")), (RELIABLE, _("reliable: .8"))] if alphas else [],
        ends=(0.0, 1.0),
        digits=agreement_choice.DIGITS,
    )


def _left_out(run: Run) -> Iterator[str]:
    """Yield a sentence for each file of ratings of which rows were left out, since they rated a text again."""
    if not run.study.options.imported:
        return
    imports = Event.objects.filter(study_id=run.study_id, verb="imported", at__lte=run.created_at).order_by("id")
    for event in imports.filter(after__has_key="left_out"):
        for sentence in left_out_in_words(event.after["left_out"], event.after["rows"]):
            yield f"{event.object}: {sentence}"


def _excluded(funnels: Sequence[Funnel]) -> Iterator[str]:
    """Yield a sentence for each task with excluded ratings, and one for all others."""
    untouched = []
    for funnel in funnels:
        removals = [step for step in funnel.steps if step.subtracted and step.removed and step.ratings]
        if not removals:
            untouched.append(funnel)
            continue
        removed = sum(step.ratings for step in removals)
        sentence = ngettext(
            "%(n)s of %(all)s rating excluded (%(rules)s)",
            "%(n)s of %(all)s ratings excluded (%(rules)s)",
            funnel.counted,
        )
        rules = "; ".join(f"{step.label}: {step.ratings:,}" for step in removals)
        where = f"{funnel.task}: " if len(funnels) > 1 else ""
        yield where + sentence % {"n": f"{removed:,}", "all": f"{funnel.counted:,}", "rules": rules}
    if len(untouched) == len(funnels) and funnels:
        yield _("No rating excluded")
    elif untouched:
        tasks = findings.listed([funnel.task for funnel in untouched])
        yield _("No rating excluded from %(tasks)s") % {"tasks": tasks}


def with_leading_figure(
    summary: Summary, tasks: Mapping[str, Sequence[Section]]
) -> tuple[Section | None, dict[str, list[Section]]]:
    """Return the section that shows its first figure instead of a forest, and all sections without that figure."""
    sections = {task: list(task_sections) for task, task_sections in tasks.items()}
    if summary.forest or summary.hidden:
        return None, sections
    for task_sections in sections.values():
        for n, section in enumerate(task_sections):
            if section.figures:
                task_sections[n] = replace(section, figures=section.figures[1:])
                return section, sections
    return None, sections


def index_of(tasks: Mapping[str, Sequence[Section]], names: Mapping[str, str]) -> Iterator[Entry]:
    """Yield an entry for each section, and one for the questions of a task with many; `names` are those of tasks."""
    titles = Counter(section.title for task_sections in tasks.values() for section in task_sections)
    for number, (task, task_sections) in enumerate(tasks.items(), start=1):
        task_name = names.get(task, task)
        together = [
            section
            for section in task_sections
            if section.folded or (len(task_sections) > MOST_LISTED and section.criterion)
        ]
        together = [section for section in together if not section.primary]
        for section in task_sections:
            if section in together:
                continue
            title = section.title
            if titles[title] > 1:
                title = f"{task_name}: {title}" if section.criterion else task_name
            yield Entry(section.key, title, section.key, section.opened)
        if together:
            questions = ngettext("%(n)s question", "%(n)s questions", len(together)) % {"n": len(together)}
            yield Entry(f"task-{number}", f"{task_name}: {questions}" if len(tasks) > 1 else questions)
