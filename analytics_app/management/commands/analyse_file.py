"""manage.py analyse_file FILE: make a study of one table of texts and ratings, and show its results."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser
from django.utils.translation import gettext as _

from analytics_app.exports.results import stream
from analytics_app.models import RunState, RunTrigger
from analytics_app.runs import start
from analytics_app.selectors.results import rows_of
from tasks_app.importing import RatingsFile, from_file, whole
from tasks_app.importing.formats.opening import readable
from tasks_app.importing.guessing import peek
from tasks_app.importing.mapping import as_yaml
from tasks_app.importing.shaping.reshaping import looks_like_data
from tasks_app.importing.whole.guessing import CRITERIA, RATERS, Reading, readings_of, warning_of
from tasks_app.management.lookups import user_called
from tasks_app.management.progress import told_on
from tasks_app.setup.starting import free_slug
from tasks_app.studyfile import StudyFileError

# The statistics that are shown, as far as the study has them; all stand in the results.
SHOWN = (
    "mean", "geometric_mean", "rank_mean", "share", "alpha", "bt_strength", "bw_score", "mqm_score", "triangle_share",
)  # fmt: skip


class Command(BaseCommand):
    """Make an imported study of one table, compute its results and show the first of them."""

    help = "Make a study of one table that holds texts and ratings, store it, run all analyses and show the results."

    def add_arguments(self, parser: CommandParser) -> None:
        """Declare the arguments of the command."""
        parser.add_argument(
            "file", help="a table: CSV, TSV, JSON, JSON Lines, a workbook, Parquet, or a zip of several tables"
        )
        parser.add_argument("--map", metavar="MAP", help="a mapping, in YAML or JSON; without it, columns are guessed")
        parser.add_argument(
            "--numbered",
            choices=(RATERS, CRITERIA),
            help="what columns such as score1, score2 are: of one rater each, or a criterion each",
        )
        parser.add_argument("--no-header", action="store_true", help="the first line is data; columns are numbered")
        parser.add_argument("--title", help="title of the study; the name of the file without one")
        parser.add_argument("--owner", metavar="USER", help="who owns the study; without, superusers see it only")
        parser.add_argument(
            "--check",
            action="store_true",
            help="show how the columns are read and what would be stored, and store nothing",
        )
        parser.add_argument("--json", metavar="FILE", help="write the results document as well")

    def handle(self, *args: Any, **options: Any) -> None:
        """Run the command; every problem goes to standard error, with exit code 1, or 2 where it asks for a choice."""
        try:
            self._analyse(options)
        except StudyFileError as error:
            for line in error.lines():
                self.stderr.write(line)
            raise CommandError(_("Nothing was stored.")) from None

    def _analyse(self, options: dict[str, Any]) -> None:
        file = RatingsFile.at(options["file"])
        if options["map"]:
            mapping = from_file(options["map"], whole.declared)
        else:
            reading = self._chosen(file, options)
            if reading is None:
                return
            document = reading.document
            mapping = whole.mapping_of(_("mapping"), document)
            sentence = _(
                "The columns are read as follows. To change that, save this as map.yaml, and add --map map.yaml:"
            )
            self.stdout.write(f"{sentence}\n\n{as_yaml(document)}")
            if sentence := warning_of(document):
                self.stdout.write(sentence)
        title = options["title"] or Path(file.table).stem
        with told_on(self.stderr) as tell:
            outcome = whole.study_of_table(
                file=file, mapping=mapping, title=title, slug=free_slug(title), owner=user_called(options["owner"]),
                check=options["check"], tell=tell,
            )  # fmt: skip
        for note in outcome.notes:
            self.stdout.write(note)
        self.stdout.write(", ".join(f"{n} {noun}" for noun, n in outcome.counts.items()))
        if options["check"]:
            self.stdout.write(_("Nothing is stored yet."))
            return
        run = start.start(study=outcome.study, by=None, trigger=RunTrigger.COMMAND)
        start.compute_here(run=run)
        if run.state != RunState.DONE:
            raise CommandError(f"Run {run.number} of {outcome.study.slug} is {run.state}. {run.error}".strip())
        for row in (
            rows_of(run, systems=True)
            .filter(statistic__in=SHOWN, basis="kept", slice=None, group=None)
            .order_by("order")
        ):
            self.stdout.write(_line(row))
        if options["json"]:
            with Path(options["json"]).open("wb") as target:
                target.writelines(stream(run, format="json", systems=True))
        self.stdout.write(_("Stored as the study %(slug)s. Its page has all results.") % {"slug": outcome.study.slug})

    def _chosen(self, file: RatingsFile, options: Mapping[str, Any]) -> Reading | None:
        """Return how the columns are read; None where both ways were shown. Raises CommandError to ask for one."""
        with readable(file) as opened:
            if not options["no_header"] and looks_like_data(peek(opened).columns):
                sentence = _("The first line looks like data. If it does not name the columns, add --no-header.")
                self.stdout.write(sentence)
            readings = readings_of(opened, has_header=not options["no_header"])
        for reading in readings:
            if len(readings) == 1 or reading.name == options["numbered"]:
                return reading
        for reading in readings:
            self.stdout.write(f"--numbered {reading.name}: {reading.about}\n\n{as_yaml(reading.document)}")
        if options["check"]:
            return None
        raise CommandError(
            _("The columns can be read in two ways. Nothing was stored; say which by --numbered or --map."),
            returncode=2,
        )


def _line(row: Any) -> str:
    """Write one number of the results."""
    about = " ".join(str(word) for word in (row.criterion, row.system, row.label, row.rater) if word)
    if row.value is None:
        return f"{row.statistic} {about}: – {row.note or ''}".rstrip()
    interval = f" [{row.low:.3f}, {row.high:.3f}]" if row.low is not None and row.high is not None else ""
    return f"{row.statistic} {about}: {row.value:.3f}{interval}"
