"""The remark that raters disagree about which system is better, where that limits the conclusions of a comparison."""

from django.utils.translation import gettext as _

from analytics_app.models import ResultRow
from analytics_app.results import Row
from analytics_app.show.comparisons import Compared
from analytics_app.show.findings import Finding

# Raters disagree if at least this share of the squared standard error comes from raters who prefer other systems.
LARGE = 0.5


def share_of_raters(pair: ResultRow | Row) -> float | None:
    """Return the share of a difference's squared standard error that comes from raters who prefer other systems.

    It is 2 sd² / (n se²), with the SD of raters by system, and n raters; of a share of wins sd² / (n se²), with the SD
    of raters. None if the row of the pair has no such SD.
    """
    settings = pair.settings or {}
    of_share = str(settings.get("model", "")).startswith("win ~")
    # A ratio has the standard error of the difference of logarithms, of which the SD is too.
    sd = (settings.get("sd") or {}).get("rater" if of_share else "rater_system")
    se = settings.get("se_of_logs") or pair.se
    if sd is None or not se or not pair.n_raters:
        return None
    return float(min(1.0, (1 if of_share else 2) * sd**2 / (pair.n_raters * se**2)))


def remark_of(compared: Compared | None, criterion: str) -> Finding | None:
    """Return the remark about the comparison on a criterion; None if raters do not disagree much.

    It goes by the two systems that are furthest apart.
    """
    if compared is None or not compared.crossed:
        return None
    rows = [row for row in compared.tested if row.value is not None]
    if not rows:
        return None
    share = share_of_raters(max(rows, key=compared.distance))
    if share is None or share < LARGE:
        return None
    if compared.wins:
        start = _("Raters differ in how much they prefer one system to another")
        advice = _(
            ", but the differences that are called clear are larger than this explains; more raters would narrow the "
            "intervals more than more texts"
        )
    else:
        start = _("Raters disagree about which system is better")
        advice = _(": more raters would help more than more texts")
    return Finding(start, advice, tested=False, criterion=criterion)
