"""The home page."""

from dataclasses import replace

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.csrf import csrf_exempt
from django.views.decorators.http import require_http_methods

from tasks_app.task_types import registry
from tasks_app.task_types.samples import TEXTS, sample_kind, sample_screen
from tasks_app.views.public.catalogue import stored_rows

# The task type whose unit can be tried, marking errors, which shows at a glance what raters do; without a score, so
# that the unit is short, and of a text that has errors.
TO_TRY, PARAMS = "error_spans", {"score": "no"}
WITH_ERRORS = TEXTS["en"][2]


# Nothing is stored and nobody is signed in: there is nothing that another site could do in somebody's name.
@csrf_exempt
@require_http_methods(["GET", "HEAD", "POST"])
def home(request: HttpRequest) -> HttpResponse:
    """Show a page about evalweb, with a unit to try; posted to, show the rows that an answer would store.

    Raters have a link of their own, researchers sign in.
    """
    kind = sample_kind(registry[TO_TRY], PARAMS)
    screen = sample_screen(kind)
    screen = replace(screen, criteria=(), parts=(replace(screen.parts[0], text=WITH_ERRORS),))
    form = kind.form(screen, request.POST if request.method == "POST" else None)
    form.auto_id = "try-%s"
    tried = form.is_valid()
    context = {
        "member": registry[TO_TRY],
        "screen": screen,
        "form": form,
        "tried": tried,
        "stored": stored_rows(kind, screen, form.cleaned_data) if tried else [],
    }
    return render(request, "public/home.html", context, status=422 if form.is_bound and not tried else 200)
