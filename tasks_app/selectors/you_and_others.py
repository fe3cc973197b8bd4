"""The answers of one rater beside those of the others on the same texts, for the rater's last page."""

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby
from operator import itemgetter
from statistics import fmean

from django.db import connection

from tasks_app.models import Criterion, Rater, Study
from tasks_app.models.judgments import is_current

# Nothing is shown of a question with fewer texts that others judged as well, or with fewer others: averages of less
# would be single answers.
LEAST_TEXTS, LEAST_OTHERS = 5, 2

# Types with one answer to each question about a text: a number, or one label or several.
TYPES = ("likert", "slider", "semantic_differential", "labels")

_SHARED = f"""
WITH counted AS (
    SELECT r.criterion_id, r.part_id, r.rater_id, min(r.value) AS value,
           string_agg(r.label, ' ' ORDER BY r.label) AS label
    FROM tasks_app_rating r
    JOIN tasks_app_task t ON t.id = r.task_id
    JOIN tasks_app_judgment j ON j.id = r.judgment_id
    JOIN tasks_app_assignment a ON a.id = j.assignment_id
    WHERE a.purpose = 'main' AND a.state IN ('submitted', 'surplus', 'replaced') AND a.rater_kind = 'real'
      AND r.criterion_id IS NOT NULL AND r.part_id IS NOT NULL AND (r.value IS NOT NULL OR r.label IS NOT NULL)
      AND r.part_id IN (SELECT own.part_id FROM tasks_app_rating own WHERE own.rater_id = %(rater)s)
      AND t.type = ANY(%(types)s) AND {is_current("j")}
    GROUP BY 1, 2, 3)
SELECT mine.criterion_id, mine.part_id, mine.value, mine.label, others.rater_id, others.value, others.label
FROM counted mine
JOIN counted others ON others.criterion_id = mine.criterion_id AND others.part_id = mine.part_id
WHERE mine.rater_id = %(rater)s AND others.rater_id <> %(rater)s
ORDER BY 1, 2
"""  # noqa: S608  conditions of ours


@dataclass(frozen=True, slots=True)
class Compared:
    """One question: the rater's average and that of the others on `n_texts` texts, or where most others agreed.

    Of answers with words `same` counts the texts on which the rater gave the most frequent answer of the others; None
    for numbers. `low` and `high` are the words at the ends of a scale.
    """

    question: str
    n_texts: int
    mine: float | None = None
    others: float | None = None
    same: int | None = None
    low: str = ""
    high: str = ""


def compared(rater: Rater) -> list[Compared]:
    """Return each question that enough others answered of enough of the rater's texts, in the order of the study.

    Nothing before the study is closed, and nothing where it does not show this. One statement.
    """
    study = rater.study
    if not study.options.show_comparison or study.state != Study.State.CLOSED or rater.kind != Rater.Kind.REAL:
        return []
    with connection.cursor() as cursor:
        cursor.execute(_SHARED, {"rater": rater.pk, "types": list(TYPES)})
        rows = cursor.fetchall()
    of_criterion = {key: list(group) for key, group in groupby(rows, itemgetter(0))}
    criteria = Criterion.objects.filter(pk__in=of_criterion).order_by("pk") if of_criterion else []
    return [found for criterion in criteria for found in _of_criterion(criterion, of_criterion[criterion.pk])]


def _of_criterion(criterion: Criterion, rows: Sequence[tuple[object, ...]]) -> Iterator[Compared]:
    texts = [list(group) for _part, group in groupby(rows, itemgetter(1))]
    if len(texts) < LEAST_TEXTS or len({row[4] for row in rows}) < LEAST_OTHERS:
        return
    question = criterion.question or criterion.name
    if all(row[2] is not None and row[5] is not None for row in rows):
        mine = fmean(float(str(text[0][2])) for text in texts)
        others = fmean(fmean(float(str(row[5])) for row in text) for text in texts)
        ends = criterion.ends
        yield Compared(question, len(texts), mine, others, None, str(ends.get("low", "")), str(ends.get("high", "")))
    elif all(row[3] is not None and row[6] is not None for row in rows):
        yield Compared(question, len(texts), same=sum(_is_usual(text) for text in texts))


def _is_usual(text: Sequence[tuple[object, ...]]) -> bool:
    """Return whether the rater's answer to a text is one of the most frequent of the others."""
    times = Counter(row[6] for row in text)
    return times[text[0][3]] == max(times.values())
