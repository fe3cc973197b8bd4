"""The changes to an open study, as lines for those who read its study file.

The study file has the frozen design, with corrected texts in their places. Further judgments and withdrawn texts are
no settings, so that a copy that begins with the file does not have them: they stand as comments on top of study.yaml
(docs/decisions/0109).
"""

from collections.abc import Iterator

from tasks_app.models import Study, Withdrawal
from tasks_app.services.study.correcting import corrections_of

# Comments are in English, as the names of the settings below them are.
_HEAD = "Changes while the study was open:"


def amendments_of(study: Study) -> list[str]:
    """Return a line for each change to an open study, below a heading; none for a study that was never changed."""
    lines = [*_corrected(study), *_extended(study), *_withdrawn(study)]
    return [_HEAD, *(f"- {_plain(line)}" for line in lines)] if lines else []


def _corrected(study: Study) -> Iterator[str]:
    for row in corrections_of(study):
        yield f"{row.at:%d %b %Y}: {row.title} corrected, and given below as corrected. Reason: {row.reason}"


def _extended(study: Study) -> Iterator[str]:
    for row in study.extensions.select_related("task").order_by("number", "task__order"):
        judgments = _counted(row.judgments, "more judgment of each unit", "more judgments of each unit")
        raters = _counted(row.raters, "more rater", "more raters")
        extension = " and ".join(words for n, words in ((row.judgments, judgments), (row.raters, raters)) if n)
        places = f"{_counted(row.places, 'place', 'places')} in {_counted(row.sets, 'set', 'sets')}"
        yield f"{row.at:%d %b %Y}: task {row.task.key}, {extension} ({places}); k below is that of the plan"


def _withdrawn(study: Study) -> Iterator[str]:
    rows = Withdrawal.objects.filter(Withdrawal.IN_FORCE, study=study).select_related("item", "output__system")
    for row in rows.order_by("pk"):
        text = f"item {row.item.key}" if row.output is None else f"item {row.item.key}, system {row.output.system.key}"
        yield f"{row.at:%d %b %Y}: {text} withdrawn, but still in the tables. Reason: {row.reason}"


def _counted(n: int, singular: str, plural: str) -> str:
    return f"{n} {singular if n == 1 else plural}"


def _plain(text: str) -> str:
    """Return a text in one line of characters that YAML allows in a comment."""
    words = " ".join(text.split())
    return "".join(character for character in words if character.isprintable())
