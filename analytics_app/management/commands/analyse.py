"""manage.py analyse SLUG: compute a study's results here and now, and write the results document."""

import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import yaml
from django.core.management.base import BaseCommand, CommandError, CommandParser

from analytics_app.exports.results import stream
from analytics_app.models import UNFINISHED, Run, RunState, RunTrigger
from analytics_app.runs import start
from analytics_app.selectors.results import rows_of, systems_shown
from analytics_app.selectors.workers import workers
from tasks_app.management.lookups import study_called
from tasks_app.models import Study

STDOUT = "-"


class Command(BaseCommand):
    """Start a run or reuse an identical one, compute it, and write the results document."""

    help = "Compute the results of a study and write them as JSON. Needs neither a worker nor the broker."

    def add_arguments(self, parser: CommandParser) -> None:
        """Declare the arguments."""
        parser.add_argument("slug")
        parser.add_argument("--json", metavar="FILE", default=STDOUT, help="where to write; - is standard output")
        # Not --settings, which every command of Django has for another purpose.
        parser.add_argument("--plan", metavar="FILE", help="YAML or JSON to use instead of the study's own plan")
        parser.add_argument("--wait", action="store_true", help="leave the work to the workers and wait for them")

    def handle(self, *args: Any, **options: Any) -> None:
        """Run the command."""
        study = study_called(options["slug"])
        target = _target(options["json"])
        run = _start(study, options["plan"])
        if options["wait"]:
            self._wait(run)
        else:
            start.compute_here(run=run)
        if run.state != RunState.DONE:
            raise CommandError(f"Run {run.number} of {study.slug} is {run.state}. {run.error}".strip())
        systems = systems_shown(study)
        self._write(run, target, systems=systems)
        if not systems:
            self.stderr.write("The study is not closed: results by system are left out until it is.")

    def _write(self, run: Run, target: Path | None, *, systems: bool) -> None:
        document = stream(run, format="json", systems=systems)
        if target is None:
            for chunk in document:
                self.stdout.write(chunk.decode(), ending="")
            return
        with target.open("wb") as file:
            file.writelines(document)
        rows = rows_of(run, systems=systems).count()
        self.stdout.write(f"Wrote {rows} rows of run {run.number} to {target}.")

    def _wait(self, run: Run) -> None:
        """Wait until workers have finished a run, and warn if there are no workers."""
        warned = False
        while run.state in UNFINISHED:
            if not warned and not (status := workers()).alive:
                since = f" since {status.since:%Y-%m-%d %H:%M} UTC" if status.since else ""
                self.stderr.write(f"No worker answers{since}. `make run` starts one, or: {status.command}")
                warned = True
            start.wait_for_others()
            run.refresh_from_db()


def _target(name: str) -> Path | None:
    """Return the file to write, None for standard output; raise before computing if it cannot be written."""
    if name == STDOUT:
        return None
    path = Path(name)
    if path.is_dir() or not path.parent.is_dir() or not os.access(path if path.exists() else path.parent, os.W_OK):
        raise CommandError(f"{path} cannot be written: name a file in a folder that is there and yours to write.")
    return path


def _start(study: Study, plan: str | None) -> Run:
    settings = None if plan is None else _read(plan)
    try:
        return start.start(study=study, by=None, settings=settings, trigger=RunTrigger.COMMAND)
    except start.Busy:
        raise CommandError("Ratings are being stored just now. Try again when that is done.") from None
    except ValueError as problems:
        lines = [f"{plan or 'The plan of the study'}: {line}" for line in str(problems).splitlines()]
        raise CommandError("\n".join(lines)) from None


def _read(plan: str) -> Mapping[str, Any]:
    """Read a plan; JSON is YAML too."""
    try:
        document = yaml.safe_load(Path(plan).read_text(encoding="utf-8"))
    except OSError as error:
        raise CommandError(f"{plan} cannot be read: {error.strerror}.") from None
    except (yaml.YAMLError, UnicodeDecodeError) as error:
        raise CommandError(f"{plan} is neither YAML nor JSON: {error}") from None
    if not isinstance(document, dict):
        raise CommandError(f"{plan} must say what to analyse as name: value, such as ddof: 0.")
    return document
