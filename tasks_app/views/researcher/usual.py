"""A page for one's usual settings, with which one's new studies begin."""

from typing import cast

from django.contrib import messages
from django.contrib.auth.models import User
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.utils.translation import gettext as _

from tasks_app.setup import usual
from tasks_app.views.researcher.frame import researcher_page, show


@researcher_page("GET", "POST")
def settings(request: HttpRequest) -> HttpResponse:
    """Show one's usual settings; posted to, keep them for studies that are begun from now on."""
    user = cast("User", request.user)
    form = usual.form()(request.POST if request.method == "POST" else None, initial=usual.of(user) or {})
    if form.is_valid():
        usual.keep(user=user, values=form.cleaned_data)
        messages.success(request, _("Saved. Your next studies begin with these settings."))
        return redirect("usual:settings")
    title = _("Your usual settings")
    return show(request, "usual", title, {"form": form}, status=422 if form.errors else 200)
