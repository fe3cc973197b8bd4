"""Send texts to experts from the page of a run."""

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from analytics_app import access as own
from analytics_app.services import routing
from tasks_app.models import Membership
from tasks_app.views.researcher.frame import refusals_shown, researcher_page


@researcher_page("POST")
def send(request: HttpRequest, slug: str, number: int) -> HttpResponse:
    """Send the uncertain texts of a run to the chosen task of experts."""
    study, _role, run = own.run_for_researcher(request.user, slug, number, Membership.Role.OWNER)
    with refusals_shown(request, routing.NotNow):
        sent = routing.send(run=run, task=request.POST.get("task", ""), by=request.user, at_most=_most(request))
        if not sent.texts:
            messages.info(request, _("There is nothing left to send: experts have all of these texts already."))
        else:
            texts = ngettext("%(n)d text was sent", "%(n)d texts were sent", sent.texts) % {"n": sent.texts}
            sets = ngettext("%(n)d set", "%(n)d sets", sent.sets) % {"n": sent.sets}
            messages.success(request, _("%(texts)s to the experts, in %(sets)s.") % {"texts": texts, "sets": sets})
    return redirect("analytics:run", study.slug, number)


def _most(request: HttpRequest) -> int | None:
    """Return the greatest number of texts to send; None for all, also if the value is no number."""
    given = request.POST.get("at_most", "")
    return max(1, int(given)) if given.isascii() and given.isdecimal() and len(given) < 10 else None
