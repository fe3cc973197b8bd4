"""The sentences that raters see around a text: those of its document before the text, or the whole document."""

from bisect import bisect_left
from collections import defaultdict
from collections.abc import Callable, Iterable
from functools import cache
from hashlib import sha256

from tasks_app.models import Item, Output, PartOutput, Task, Unit
from tasks_app.task_types.texts import TextType

# A system's texts of a document: the document, the system and the variant.
_By = tuple[int, int | None, str]


def surroundings(task: Task, same: Callable[[str], str]) -> dict[int, str]:
    """Return a digest of the sentences that raters see around each unit of a task, which is equal where they are.

    `same` changes each sentence before it is compared. A page with a whole document has its sources and the texts of
    the unit's own system; those of other systems are units of their own. Units without a document are left out, and a
    task that shows nothing around its texts has none and needs no query.
    """
    kind = task.kind
    before = kind.context_before if isinstance(kind, TextType) else 0
    translations = isinstance(kind, TextType) and kind.shows_translations
    if not before and not kind.shows_documents:
        return {}
    sources, texts = _sources(task.study_id, same), _texts(task.study_id, same)

    @cache
    def whole(by: _By) -> str:
        return _digest(word for at, source in sources[by[0]] for word in (source, texts[by].get(at, "")))

    @cache
    def told(document: int) -> list[tuple[int, str]]:
        return [(at, source) for at, source in sources[document] if source]

    def preceding(by: _By, position: int) -> list[str]:
        shown = told(by[0])
        end = bisect_left(shown, position, key=lambda placed: placed[0])
        sentences = shown[max(0, end - before) : end]
        return [word for at, source in sentences for word in (source, texts[by].get(at, "") if translations else "")]

    units = Unit.objects.filter(task=task, until=None, item__document__isnull=False)
    made_by = _systems_of(task)
    around = {}
    for unit, document, position in units.values_list("pk", "item__document", "item__position"):
        by = (document, *made_by.get(unit, (None, "")))
        around[unit] = _digest([*preceding(by, position), whole(by) if kind.shows_documents else ""])
    return around


def _sources(study: int, same: Callable[[str], str]) -> dict[int, list[tuple[int, str]]]:
    """Read the sources of the documents of a study, each with its position, in their order."""
    sources: dict[int, list[tuple[int, str]]] = defaultdict(list)
    items = Item.objects.filter(study=study, until=None, document__isnull=False).order_by("document", "position")
    for document, position, source in items.values_list("document", "position", "source"):
        sources[document].append((position, same(source or "")))
    return sources


def _texts(study: int, same: Callable[[str], str]) -> dict[_By, dict[int, str]]:
    """Read the texts of each system and variant in the documents of a study, by their positions."""
    texts: dict[_By, dict[int, str]] = defaultdict(dict)
    outputs = Output.objects.filter(item__study=study, item__until=None, until=None, item__document__isnull=False)
    columns = ("item__document", "system", "variant", "item__position", "text")
    for document, system, variant, position, text in outputs.order_by("pk").values_list(*columns):
        texts[document, system, variant][position] = same(text)
    return texts


def _systems_of(task: Task) -> dict[int, tuple[int | None, str]]:
    """Read the system and variant of the first text of each unit."""
    outputs = PartOutput.objects.filter(part__unit__task=task, part__unit__until=None)
    columns = ("part__unit", "output__system", "output__variant")
    last_to_first = outputs.order_by("part__unit", "-part__number", "-pk")
    return {unit: (system, variant) for unit, system, variant in last_to_first.values_list(*columns)}


def _digest(words: Iterable[str]) -> str:
    return sha256("\0".join(words).encode()).hexdigest()
