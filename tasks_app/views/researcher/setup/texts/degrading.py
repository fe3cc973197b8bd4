"""Changed copies of texts: choose systems and kinds, look at the copies, and add them to the texts."""

from typing import Any

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from tasks_app.hooks.sections import digest
from tasks_app.models import Setup
from tasks_app.setup.degraded import copies
from tasks_app.setup.degraded.kinds import PARAPHRASE, PASSIVE, SAME
from tasks_app.uploads.request_sizes import accepts_files, largest_table
from tasks_app.views.researcher.frame import researcher_page
from tasks_app.views.researcher.setup.texts.copies_form import CopiesForm
from tasks_app.views.researcher.setup.texts.drafts import of_draft, show

# Copies of each kind that the page shows.
SHOWN = 10


@accepts_files(largest_table)
@researcher_page("GET", "POST")
@of_draft
def degrade(request: HttpRequest, setup: Setup) -> HttpResponse:
    """Show the copies that systems and kinds give; with the button for it, add them to the texts."""
    form = CopiesForm(request.POST or None, request.FILES or None, setup=setup)
    context: dict[str, Any] = {
        "degrade_form": form,
        "written": [SAME[kind] for kind in (PASSIVE, PARAPHRASE)],
    }
    if form.is_valid():
        chosen: dict[str, Any] = {
            "systems": form.cleaned_data["systems"],
            "kinds": form.chosen,
            "given": form.given,
        }
        try:
            planned = copies.plan(setup, **chosen)
        except copies.CannotDegrade as refusal:
            form.add_error(None, str(refusal))
        else:
            shown = shown_by(planned)
            if request.POST.get("action") == "add" and request.POST.get("shown") == shown:
                n = copies.add(setup=setup, by=request.user, **chosen)
                sentence = ngettext("%(n)d copy was added.", "%(n)d copies were added.", n)
                messages.success(request, sentence % {"n": n})
                return redirect("researcher:texts", setup.study.slug)
            if request.POST.get("action") == "add":
                messages.info(request, _("Nothing was added: the choice or the texts have changed. Check them below."))
            context |= _about(planned) | {"shown": shown}
    return show(request, setup, "texts_degrade", context, 422 if form.errors else 200)


def shown_by(planned: copies.Plan) -> str:
    """Return a digest of the copies that a page has shown: copies that nobody saw are not added."""
    return digest({"copies": [dict(copy.cells) for copy in planned.copies]})


def _about(planned: copies.Plan) -> dict[str, Any]:
    """Return the facts of the page about the copies."""
    kinds = planned.by_kind()
    return {
        "planned": planned,
        "kinds": [(copies.NAMES[kind], len(made), made[:SHOWN]) for kind, made in kinds.items()],
        "left_out": [(copies.NAMES[kind], n) for kind, n in planned.left_out.items()],
    }
