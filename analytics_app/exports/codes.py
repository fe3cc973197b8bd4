"""The file of coded free-text answers: a row for each answer, with the codes of both coders."""

from collections.abc import Iterator

from analytics_app.selectors.codes_by_verdict import verdicts_of
from tasks_app.models import Rating
from tasks_app.selectors.coding import Coding

# Columns of the file of codes.
COLUMNS = ("answer", "judgment", "rater", "unit", "question", "text", "right", "coder_1", "coder_2", "decided", "codes")


def lines_of(coding: Coding) -> Iterator[tuple[str, ...]]:
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
