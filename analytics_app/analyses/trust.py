"""Trust coefficients of raters."""

from collections.abc import Iterator
from typing import Any

import numpy as np
from django.utils.translation import gettext, ngettext
from django.utils.translation import gettext_lazy as _

from analytics_app.analyses.base import Rows, Sample, count
from analytics_app.analyses.registry import register
from analytics_app.analyses.shared.rated_texts import FIRST, BetweenRaters
from analytics_app.analyses.shared.transforms import Overall, Reducible
from analytics_app.charts import words
from analytics_app.charts.drawing import Sketch, chart
from analytics_app.charts.picking import Material, left_off, point, setting, value_of
from analytics_app.charts.points import MOST_ROWS as MOST_POINTS
from analytics_app.charts.points import points_chart
from analytics_app.models import ResultRow
from analytics_app.ratings.extras.kinds import Kinds
from analytics_app.results import Row
from analytics_app.show import cells
from analytics_app.show.cells import Cell
from analytics_app.show.notes import notes_of
from analytics_app.show.shown import MOST_ROWS, Shown, StoredRows, lines_of, named, own, table_of, tables_of
from analytics_app.show.table import Table
from analytics_app.stats.quality.trust import MOST_RATERS, Level, trust_coefficients
from tasks_app.settings.fields import OneOfField, choice_field
from tasks_app.task_types.base import Scale

FAVOURS = "Groups of raters without alpha count as full agreement, which favours raters with few answers."


@register
class Trust(Reducible, Overall, BetweenRaters):
    """Trust coefficients (Borovikova et al. 2022): raters in groups with high agreement are trusted more.

    Alpha of every group of two raters or more; each member of a group gains its alpha times its rank; 1 is the most
    trusted rater. The authors leave out raters at .5 or below, as the quality rule of that name does.
    """

    label = _("Trust coefficients")
    summary = _(
        "How agreement in groups of raters changes with the presence of each rater; 1 is the most trusted rater."
    )
    source = (
        "Borovikova, Grobol, Halftermeyer and Billot (2022). A methodology for the comparison of human judgments with "
        "metrics for coreference resolution. HumEval, 16-23."
    )
    scales = frozenset({Scale.NOMINAL, Scale.ORDINAL, Scale.INTERVAL})
    statistics = {
        "trust_coefficient": _("Trust coefficient"),
        "trust_groups": _("Groups of raters compared"),
        "trust_groups_undefined": _("Groups of raters without alpha"),
    }
    # Trust needs other raters of the same texts, and groups of a study rarely share texts.
    splits = False
    needs = frozenset({Kinds})
    distinguishing_settings = ("level", "reduce")

    level: OneOfField[Level] = choice_field(
        _("Level of measurement"),
        (
            ("nominal", _("nominal, as published")),
            ("ordinal", _("ordinal, which fits a scale better")),
            ("interval", _("interval")),
        ),
        initial="nominal",
    )

    def compute(self, sample: Sample) -> Iterator[Row]:
        """Yield the coefficient of each rater, and the number of groups of raters behind it."""
        sample, lost = self.on_its_scale(sample)
        once, level = sample.first_per_rater(), self.level
        labels = sample.question.scale is Scale.NOMINAL and bool((once.table.label >= 0).any())
        values = np.where(once.table.label >= 0, once.table.label, np.nan) if labels else once.table.value
        rated = ~np.isnan(values)
        values, texts, raters = values[rated], once.text[rated], once.table.rater[rated]
        # Labels have no order, so the level of the settings does not apply.
        measured: Level = "nominal" if sample.question.scale is Scale.NOMINAL else level
        make = Rows(self.name, sample)
        row_settings: dict[str, Any] = {"level": level, "ratings": FIRST}
        if (n := count(raters)) > MOST_RATERS:
            note = f"There are {n:,} raters, and random groups of more than {MOST_RATERS} hardly differ by one of them."
            yield make.row("trust_coefficient", note=note, n_raters=n, settings=row_settings)
            return
        trust = trust_coefficients(values, texts, raters, level=measured, rng=sample.rng(f"trust {level}"))
        if trust.coefficients is None:
            note = " ".join(filter(None, (trust.note, lost)))
            yield make.row("trust_coefficient", note=note, n_raters=n, settings=row_settings)
            return
        if trust.sampled:
            row_settings["seed"] = sample.seed(f"trust {level}")
        row_settings["groups"] = f"a sample of {trust.subsets:,}" if trust.sampled else f"all {trust.subsets:,}"
        for code, coefficient in zip(trust.raters.tolist(), trust.coefficients.tolist(), strict=True):
            of_rater = raters == code
            yield make.row(
                "trust_coefficient",
                value=coefficient,
                rater=sample.table.names.raters[code],
                n_ratings=int(of_rater.sum()),
                n_items=count(texts[of_rater]),
                n_raters=n,
                settings=row_settings,
            )
        yield make.row("trust_groups", value=float(trust.subsets), n_raters=n, settings=row_settings)
        yield make.row(
            "trust_groups_undefined",
            value=float(trust.undefined),
            n_raters=n,
            note=" ".join(filter(None, (FAVOURS if trust.undefined else None, lost))) or None,
            settings=row_settings,
        )


# The table of trust coefficients, with one row for each rater and one column for each scale.


@tables_of("trust")
def coefficients(rows: StoredRows, limit: float) -> Iterator[Table]:
    """Yield the coefficients before and after the rules side by side, the least trusted rater first."""
    of_raters = [row for row in rows.rows if row.statistic == "trust_coefficient" and row.rater]
    ways = list(dict.fromkeys((_way(row), row.basis) for row in of_raters))
    both = len({basis for _name, basis in ways}) > 1
    by_line = {(row.rater, _way(row), row.basis): row for row in of_raters}
    first = next((way for way in ways if way[1] == "kept"), ways[0] if ways else ("", "kept"))

    def trusted(line: ResultRow) -> tuple[bool, float]:
        row = by_line.get((line.rater, *first))
        return row is None or row.value is None, row.value if row is not None and row.value is not None else 0.0

    def column(name: str, basis: str) -> Shown:
        def show(line: ResultRow | None) -> Cell:
            row = by_line.get((line.rater, name, basis)) if line is not None else None
            return cells.number(row.value if row else None, 3)

        return own(gettext("%(name)s, before rules") % {"name": name} if both and basis == "all" else name, show)

    columns = [named(gettext("Rater"), lambda row: row.rater), *(column(*way) for way in ways)]
    lines = sorted(lines_of(of_raters, "rater"), key=trusted)[:MOST_ROWS]
    notes = [*_said(rows), *notes_of(rows.rows)]
    yield from table_of(rows, gettext("Trust coefficients"), columns, lines, notes=notes, for_notes=True)


def _way(row: ResultRow) -> str:
    """Return the name of the scale and the level of coefficients."""
    level = str((row.settings or {}).get("level", ""))
    return ", ".join(filter(None, (row.slice, level)))


def _said(rows: StoredRows) -> Iterator[str]:
    """Yield a sentence with the number of groups of raters, and of those with an undefined alpha."""
    undefined = {(_way(row), row.basis): row.value for row in rows.rows if row.statistic == "trust_groups_undefined"}
    for row in rows.rows:
        if row.statistic != "trust_groups" or row.value is None:
            continue
        way = (_way(row), row.basis)
        groups = (row.settings or {}).get("groups", "")
        basis = gettext("before rules") if row.basis == "all" else gettext("kept ratings")
        none = int(undefined.get(way) or 0)
        sentence = ngettext(
            "%(way)s (%(basis)s): %(groups)s group of raters, %(none)s without alpha.",
            "%(way)s (%(basis)s): %(groups)s groups of raters, %(none)s of them without alpha.",
            groups if isinstance(groups, int) else 2,
        )
        yield sentence % {
            "way": way[0], "basis": basis, "groups": groups, "none": none,
        }  # fmt: skip


# The chart of trust coefficients of raters.

# The authors leave out raters at or below this coefficient.
OUTLIER = 0.5


@chart(order=95)
def trust(material: Material) -> Iterator[Sketch]:
    """Draw the coefficient of each rater, the least trusted first, with the authors' limit."""
    rows = sorted((row for row in material.of("trust_coefficient") if row.rater), key=value_of)
    if not 2 < len(rows) <= MOST_POINTS or len({setting([row], "level") for row in rows}) > 1:
        return
    points = [point(row, words.bare(value_of(row)), name=row.rater, n=row.n_ratings) for row in rows]
    low = [rater for rater in points if rater.value <= OUTLIER]
    if low:
        title = f"{len(low)} of {len(points)} raters {'is' if len(low) == 1 else 'are'} trusted at .5 or below"
    else:
        title = f"No rater is trusted at .5 or below; the lowest is {words.short(points[0].name)} with {points[0].text}"
    yield Sketch(
        kind="trust",
        title=title,
        subtitle=(
            f"Trust coefficients on {material.name} ({setting(rows, 'level')} alpha; {setting(rows, 'groups')} groups "
            f"of raters); {material.basis(rows)}. 1 is the most trusted rater{left_off(points)}."
        ),
        by_system=any(row.by_system for row in rows),
        chart=points_chart(
            points,
            measure="Trust coefficient",
            limits=[(OUTLIER, "outliers up to .5")],
            domain=(min(0.0, points[0].value), 1.0),
        ),
        columns=(("name", "Rater"), ("value", "Coefficient"), ("n", "Ratings")),
        further=True,
    )
