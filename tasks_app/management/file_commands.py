"""The base of commands that store a file whole or not at all, and report the outcome."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import asdict
from typing import Any, NoReturn

from django.core.management.base import BaseCommand, CommandError
from django.utils.translation import gettext as _

from tasks_app.models import Study
from tasks_app.studyfile import StudyFileError


class StoringCommand(BaseCommand):
    """What such commands print: counts and notes, or every problem with file, line and column; as text or JSON."""

    def tell(
        self, study: Study, counts: Mapping[str, int], notes: Iterable[str], *, stored: bool, as_json: bool, **more: Any
    ) -> None:
        """Print what was stored, or only checked; `more` goes into the JSON, and its lists behind the counts."""
        if as_json:
            self._print({"study": study.slug, "stored": stored, **counts, **more, "notes": list(notes)})
            return
        for note in notes:
            self.stdout.write(note)
        sentence = _("Stored") if stored else _("Checked, not stored")
        listed = "".join(f" ({', '.join(names)})" for names in more.values())
        self.stdout.write(f"{sentence}: {study.slug}: {', '.join(f'{n} {noun}' for noun, n in counts.items())}{listed}")

    def refuse(self, error: StudyFileError, *, as_json: bool) -> NoReturn:
        """Print every problem, and exit with code 1."""
        if as_json:
            problems = [asdict(problem) for problem in error.problems]
            self._print({"stored": False, "problems": problems, "more": error.more})
        else:
            for line in error.lines():
                self.stderr.write(line)
        raise CommandError(_("Nothing was stored."))

    def _print(self, outcome: dict[str, Any]) -> None:
        self.stdout.write(json.dumps(outcome, ensure_ascii=False, indent=2))
