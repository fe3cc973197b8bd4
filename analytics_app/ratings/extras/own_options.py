"""Options that belong to items, such as the senses of a word."""

from collections import defaultdict
from dataclasses import dataclass
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from analytics_app.ratings.extras.base import Extra, Loading, extra
from analytics_app.ratings.table import Table
from tasks_app.models import Item
from tasks_app.task_types.labels.options import EVERY, problem_in_options


@extra
@dataclass(frozen=True, slots=True)
class OwnOptions(Extra):
    """The lists of options of items: columns of equal length.

    `key` names the criterion, or is “labels” where a list is for every criterion; `item` is a code of the table's
    names.
    """

    key: tuple[str, ...]
    item: NDArray[np.int64]
    options: tuple[tuple[str, ...], ...]

    @classmethod
    def load(cls, loading: Loading) -> Self:
        """Read the lists of the study's items; versions of an item are in order of creation."""
        codes: dict[str, list[int]] = defaultdict(list)
        for code, key in enumerate(loading.table.names.items):
            codes[key].append(code)
        items = Item.objects.filter(study=loading.params["study"], key__in=codes).order_by("id")
        of_versions: dict[str, list[dict[str, Any]]] = defaultdict(list)
        for key, options in items.values_list("key", "options"):
            of_versions[key].append(options)
        lists = sorted(
            (name, code, tuple(listed))
            for key, versions in of_versions.items()
            for code, options in zip(codes[key], versions, strict=False)
            for name, listed in options.items()
            if problem_in_options(listed) is None
        )
        return cls(
            tuple(name for name, _code, _given in lists),
            np.array([code for _name, code, _given in lists], dtype=np.int64),
            tuple(listed for _name, _code, listed in lists),
        )

    @classmethod
    def empty(cls, table: Table) -> Self:
        """Return data without lists."""
        return cls((), np.empty(0, dtype=np.int64), ())

    def of(self, criterion: str | None) -> dict[int, tuple[str, ...]]:
        """Return the options for a criterion by item; an item without a list has no entry."""
        by_item: dict[int, tuple[str, ...]] = {}
        for name in (EVERY, criterion):
            entries = zip(self.key, self.item.tolist(), self.options, strict=True)
            by_item |= {item: options for key, item, options in entries if key == name}
        return by_item
