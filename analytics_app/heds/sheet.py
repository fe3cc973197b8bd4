"""The datasheet of a study: for every question what the study proposes, what a researcher wrote, and what counts."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import Any

from analytics_app.heds.answers import Answer, in_words, is_complete
from analytics_app.heds.filling import Known, Proposal, known_of
from analytics_app.heds.questions import Question, Version, questions, questions_of
from analytics_app.models import Datasheet
from tasks_app.models import Study


@dataclass(frozen=True, slots=True)
class Own:
    """An answer that a researcher wrote."""

    answer: Answer
    revision: int
    by: str
    at: datetime

    @classmethod
    def of(cls, stored: Mapping[str, Any]) -> Own:
        """Read an answer as it is stored."""
        return cls(Answer.of(stored), stored["revision"], stored["by"], datetime.fromisoformat(stored["at"]))


@dataclass(frozen=True, slots=True)
class Entry:
    """A question, of one criterion or of the experiment, with its answers; `criterion` is a key or empty."""

    question: Question
    criterion: str = ""
    name: str = ""
    proposed: Proposal | None = None
    own: Own | None = None

    @property
    def answer(self) -> Answer:
        """The answer that counts: what a researcher wrote, else what the study proposes."""
        if self.own is not None:
            return self.own.answer
        return self.proposed.answer if self.proposed is not None else Answer()

    @property
    def key(self) -> str:
        """Name the entry in forms and addresses."""
        return f"{self.question.number}~{self.criterion}" if self.criterion else self.question.number

    @property
    def anchor(self) -> str:
        """Name the entry in ids of the page, which scripts use as selectors."""
        return self.key.replace(".", "-").replace("~", "--")

    @property
    def words(self) -> str:
        """The answer as readers see it."""
        return in_words(self.question, self.answer)

    @property
    def source(self) -> str:
        """Who answered, or where the study has the answer from."""
        if self.own is not None:
            return self.own.by
        return self.proposed.source if self.proposed is not None else ""

    @property
    def proposed_words(self) -> str:
        """The study's answer as readers see it."""
        return in_words(self.question, self.proposed.answer) if self.proposed is not None else ""

    @property
    def is_complete(self) -> bool:
        """Whether the question is answered."""
        return is_complete(self.question, self.answer)

    @property
    def differs(self) -> bool:
        """Whether a researcher wrote something else than the study says."""
        return self.own is not None and self.proposed is not None and self.own.answer != self.proposed.answer

    @property
    def shown(self) -> str:
        """The revision and a digest of the answer: what somebody saw who sends a form."""
        return f"{self.own.revision if self.own is not None else 0}-{digest_of(self.answer)}"


def digest_of(answer: Answer) -> str:
    """Return a short digest by which a form tells whether an answer was changed in it."""
    return hashlib.sha256(json.dumps(answer.stored).encode()).hexdigest()[:16]


def is_untouched(answer: Answer, seen: str) -> bool:
    """Return whether a form sends the answer that it was made with."""
    return seen.partition("-")[2] == digest_of(answer)


@dataclass(frozen=True)
class Sheet:
    """Every entry of a study's datasheet. `names` are those of the criteria by their keys."""

    study: Study
    entries: Sequence[Entry]
    names: Mapping[str, str] = field(default_factory=dict)

    def of(self, version: Version) -> list[Entry]:
        """Return the entries that a version asks, in its order."""
        return [entry for entry in self.entries if entry.question.number_in(version)]

    def by_key(self) -> dict[str, Entry]:
        """Return the entries by the names they have in forms."""
        return {entry.key: entry for entry in self.entries}


def sheet_of(study: Study, known: Known | None = None) -> Sheet:
    """Return the datasheet of a study as it stands now."""
    known = known if known is not None else known_of(study)
    stored = Datasheet.objects.filter(study=study, version=None).first()
    own = stored.answers if stored is not None else {}
    of_criteria = stored.criterion_answers if stored is not None else {}
    return Sheet(study, list(_entries(known, own, of_criteria)), known.names)


@dataclass(frozen=True)
class FrozenSheet:
    """The datasheet as it stood when a version was opened; `changed` are entries that are answered otherwise now."""

    sheet: Sheet
    version: int
    at: datetime
    digest: str
    changed: Sequence[Entry]


def frozen_sheet(sheet: Sheet) -> FrozenSheet | None:
    """Return the datasheet that was frozen last, with what has changed since then; None where none was."""
    stored = Datasheet.objects.filter(study=sheet.study, version__isnull=False).order_by("-version").first()
    if stored is None or stored.version is None or stored.frozen_at is None:
        return None
    entries = [
        replace(entry, proposed=_as_frozen(stored, entry), own=None)
        for entry in sheet.entries
        if not entry.criterion or entry.criterion in stored.criterion_answers
    ]
    then = {entry.key: entry.answer for entry in entries}
    changed = [entry for entry in sheet.entries if entry.answer != then.get(entry.key, Answer())]
    names = {key: name for key, name in sheet.names.items() if key in stored.criterion_answers}
    return FrozenSheet(Sheet(sheet.study, entries, names), stored.version, stored.frozen_at, stored.digest, changed)


def _as_frozen(stored: Datasheet, entry: Entry) -> Proposal | None:
    answers = stored.criterion_answers.get(entry.criterion, {}) if entry.criterion else stored.answers
    found = answers.get(entry.question.number)
    return Proposal(Answer.of(found), found["source"]) if found is not None else None


def _entries(known: Known, own: Mapping[str, Any], of_criteria: Mapping[str, Any]) -> Iterator[Entry]:
    per_criterion = questions_of(Version.THREE, per_criterion=True)
    section = ""
    for question in questions().values():
        if not question.is_per_criterion:
            yield Entry(question, "", "", known.answers.get(question.number), _own(own, question))
        elif section != "4":
            for key, name in known.names.items():
                proposed, written = known.criterion_answers.get(key, {}), of_criteria.get(key, {})
                for asked in per_criterion:
                    yield Entry(asked, key, name, proposed.get(asked.number), _own(written, asked))
        section = question.section


def _own(stored: Mapping[str, Any], question: Question) -> Own | None:
    return Own.of(stored[question.number]) if question.number in stored else None
