"""The order of the two texts of a pair in rows of ratings, and the same as SQL.

Raters' answers are stored in the order of the unit's parts. A file may name the two texts in the other order, and
imports stored that as it came until version 0.3: such rows are turned wherever they are read, and never rewritten
(decision 0088). The parts of a unit are made in their order, so that the one with the lower id is the first.
"""

from tasks_app import task_types
from tasks_app.models import Rating


def of(rating: Rating) -> tuple[tuple[int | None, int | None], str | None]:
    """Return the first and the second text of a rating, and its label where they are named in this order."""
    first, second, label = rating.part_id, rating.part_b_id, rating.label
    if first is None or second is None or first < second:
        return (first, second), label
    return (second, first), task_types.exchanged_labels().get(label or "", label)


def part(alias: str) -> str:
    """Return the first text of a rating; its only one where it is about one, NULL where it is about none."""
    return f"LEAST({alias}.part_id, {alias}.part_b_id)"


def part_b(alias: str) -> str:
    """Return the second text of a rating, NULL where it is about one text at most."""
    return f"CASE WHEN {alias}.part_b_id IS NOT NULL THEN GREATEST({alias}.part_id, {alias}.part_b_id) END"


def label(alias: str) -> str:
    """Return the label of a rating, as it is called where the first text is named first."""
    cases = " ".join(f"WHEN '{word}' THEN '{other}'" for word, other in sorted(task_types.exchanged_labels().items()))
    turned = f"CASE {alias}.label {cases} ELSE {alias}.label END" if cases else f"{alias}.label"
    return f"CASE WHEN {alias}.part_b_id < {alias}.part_id THEN {turned} ELSE {alias}.label END"
