"""Tables of factors: suitability of the data, loadings, reliability, and scores of systems."""

from collections.abc import Iterator, Mapping, Sequence

from django.utils.translation import gettext as _

from analytics_app.models import ResultRow
from analytics_app.show import cells, formats
from analytics_app.show.cells import DASH, Cell
from analytics_app.show.formats import df, digits, interval, items, p, raters, ratings, share
from analytics_app.show.notes import notes_of
from analytics_app.show.shown import Shown, StoredRows, lines_of, named, own, table_of, tables_of
from analytics_app.show.table import Table

SUITED = ("kmo", "bartlett", "n_factors", "factor_fit")


@tables_of("factors")
def factors_tables(rows: StoredRows, limit: float) -> Iterator[Table]:
    """Yield the tables of loadings, reliability and scores, then that of the suitability of the data."""
    names = rows.values("metric", "loading")
    yield from _loadings(rows, names)
    yield from _removed(rows)
    yield from _worth(rows, names)
    yield from _scores(rows, names)
    yield from _suited(rows)


def _loadings(rows: StoredRows, names: Sequence[str]) -> Iterator[Table]:
    """Yield a table with one line for each scale, those of the first factor first; the strongest loading is bold."""
    by_scale: dict[str | None, list[float]] = {}
    for row in rows.of("loading"):
        by_scale.setdefault(row.label, []).append(row.value if row.value is not None else 0.0)

    def place(row: ResultRow) -> tuple[int, float]:
        sizes = [abs(loading) for loading in by_scale[row.label]]
        return sizes.index(max(sizes)), -max(sizes)

    def loading(row: ResultRow | None) -> Cell:
        if row is None:
            return Cell(DASH)
        value = row.value if row.value is not None else 0.0
        strongest = max(abs(other) for other in by_scale[row.label])
        return Cell(cells.figure(value, 2), value, strong=abs(value) == strongest, numbers=(value,))

    def called(row: ResultRow) -> str:
        return str(row.label) if row.label in by_scale else _("%(pair)s (removed)") % {"pair": row.label}

    def previous(head: str, statistic: str, where: Mapping[str, str] | None = None) -> Shown:
        return Shown(_("%(column)s, previous step") % {"column": head}, statistic, digits(2), where or {})

    earlier = rows.values("metric", "loading_before")
    columns = [named(_("Scale"), called)]
    for name in dict.fromkeys([*names, *earlier]):
        if name in names:
            columns.append(Shown(name.capitalize(), "loading", loading, {"metric": name}))
        if name in earlier:
            columns.append(previous(name.capitalize(), "loading_before", {"metric": name}))
    columns.append(Shown(_("Communality"), "communality", digits(2)))
    if earlier:
        columns.append(previous(_("Communality"), "communality_before"))
    if len(names) > 1:
        columns.append(Shown(_("Loading gap"), "loading_gap", digits(2)))
    columns.append(Shown(_("KMO"), "kmo_of_scale", digits(2)))
    lines = sorted(lines_of(rows.of("loading"), "label"), key=place)
    lines += [row for row in lines_of(rows.of("loading_before"), "label") if lines and row.label not in by_scale]
    method = _("Maximum likelihood, promax (power 4) with Kaiser normalisation throughout, as in SPSS.")
    notes = [method, *notes_of(rows.of("loading", "communality", "kmo_of_scale", "loading_before", "next_removal"))]
    if len(names) > 1:
        notes.append(_("Loading gap: difference between a pair's two strongest loadings."))
    yield from table_of(rows, _("Loadings"), columns, lines, by=("label",), notes=notes)


def _removed(rows: StoredRows) -> Iterator[Table]:
    """Yield a table with one line for each removed pair, in order of removal, with its figures before that."""
    reasons = {"communality": _("low communality"), "cross-loading": _("cross-loading"), "content": _("its content")}

    def said(row: ResultRow, name: str) -> object:
        return (row.settings or {}).get(name)

    def gap(row: ResultRow | None) -> Cell:
        value = said(row, "loading_gap") if row is not None else None
        return Cell(cells.figure(value, 2), value) if isinstance(value, float) else Cell(DASH)

    columns = [
        named(_("Step"), lambda row: said(row, "step") or DASH),
        named(_("Pair"), lambda row: row.label),
        named(_("Reason"), lambda row: reasons.get(str(said(row, "reason")), DASH)),
        own(_("Communality"), digits(2)),
        own(_("Loading gap"), gap),
        named(_("Factors then"), lambda row: said(row, "n_factors") or DASH),
    ]
    note = _("Communality and loading gap are those before the pair was removed.")
    lines = rows.of("removed_pair")
    yield from table_of(rows, _("Pairs removed"), columns, lines, notes=[note, *notes_of(lines)])


def _worth(rows: StoredRows, names: Sequence[str]) -> Iterator[Table]:
    """Yield a table with one line for each factor: variance, reliability, correlations, and congruence."""
    others = rows.values("label", "factor_congruence")
    columns = [
        named(_("Factor"), lambda row: str(row.metric).capitalize()),
        Shown(_("Variance"), "variance_explained", share),
        Shown(_("Cronbach's alpha"), "factor_alpha", digits(2)),
        Shown(_("Interval of alpha"), "factor_alpha", interval(2)),
        Shown(_("Omega"), "factor_omega", digits(2)),
        *(_correlation(rows, name) for name in names[:-1]),
        *(
            Shown(_("Same with %(rows)s") % {"rows": label}, "factor_congruence", digits(2), {"label": label})
            for label in others
        ),
    ]
    notes = notes_of(rows.of("factor_alpha", "factor_omega", "factor_congruence", "variance_explained"))
    if others:
        notes.append(_("Same with: Tucker's congruence with the nearest factor of those rows; 1 is the same."))
    lines = lines_of(rows.of("loading"), "metric")
    yield from table_of(rows, _("Factors"), columns, lines, by=("metric",), notes=notes)


def _correlation(rows: StoredRows, other: str) -> Shown:
    """Return the column of correlations with a factor."""

    def show(row: ResultRow | None) -> Cell:
        name = row.metric if row is not None else None
        return digits(2)(rows.one("factor_correlation", metric=other, metric_b=name))

    return own(_("r with %(name)s") % {"name": other}, show)


def _scores(rows: StoredRows, names: Sequence[str]) -> Iterator[Table]:
    """Yield a table with one line for each system: its mean score on each factor, with interval."""
    first = {"metric": names[0]} if names else {}
    columns = [named(_("System"), lambda row: row.system), Shown(_("Rows"), "factor_score", ratings, first)]
    for name in names:
        columns += [
            Shown(name.capitalize(), "factor_score", digits(2), {"metric": name}),
            Shown(_("Interval"), "factor_score", interval(2), {"metric": name}),
        ]
    explanation = _("Scores by regression; 0 is the mean over all rows, 1 about one standard deviation.")
    lines = lines_of(rows.of("factor_score"), "system")
    notes = [*notes_of(rows.of("factor_score")), explanation]
    yield from table_of(rows, _("Factor scores of systems"), columns, lines, by=("system",), notes=notes)


def _suited(rows: StoredRows) -> Iterator[Table]:
    def value(row: ResultRow | None) -> Cell:
        return digits(0 if row is not None and row.statistic == "n_factors" else 2)(row)

    columns = [
        named(_("Measure"), formats.statistic),
        own(_("Value"), value),
        own(_("df"), df),
        own(_("p"), p),
        own(_("Texts"), items),
        own(_("Raters"), raters),
        Shown(_("Before rules"), "", value, before=True),
    ]
    lines = [row for name in SUITED for row in rows.of(name)[:1]]
    notes = notes_of(rows.of(*SUITED))
    yield from table_of(rows, _("Suitability for factor analysis"), columns, lines, notes=notes)
