"""Trust coefficients of raters."""

from collections.abc import Iterator
from typing import Any

import numpy as np
from django.utils.translation import gettext_lazy as _

from analytics_app.analyses.base import Rows, Sample, count
from analytics_app.analyses.registry import register
from analytics_app.analyses.shared.rated_texts import FIRST, BetweenRaters
from analytics_app.analyses.shared.transforms import Overall, Reducible
from analytics_app.ratings.extras.kinds import Kinds
from analytics_app.results import Row
from analytics_app.stats.quality.trust import MOST_RATERS, Level, trust_coefficients
from tasks_app.settings.fields import OneOfField, choice_field
from tasks_app.task_types.base import Scale

FAVOURS = "Groups of raters without alpha count as full agreement, which favours raters with few answers."


@register
class Trust(Reducible, Overall, BetweenRaters):
    """Trust coefficients (Borovikova et al. 2022): raters whose groups have high agreement are trusted more.

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
            mine = raters == code
            yield make.row(
                "trust_coefficient",
                value=coefficient,
                rater=sample.table.names.raters[code],
                n_ratings=int(mine.sum()),
                n_items=count(texts[mine]),
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
