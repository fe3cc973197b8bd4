"""Fetch runs and results for a person: `<thing>_for_<role>`, or 404. No other module checks permissions."""

from django.shortcuts import get_object_or_404

from analytics_app.models import ResultsLink, Run, RunState
from tasks_app.access import Person, study_and_role
from tasks_app.links.credentials import hash_token
from tasks_app.models import Membership, Study


def run_for_researcher(
    user: Person, slug: str, number: int, role: str = Membership.Role.VIEWER
) -> tuple[Study, str | None, Run]:
    """Return a study, somebody's role in it (None for a superuser from outside), and a run by its number."""
    study, own = study_and_role(user, slug, role)
    return study, own, get_object_or_404(Run.objects.select_related("plan", "by"), study=study, number=number)


def results_link_for_token(token: str) -> ResultsLink:
    """Return the results link with this token, with its run and study; raise 404 if unknown, expired or revoked."""
    working = ResultsLink.objects.filter(ResultsLink.WORKS, run__state=RunState.DONE)
    return get_object_or_404(working.select_related("run__study", "run__plan", "run__by"), token_hash=hash_token(token))
