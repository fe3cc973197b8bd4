"""Create the main study of a semantic differential with the pairs that a run of its pre-study keeps."""

from django.contrib.auth.models import AbstractBaseUser
from django.utils.translation import gettext as _

from analytics_app import analyses
from analytics_app.models import ResultRow, Run, RunState
from analytics_app.selectors.sections import ResultNames, names_of
from tasks_app.models import Study
from tasks_app.services import events
from tasks_app.services.database import atomically
from tasks_app.setup.starting import Names, following
from tasks_app.task_types.semantic_differential import SemanticDifferential
from tasks_app.task_types.semantic_differential.pairs import criteria_of

SELECTION = "pair_selection"

# The fewest pairs of a main study.
LEAST_PAIRS = 2


def kept_pairs(run: Run, names: ResultNames) -> list[str]:
    """Return the names of the pairs that a run keeps, such as "confusing – clear", in the order asked, each once."""
    if not analyses.registry[SELECTION].task_types & set(names.types.values()):
        return []
    rows = ResultRow.objects.filter(run=run, analysis=SELECTION, statistic="pair_kept", basis="kept", value=1)
    kept_rows = rows.order_by("order") if run.state == RunState.DONE else []
    return list(dict.fromkeys(str((row.settings or {})["pair"]) for row in kept_rows))


@atomically
def begin_main_study(*, run: Run, by: AbstractBaseUser) -> Study:
    """Create a draft with the kept pairs in the language of the pre-study, without texts, consent and pay.

    Raises
    ------
    ValueError
        Fewer than two pairs are kept.
    """
    pairs = kept_pairs(run, names_of(run.study))
    if len(pairs) < LEAST_PAIRS:
        raise ValueError(_("A main study needs at least two pairs, and this run keeps fewer."))
    title = _("Main study of %(title)s") % {"title": run.study.title}
    study = following(
        owner=by,
        origin=run.study,
        member=SemanticDifferential,
        criteria=criteria_of(pairs),
        names=Names(title[:200], run.study.public_title),
    )
    after = {"study": study.slug, "pairs": pairs}
    events.log(run.study, by, "began main study", about=_("run %(number)s") % {"number": run.number}, after=after)
    return study
