"""Tables of comparisons by hand: screens, what they show, and what raters said of them."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from analytics_app import analyses
from analytics_app.analyses.base import Common, Question, Sample
from analytics_app.ratings import Judgments, Names, Table
from analytics_app.results import Row
from analytics_app.stats.scales.standardise import judge_wise_z
from tasks_app.task_types.base import Scale


@dataclass
class Screens:
    """Units of a study, each with its item (None for a tuple over several) and the systems of each of its texts."""

    units: list[tuple[str | None, list[list[tuple[str, str]]]]] = field(default_factory=list)
    said: list[dict[str, Any]] = field(default_factory=list)
    judged: int = 0

    def unit(self, item: str | None, *texts: str) -> int:
        """Add a unit: a text is the systems that produced it, with spaces between; "item:system" where items mix."""
        parts = []
        for text in texts:
            pairs = [one.split(":") if ":" in one else [str(item), one] for one in text.split()]
            parts.append([(of_item, system) for of_item, system in pairs])
        self.units.append((item, parts))
        return len(self.units) - 1

    def judge(self, rater: int, unit: int, *ratings: dict[str, Any]) -> None:
        """Add a judgment with its ratings: part, and value, label, part_b, shown where there are any."""
        self.said += [{"rater": rater, "unit": unit, "judgment": self.judged, **one} for one in ratings]
        self.judged += 1

    def values(self, rater: int, unit: int, *values: float, shown: Sequence[float] = ()) -> None:
        """Add a judgment with a value a text."""
        places = shown or [float("nan")] * len(values)
        pairs = enumerate(zip(values, places, strict=True))
        self.judge(rater, unit, *({"part": k, "value": value, "shown": place} for k, (value, place) in pairs))

    def table(self) -> Table:
        """Return all of it as a table."""
        systems = sorted({system for _item, parts in self.units for part in parts for _of, system in part})
        items = sorted({of for _item, parts in self.units for part in parts for of, _system in part})
        labels = sorted({one["label"] for one in self.said if "label" in one})
        begin = np.cumsum([0, *(len(parts) for _item, parts in self.units)])
        shown = [
            (int(begin[u]) + p, systems.index(system), items.index(of))
            for u, (_item, parts) in enumerate(self.units)
            for p, part in enumerate(parts)
            for of, system in part
        ]
        n_raters = max((one["rater"] for one in self.said), default=0) + 1
        names = Names(
            raters=tuple(f"r{k}" for k in range(n_raters)),
            rater_ids=np.arange(n_raters),
            units=tuple(f"u{k}" for k in range(len(self.units))),
            unit_ids=np.arange(len(self.units)),
            part_ids=np.arange(begin[-1]),
            unit_of_part=np.repeat(np.arange(len(self.units)), np.diff(begin)).astype(np.int32),
            item_of_unit=np.array([-1 if item is None else items.index(item) for item, _p in self.units], np.int32),
            criteria=("quality",),
            criterion_ids=np.array([1]),
            labels=tuple(labels),
            systems=tuple(systems),
            items=tuple(items),
            document_of_item=np.full(len(items), -1, np.int32),
            documents=(),
            groups=(),
            shown_part=np.array([one[0] for one in shown], np.int32),
            shown_system=np.array([one[1] for one in shown], np.int32),
            shown_item=np.array([one[2] for one in shown], np.int32),
        )
        return self._rows(names, begin, labels)

    def _rows(self, names: Names, begin: Any, labels: Sequence[str]) -> Table:
        def column(name: str, kind: Any = np.int32, default: Any = -1) -> Any:
            return np.array([one.get(name, default) for one in self.said], dtype=kind)

        first = {one["judgment"]: one for one in self.said}
        codes = np.array(sorted(first), dtype=np.int64)
        n = len(codes)
        judgments = Judgments(
            id=codes,
            rater=np.array([first[k]["rater"] for k in sorted(first)], np.int32),
            unit=np.array([first[k]["unit"] for k in sorted(first)], np.int32),
            order=np.arange(n, dtype=np.int32),
            seconds=np.ones(n),
            at=np.arange(n, dtype=float),
            wave=np.ones(n, np.int32),
            group=np.full(n, -1, np.int32),
            simulated=np.zeros(n, bool),
        )
        unit = column("unit")
        part, other = column("part"), column("part_b")
        return Table(
            id=np.arange(len(self.said)),
            judgment=np.searchsorted(codes, column("judgment", np.int64)).astype(np.int32),
            rater=column("rater"),
            unit=unit,
            part=np.where(part >= 0, begin[unit] + part, -1).astype(np.int32),
            part_b=np.where(other >= 0, begin[unit] + other, -1).astype(np.int32),
            criterion=np.zeros(len(self.said), np.int32),
            number=np.ones(len(self.said), np.int32),
            value=column("value", float, float("nan")),
            shown=column("shown", float, float("nan")),
            label=np.array([labels.index(one["label"]) if "label" in one else -1 for one in self.said], np.int32),
            judgments=judgments,
            names=names,
        )


def rows_of(
    name: str, screens: Screens, task_type: str, scale: Scale, params: dict[str, Any] | None = None, **settings: Any
) -> list[Row]:
    """Run an analysis with its own settings, but for those given."""
    table = screens.table()
    question = Question("main", task_type, scale, "quality", params=params or {})
    z = judge_wise_z(table.value, table.rater).z if len(table) else np.empty(0)
    sample = Sample(table, z, question, Common(n_resamples=200, n_permutations=999, seed=7), "kept")
    return list(analyses.registry[name](settings).rows(sample))


def one(rows: Sequence[Row], statistic: str, *about: str, label: str | None = None) -> Row:
    """Return the only row of a statistic about a system, or two."""
    system, system_b = [*about, None, None][:2]
    found = [
        row
        for row in rows
        if (row.statistic, row.system, row.system_b, row.label) == (statistic, system, system_b, label)
    ]
    assert len(found) == 1, (statistic, about, len(found))
    return found[0]


def said(row: Row) -> dict[str, Any]:
    """Return the settings of a row."""
    return dict(row.settings or {})
