"""Degraded copies of texts: choose systems and kinds, look at the copies, and add them to the texts."""

from typing import Any

from django import forms
from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, ngettext

from tasks_app.hooks.sections import digest
from tasks_app.models import Setup
from tasks_app.setup.degraded import copies
from tasks_app.setup.degraded.kinds import LABELS
from tasks_app.views.researcher.frame import researcher_page
from tasks_app.views.researcher.setup.texts.drafts import of_draft, show

# Copies of each kind that the page shows.
SHOWN = 10


class DegradeForm(forms.Form):
    """The systems with texts to degrade, and the ways to degrade them."""

    systems = forms.MultipleChoiceField(label=gettext_lazy("Systems"), widget=forms.CheckboxSelectMultiple)
    kinds = forms.MultipleChoiceField(
        label=gettext_lazy("Kinds"), choices=list(LABELS.items()), widget=forms.CheckboxSelectMultiple
    )

    def __init__(self, *args: Any, setup: Setup, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        systems = [(system.key, system.label) for system in copies.systems_to_degrade(setup)]
        self.fields["systems"] = forms.MultipleChoiceField(
            label=_("Systems"), choices=systems, widget=forms.CheckboxSelectMultiple
        )


@researcher_page("GET", "POST")
@of_draft
def degrade(request: HttpRequest, setup: Setup) -> HttpResponse:
    """Show the degraded copies that systems and kinds give; with the button for it, add them to the texts."""
    form = DegradeForm(request.POST or None, setup=setup)
    context: dict[str, Any] = {"degrade_form": form}
    if form.is_valid():
        chosen = form.cleaned_data
        try:
            planned = copies.plan(setup, **chosen)
        except copies.CannotDegrade as refusal:
            form.add_error(None, str(refusal))
        else:
            shown = shown_by(planned)
            if request.POST.get("action") == "add" and request.POST.get("shown") == shown:
                n = copies.add(setup=setup, by=request.user, **chosen)
                sentence = ngettext("%(n)d degraded copy was added.", "%(n)d degraded copies were added.", n)
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
        "kinds": [(LABELS[kind], len(made), made[:SHOWN]) for kind, made in kinds.items()],
        "left_out": [(LABELS[kind], n) for kind, n in planned.left_out.items()],
    }
