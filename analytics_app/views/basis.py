"""The ratings and raters behind the headline of a run, where the run counts others too."""

from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from analytics_app.models import Run
from analytics_app.show import cells
from analytics_app.show.comparisons import Compared
from analytics_app.views import run_words


def basis_of(run: Run, compared: Compared, title: str) -> str:
    """Return a sentence with the ratings and raters that the comparison of systems on a criterion is based on.

    It is "" if they are all that the run counts.
    """
    raters = max((row.n_raters or 0 for row in compared.levels), default=0)
    # A comparison of two texts counts for both systems, so that sums over systems have it twice.
    ratings = sum(row.n_ratings or 0 for row in compared.levels) if compared.comparison.unit != "share" else 0
    if not raters or (ratings in {0, run.n_counted} and raters == run_words.simulated(run)[1]):
        return ""
    parts = [ngettext("%(n)s rating", "%(n)s ratings", ratings) % {"n": cells.whole(ratings).text}] if ratings else []
    parts.append(ngettext("%(n)s rater", "%(n)s raters", raters) % {"n": cells.whole(raters).text})
    sentence = _("The finding on %(criterion)s is based on %(basis)s") % {
        "criterion": title,
        "basis": _(" by ").join(parts),
    }
    shared = run_words.shared_texts(run) if ratings else 0
    return sentence + (_(" (where several systems share a text, its ratings count for each of them)") if shared else "")
