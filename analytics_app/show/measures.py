"""The measure of the values of systems, and how they were estimated, in words."""

from collections.abc import Iterable

from django.utils.translation import gettext as _

from analytics_app.models import ResultRow
from analytics_app.show.cells import Words
from analytics_app.show.comparisons import Compared, Comparison
from analytics_app.stats.mixed.results import ROBUST


def measured(comparison: Comparison, scale: tuple[float, float] | None, compared: Compared | None) -> Words:
    """Return the measure of the values of systems, with the ends of the scale: the axis shows only the part in use."""
    measure = comparison.measure
    if scale is not None and comparison.on_scale:
        low, high = (f"{end:g}".replace("-", "\N{MINUS SIGN}") for end in scale)
        about = {"measure": measure, "low": low, "high": high}
        measure = _("%(measure)s, on a scale from %(low)s to %(high)s") % about
    return measure if compared is None or not compared.crossed else _estimated(compared.levels) % {"measure": measure}


def _estimated(levels: Iterable[ResultRow]) -> str:
    settings = [row.settings or {} for row in levels]
    if any(ROBUST in f"{of_system.get('method', '')} {of_system.get('interval', '')}" for of_system in settings):
        return _("%(measure)s; intervals by two-way robust standard errors")
    return _("%(measure)s; estimated by the mixed model")
