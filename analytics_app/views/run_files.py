"""The tables of a run's pages and its plots, each by its name in addresses, and as files."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from django.utils.translation import gettext as _

from analytics_app import charts
from analytics_app.charts import pictures
from analytics_app.exports import tables
from analytics_app.models import Plot, ResultRow, Run
from analytics_app.runs import funnel_chart
from analytics_app.selectors.rater_means import means_of_raters, spread_of
from analytics_app.selectors.results import plots_of, rows_of
from analytics_app.selectors.sections import ResultNames, names_of
from analytics_app.show.table import Table
from analytics_app.views import one_page, run_sections, run_words, standing
from analytics_app.views.figures import Figure, figures_of_rules
from analytics_app.views.rater_means import raters_table
from analytics_app.views.sections import Section
from tasks_app.models import Study

# The section of what is about the run and no single criterion; keys of other sections have two hyphens.
OF_RUN = "run"


@dataclass(frozen=True, slots=True)
class NamedTable:
    """A table of a run: its section, its title with its subject, and its cells."""

    section: str
    title: str
    table: Table

    @property
    def name(self) -> str:
        """The table within its run, for the name of a file."""
        return f"{self.section}-{self.table.key}"


def all_tables(study: Study, run: Run, *, systems: bool) -> Iterator[NamedTable]:
    """Yield every table of a run, in the order of its pages; without `systems`, none that distinguishes systems."""
    names = names_of(study)
    read = run_sections.read(run, names, systems=systems, whole=True)
    yield from _of_run(run, names, read.rows, read.of_rules)
    for task, sections in read.tasks.items():
        for section in sections:
            yield from _of_section(section, _about(names, task, section))


def one_table(study: Study, run: Run, section: str, key: str, *, systems: bool) -> NamedTable | None:
    """Return a table by its section and key; None if the run has no such table, or it may not be shown yet."""
    names = names_of(study)
    if section == OF_RUN:
        rows = list(rows_of(run, systems=systems).filter(analysis="funnel"))
        plots = plots_of(run, systems=systems).filter(key__endswith=f"/{funnel_chart.KIND}")
        listed = list(_of_run(run, names, rows, figures_of_rules(plots)))
    else:
        read = run_sections.read_one(run, names, section, systems=systems)
        task = section.partition("--")[0]
        listed = list(_of_section(read, _about(names, task, read))) if read else []
    return next((named for named in listed if named.table.key == key), None)


def table_file(study: Study, run: Run, named: NamedTable, format: tables.Format) -> str:
    """Return a table as the text of a file."""
    return tables.write(
        named.table,
        format=format,
        title=named.title,
        label=tables.label(study, run, named.section, named.table.key),
        origin=tables.origin(study, run),
    )


def plot_file(study: Study, run: Run, plot: Plot, format: pictures.Format) -> bytes:
    """Return a plot as a file with its title and the name of its run."""
    subtitle = f"{charts.subtitle(plot.spec)} {standing.provenance(run, study)}"
    return pictures.write(charts.standing_alone(plot.svg, title=plot.title, subtitle=subtitle), format)


def all_plots(study: Study, run: Run, *, systems: bool, format: pictures.Format) -> Iterator[tuple[str, str, bytes]]:
    """Yield the key, title and file of every plot of a run: first the systems of all criteria, then those stored."""
    summary = one_page.read_summary(study, run, systems=systems).summary
    if (drawn := one_page.forest_file(study, run, summary, format)) is not None:
        yield "forest", _("Systems with intervals"), drawn
    for plot in plots_of(run, systems=systems).exclude(svg=""):
        yield plot.key, plot.title, plot_file(study, run, plot, format)


def plot_name(plot: Plot) -> str:
    """Return the name of a plot within its run, for the name of a file."""
    return plot.key.replace("/", "-")


def document(study: Study, run: Run, *, systems: bool) -> dict[str, Any]:
    """Return the tables of a run as texts and its plots as drawings, for scripts."""
    return {
        "study": study.slug,
        "run": run.number,
        "systems_hidden": not systems,
        "tables": [
            {
                "section": named.section,
                "key": named.table.key,
                "title": named.title,
                "latex": table_file(study, run, named, "tex"),
                "markdown": table_file(study, run, named, "md"),
                "csv": table_file(study, run, named, "csv"),
            }
            for named in all_tables(study, run, systems=systems)
        ],
        "plots": [
            {"key": key, "title": title, "svg": svg.decode()}
            for key, title, svg in all_plots(study, run, systems=systems, format="svg")
        ],
    }


def _about(names: ResultNames, task: str, section: Section) -> str:
    """Return the name of a section's criterion, with its task if the study has several."""
    return ", ".join(filter(None, (names.tasks.get(task, task) if len(names.tasks) > 1 else "", section.title)))


def _of_section(section: Section, about: str) -> Iterator[NamedTable]:
    for figure in section.all_figures:
        yield NamedTable(section.key, figure.plot.title, figure.table)
    for table in (*section.tables, *section.further):
        if table.rows:
            yield NamedTable(section.key, f"{table.caption}: {about}", table)


def _of_run(
    run: Run, names: ResultNames, rows: Sequence[ResultRow], figures: Mapping[str, Figure]
) -> Iterator[NamedTable]:
    """Yield the tables of exclusions, task by task, and of each rater's use of the scale."""
    for funnel in run_words.funnels(rows, names.tasks, figures):
        if funnel.figure is not None:
            yield NamedTable(OF_RUN, funnel.figure.plot.title, funnel.figure.table)
        for table in (run_words.steps_table(funnel), funnel.by_system):
            if table is not None and table.rows:
                yield NamedTable(OF_RUN, f"{table.caption}: {funnel.task}", table)
    raters = raters_table(spread_of(run, list(means_of_raters(run))), names.criteria)
    if raters.rows:
        yield NamedTable(OF_RUN, _("How each rater used the scale"), raters)
