"""manage.py take_away SLUG DIRECTORY: write the tables, plots and methods section of a run into a folder."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from analytics_app.charts import pictures
from analytics_app.exports import markdown, tables
from analytics_app.management.finished import finished_run
from analytics_app.methods_text import formats
from analytics_app.models import Run
from analytics_app.selectors.results import systems_shown
from analytics_app.views import methods, one_page, run_files
from tasks_app.management.lookups import study_called
from tasks_app.models import Study

INDEX = "index.md"


class Command(BaseCommand):
    """Write the summary, every table and plot, and the methods section of a run into a folder."""

    help = (
        "Write the summary of a run as PDF, every table as LaTeX, Markdown and CSV, every plot as SVG, PNG and PDF, "
        "and the methods section with its references, into a folder with an index. Without --run: of the newest "
        "planned run that is done, else of the newest one."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        """Declare the arguments."""
        parser.add_argument("slug")
        parser.add_argument("directory", type=Path, help="a folder that is empty, or not there yet")
        parser.add_argument("--run", metavar="NUMBER", type=int, help="the run, by its number")

    def handle(self, *args: Any, **options: Any) -> None:
        """Run the command."""
        study = study_called(options["slug"])
        run = finished_run(study, options["run"])
        systems = systems_shown(study)
        if not systems:
            self.stderr.write("The study is not closed: results by system are left out until it is.")
        folder: Path = options["directory"]
        if folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
            raise CommandError(f"{folder} is not empty: name a folder that is empty, or not there yet.")
        try:
            lines = list(_written(study, run, folder, systems=systems))
            texts = [_summary(study, run, folder, systems=systems), _methods(study, run, folder)]
            index = [f"# {markdown.escaped(study.title)}", "", tables.origin(study, run), "", *texts, *lines, ""]
            (folder / INDEX).write_text("\n".join(index), encoding="utf-8")
        except OSError as error:
            raise CommandError(f"{error.filename or folder} cannot be written: {error.strerror}.") from error
        self.stdout.write(
            f"Wrote the summary, the methods section and {len(lines)} tables and plots to {folder}; {INDEX} lists them."
        )


def _written(study: Study, run: Run, folder: Path, *, systems: bool) -> Iterator[str]:
    """Write each table and plot, and yield its line of the index."""
    for kind in ("tables", "plots"):
        (folder / kind).mkdir(parents=True, exist_ok=True)
    for named in run_files.all_tables(study, run, systems=systems):
        paths = {text: f"tables/{named.name}.{text}" for text in tables.CONTENT_TYPES}
        for text, path in paths.items():
            (folder / path).write_text(run_files.table_file(study, run, named, text), encoding="utf-8", newline="")
        yield _line(named.title, list(paths.values()))
    drawn: dict[str, tuple[str, list[str]]] = {}
    for picture in pictures.CONTENT_TYPES:
        for key, title, file in run_files.all_plots(study, run, systems=systems, format=picture):
            path = f"plots/{key.replace('/', '-')}.{picture}"
            (folder / path).write_bytes(file)
            drawn.setdefault(key, (title, []))[1].append(path)
    for title, pictured in drawn.values():
        yield _line(title, pictured)


def _summary(study: Study, run: Run, folder: Path, *, systems: bool) -> str:
    """Write the summary on one page, and return its line of the index."""
    (folder / "summary.pdf").write_bytes(one_page.one_page(study, run, systems=systems))
    return _line("Summary on one page", ["summary.pdf"])


def _methods(study: Study, run: Run, folder: Path) -> str:
    """Write the methods section, and return its line of the index."""
    text = methods.text_of(study, run)
    paths: list[str] = []
    for format in formats.CONTENT_TYPES:
        paths.append(f"methods.{format}")
        (folder / paths[-1]).write_text(formats.in_format(text, format), encoding="utf-8", newline="")
    return _line("Methods section", paths)


def _line(title: str, paths: list[str]) -> str:
    links = ", ".join(f"[{path.rpartition('.')[2]}]({path})" for path in paths)
    return f"- {markdown.escaped(title)}: {links}"
