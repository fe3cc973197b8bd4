"""Texts that raters wrote: those that are finished, those chosen to be verified, and the verdicts on them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import TypeAlias

from django.db.models import Q

from tasks_app.models import CollectedText, Judgment, Output, PartOutput, Rater, Rating, Study, Task
from tasks_app.models.judgments import AssignmentPurpose
from tasks_app.selectors.acceptance import rule_of
from tasks_app.task_types.base import Scale
from tasks_app.task_types.written import written

LONGEST_KEY = 100


@dataclass(frozen=True, slots=True)
class Written:
    """A text that a rater wrote, with the answer that it is and the text that it was made from."""

    rating: int
    judgment: int
    author: int
    item: str
    text: str
    source: str
    source_language: str
    language: str

    @property
    def is_changed(self) -> bool:
        """Whether it differs from its source, white space aside."""
        return self.text.split() != self.source.split()


@dataclass(frozen=True, slots=True)
class Chosen:
    """A text to be verified, under the key of its new item, with every answer that has exactly these words."""

    item: str
    texts: tuple[Written, ...]

    @property
    def text(self) -> str:
        """The words."""
        return self.texts[0].text.strip()

    @property
    def n_authors(self) -> int:
        """The number of raters who wrote it."""
        return len({text.author for text in self.texts})


def text_tasks(study: Study) -> list[Task]:
    """Return the tasks of a study in which raters write texts of their own from texts that they are shown."""
    return [
        task
        for task in Task.objects.filter(study=study, stage=Task.Stage.MAIN)
        if any(outcome.scale is Scale.TEXT and outcome.per == "part" for outcome in task.kind.outcomes)
    ]


def written_texts(study: Study) -> list[Written]:
    """Return the finished texts of a study by their ids: current answers of raters who have ended, in four queries."""
    current = Judgment.objects.current().filter(
        assignment__rater__study=study, assignment__purpose=AssignmentPurpose.MAIN, skip_reason=""
    )
    ratings = (
        Rating.objects.filter(task__in=text_tasks(study), part__isnull=False, text__gt="", judgment__in=current)
        .filter(rater__state=Rater.State.ENDED, rater__erased_at=None)
        .exclude(rater__kind=Rater.Kind.SANDBOX)
        .order_by("pk")
        .values_list("pk", "judgment_id", "rater_id", "part_id", "text")
    )
    rows = list(ratings)
    output_of_part: dict[int, Output] = {}
    of_parts = PartOutput.objects.filter(part__in={row[3] for row in rows}).select_related("output__item")
    for part_output in of_parts.order_by("-pk"):
        output_of_part[part_output.part_id] = part_output.output
    texts = []
    for rating, judgment, author, part, text in rows:
        if text is None or not text.strip() or part not in output_of_part:
            continue
        output = output_of_part[part]
        # Without a source of its own, the text that was rewritten is the source.
        source, tag = output.item.source or output.text, output.item.source_language
        texts.append(
            Written(
                rating,
                judgment,
                author,
                output.item.key,
                text,
                source,
                tag if output.item.source else output.language,
                output.language,
            )
        )
    return texts


@dataclass(frozen=True, slots=True)
class Choice:
    """The texts that go on: those that no earlier round has, those that were changed, those that were accepted."""

    only_new: bool = True
    only_changed: bool = True
    only_accepted: bool = False


@dataclass(frozen=True)
class Selection:
    """The texts that a choice takes, and why others stay behind."""

    chosen: tuple[Chosen, ...]
    n_written: int
    n_in_rounds: int
    n_unchanged: int
    n_not_accepted: int

    @cached_property
    def n_answers(self) -> int:
        """The number of answers among the chosen texts."""
        return sum(len(text.texts) for text in self.chosen)

    @property
    def n_merged(self) -> int:
        """The number of answers that have the words of another one, and share its item."""
        return self.n_answers - len(self.chosen)


def select(study: Study, choice: Choice, rows: Iterable[Judged]) -> Selection:
    """Return the texts of a study that a choice takes. Each reason for leaving texts out counts only those still left.

    `rows` are the texts in the rounds so far, as somebody may see them; no text goes into a second round unasked,
    whoever made the first.
    """
    texts = written_texts(study)
    n_written = len(texts)
    in_rounds = set(CollectedText.objects.filter(origin=study).values_list("rating", flat=True))
    left = [text for text in texts if not (choice.only_new and text.rating in in_rounds)]
    changed = [text for text in left if text.is_changed or not choice.only_changed]
    chosen = changed
    if choice.only_accepted:
        accepted = {row.rating for row in accepted_rows(rows)}
        chosen = [text for text in changed if text.rating in accepted]
    return Selection(
        merged(chosen), n_written, n_written - len(left), len(left) - len(changed), len(changed) - len(chosen)
    )


def merged(texts: Iterable[Written]) -> tuple[Chosen, ...]:
    """Join answers with the same words about the same item, white space at the ends aside."""
    groups: dict[tuple[str, str, str], list[Written]] = {}
    for text in texts:
        groups.setdefault((text.item, text.source, text.text.strip()), []).append(text)
    return tuple(
        Chosen(f"{key[: LONGEST_KEY - 21]}-{group[0].rating}", tuple(group)) for (key, _s, _t), group in groups.items()
    )


@dataclass(frozen=True, slots=True)
class Verdict:
    """The answers about a text, by criterion and answer, and whether it is accepted; None where that is undecided."""

    answers: Mapping[str, Counter[str]] = field(default_factory=dict)
    accepted: bool | None = None


def rounds_of(study: Study) -> list[Study]:
    """Return the studies that verify texts of a study, oldest first."""
    ids = CollectedText.objects.filter(origin=study).order_by().values("study")
    return list(Study.objects.filter(pk__in=ids).order_by("pk"))


# An author of a text in a round, the round, and the verdict; None where there is none.
Judged: TypeAlias = tuple[CollectedText, Study, Verdict | None]


def verdicts_of(rounds: Sequence[Study]) -> dict[tuple[int, str], Verdict]:
    """Return the verdicts of studies that verify texts, by study and item, in one query; none before a study is closed.

    Answers count as given: no quality rule decides which texts are accepted, nor who is paid.
    """
    rules = {study.pk: rule_of(study) for study in rounds if study.state == Study.State.CLOSED}
    named = Q(pk__in=[])
    for study, rule in rules.items():
        named |= Q(criterion__study=study, criterion__key__in=rule.criteria)
    current = Judgment.objects.current().filter(
        assignment__rater__study__in=rules, assignment__purpose=AssignmentPurpose.MAIN, skip_reason=""
    )
    rows = (
        Rating.objects.filter(named, judgment__in=current)
        .exclude(rater__kind=Rater.Kind.SANDBOX)
        .values_list(
            "criterion__study",
            "unit__item__key",
            "part__part_outputs__output__item__key",
            "criterion__key",
            "label",
            "value",
        )
    )
    given: dict[tuple[int, str], dict[str, Counter[str]]] = {}
    for study, unit_item, part_item, criterion, label, value in rows:
        item: str | None = unit_item or part_item
        answer = label or ("" if value is None else written(value))
        if item and answer:
            given.setdefault((study, item), {}).setdefault(criterion, Counter())[answer] += 1
    return {place: Verdict(answers, rules[place[0]].verdict(answers)) for place, answers in given.items()}


def judged_rows(study: Study, rounds: Sequence[Study]) -> list[Judged]:
    """Return every author of every text of a study that a round has, oldest round first, in three queries.

    A text that was edited in the draft of its round is no longer its author's, and has no verdict.
    """
    by_pk = {round_.pk: round_ for round_ in rounds}
    verdicts = verdicts_of(rounds)
    outputs = Output.objects.filter(item__study__in=by_pk, until=None)
    as_written = set(outputs.values_list("item__study", "item__key", "digest"))
    rows = CollectedText.objects.filter(study__in=by_pk, origin=study).order_by("study_id", "pk")
    return [
        (
            row,
            by_pk[row.study_id],
            verdicts.get((row.study_id, row.item)) if (row.study_id, row.item, row.digest) in as_written else None,
        )
        for row in rows
    ]


def accepted_rows(rows: Iterable[Judged]) -> list[CollectedText]:
    """Return the authors of accepted texts; a text is accepted where its newest decided round accepts it."""
    newest: dict[int, tuple[CollectedText, bool]] = {}
    for row, _round, verdict in rows:
        if row.rating is not None and verdict is not None and verdict.accepted is not None:
            newest[row.rating] = (row, verdict.accepted)
    return [row for row, accepted in newest.values() if accepted]


@dataclass(slots=True)
class AuthorTexts:
    """The texts of one author: how many are in a round, have a verdict, and are accepted."""

    name: str
    sent: int = 0
    decided: int = 0
    accepted: int = 0

    @property
    def share(self) -> float | None:
        """The accepted share of the decided texts; None where none is decided."""
        return self.accepted / self.decided if self.decided else None


def authors_of(rows: Iterable[Judged]) -> list[AuthorTexts]:
    """Count the texts of each author; the newest verdict on a text counts. Authors who were erased are left out."""
    newest: dict[int, tuple[str, bool | None]] = {}
    for row, _round, verdict in rows:
        if row.rating is not None:
            before = newest.get(row.rating, ("", None))[1]
            decided = verdict.accepted if verdict is not None else None
            newest[row.rating] = (row.author_name, before if decided is None else decided)
    authors: dict[str, AuthorTexts] = {}
    for name, accepted in newest.values():
        author = authors.setdefault(name, AuthorTexts(name))
        author.sent += 1
        author.decided += accepted is not None
        author.accepted += accepted is True
    return sorted(authors.values(), key=lambda author: author.name)
