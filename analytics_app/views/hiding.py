"""Show results by system while a study is open: owners only, with a written reason, after a confirmation."""

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.utils.translation import gettext as _

from analytics_app.selectors.results import systems_shown
from analytics_app.services import hiding
from tasks_app import access
from tasks_app.models import Membership
from tasks_app.views.researcher.frame import refusals_shown, researcher_page, study_page

OWNER = Membership.Role.OWNER


@researcher_page("POST")
def lift(request: HttpRequest, slug: str) -> HttpResponse:
    """Ask once more, then show results by system from now on."""
    study = access.study_for_researcher(request.user, slug, OWNER)
    reason = request.POST.get("reason", "").strip()
    if reason and request.POST.get("sure") != "yes" and not systems_shown(study):
        context = {"reason": reason}
        return study_page(
            request, slug, "results", lambda _study: context, template="lift", title=_("Show results"), role=OWNER
        )
    with refusals_shown(request, ValueError):
        lifted = hiding.lift(study=study, by=request.user, reason=reason)
        if lifted is None:
            messages.info(request, _("Results by system are shown already: nothing was changed."))
        else:
            messages.success(request, _("Results by system are shown from now on. It is written in the study's log."))
    return redirect("analytics:results", study.slug)
