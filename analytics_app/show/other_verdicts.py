"""Verdicts of the model of ordinal steps that differ from those of the comparison that takes steps as equal."""

from django.utils.translation import gettext as _
from django.utils.translation import gettext_noop

from analytics_app.models import ResultRow
from analytics_app.show import cells
from analytics_app.show.comparisons import Compared
from analytics_app.show.findings import listed_pairs

APART = gettext_noop(
    "The model of ordinal steps says otherwise: %(pairs)s differ clearly if steps are not taken as equally far apart."
)
ALIKE = gettext_noop(
    "The model of ordinal steps says otherwise: no clear difference between %(pairs)s if steps are not taken as "
    "equally far apart."
)
TURNED = gettext_noop(
    "The model of ordinal steps says otherwise: of %(pairs)s it puts the other system higher, since it does not take "
    "steps as equally far apart."
)


def verdicts_on_steps(compared: Compared) -> list[str]:
    """Return a sentence for each kind of verdict that differs, with its pairs and their adjusted p on steps."""
    if not compared.crossed:
        return []
    on_steps = {(row.system, row.system_b): row for row in compared.of_steps if row.p_adjusted is not None}
    pairs_by_kind: dict[str, list[str]] = {}
    for row in compared.tested:
        other = on_steps.get((row.system, row.system_b))
        if other is None or (kind := _kind(compared, row, other)) is None:
            continue
        p = cells.p_value(other.p_adjusted).text
        about = {"a": row.system, "b": row.system_b, "p": p if p.startswith("<") else f"= {p}"}
        pairs_by_kind.setdefault(kind, []).append(_("%(a)s and %(b)s (p %(p)s)") % about)
    return [_(kind) % {"pairs": listed_pairs(pairs)} for kind, pairs in pairs_by_kind.items()]


def _kind(compared: Compared, row: ResultRow, other: ResultRow) -> str | None:
    linear, steps = compared.significant(row), compared.significant(other)
    if (linear or steps) and (row.value or 0.0) * (other.value or 0.0) < 0:
        return TURNED
    if linear == steps:
        return None
    return APART if steps else ALIKE
