"""The summary of a run: what its tests support, in sentences and at a glance, before any table."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from analytics_app import charts
from analytics_app.analyses.agreement import choice
from analytics_app.analyses.krippendorff.charts import RELIABLE, TENTATIVE
from analytics_app.models import ResultRow, Run
from analytics_app.selectors.sections import PAIRS_SHOWN, CriterionRows, ResultNames, rows_of_summary
from analytics_app.show import findings
from analytics_app.show.cells import Words
from analytics_app.show.comparisons import Compared, Comparison, comparison_of
from analytics_app.show.index import RowIndex
from analytics_app.show.matrix import Matrix, matrix_of
from analytics_app.show.tracks import Tracks, tracks_of
from analytics_app.views.run_words import Funnel
from analytics_app.views.sections import Section

# Sentences of the headline; the others are told below it.
HEADLINES = 2
# Sections of a task that an index lists; of more, the questions share an entry.
MOST_LISTED = 8
# Lines of a forest that are still seen at a glance.
MOST_LINES = 60


@dataclass(frozen=True, slots=True)
class Place:
    """What the summary has of one criterion: its finding, how systems compare, how far raters agree, and its scale.

    `beside` are further findings of the section, about other data than ratings.
    """

    key: str
    title: str
    finding: findings.Finding | None
    compared: Compared | None
    agreement: choice.Choice | None
    scale: tuple[float, float] | None = None
    beside: tuple[findings.Finding, ...] = ()


@dataclass(frozen=True, slots=True)
class Summary:
    """The top of a page of results. `headline` and `more` are sentences; `hidden` says that systems are not shown."""

    hidden: bool
    headline: Sequence[str]
    more: Sequence[str]
    forest: Sequence[Tracks]
    matrix: Matrix | None
    agreement: Tracks | None
    agreement_reasons: Sequence[str]
    excluded: Sequence[str]
    places: Mapping[str, Place]

    @property
    def in_sight(self) -> Sequence[Tracks]:
        """The part of the forest that the summary shows: the first criterion, and more of them as long as they fit."""
        n, lines = 1, 0
        for n, tracks in enumerate(self.forest, start=1):
            lines += len(tracks.lines)
            if lines > MOST_LINES and n > 1:
                return self.forest[: n - 1]
        return self.forest[:n]

    @property
    def in_sections(self) -> Sequence[Tracks]:
        """The rest of the forest, each part of which stands in the section of its criterion."""
        return self.forest[len(self.in_sight) :]

    @property
    def legend(self) -> Iterator[str]:
        """Yield what the lines of the forest are."""
        lines = [line for tracks in self.forest for line in tracks.lines]
        if any(line.width_b is not None for line in lines):
            yield _("Thick lines: intervals over texts. Thin lines: intervals over raters.")
        elif any(line.width is not None for line in lines):
            yield _("Lines: intervals.")
        if any(line.apart for line in lines):
            yield _("A ruled line separates groups: each system above it differs clearly from each one below.")


@dataclass(frozen=True, slots=True)
class Entry:
    """An entry of the index: where it leads on the page, its words, and whether its section is the one shown."""

    key: str
    title: str
    section: str = ""
    opened: bool = False


@dataclass(frozen=True, slots=True)
class Glance:
    """What stands above the charts of a section: its finding ("" where there is none), its systems and their pairs.

    Neither systems nor pairs are repeated where the summary shows them.
    """

    finding: str
    matrix: Matrix | None
    forest: Tracks | None


def summary_of(
    run: Run, names: ResultNames, places: Sequence[CriterionRows], funnels: Sequence[Funnel], *, systems: bool
) -> Summary:
    """Return the summary of a run; `places` are in the order in which they are read."""
    limit = round(1 - float(run.settings.get("confidence", 0.95)), 9)
    rows: dict[tuple[str, str], list[ResultRow]] = {}
    found = list(rows_of_summary(run, _statistics(), systems=systems))
    names.put_into(found)
    for row in found:
        rows.setdefault((row.task or "", row.criterion or ""), []).append(row)
    made = [_place(at, rows.get((at.task, at.criterion), []), names, limit) for at in places]
    primary = str(run.settings.get("primary") or "")
    sentences = _sentences(made, primary)
    compared = [place for place in made if place.compared is not None]
    leading = next((place for place in compared if place.finding is not None), None)
    return Summary(
        hidden=not systems,
        headline=sentences[:HEADLINES],
        more=sentences[HEADLINES:],
        forest=list(_forest(compared)),
        matrix=_matrix(leading),
        agreement=_agreement([place for place in made if place.agreement is not None]),
        agreement_reasons=list(dict.fromkeys(str(place.agreement.reason) for place in made if place.agreement)),
        excluded=list(_excluded(funnels)),
        places={place.key: place for place in made},
    )


def at_a_glance(summary: Summary, section: Section) -> Glance | None:
    """Return what stands above the charts of a section that is opened; the summary has the matrix of the first."""
    place = summary.places.get(section.key)
    if place is None or not section.opened:
        return None
    texts = [finding.text for finding in (place.finding, *place.beside) if finding is not None]
    told = " ".join(text for text in texts if text not in summary.headline)
    matrix = _matrix(place)
    shown = summary.matrix is not None and matrix is not None and matrix.caption == summary.matrix.caption
    own = next((tracks for tracks in summary.in_sections if tracks.key == place.key), None)
    return Glance(told, None if shown else matrix, own)


def without_repeats(summary: Summary, section: Section) -> Section:
    """Fold the figures whose numbers stand in the summary, or in the matrix of the section's pairs."""
    place = summary.places.get(section.key)
    if place is None or place.compared is None:
        return section
    shown = []
    if any(tracks.key == place.key for tracks in summary.forest):
        shown.append(_rounded(row.value for row in place.compared.levels))
    if _matrix(place) is not None:
        shown.append(_rounded(row.value for row in place.compared.pairs))
    repeated = [one for one in section.figures if _rounded(charts.values(one.plot.spec)) in shown]
    figures = [one for one in section.figures if one not in repeated]
    return replace(section, figures=figures, aside=[*repeated, *section.aside])


def _rounded(values: Iterable[float | None]) -> list[float]:
    """Return values as they are compared: in the order of size, without what storing them may change."""
    return sorted(round(value, 9) for value in values if value is not None)


def _statistics() -> dict[str, set[str]]:
    """Return which statistics of which analysis a summary is made of."""
    wanted = {one.analysis: set(one.statistics) for one in findings.registered()}
    for name in choice.ANALYSES:
        wanted.setdefault(name, set()).update(choice.STATISTICS)
    return wanted


def _place(at: CriterionRows, rows: Sequence[ResultRow], names: ResultNames, limit: float) -> Place:
    title = names.criteria.get(at.criterion, at.criterion)
    asked = findings.Asked(title, names.types.get(at.task, ""), limit)
    index = RowIndex(rows)
    agreement = (
        choice.chosen(RowIndex([row for row in rows if row.analysis in choice.ANALYSES])) if at.criterion else None
    )
    return Place(
        key=at.key,
        title=title or names.tasks.get(at.task, at.task),
        finding=findings.finding(rows, asked),
        compared=comparison_of(index, limit),
        agreement=agreement if agreement is not None and agreement.leading.value is not None else None,
        scale=names.scales.get(at.task),
        beside=findings.findings_beside(rows, asked),
    )


def _sentences(places: Sequence[Place], primary: str) -> list[str]:
    """Return what is to be told: the primary criterion first, then what was tested, then what only describes."""
    first = [place.finding for place in places if place.finding and primary and place.key.endswith(f"--{primary}")]
    others = [place.finding for place in places if place.finding and place.finding not in first]
    others += [finding for place in places for finding in place.beside]
    return [*findings.told(first), *findings.told(others)]


def _forest(places: Sequence[Place]) -> Iterator[Tracks]:
    for place in places:
        tracks = forest_of(place)
        if tracks is not None and len(tracks.lines) > 1:
            yield tracks


def forest_of(place: Place) -> Tracks | None:
    """Return the systems of one criterion, the best first, with lines where tests separate them."""
    compared = place.compared
    if compared is None:
        return None
    comparison = compared.comparison
    firsts = {group[0] for group in compared.clusters[1:]}
    return tracks_of(
        compared.levels,
        caption=place.title,
        measure=_measure(place, comparison),
        head=_("System"),
        key=place.key,
        name=lambda row: str(row.system),
        second=lambda row: compared.over_raters.get(str(row.system)),
        apart=lambda row: row.system in firsts,
        log=comparison.unit == "ratio",
    )


def _measure(place: Place, comparison: Comparison) -> Words:
    """Return what the values of systems are, with the ends of the scale: the axis shows only the part in use."""
    if place.scale is None or not comparison.on_scale:
        return comparison.measure
    low, high = (f"{end:g}".replace("-", "\N{MINUS SIGN}") for end in place.scale)
    about = {"measure": comparison.measure, "low": low, "high": high}
    return _("%(measure)s, on a scale from %(low)s to %(high)s") % about


def _matrix(place: Place | None) -> Matrix | None:
    if place is None or place.compared is None or len(place.compared.pairs) > PAIRS_SHOWN:
        return None
    return matrix_of(place.compared, _("Pairs of systems: %(criterion)s") % {"criterion": place.title})


def _agreement(places: Sequence[Place]) -> Tracks | None:
    """Return the leading measure of agreement of each criterion, against Krippendorff's bounds where they apply."""
    leading = {id(place.agreement.leading): (place, place.agreement) for place in places if place.agreement}
    rows = [one.leading for _place, one in leading.values()]
    alphas = all(map(choice.is_alpha, rows))
    measures = list(dict.fromkeys(one.measure for _place, one in leading.values()))

    def name(row: ResultRow) -> str:
        place, one = leading[id(row)]
        return place.title if len(measures) == 1 else f"{place.title} ({one.measure})"

    return tracks_of(
        rows,
        caption=_("Agreement by criterion"),
        measure=measures[0] if len(measures) == 1 else "",
        head=_("Criterion"),
        name=name,
        marks=[(TENTATIVE, ".667"), (RELIABLE, ".8")] if alphas else [],
        ends=(0.0, 1.0),
        digits=choice.DIGITS,
    )


def _excluded(funnels: Sequence[Funnel]) -> Iterator[str]:
    """Yield a sentence for each task with excluded ratings, and one for all others."""
    untouched = []
    for funnel in funnels:
        taken = [step for step in funnel.steps if step.taken and step.removed and step.ratings]
        if not taken:
            untouched.append(funnel)
            continue
        removed = sum(step.ratings for step in taken)
        said = ngettext(
            "%(n)s of %(all)s rating excluded (%(rules)s)",
            "%(n)s of %(all)s ratings excluded (%(rules)s)",
            funnel.counted,
        )
        rules = "; ".join(f"{step.label}: {step.ratings:,}" for step in taken)
        where = f"{funnel.task}: " if len(funnels) > 1 else ""
        yield where + said % {"n": f"{removed:,}", "all": f"{funnel.counted:,}", "rules": rules}
    if len(untouched) == len(funnels) and funnels:
        yield _("No rating excluded")
    elif untouched:
        tasks = findings.listed([funnel.task for funnel in untouched])
        yield _("No rating excluded from %(tasks)s") % {"tasks": tasks}


def with_leading_figure(
    summary: Summary, tasks: Mapping[str, Sequence[Section]]
) -> tuple[Section | None, dict[str, list[Section]]]:
    """Return the section whose first figure leads where there is no forest, and all sections without that figure."""
    sections = {task: list(here) for task, here in tasks.items()}
    if summary.forest or summary.hidden:
        return None, sections
    for here in sections.values():
        for n, section in enumerate(here):
            if section.figures:
                here[n] = replace(section, figures=section.figures[1:])
                return section, sections
    return None, sections


def index_of(tasks: Mapping[str, Sequence[Section]], names: Mapping[str, str]) -> Iterator[Entry]:
    """Yield an entry for each section, and one for the questions of a task of many; `names` are those of tasks."""
    titles = Counter(section.title for here in tasks.values() for section in here)
    for number, (task, here) in enumerate(tasks.items(), start=1):
        called = names.get(task, task)
        together = [section for section in here if section.folded or (len(here) > MOST_LISTED and section.criterion)]
        together = [section for section in together if not section.primary]
        for section in here:
            if section in together:
                continue
            title = section.title
            if titles[title] > 1:
                title = f"{called}: {title}" if section.criterion else called
            yield Entry(section.key, title, section.key, section.opened)
        if together:
            questions = ngettext("%(n)s question", "%(n)s questions", len(together)) % {"n": len(together)}
            yield Entry(f"task-{number}", f"{called}: {questions}" if len(tasks) > 1 else questions)
