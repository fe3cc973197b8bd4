"""Deleting a study, and the rest of deleted ones: their log and their payments."""

from collections.abc import Iterator
from http import HTTPStatus
from typing import Any

from django.contrib import messages
from django.core.paginator import Paginator
from django.db.models import Count
from django.http import Http404, HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from django.shortcuts import redirect
from django.urls import reverse
from django.utils.translation import gettext as _

from tasks_app import access
from tasks_app.hooks import tabs
from tasks_app.models import DeletedStudy, Membership, Study
from tasks_app.services.study import deleting
from tasks_app.views.downloads import csv_file
from tasks_app.views.researcher.frame import researcher_page, show, study_page

ON_A_PAGE = 50


@researcher_page("GET", "POST")
def delete(request: HttpRequest, slug: str) -> HttpResponse:
    """Show the consequences of deleting a study, and ask once more; posted to, delete it."""
    try:
        study = access.study_for_researcher(request.user, slug, Membership.Role.OWNER)
    except Http404:
        if request.method == "POST" and _is_deleted(request, slug):
            return redirect("deleted:studies")  # the same form, sent twice
        raise
    refusal = ""
    if request.method == "POST":
        try:
            deleting.delete(study_id=study.pk, by=request.user, name=request.POST.get("name", ""))
        except deleting.NotDeletable as error:
            if _is_deleted(request, slug) and not Study.objects.filter(pk=study.pk).exists():
                return redirect("deleted:studies")
            refusal = str(error)
        else:
            messages.success(request, _("“%(title)s” is deleted.") % {"title": study.title})
            return redirect("researcher:studies")

    def context(study: Study) -> dict[str, Any]:
        prospect = deleting.prospect(study)
        blocks = [(block.sentence, *_page_of(study, block.page)) for block in prospect.blocks]
        return {"prospect": prospect, "blocks": blocks, "refusal": refusal}

    status = HTTPStatus.UNPROCESSABLE_ENTITY if refusal else HTTPStatus.OK
    title = _("Delete the study")
    return study_page(
        request, slug, "setup", context, template="delete", title=title, role=Membership.Role.OWNER, status=status
    )


def _is_deleted(request: HttpRequest, slug: str) -> bool:
    return access.deleted_studies_for_researcher(request.user).filter(slug=slug).exists()


def _page_of(study: Study, slug: str) -> tuple[str, str]:
    """Return the address and the label of the tab on which something is done; empty where it is on none."""
    tab = next((tab for tab in tabs.all_tabs() if tab.slug == slug), None)
    return (reverse(tab.url_name, args=[study.slug]), str(tab.label)) if tab is not None else ("", "")


@researcher_page("GET")
def studies(request: HttpRequest) -> HttpResponse:
    """List the deleted studies that somebody owned, with the files of their log and payments."""
    rows = access.deleted_studies_for_researcher(request.user).select_related("by")
    rows = rows.annotate(n_payments=Count("payments", distinct=True)).order_by("-deleted_at", "-id")
    page = Paginator(rows, ON_A_PAGE).get_page(request.GET.get("page"))
    return show(request, "deleted", _("Deleted studies"), {"rows": page.object_list, "page": page})


@researcher_page("GET")
def kept(request: HttpRequest, number: int, table: str) -> HttpResponseBase:
    """Send the log or the payments of a deleted study as a file."""
    study = access.deleted_study_for_researcher(request.user, number)
    if table not in _TABLES:
        raise Http404
    head, rows = _TABLES[table]
    return csv_file(f"{study.slug}-{table}.csv", [head, *rows(study)])


def _log(study: DeletedStudy) -> Iterator[list[object]]:
    for event in study.events.select_related("actor").order_by("pk"):
        actor = event.actor.get_username() if event.actor is not None else ""
        before, after = ("" if value is None else value for value in (event.before, event.after))
        yield [event.at.isoformat(), actor, event.verb, event.object, before, after]


def _payments(study: DeletedStudy) -> Iterator[list[object]]:
    for row in study.payments.order_by("pk"):
        paid = row.settled_at.isoformat() if row.settled_at else ""
        yield [row.rater, row.channel, row.kind, row.amount, study.currency, row.at.isoformat(), paid, row.reason]


_TABLES = {
    "log": (["at", "by", "what", "about", "before", "after"], _log),
    "payments": (["rater", "channel", "kind", "amount", "currency", "recorded", "paid", "reason"], _payments),
}
