"""Read the coding of answers in words: the questions, their answers, and the codes that each coder gave them."""

import hashlib
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from django.db.models import Count, Max, QuerySet

from tasks_app.models import Code, Codebook, CodedAnswer, Coder, Judgment, Rater, Rating, Study, Task
from tasks_app.task_types.base import Scale


@dataclass(frozen=True, slots=True)
class Question:
    """A question that raters answered in words: the key of its criterion, its words, and how many answers there are."""

    key: str
    words: str
    n: int


def answers_in_words(study: Study) -> QuerySet[Rating]:
    """Return the free-text answers of a study that count: the last ones, by raters who were not trying out.

    A text that belongs to one of the texts shown, as one that was edited, is no answer in words.
    """
    tasks = [
        task
        for task in Task.objects.filter(study=study)
        if any(outcome.scale is Scale.TEXT and outcome.per != "part" for outcome in task.kind.outcomes)
    ]
    current = Judgment.objects.current().filter(assignment__rater__study=study)
    given = Rating.objects.filter(task__in=tasks, part=None, criterion__isnull=False, text__gt="", value=None)
    return given.filter(judgment__in=current).exclude(rater__kind=Rater.Kind.SANDBOX)


def questions_of(study: Study) -> list[Question]:
    """Return the questions that have answers in words."""
    counts = answers_in_words(study).order_by().values("criterion__key").annotate(
        n=Count("pk"), words=Max("criterion__question"), name=Max("criterion__name"), first=Max("criterion_id")
    )  # fmt: skip
    rows = sorted(counts, key=lambda row: int(row["first"]))
    return [Question(row["criterion__key"], row["words"] or row["name"], row["n"]) for row in rows]


def answers_to(study: Study, criterion: str) -> list[Rating]:
    """Return the answers to a question, by their ids."""
    return list(answers_in_words(study).filter(criterion__key=criterion).order_by("pk"))


def in_order_of(coder: int, answers: Sequence[Rating]) -> list[Rating]:
    """Return the answers in an order of a coder's own, so that those of one rater do not follow each other."""

    def place(rating: Rating) -> bytes:
        return hashlib.sha256(f"{coder}:{rating.pk}".encode()).digest()

    return sorted(answers, key=place)


@dataclass(frozen=True, slots=True)
class Coding:
    """Everything about the coding of one question.

    `by_coder` holds the codes that each of the coders gave, by answer, `agreed` those decided where they disagree.
    """

    codebook: Codebook
    codes: Sequence[Code]
    answers: Sequence[Rating]
    coders: tuple[Coder, ...]
    by_coder: tuple[Mapping[int, tuple[str, ...]], ...]
    agreed: Mapping[int, tuple[str, ...]]

    @property
    def names(self) -> tuple[str, ...]:
        """The names of the codes."""
        return tuple(code.name for code in self.codes)

    @property
    def is_complete(self) -> bool:
        """Whether both coders have coded every answer: before that, nobody sees the other's codes."""
        answer_ids = {answer.pk for answer in self.answers}
        return bool(answer_ids) and len(self.coders) == 2 and all(answer_ids <= codes.keys() for codes in self.by_coder)

    @property
    def disagreements(self) -> list[Rating]:
        """The answers to which the coders gave different codes."""
        first, second = self.by_coder
        return [answer for answer in self.answers if set(first[answer.pk]) != set(second[answer.pk])]

    @property
    def open_disagreements(self) -> list[Rating]:
        """The disagreements that nobody has decided yet."""
        return [answer for answer in self.disagreements if answer.pk not in self.agreed]

    def final(self, answer: Rating) -> tuple[str, ...] | None:
        """Return the codes of an answer: those of both coders, or those decided; None while it is undecided."""
        first, second = (codes[answer.pk] for codes in self.by_coder)
        return first if set(first) == set(second) else self.agreed.get(answer.pk)

    def coder_of(self, user_id: int | None) -> Coder | None:
        """Return the coder with the account of a user; None where there is none."""
        return next((coder for coder in self.coders if user_id is not None and coder.user_id == user_id), None)


def coding_of(codebook: Codebook) -> Coding:
    """Read the coding of a question in six queries."""
    answers = answers_to(codebook.study, codebook.criterion)
    coders = tuple(codebook.coders.select_related("user").order_by("number"))
    ids: dict[int | None, dict[int, tuple[str, ...]]] = {coder.pk: {} for coder in coders} | {None: {}}
    for rating, coder, codes in CodedAnswer.objects.filter(codebook=codebook).values_list("rating", "coder", "codes"):
        ids[coder][rating] = tuple(codes)
    return Coding(
        codebook=codebook,
        codes=list(codebook.codes.all()),
        answers=answers,
        coders=coders,
        by_coder=tuple(ids[coder.pk] for coder in coders),
        agreed=ids[None],
    )


def complete_codebooks(study: Study) -> list[Codebook]:
    """Return the codebooks of a study for which both coders have coded every answer."""
    codebooks = Codebook.objects.filter(study=study, begun_at__isnull=False).select_related("study")
    return [codebook for codebook in codebooks if coding_of(codebook).is_complete]


def progress_of(study: Study) -> dict[str, Counter[int]]:
    """Count the answers that each coder has coded, by the number of the coder, for every question."""
    rows = CodedAnswer.objects.filter(codebook__study=study, coder__isnull=False).values_list(
        "codebook__criterion", "coder__number"
    )
    counts: dict[str, Counter[int]] = {}
    for criterion, number in rows:
        counts.setdefault(criterion, Counter())[number] += 1
    return counts
