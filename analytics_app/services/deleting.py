"""The parts of this app that deleting a study concerns: its runs, and the links by which others see its results."""

from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from analytics_app.models import UNFINISHED, ResultsLink, Run, ScoreWork
from tasks_app.models import Study
from tasks_app.services.study.deleting import Block, Dependents


def dependents(study: Study) -> Dependents:
    """Return the unfinished runs of a study, which keep it, and its runs and links, which go with it."""
    runs = Run.objects.filter(study=study)
    blocks = []
    if runs.filter(state__in=UNFINISHED).exists():
        blocks.append(Block(_("A run is being computed. Wait until it is done, or cancel it on Results."), "results"))
    if ScoreWork.objects.filter(study=study).exclude(state__in=("done", "refused")).exists():
        blocks.append(Block(_("Scores are being computed in the background. Wait until that is done."), "data"))
    notes = []
    links = ResultsLink.objects.filter(ResultsLink.WORKS, run__study=study).count()
    if links:
        notes.append(
            ngettext("%(n)d link to its results stops working.", "%(n)d links to its results stop working.", links)
            % {"n": links}
        )
    return Dependents(tuple(blocks), tuple(notes))
