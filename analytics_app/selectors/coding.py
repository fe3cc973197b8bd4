"""Compare two coders of free-text answers, and count codes by whether the rater's choice was right."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from analytics_app.stats.agreement.kappa import cohen_kappas
from analytics_app.stats.comparison.corrections import adjust
from analytics_app.stats.comparison.drawn_tables import fisher
from analytics_app.stats.values import Estimate
from tasks_app.models import Rating, Study, Task
from tasks_app.selectors.coding import Coding


@dataclass(frozen=True, slots=True)
class CodeAgreement:
    """Agreement of two coders on a code: Cohen's kappa, and the numbers of answers with it by both, one or neither."""

    name: str
    kappa: Estimate
    both: int
    one_only: int
    other_only: int
    neither: int


def agreement_of(coding: Coding) -> list[CodeAgreement]:
    """Return the agreement on each code, where each answer has the code or has not."""
    agreements = []
    for name in coding.names:
        by_coder = [[int(name in codes[answer.pk]) for answer in coding.answers] for codes in coding.by_coder]
        pairs = list(zip(*by_coder, strict=True))
        counts = [pairs.count(pair) for pair in ((1, 1), (1, 0), (0, 1), (0, 0))]
        agreements.append(CodeAgreement(name, _kappa(by_coder, [0, 1]), *counts))
    return agreements


def overall_of(coding: Coding) -> Estimate:
    """Return Cohen's kappa over whole answers: coders agree on an answer if they gave it exactly the same codes."""
    sets = [[frozenset(codes[answer.pk]) for answer in coding.answers] for codes in coding.by_coder]
    known = {
        code_set: number
        for number, code_set in enumerate(dict.fromkeys(code_set for of_coder in sets for code_set in of_coder))
    }
    return _kappa([[known[code_set] for code_set in of_coder] for of_coder in sets], list(known.values()))


def _kappa(by_coder: Sequence[Sequence[int]], domain: Sequence[int]) -> Estimate:
    n = len(by_coder[0])
    (pair,) = cohen_kappas(
        [*by_coder[0], *by_coder[1]], [*range(n), *range(n)], [0] * n + [1] * n, domain=domain, min_shared=2
    ).pairs
    return pair.estimate


@dataclass(frozen=True, slots=True)
class ByVerdict:
    """The number of answers with a code: of all, and by right and wrong choice of the rater; `test` compares these.

    `p_adjusted` is corrected by Holm over the codes. Both are None if a test is impossible.
    """

    name: str
    n: int
    right: int
    wrong: int
    test: Estimate | None
    p_adjusted: float | None

    @property
    def p(self) -> float | None:
        """Return the p value before the correction."""
        return None if self.test is None else self.test.p


@dataclass(frozen=True, slots=True)
class Counts:
    """Codes by right and wrong choices.

    The rows, the numbers of answers of either kind, and the reason if there is no test.
    """

    rows: tuple[ByVerdict, ...]
    n: int
    n_right: int
    n_wrong: int
    untested: str = ""

    @property
    def has_verdicts(self) -> bool:
        """Return whether the answers belong to choices that are right or wrong."""
        return bool(self.n_right or self.n_wrong)


SEVERAL = "Some raters gave several answers, which are not independent, so that there is no test."
UNDECIDED = "Some disagreements are not decided yet; their answers are left out, and there is no test."


def counts_of(coding: Coding) -> Counts:
    """Return the counts of each code, by whether the rater's choice in the same judgment was right."""
    decided = [(answer, codes) for answer in coding.answers if (codes := coding.final(answer)) is not None]
    verdicts = verdicts_of(coding.codebook.study, [answer for answer, _codes in decided])
    right = [codes for answer, codes in decided if verdicts.get(answer.judgment_id) is True]
    wrong = [codes for answer, codes in decided if verdicts.get(answer.judgment_id) is False]
    repeated = len({answer.rater_id for answer, _codes in decided}) < len(decided)
    untested = UNDECIDED if coding.open_disagreements else SEVERAL if repeated else ""
    rows = []
    for name in coding.names:
        n, n_right, n_wrong = (
            sum(name in codes for codes in group) for group in ([codes for _answer, codes in decided], right, wrong)
        )
        test = None if untested or not (right and wrong) else fisher(n_right, len(right), n_wrong, len(wrong))
        rows.append((name, n, n_right, n_wrong, test))
    adjusted = adjust([test.p if test is not None else None for *_counts, test in rows])
    counted = tuple(ByVerdict(*row, p) for row, p in zip(rows, adjusted, strict=True))
    return Counts(counted, len(decided), len(right), len(wrong), untested)


def verdicts_of(study: Study, answers: Sequence[Rating]) -> dict[int, bool]:
    """Return whether the choice in each judgment was right, for task types with right choices (triangle test)."""
    keys = {
        (task.pk, outcome.criterion)
        for task in Task.objects.filter(study=study, pk__in={answer.task_id for answer in answers})
        for outcome in task.kind.outcomes
        if outcome.graded
    }
    if not keys:
        return {}
    rows = Rating.objects.filter(
        judgment__in={answer.judgment_id for answer in answers},
        criterion__key__in={key for _task, key in keys},
        task__in={task for task, _key in keys},
        value__isnull=False,
    ).values_list("judgment_id", "value")
    return {judgment: value == 1 for judgment, value in rows}


# Columns of the file of codes.
COLUMNS = ("answer", "judgment", "rater", "unit", "question", "text", "right", "coder_1", "coder_2", "decided", "codes")


def file_of(coding: Coding) -> Iterator[tuple[str, ...]]:
    """Yield the header of the file of codes, and a row for each answer; several codes are separated by " | "."""
    yield COLUMNS
    answers = list(
        Rating.objects.filter(pk__in=[answer.pk for answer in coding.answers])
        .select_related("rater", "unit")
        .order_by("pk")
    )
    verdicts = verdicts_of(coding.codebook.study, answers)
    for answer in answers:
        final, decided, right = coding.final(answer), coding.agreed.get(answer.pk), verdicts.get(answer.judgment_id)
        yield (
            str(answer.pk), str(answer.judgment_id), answer.rater.pseudonym, answer.unit.key, coding.codebook.criterion,
            answer.text or "", "" if right is None else str(int(right)),
            *(" | ".join(codes[answer.pk]) for codes in coding.by_coder),
            "" if decided is None else " | ".join(decided), "" if final is None else " | ".join(final),
        )  # fmt: skip
