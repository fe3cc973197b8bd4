"""Tables of factors: are there any, what loads on them, how reliable they are, where systems stand."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from django.utils.translation import gettext as _

from analytics_app.models import ResultRow
from analytics_app.views import tables, words
from analytics_app.views.picking import notes_of
from analytics_app.views.result_tables._finding import Found, degrees, ends, value
from analytics_app.views.result_tables.registry import tables_of
from analytics_app.views.tables import Cell, Column, Table

SUITED = ("kmo", "bartlett", "n_factors", "factor_fit")


@tables_of("factors")
def factors_tables(rows: Sequence[ResultRow], limit: float) -> Iterator[Table]:
    """Yield loadings and what factors are worth, then whether the data suit factors at all."""
    found = Found(rows)
    names = found.values("metric", found.of("loading"))
    if names:
        yield _loadings(found, names)
        yield _worth(found, names)
    if found.of("factor_score"):
        yield _scores(found, names)
    yield _suited(found)


def _loadings(found: Found, names: Sequence[str]) -> Table:
    """Return a row a scale, those of the first factor first; the strongest loading stands out."""
    columns = [
        Column(_("Scale"), number=False),
        *(Column(name.capitalize()) for name in names),
        Column(_("Communality")),
        Column(_("KMO")),
    ]
    by_scale: dict[str, list[float]] = {}
    for row in found.of("loading"):
        by_scale.setdefault(str(row.label), []).append(row.value if row.value is not None else 0.0)

    def place(scale: str) -> tuple[int, float]:
        sizes = [abs(one) for one in by_scale[scale]]
        return sizes.index(max(sizes)), -max(sizes)

    shown = []
    for scale in sorted(by_scale, key=place):
        strongest = max(abs(one) for one in by_scale[scale])
        cells = [tables.name(scale)]
        cells += [Cell(tables.figure(one, 2), one, strong=abs(one) == strongest) for one in by_scale[scale]]
        cells += [value(found.one(name, label=scale)) for name in ("communality", "kmo_of_scale")]
        shown.append(cells)
    notes = notes_of(found.of("loading", "communality", "kmo_of_scale"))
    method = _("Maximum likelihood, promax (power 4) with Kaiser normalisation throughout, as in SPSS.")
    return Table(_("Loadings"), columns, shown, [method, *notes])


def _worth(found: Found, names: Sequence[str]) -> Table:
    """Return a row a factor: variance, reliability, correlations, and whether other rows give the same."""
    others = found.values("label", found.of("factor_congruence"))
    columns = [
        Column(_("Factor"), number=False),
        Column(_("Variance")),
        Column(_("Cronbach's alpha")),
        Column(_("Interval of alpha")),
        Column(_("Omega")),
        *(Column(_("r with %(name)s") % {"name": name}) for name in names[:-1]),
        *(Column(_("Same with %(rows)s") % {"rows": label}) for label in others),
    ]
    shown = []
    for name in names:
        alpha, explained = found.one("factor_alpha", metric=name), found.one("variance_explained", metric=name)
        cells = [
            tables.name(name.capitalize()),
            tables.percent(explained.value if explained is not None else None),
            value(alpha),
            ends(alpha),
            value(found.one("factor_omega", metric=name)),
        ]
        cells += [value(found.one("factor_correlation", metric=other, metric_b=name)) for other in names[:-1]]
        cells += [value(found.one("factor_congruence", metric=name, label=label)) for label in others]
        shown.append(cells)
    notes = notes_of(found.of("factor_alpha", "factor_omega", "factor_congruence", "variance_explained"))
    if others:
        notes.append(_("Same with: Tucker's congruence with the nearest factor of those rows; 1 is the same."))
    return Table(_("Factors"), columns, shown, notes)


def _scores(found: Found, names: Sequence[str]) -> Table:
    """Return a row a system: its mean score on each factor, with interval."""
    rows = found.of("factor_score")
    columns = [Column(_("System"), number=False), Column(_("Rows"))]
    for name in names:
        columns += [Column(name.capitalize()), Column(_("Interval"))]
    shown = []
    for system in found.values("system", rows):
        mine = [found.one("factor_score", system=system, metric=name) for name in names]
        cells = [tables.name(system), tables.whole(mine[0].n_ratings if mine[0] is not None else None)]
        for one in mine:
            cells += [value(one), ends(one)]
        shown.append(cells)
    said = _("Scores by regression; 0 is the mean over all rows, 1 about one standard deviation.")
    return Table(_("Factor scores of systems"), columns, shown, [*notes_of(rows), said])


def _suited(found: Found) -> Table:
    columns = [
        Column(_("Measure"), number=False),
        Column(_("Value")),
        Column(_("df")),
        Column(_("p")),
        Column(_("Texts")),
        Column(_("Raters")),
        *([Column(_("Before rules"))] if found.both else []),
    ]
    shown = []
    for name in SUITED:
        row = found.one(name)
        if row is None:
            continue
        digits = 0 if name == "n_factors" else 2
        cells = [
            tables.name(words.statistic(name)),
            value(row, digits),
            degrees(row),
            tables.p_value(row.p),
            tables.whole(row.n_items),
            tables.whole(row.n_raters),
        ]
        if found.both:
            cells.append(value(found.one(name, before=True), digits))
        shown.append(cells)
    return Table(_("Suitability for factor analysis"), columns, shown, notes_of(found.of(*SUITED)))
