"""Samples of the texts of a study that is set up: the strata to choose from, a draw, the last draw."""

from __future__ import annotations

import secrets
from collections.abc import Mapping
from dataclasses import dataclass

from django.utils.translation import gettext as _

from tasks_app.hooks.sections import Json
from tasks_app.models import Setup
from tasks_app.services import events
from tasks_app.services.database import atomically
from tasks_app.setup import changes, table_rows
from tasks_app.setup.tables import sampling
from tasks_app.setup.texts import reads
from tasks_app.setup.texts.writes import ABOUT, BROUGHT_BACK, SAMPLED, STORED

# The strata that a sample may be drawn by, besides features.
AT_RANDOM, BY_DOCUMENT, BY_SOURCE, BY_OUTPUT = "", "document", "source_length", "output_length"

SEEDS = 2**31


class CannotSample(Exception):
    """A sample that cannot be drawn; the message says why."""


@dataclass(frozen=True, slots=True)
class Sample:
    """A sample to draw: n items, by strata, with the same number or share from each, and a seed."""

    n: int
    by: str = AT_RANDOM
    equal: bool = False
    seed: int | None = None


def strata_of(setup: Setup) -> list[tuple[str, str]]:
    """Return the criteria by which a sample can be stratified: value and words."""
    columns = reads.columns_of(setup)
    values = [AT_RANDOM]
    values += [BY_DOCUMENT] if "document" in columns else []
    values += [BY_SOURCE] if "source" in columns else []
    values += [BY_OUTPUT, *(name for name in columns if name.startswith(reads.FEATURE))]
    return [(value, stratum_label(value)) for value in values]


def stratum_label(by: str) -> str:
    """Return the words for the criterion by which a sample is stratified."""
    labels = {
        AT_RANDOM: _("– at random –"),
        BY_DOCUMENT: _("document"),
        BY_SOURCE: _("length of the source"),
        BY_OUTPUT: _("length of the longest output"),
    }
    return labels.get(by) or _("feature “%(name)s”") % {"name": by.removeprefix(reads.FEATURE)}


@atomically
def take_sample(*, setup: Setup, sample: Sample, by: events.Actor) -> Mapping[str, Json]:
    """Keep the rows of n items only; return how they were drawn, as it stands in the log.

    Raises
    ------
    CannotSample
        Where there are not more items than that, or the strata are not there.
    NotADraft
        Where the study was opened meanwhile.
    """
    setup = changes.hold(setup)
    of_checks = table_rows.items_of_checks(setup)
    strata, before = _strata(setup, sample.by)
    strata = {item: stratum for item, stratum in strata.items() if item not in of_checks}
    if not 0 < sample.n < len(strata):
        raise CannotSample(
            _("There are %(all)s items: a sample has at least 1 and at most %(most)s of them.")
            % {"all": len(strata), "most": max(0, len(strata) - 1)}
        )
    seed = secrets.randbelow(SEEDS) if sample.seed is None else sample.seed
    drawn = sampling.draw(strata, sample.n, seed, equal=sample.equal)
    table_rows.take_out(
        setup, reads.TABLE, reads.rows_of(setup).exclude(cells__item__in=[*drawn, *of_checks]), changes.REMOVED
    )
    after = reads.rows_of(setup).count()
    changes.log_table(setup, reads.TABLE, before, after, by)
    counts: dict[str, int] = {}
    for key in drawn:
        counts[str(strata[key])] = counts.get(str(strata[key]), 0) + 1
    drawing = {
        "from_items": len(strata),
        "items": len(drawn),
        "from_rows": before,
        "rows": after,
        "by": sample.by,
        "equal": sample.equal,
        "seed": seed,
        **({"strata": counts} if sample.by and len(counts) <= 100 else {}),
    }
    events.log(setup.study, by, SAMPLED, about=ABOUT, before={"items": len(strata)}, after=drawing)
    return drawing


def _strata(setup: Setup, by: str) -> tuple[dict[str, str], int]:
    """Return the stratum of every item, and the number of rows. Raises CannotSample."""
    strata: dict[str, str] = {}
    lengths: dict[str, int] = {}
    n = 0
    for cells in reads.cells_of_rows(setup):
        n += 1
        item = cells.get("item", "")
        if by in (BY_SOURCE, BY_OUTPUT):
            text = cells.get("source" if by == BY_SOURCE else "output", "")
            # The length of an item is that of its longest output; its source may stand in one of its rows only.
            lengths[item] = max(lengths.get(item, 0), len(text))
        elif by:
            strata[item] = strata.get(item) or cells.get(by, "")
        else:
            strata[item] = ""
    if by in (BY_SOURCE, BY_OUTPUT) and lengths:
        strata = sampling.length_strata(lengths)
    if by and not any(strata.values()):
        raise CannotSample(
            _("No text has a value for this, so the sample cannot be stratified by it. Choose something else.")
        )
    return strata, n


def last_sample(setup: Setup) -> Mapping[str, Json] | None:
    """Return the sample that was drawn of the texts; None if none was drawn, or the texts were replaced since."""
    event = setup.study.events.filter(object=ABOUT, verb__in=(SAMPLED, STORED, BROUGHT_BACK)).order_by("-id").first()
    drawing: Mapping[str, Json] | None = event.after if event is not None and event.verb == SAMPLED else None
    return drawing
