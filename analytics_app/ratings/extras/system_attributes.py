"""Attributes of systems, such as their size, and their kinds."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from analytics_app.ratings.extras.base import Extra, Loading, extra
from analytics_app.ratings.table import Table
from tasks_app.models import System

# The beginning of the names of attributes, as in a table of texts and ratings: system_size.
OF_SYSTEM = "system_"

# The kind of a system counts as an attribute: machine, human and so on.
KIND = f"{OF_SYSTEM}kind"


@extra
@dataclass(frozen=True, slots=True)
class SystemAttributes(Extra):
    """Attributes of systems: `words` has by attribute one word per system.

    Words are aligned with `table.names.systems`, "" for systems without the attribute.
    """

    words: Mapping[str, NDArray[Any]]

    @classmethod
    def load(cls, loading: Loading) -> Self:
        """Read the attributes of the study's systems."""
        names = loading.table.names.systems
        codes = {key: code for code, key in enumerate(names)}
        words: dict[str, NDArray[Any]] = {}
        systems = System.objects.filter(study=loading.run.study_id).order_by("id")
        for key, kind, attributes in systems.values_list("key", "kind", "attributes"):
            if key in codes:
                for name, word in {"kind": kind, **attributes}.items():
                    of_systems = words.setdefault(f"{OF_SYSTEM}{name}", np.full(len(names), "", dtype=object))
                    of_systems[codes[key]] = word
        return cls(words)

    @classmethod
    def empty(cls, table: Table) -> Self:
        """Return systems without attributes."""
        return cls({})
