"""Choose the language of our own words. The study's texts stay in its language."""

from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.urls import reverse

from tasks_app.credentials import handle_of_rater
from tasks_app.forms import LanguageForm
from tasks_app.models import Rater
from tasks_app.services.study import languages
from tasks_app.views.rater.journey import forged, rater_page


@rater_page("POST")
def choose(request: HttpRequest, rater: Rater, token: str) -> HttpResponse:
    """Keep the language, and go back to the page it was asked for on."""
    form = LanguageForm(request.POST, bound_to={"rater": handle_of_rater(rater.pk)})
    if not form.is_valid():
        return forged(request)
    languages.choose(rater_id=rater.pk, language=form.cleaned_data["language"])
    own = reverse("rater:next", args=[token])
    back = form.cleaned_data["back"]
    # Only pages of this rater's: an address in a form could lead anywhere.
    return HttpResponseRedirect(back if back.startswith(own) else own)
