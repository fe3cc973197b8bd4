"""The datasheet of a study: for every question the proposal of the study and the answer of a researcher."""

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
from tasks_app.services.study.correcting import Corrected, corrections_of


@dataclass(frozen=True, slots=True)
class Own:
    """An answer that a researcher wrote."""

    answer: Answer
    revision: int
    by: str
    at: datetime

    @classmethod
    def of(cls, stored: Mapping[str, Any]) -> Own:
        """Read a stored answer."""
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
        """Return the answer that counts: that of a researcher, else the proposal of the study."""
        if self.own is not None:
            return self.own.answer
        return self.proposed.answer if self.proposed is not None else Answer()

    @property
    def key(self) -> str:
        """Return the name of the entry in forms and addresses."""
        return f"{self.question.number}~{self.criterion}" if self.criterion else self.question.number

    @property
    def anchor(self) -> str:
        """Return the name of the entry in ids of the page, which scripts use as selectors."""
        return self.key.replace(".", "-").replace("~", "--")

    @property
    def words(self) -> str:
        """Return the answer in words for readers."""
        return in_words(self.question, self.answer)

    @property
    def source(self) -> str:
        """Return the person who answered, or the source of the study's proposal."""
        if self.own is not None:
            return self.own.by
        return self.proposed.source if self.proposed is not None else ""

    @property
    def proposed_words(self) -> str:
        """Return the study's proposal in words for readers."""
        return in_words(self.question, self.proposed.answer) if self.proposed is not None else ""

    @property
    def is_complete(self) -> bool:
        """Return whether the question is answered."""
        return is_complete(self.question, self.answer)

    @property
    def differs(self) -> bool:
        """Return whether the answer of a researcher differs from the study's proposal."""
        return self.own is not None and self.proposed is not None and self.own.answer != self.proposed.answer

    @property
    def shown(self) -> str:
        """Return the revision and a digest of the answer that a form showed to its sender."""
        return f"{self.own.revision if self.own is not None else 0}-{digest_of(self.answer)}"


def digest_of(answer: Answer) -> str:
    """Return a short digest, by which a form detects that its sender changed an answer."""
    return hashlib.sha256(json.dumps(answer.stored).encode()).hexdigest()[:16]


def is_untouched(answer: Answer, shown: str) -> bool:
    """Return whether a form was sent with the answer that it showed."""
    return shown.partition("-")[2] == digest_of(answer)


@dataclass(frozen=True)
class Sheet:
    """Every entry of a study's datasheet. `names` are those of the criteria by their keys.

    `corrections` are texts that were corrected while the study was open, the first one first.
    """

    study: Study
    entries: Sequence[Entry]
    names: Mapping[str, str] = field(default_factory=dict)
    corrections: Sequence[Corrected] = ()

    def of(self, version: Version) -> list[Entry]:
        """Return the entries of a version, in its order."""
        return [entry for entry in self.entries if entry.question.number_in(version)]

    def by_key(self) -> dict[str, Entry]:
        """Return the entries by their names in forms."""
        return {entry.key: entry for entry in self.entries}


def sheet_of(study: Study, known: Known | None = None) -> Sheet:
    """Return the current datasheet of a study."""
    known = known if known is not None else known_of(study)
    stored = Datasheet.objects.filter(study=study, version=None).first()
    own = stored.answers if stored is not None else {}
    of_criteria = stored.criterion_answers if stored is not None else {}
    return Sheet(study, list(_entries(known, own, of_criteria)), known.names, corrections_of(study))


@dataclass(frozen=True)
class FrozenSheet:
    """The datasheet at the time when a version was opened; `changed` are entries with different answers now."""

    sheet: Sheet
    version: int
    at: datetime
    digest: str
    changed: Sequence[Entry]


def frozen_sheet(sheet: Sheet) -> FrozenSheet | None:
    """Return the datasheet that was frozen last, with the changes since then; None if none was frozen."""
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
    stored_answer = answers.get(entry.question.number)
    return Proposal(Answer.of(stored_answer), stored_answer["source"]) if stored_answer is not None else None


def _entries(known: Known, own: Mapping[str, Any], of_criteria: Mapping[str, Any]) -> Iterator[Entry]:
    per_criterion = questions_of(Version.THREE, per_criterion=True)
    section = ""
    for question in questions().values():
        if not question.is_per_criterion:
            yield Entry(question, "", "", known.answers.get(question.number), _own(own, question))
        elif section != "4":
            for key, name in known.names.items():
                proposed, written = known.criterion_answers.get(key, {}), of_criteria.get(key, {})
                for criterion_question in per_criterion:
                    yield Entry(
                        criterion_question,
                        key,
                        name,
                        proposed.get(criterion_question.number),
                        _own(written, criterion_question),
                    )
        section = question.section


def _own(stored: Mapping[str, Any], question: Question) -> Own | None:
    return Own.of(stored[question.number]) if question.number in stored else None
