"""Count the codes of answers by whether the rater's choice was right, with Fisher's test of each code."""

from collections.abc import Sequence
from dataclasses import dataclass

from analytics_app.stats.comparison.corrections import adjust
from analytics_app.stats.comparison.drawn_tables import fisher
from analytics_app.stats.values import Estimate
from tasks_app.models import Rating, Study, Task
from tasks_app.selectors.coding import Coding


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
