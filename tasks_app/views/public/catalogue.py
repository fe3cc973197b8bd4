"""The catalogue of task types, with a unit of each to try. It needs no database."""

from collections.abc import Mapping

from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils.translation import gettext as _
from django.views.decorators.csrf import csrf_exempt
from django.views.decorators.http import require_http_methods, require_safe

from tasks_app.manual.catalogue import describe
from tasks_app.task_types import TaskType, registry
from tasks_app.task_types.base import Screen, Value
from tasks_app.task_types.samples import sample_kind, sample_screen
from tasks_app.views.public import examples


@require_safe
def catalogue(request: HttpRequest) -> HttpResponse:
    """List the task types."""
    context = {"page_title": _("Task types"), "types": list(registry.values())}
    return render(request, "public/catalogue.html", context)


# Nothing is stored and nobody is signed in: there is nothing that another site could do in somebody's name.
@csrf_exempt
@require_http_methods(["GET", "HEAD", "POST"])
def task_type(request: HttpRequest, name: str) -> HttpResponse:
    """Show the page of a task type; posted to, show the rows that an answer to its sample would store."""
    if name not in registry:
        raise Http404
    member = registry[name]
    kind = sample_kind(member)
    screen = sample_screen(kind)
    form = kind.form(screen, request.POST if request.method == "POST" else None)
    form.auto_id = "try-%s"
    tried = form.is_valid()
    context = {
        "page_title": member.label,
        "member": member,
        "entry": describe(member),
        "screen": screen,
        "form": form,
        "tried": tried,
        "stored": stored_rows(kind, screen, form.cleaned_data) if tried else [],
        "examples": list(examples.states_of(member)),
    }
    return render(request, "public/task_type.html", context, status=422 if form.is_bound and not tried else 200)


def stored_rows(kind: TaskType, screen: Screen, cleaned: Mapping[str, object]) -> list[dict[str, object]]:
    """Turn an answer into rows of the ratings table, as a page shows them to somebody who tries a task out."""
    return [_row(value) for value in kind.ratings(screen, cleaned)]


def _row(value: Value) -> dict[str, object]:
    parts = [str(part + 1) for part in (value.part, value.part_b) if part is not None]
    span = f"{value.span_side} {value.span_start}-{value.span_end}" if value.span_start is not None else ""
    content = value.value if value.value is not None else value.label if value.label is not None else value.text
    return {
        "criterion": value.criterion or value.outcome,
        "text": ", ".join(parts),
        "said": f"{content:.10g}" if isinstance(content, float) else "" if content is None else content,
        "rest": " ".join(filter(None, (value.category, value.severity, span))),
    }
