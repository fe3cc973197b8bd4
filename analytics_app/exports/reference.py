"""Generate the tables of docs/columns.md from the declarations."""

from collections.abc import Iterator, Sequence

from django.utils.translation import override

from analytics_app.exports.columns import OPEN_ENDED, RATINGS, RESULTS, Column
from tasks_app import task_types
from tasks_app.task_types import TaskType
from tasks_app.task_types.base import Outcome

# The unit of an outcome in words, and the columns that identify it.
PER = {
    "criterion": ("for each text and criterion", ("item", "system", "variant", "criterion")),
    "part": ("for each text", ("item", "system", "variant", "criterion")),
    "pair": (
        "for each two texts and criterion",
        ("item", "system", "variant", "system_b", "criterion"),
    ),
    "unit": ("for each unit", ("item", "criterion")),
    "span": (
        "for each marked span",
        (
            *("item", "system", "variant", "criterion"),
            *("span_side", "span_start", "span_end", "category", "severity", "mark_origin", "mark_of", "given_by"),
            *("mark_reason", "value"),
        ),
    ),
}


BESIDE = (
    "Beside the columns that every row has. What does not apply to a study stays empty: `variant` without variants, "
    "the item of a questionnaire, `category` without kinds of error. `shown_value` is filled where the text says so."
)


def reference() -> str:
    """Return every table in Markdown, in English for any active language."""
    with override("en"):
        return "\n".join(_lines()) + "\n"


def _lines() -> Iterator[str]:
    yield from ("### Ratings", "")
    yield from _columns((*RATINGS, *OPEN_ENDED))
    yield from (
        "",
        "### What each task type fills",
        "",
        BESIDE,
        "",
        "| task type | records | columns |",
        "|---|---|---|",
    )
    for name, kind in task_types.registry.items():
        yield from _outcomes(name, kind)
    yield from ("", "### Results", "")
    yield from _columns(RESULTS)


def _columns(columns: Sequence[Column]) -> Iterator[str]:
    yield from ("| column | holds | |", "|---|---|---|")
    yield from (f"| `{column.name}` | {column.kind} | {column.doc} |" for column in columns)


def _outcomes(name: str, kind: type[TaskType]) -> Iterator[str]:
    for outcome in kind.outcomes:
        how_often, _places = PER[outcome.per]
        filled = ", ".join(f"`{column}`" for column in columns_of(outcome))
        prefix = f"`{outcome.criterion}`: " if outcome.criterion else ""
        yield f"| `{name}` | {prefix}{outcome.name}: {outcome.doc} One row {how_often}, {outcome.scale}. | {filled} |"


def columns_of(outcome: Outcome) -> tuple[str, ...]:
    """Return the columns of the ratings that an outcome fills, in addition to those of every row."""
    _how_often, places = PER[outcome.per]
    return tuple(dict.fromkeys((*places, outcome.column)))
