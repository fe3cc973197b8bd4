"""Confirmatory factors: whether pairs or questions measure the dimensions that were named before, with new raters."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from django import forms
from django.core.exceptions import ValidationError
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _
from numpy.typing import NDArray

from analytics_app.analyses.base import Question, Rows, Sample
from analytics_app.analyses.registry import register
from analytics_app.analyses.shared.filtered import FilteredAnalysis
from analytics_app.analyses.shared.pairs import clusters_of, unit_of
from analytics_app.analyses.shared.scales_of_texts import Complete, complete_rows
from analytics_app.ratings import Floats
from analytics_app.results import Row
from analytics_app.show.formats import df, digits, interval, items, p, raters
from analytics_app.show.notes import notes_of
from analytics_app.show.shown import Shown, StoredRows, named, own, subsets, table_of, tables_of
from analytics_app.show.table import Table
from analytics_app.stats.scales.confirmatory import RMSEA_CONFIDENCE, Confirmed, confirm, degrees_of_freedom, robust_fit
from analytics_app.stats.scales.factorability import constant_columns, correlations, too_few_rows
from analytics_app.stats.values import Estimate, joined
from tasks_app.settings.fields import LineField
from tasks_app.task_types.base import ORDERED_SCALES, Scale

_WRITTEN = re.compile(r"\s*([\w .-]*\w)\s*:\s*(.+)")

DEPENDENT = (
    "As if ratings of one rater, and of one text, were independent: with more ratings of each, p is too small and the "
    "interval too narrow."
)
# The rows of which a fit is: `label` of its statistics.
RATINGS, TEXTS, CENTRED = "ratings", "text means", "less the rater's mean"
METHOD = {"extraction": "maximum likelihood", "factors": "correlated, each scale on one factor"}


def read_factors(text: str) -> dict[str, list[str]]:
    """Read factors, one per line: a name, a colon, and keys of pairs or questions with commas between them.

    Raises ValidationError with every problem by line.
    """
    factors: dict[str, list[str]] = {}
    problems: list[ValidationError] = []
    for number, line in enumerate(text.splitlines(), start=1):
        match = _WRITTEN.fullmatch(line)
        if not line.strip():
            continue
        keys = [key.strip() for key in match[2].split(",") if key.strip()] if match else []
        taken = {key for of_factor in factors.values() for key in of_factor}
        twice = sorted({key for key in keys if key in taken or keys.count(key) > 1})
        if match is None:
            sentence = gettext("Write a name, a colon and keys, such as “clarity: clear, precise, plain”.")
        elif match[1] in factors:
            sentence = gettext("There are two factors “%(name)s”.") % {"name": match[1]}
        elif twice:
            sentence = gettext("A pair or question belongs to one factor; named twice: %(keys)s.")
            sentence %= {"keys": ", ".join(twice)}
        elif len(keys) < 2:
            sentence = gettext("A factor needs at least two pairs or questions.")
        else:
            factors[match[1]] = keys
            continue
        problems.append(ValidationError(f"{gettext('Line')} {number}: {sentence}", code="no_factor"))
    if not problems and factors and degrees_of_freedom([len(keys) for keys in factors.values()]) < 0:
        problems.append(ValidationError(gettext("One factor alone needs at least three pairs or questions.")))
    if problems:
        raise ValidationError(problems)
    return factors


def written(factors: Mapping[str, list[str]]) -> str:
    """Write factors as `read_factors` reads them."""
    return "\n".join(f"{name}: {', '.join(keys)}" for name, keys in factors.items())


class FactorsField(LineField):
    """Factors of pairs or questions, one per line, in their normal spelling."""

    def clean(self, value: Any) -> str:
        """Refuse lines that name no factor."""
        return written(read_factors(super().clean(value)))


@register
class ConfirmedFactors(FilteredAnalysis):
    """Confirmatory factor analysis over rater and text: each pair or question on the factor that the plan names.

    Maximum likelihood, factors correlated, loadings standardised. `fit_chi2` is the test of exact fit as if ratings
    were independent, with CFI, TLI, RMSEA (interval of 90 %) and SRMR; `fit_robust` is the same test with raters and
    items as samples. The fit is also computed for the means of texts, and for ratings less the mean of their rater.
    Factors that were found in the same ratings are not confirmed by them: name those of an earlier study.
    """

    label = _("Confirmed factors")
    summary = _("Do pairs or questions measure the dimensions that an earlier study found?")
    source = (
        "Jöreskog (1969). A general approach to confirmatory maximum likelihood factor analysis. Psychometrika 34(2), "
        "183-202. Hu and Bentler (1999). Cutoff criteria for fit indexes in covariance structure analysis. Structural "
        "Equation Modeling 6(1), 1-55. Satorra and Bentler (1994). Corrections to test statistics and standard errors "
        "in covariance structure analysis. Latent Variables Analysis, 399-419. Sage."
    )
    scales = frozenset({Scale.ORDINAL, Scale.INTERVAL})
    task_types = frozenset({"semantic_differential", "questionnaire"})
    whole_task = True
    splits = False
    leads = False
    statistics = {
        "fit_chi2": _("Fit of the named factors, chi-squared"),
        "fit_robust": _("Fit of the named factors, with raters and texts as samples"),
        "cfi": _("Comparative fit index (CFI)"),
        "tli": _("Tucker-Lewis index (TLI)"),
        "rmsea": _("Root mean square error of approximation (RMSEA)"),
        "srmr": _("Standardised root mean square residual (SRMR)"),
        "confirmed_loading": _("Standardised loading on the named factor"),
        "confirmed_correlation": _("Correlation of named factors"),
    }

    factors = FactorsField(
        required=False,
        initial="",
        max_length=4000,
        widget=forms.Textarea(attrs={"rows": 4, "spellcheck": "false"}),
        label=_("Factors"),
        help_text=_(
            "One per line: a name, a colon, and the keys of its pairs or questions with commas between them, such as "
            "“clarity: clear, precise, plain”. If empty, this analysis is skipped."
        ),
    )

    @classmethod
    def fits(cls, question: Question) -> bool:
        """Return whether there are enough scales for a factor."""
        return super().fits(question) and sum(scale.scale in ORDERED_SCALES for scale in question.criteria) > 2

    def compute(self, sample: Sample) -> Iterator[Row]:
        """Yield the fit for each kind of rows, then loadings and correlations; nothing if no factor is named."""
        factors, make = read_factors(self.factors), Rows(self.name, sample)
        if not factors:
            return
        scales = {scale.key: scale for scale in sample.question.criteria if scale.scale in ORDERED_SCALES}
        keys = [key for of_factor in factors.values() for key in of_factor]
        if unknown := [key for key in keys if key not in scales]:
            note = f"This task does not ask on a scale with steps or numbers: {', '.join(unknown)}."
            yield make.row("fit_chi2", label=RATINGS, note=note)
            return
        rows = complete_rows(sample, tuple(scales[key] for key in keys))
        groups = [place for place, of_factor in enumerate(factors.values()) for _key in of_factor]
        for data in _kinds(sample, rows):
            fitted = _fitted(data, groups, keys)
            yield from _fit_rows(make, data, fitted, groups, keys)
            if data.label == RATINGS and not isinstance(fitted, str):
                yield from _model_rows(make, fitted, list(factors), groups, keys)


@dataclass(frozen=True, slots=True)
class _Data:
    """Rows to which the factors are fitted: `values` (rows, p), of which `n` are independent of the rest.

    `samples` are the raters and items of the rows, as far as there are several of each. `counts` are columns of the
    results, and `note` says which rows were left out.
    """

    label: str
    values: Floats
    n: int
    samples: Mapping[str, NDArray[np.int64]]
    counts: Mapping[str, Any] = field(default_factory=dict)
    note: str | None = None


def _kinds(sample: Sample, rows: Complete) -> Iterator[_Data]:
    """Yield the ratings, then the means of texts, and the ratings less the mean of their rater, where there are texts.

    One degree of freedom of each rater goes into the mean that is taken away.
    """
    table, n = sample.table, len(rows.values)
    item, unit = table.names.item_of_unit[table.unit[rows.first]].astype(np.int64), unit_of(sample)
    if len(table.names.items):
        item = clusters_of(table.names, by_document=sample.question.by_document)[item]
    counts = {
        "n_ratings": rows.values.size, "n_items": len(np.unique(rows.text)), "n_raters": len(np.unique(rows.rater)),
    }  # fmt: skip
    left_out = f"{rows.incomplete} of {n + rows.incomplete} rows lack a rating and are left out."
    note = left_out if rows.incomplete else None
    yield _Data(RATINGS, rows.values, n, _several({"raters": rows.rater, unit: item}), counts, note)
    texts, first = np.unique(rows.text, return_index=True)
    if len(texts) > 1:
        yield _Data(TEXTS, rows.text_means(), len(texts), _several({unit: item[first]}))
        _raters, place, times = np.unique(rows.rater, return_inverse=True, return_counts=True)
        several = times[place] > 1
        samples = _several({"raters": rows.rater[several], unit: item[several]})
        yield _Data(CENTRED, rows.centred(), int(several.sum() - (times > 1).sum()), samples)


def _several(samples: Mapping[str, NDArray[np.int64]]) -> dict[str, NDArray[np.int64]]:
    """Return the samples of which the rows have more than one member."""
    return {name: code for name, code in samples.items() if len(np.unique(code)) > 1}


def _fitted(data: _Data, groups: list[int], keys: list[str]) -> Confirmed | str:
    """Return the fit of some rows, or a sentence that explains why there is none."""
    if why := too_few_rows(data.n, len(keys)):
        return why
    alike = [keys[place] for place in constant_columns(data.values).tolist()]
    if alike:
        return f"All ratings are the same: {', '.join(alike)}."
    try:
        fit = confirm(correlations(data.values), groups, data.n)
    except ValueError as problem:
        return str(problem)
    return fit.refusal or fit


def _fit_rows(make: Rows, data: _Data, fitted: Confirmed | str, groups: list[int], keys: list[str]) -> Iterator[Row]:
    """Yield the fit of one kind of rows: chi-squared, the test with raters and items as samples, and the indices."""
    if isinstance(fitted, str):
        yield make.row("fit_chi2", Estimate(None, note=joined(fitted, data.note)), label=data.label, **data.counts)
        return
    heywood = ", ".join(keys[place] for place in fitted.heywood)
    at_bound = f"Heywood case: nothing of {heywood} is left unexplained; doubt the model." if heywood else None
    settings = {**METHOD, "rows": data.n}
    interval_of = {"interval": f"noncentral chi-squared, {RMSEA_CONFIDENCE:.0%}"}
    independent = DEPENDENT if data.samples else None
    robust = robust_fit(data.values, groups, fitted, *data.samples.values()) if data.samples else Estimate(None)
    test = f"mean-and-variance adjusted chi-squared, {' and '.join(data.samples)} as samples"
    for statistic, estimate, more, note in (
        ("fit_chi2", fitted.chi2, {"test": "chi-squared of exact fit"}, independent),
        ("fit_robust", robust, {"test": test}, None),
        ("cfi", fitted.cfi, {}, None),
        ("tli", fitted.tli, {}, None),
        ("rmsea", fitted.rmsea, interval_of, independent),
        ("srmr", Estimate(fitted.srmr), {}, None),
    ):
        if statistic == "fit_robust" and not data.samples:
            continue
        told = joined(estimate.note, data.note, at_bound, note)
        about = {"label": data.label, **data.counts, "note": told, "settings": {**settings, **more}}
        yield make.row(statistic, estimate, **about)


def _model_rows(make: Rows, fitted: Confirmed, names: list[str], groups: list[int], keys: list[str]) -> Iterator[Row]:
    """Yield the loading of each scale, then the correlations of factors."""
    for key, group, loading in zip(keys, groups, fitted.loadings.tolist(), strict=True):
        yield make.row("confirmed_loading", value=loading, label=key, metric=names[group], settings=METHOD)
    for place, name in enumerate(names):
        for other in range(place + 1, len(names)):
            value = float(fitted.factors[place, other])
            yield make.row("confirmed_correlation", value=value, metric=name, metric_b=names[other], settings=METHOD)


# Tables: the fit, then the loadings, then the correlations.


@tables_of("confirmed_factors")
def confirmed_tables(rows: StoredRows, limit: float) -> Iterator[Table]:
    """Yield the tables of fit, loadings and correlations."""
    yield from _fit_table(rows)
    loadings = rows.whole.of("confirmed_loading")
    columns = [
        named(gettext("Scale"), lambda row: row.label),
        named(gettext("Factor"), lambda row: row.metric),
        own(gettext("Loading"), digits(2)),
    ]
    yield from table_of(
        rows.whole, gettext("Loadings on the named factors"), columns, loadings, notes=notes_of(loadings)
    )
    pairs = [
        named(gettext("Factors"), lambda row: f"{row.metric} · {row.metric_b}"),
        own(gettext("Correlation"), digits(2)),
    ]
    correlated = rows.whole.of("confirmed_correlation")
    yield from table_of(rows.whole, gettext("Correlations of the named factors"), pairs, correlated)
    yield from subsets(rows, limit, gettext("Named factors by subset"))


def _fit_table(rows: StoredRows) -> Iterator[Table]:
    """Yield a table with a line for each kind of rows, with chi-squared and the indices of fit."""
    called = {
        RATINGS: gettext("Ratings"), TEXTS: gettext("Means of texts"),
        CENTRED: gettext("Ratings less the mean of their rater"),
    }  # fmt: skip
    columns = [
        named(gettext("Of"), lambda row: called.get(str(row.label), row.label)),
        own(gettext("Chi-squared"), digits(2)),
        own(gettext("df"), df),
        Shown(gettext("p, raters and texts as samples"), "fit_robust", p),
        Shown(gettext("CFI"), "cfi", digits(3)),
        Shown(gettext("TLI"), "tli", digits(3)),
        Shown(gettext("RMSEA"), "rmsea", digits(3)),
        Shown(gettext("Its interval"), "rmsea", interval(3)),
        Shown(gettext("SRMR"), "srmr", digits(3)),
        own(gettext("Texts"), items),
        own(gettext("Raters"), raters),
    ]
    lines = rows.whole.of("fit_chi2")
    notes = notes_of(lines)
    if any(row.value is not None for row in lines):
        notes.append(
            gettext(
                "The interval of RMSEA is one of 90 percent. Marks that are often used: CFI and TLI from .95, RMSEA up "
                "to .06, SRMR up to .08 (Hu and Bentler, 1999). They come from simulations of independent people."
            )
        )
    yield from table_of(rows.whole, gettext("Fit of the named factors"), columns, lines, by=("label",), notes=notes)
