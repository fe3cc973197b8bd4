"""Units of types that judge texts one at a time or side by side."""

from collections.abc import Iterator, Sequence

from tasks_app.task_types.base import ItemTexts, UnitDraft


def units_of_texts(items: Sequence[ItemTexts], *, together: bool) -> Iterator[UnitDraft]:
    """Make one unit a distinct text, or one an item with all its distinct texts side by side; none where no text is."""
    for item in items:
        if not item.groups:
            continue
        if together:
            yield UnitDraft(item.key, item.key, item.groups, item.document)
            continue
        for group in item.groups:
            first = item.outputs[group[0]]
            tail = f"/{first.variant}" if first.variant else ""
            yield UnitDraft(f"{item.key}/{first.system}{tail}", item.key, (group,), item.document)
