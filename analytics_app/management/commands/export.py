"""manage.py export SLUG: write the ratings of a study, or with --results the rows of a run."""

import os
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any, BinaryIO

from django.core.management.base import BaseCommand, CommandError, CommandParser

from analytics_app.exports import ratings, results
from analytics_app.exports.named import Written, registry, writer_called
from analytics_app.exports.reference import reference
from analytics_app.management.finished import finished_run
from analytics_app.selectors.results import systems_shown
from tasks_app.management.lookups import study_called
from tasks_app.models import Study
from tasks_app.services import events

STDOUT = "-"
FORMATS = ("csv", "jsonl", "json", *sorted(writer.name for writer in registry.values()))
BEST = 0


class Command(BaseCommand):
    """Write ratings or results to a file or to standard output."""

    help = (
        "Write the ratings of a study in long form (csv, jsonl), or with --results the results document of a run "
        "(json, csv). docs/columns.md says what the columns hold, docs/formats.md which formats other tools read."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        """Declare the arguments."""
        parser.add_argument("slug", nargs="?")
        parser.add_argument("--columns", action="store_true", help="print the tables of docs/columns.md instead")
        parser.add_argument("--format", choices=FORMATS, default="csv")
        parser.add_argument("--output", metavar="FILE", default=STDOUT, help="where to write; - is standard output")
        parser.add_argument("--task", metavar="KEY", action="append", help="only ratings of this task; may be repeated")
        parser.add_argument(
            "--checks", action="store_true", help="with answers to training, exam, known answers and attention checks"
        )
        parser.add_argument(
            "--results",
            metavar="RUN",
            nargs="?",
            type=int,
            const=BEST,
            help="results instead of ratings: of this run, by its number, or of the newest planned one that is done",
        )

    def handle(self, *args: Any, **options: Any) -> None:
        """Run the command."""
        if options["columns"]:
            self.stdout.write(reference(), ending="")
            return
        study = _study(options["slug"])
        chunks = self._ratings(study, options) if options["results"] is None else self._results(study, options)
        size = _write(chunks, options["output"])
        if options["output"] != STDOUT:
            self.stdout.write(f"Wrote {size:,} bytes to {options['output']}.")

    def _ratings(self, study: Study, options: dict[str, Any]) -> Iterator[bytes]:
        if options["format"] == "json":
            raise CommandError("Ratings are written as csv or jsonl; json is a format of --results.")
        if options["format"] not in ratings.CONTENT_TYPES:
            return self._named(study, options)
        try:
            chunks = ratings.stream(study, format=options["format"], tasks=options["task"], checks=options["checks"])
        except ratings.UnknownName as unknown:
            raise CommandError(str(unknown)) from None
        if study.state in Study.State.UNDER_WAY:
            events.log(study, None, "exported", about=f"ratings ({options['format']}) by a command")
        return chunks

    def _named(self, study: Study, options: dict[str, Any]) -> Iterator[bytes]:
        """Yield a file in the format of another tool; notes on values it cannot hold go to standard error."""
        if options["task"] or options["checks"]:
            raise CommandError("--task and --checks are for csv and jsonl.")
        written = Written(study)
        with tempfile.TemporaryFile() as target:
            writer_called(options["format"]).write(written, target)
            target.seek(0)
            yield from iter(lambda: target.read(1 << 20), b"")
        for note in written.notes:
            self.stderr.write(note)
        if study.state in Study.State.UNDER_WAY:
            events.log(study, None, "exported", about=f"ratings ({options['format']}) by a command")

    def _results(self, study: Study, options: dict[str, Any]) -> Iterator[bytes]:
        if options["format"] not in {"json", "csv"}:
            raise CommandError(f"Results are written as json or csv; {options['format']} is a format of ratings.")
        if options["checks"]:
            raise CommandError("--checks is for ratings; no result is computed from answers to checks.")
        if options["task"]:
            raise CommandError("--task is for ratings; a results document holds every task.")
        run = finished_run(study, options["results"] or None)
        if not systems_shown(study):
            self.stderr.write("The study is not closed: results by system are left out until it is.")
        return results.stream(run, format=options["format"])


def _study(slug: str | None) -> Study:
    if slug is None:
        raise CommandError("Name a study by its slug: manage.py export SLUG.")
    return study_called(slug)


def _write(chunks: Iterator[bytes], name: str) -> int:
    """Write a file under a temporary name and rename it when complete. Returns its size in bytes."""
    if name == STDOUT:
        try:
            return _copy(chunks, sys.stdout.buffer)
        except BrokenPipeError:
            # The reader, such as `head`, has closed the pipe; Python's final flush must not fail on it.
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
            return 0
    path = Path(name)
    if path.is_dir() or not path.parent.is_dir():
        raise CommandError(f"{path} cannot be written: name a file in a folder that is there.")
    unfinished = path.with_name(f"{path.name}.part")
    try:
        with unfinished.open("wb") as target:
            size = _copy(chunks, target)
        unfinished.replace(path)
    except OSError as error:
        raise CommandError(f"{path} cannot be written: {error.strerror}.") from error
    finally:
        unfinished.unlink(missing_ok=True)
    return size


def _copy(chunks: Iterator[bytes], target: BinaryIO) -> int:
    size = 0
    for chunk in chunks:
        size += target.write(chunk)
    target.flush()
    return size
