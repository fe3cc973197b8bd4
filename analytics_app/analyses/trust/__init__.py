"""Trust coefficients of raters."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np
from django import forms
from django.utils.translation import gettext_lazy as _

from analytics_app.analyses.base import Rows, Sample, count
from analytics_app.analyses.registry import register
from analytics_app.analyses.shared.rated_texts import FIRST, BetweenRaters
from analytics_app.analyses.shared.transforms import ReducedFilters, on_its_scale
from analytics_app.ratings.extras.kinds import Kinds
from analytics_app.results import Row
from analytics_app.stats.quality.trust import MOST_RATERS, Level, trust_coefficients
from tasks_app.task_types.base import Scale

FAVOURS = "Groups of raters without alpha count as full agreement, which favours raters with few answers."


@register
class Trust(BetweenRaters):
    """Trust coefficients (Borovikova et al. 2022): whose presence in a group of raters goes with high agreement.

    Alpha of every group of two raters or more; each member of a group gains its alpha times its rank; 1 is the most
    trusted rater. The authors leave out who is at .5 or below: the quality rule of that name does.
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
    # A rater is trusted among the others who rated the same texts, and groups of raters rarely share any.
    splits = False
    needs = frozenset({Kinds})
    told_apart_by = ("level", "reduce")

    class Settings(ReducedFilters):
        level = forms.ChoiceField(
            choices=(
                ("nominal", _("nominal, as published")),
                ("ordinal", _("ordinal, which fits a scale better")),
                ("interval", _("interval")),
            ),
            initial="nominal",
            label=_("Level of measurement"),
        )

    def compute(self, sample: Sample, settings: Mapping[str, Any]) -> Iterator[Row]:
        """Yield a coefficient a rater, and how many groups they come from."""
        sample, lost = on_its_scale(sample, settings)
        once, level = sample.first_per_rater(), settings["level"]
        labels = sample.question.scale is Scale.NOMINAL and bool((once.table.label >= 0).any())
        values = np.where(once.table.label >= 0, once.table.label, np.nan) if labels else once.table.value
        rated = ~np.isnan(values)
        values, texts, raters = values[rated], once.text[rated], once.table.rater[rated]
        # Labels have no order, whatever the level says.
        measured: Level = "nominal" if sample.question.scale is Scale.NOMINAL else level
        make, said = Rows(self.name, sample), {"level": level, "ratings": FIRST}
        if (n := count(raters)) > MOST_RATERS:
            note = f"There are {n:,} raters, and random groups of more than {MOST_RATERS} hardly differ by one of them."
            yield make.row("trust_coefficient", note=note, n_raters=n, settings=said)
            return
        found = trust_coefficients(values, texts, raters, level=measured, rng=sample.rng(f"trust {level}"))
        if found.coefficients is None:
            note = " ".join(filter(None, (found.note, lost)))
            yield make.row("trust_coefficient", note=note, n_raters=n, settings=said)
            return
        if found.sampled:
            said["seed"] = sample.seed(f"trust {level}")
        said["groups"] = f"a sample of {found.subsets:,}" if found.sampled else f"all {found.subsets:,}"
        for code, coefficient in zip(found.raters.tolist(), found.coefficients.tolist(), strict=True):
            mine = raters == code
            yield make.row(
                "trust_coefficient",
                value=coefficient,
                rater=sample.table.names.raters[code],
                n_ratings=int(mine.sum()),
                n_items=count(texts[mine]),
                n_raters=n,
                settings=said,
            )
        yield make.row("trust_groups", value=float(found.subsets), n_raters=n, settings=said)
        yield make.row(
            "trust_groups_undefined",
            value=float(found.undefined),
            n_raters=n,
            note=" ".join(filter(None, (FAVOURS if found.undefined else None, lost))) or None,
            settings=said,
        )
