"""The base of commands that store a file whole or not at all, and report the outcome."""

import json
from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from typing import Any, ClassVar, NoReturn, Protocol

from django.core.management.base import BaseCommand, CommandError, CommandParser
from django.utils.translation import gettext as _

from tasks_app.management.lookups import editor_called, study_called
from tasks_app.models import Study
from tasks_app.services.events import Actor
from tasks_app.studyfile import StudyFileError


class Stored(Protocol):
    """The result of storing a file, or of only checking it."""

    @property
    def counts(self) -> Mapping[str, int]:
        """Return the number of objects that were read, by noun."""

    @property
    def notes(self) -> Sequence[str]:
        """Return the notes that a researcher should read."""

    @property
    def names(self) -> Sequence[str] | None:
        """Return the names of the counted objects; None for a kind of file without names."""


class StoringCommand(BaseCommand, ABC):
    """Stores a file; prints counts and notes, or every problem with file, line and column; as text or JSON."""

    file_help: ClassVar[str]

    def add_arguments(self, parser: CommandParser) -> None:
        """Declare the arguments that all such commands take."""
        parser.add_argument("study", help="slug of the study")
        parser.add_argument("file", help=self.file_help)
        parser.add_argument("--check", action="store_true", help="only check; store nothing")
        parser.add_argument("--owner", metavar="USER", help="who uploads, for the log; must be allowed to edit it")
        parser.add_argument("--json", action="store_true", help="print the result as JSON")

    def handle(self, *args: Any, **options: Any) -> None:
        """Run the command; every problem goes to standard error, or into the JSON, with exit code 1."""
        study = study_called(options["study"])
        by = editor_called(options["owner"], study)
        try:
            stored = self.store(study, by, options)
        except StudyFileError as error:
            self._refuse(error, as_json=options["json"])
        self._tell(study, stored, checked=options["check"], as_json=options["json"])

    @abstractmethod
    def store(self, study: Study, by: Actor, options: Mapping[str, Any]) -> Stored:
        """Store the file, or only check it. Raises StudyFileError."""

    def _tell(self, study: Study, stored: Stored, *, checked: bool, as_json: bool) -> None:
        if as_json:
            more = {} if stored.names is None else {"names": list(stored.names)}
            outcome = {"study": study.slug, "stored": not checked, **stored.counts, **more}
            self._print({**outcome, "notes": list(stored.notes)})
            return
        for note in stored.notes:
            self.stdout.write(note)
        sentence = _("Checked, not stored") if checked else _("Stored")
        listed = f" ({', '.join(stored.names)})" if stored.names is not None else ""
        counts = ", ".join(f"{n} {noun}" for noun, n in stored.counts.items())
        self.stdout.write(f"{sentence}: {study.slug}: {counts}{listed}")

    def _refuse(self, error: StudyFileError, *, as_json: bool) -> NoReturn:
        if as_json:
            problems = [asdict(problem) for problem in error.problems]
            self._print({"stored": False, "problems": problems, "more": error.more})
        else:
            for line in error.lines():
                self.stderr.write(line)
        raise CommandError(_("Nothing was stored."))

    def _print(self, outcome: dict[str, Any]) -> None:
        self.stdout.write(json.dumps(outcome, ensure_ascii=False, indent=2))
