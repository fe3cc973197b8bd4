"""Withdraw a wrong text of an open study, after asking once more with a reason; and take a withdrawal back."""

from typing import Any

from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse, QueryDict
from django.shortcuts import get_object_or_404, redirect
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from tasks_app import access
from tasks_app.models import Item, Membership, Output, Study, Withdrawal
from tasks_app.services.study import withdrawing
from tasks_app.services.study.withdrawing import NotWithdrawn
from tasks_app.views.researcher.frame import refusals_shown, researcher_page, study_page

EDITOR = Membership.Role.EDITOR

# Numbers with more digits are no ids.
_MOST_DIGITS = 18


def withdrawn_texts(study: Study) -> dict[str, Any]:
    """Return the withdrawals for the page of texts: all of them, and the ids of the texts that are withdrawn now."""
    if not study.is_frozen:
        return {}
    rows = withdrawing.withdrawals_of(study)
    in_force = [row for row in rows if row.taken_back_at is None]
    return {
        "withdrawals": rows,
        "withdrawn_items": {row.item_id for row in in_force if row.output_id is None},
        "withdrawn_outputs": {row.output_id for row in in_force if row.output_id is not None},
        "may_withdraw": study.state in Study.State.UNDER_WAY,
    }


@researcher_page("GET", "POST")
def withdraw(request: HttpRequest, slug: str) -> HttpResponse:
    """Ask for the reason, with the effects of the withdrawal; posted to, withdraw the text."""
    study = access.study_for_researcher(request.user, slug, EDITOR)
    sent = request.POST if request.method == "POST" else request.GET
    item, output = _named(study, sent)
    problem = ""
    if request.method == "POST":
        try:
            withdrawn = withdrawing.withdraw(
                study_id=study.pk,
                item=item.pk,
                output=output.pk if output is not None else None,
                reason=request.POST.get("reason", ""),
                by=request.user,
            )
        except NotWithdrawn as refusal:
            problem = str(refusal)
        else:
            sentence = ngettext(
                "Withdrawn. No rater is given it from now on; %(n)d judgment of it is kept and marked.",
                "Withdrawn. No rater is given it from now on; %(n)d judgments of it are kept and marked.",
                withdrawn.judgments,
            )
            messages.success(request, sentence % {"n": withdrawn.judgments})
            return redirect("researcher:items", slug)

    def context(_study: Study) -> dict[str, Any]:
        return {
            "item": item,
            "output": output,
            "problem": problem,
            "reason": request.POST.get("reason", ""),
            "most_reason": withdrawing.LONGEST_REASON,
        }

    return study_page(
        request, slug, "items", context, template="withdraw", title=_("Withdraw a text"), role=EDITOR,
        status=422 if problem else 200,
    )  # fmt: skip


def _named(study: Study, sent: QueryDict) -> tuple[Item, Output | None]:
    """Return the item, and the output if one is named, that somebody asks about."""
    if study.state not in Study.State.UNDER_WAY:
        raise Http404
    item = get_object_or_404(Item, study=study, until=None, pk=_number(sent.get("item", "")))
    output = sent.get("output", "")
    if not output:
        return item, None
    outputs = Output.objects.select_related("system")
    return item, get_object_or_404(outputs, item=item, until=None, pk=_number(output))


def _number(text: str) -> int:
    return int(text) if text.isdecimal() and text.isascii() and len(text) <= _MOST_DIGITS else 0


@researcher_page("POST")
def take_back(request: HttpRequest, slug: str) -> HttpResponse:
    """Take a withdrawal back: raters are given the text again."""
    study = access.study_for_researcher(request.user, slug, EDITOR)
    row = get_object_or_404(Withdrawal, study=study, pk=_number(request.POST.get("withdrawal", "")))
    with refusals_shown(request, NotWithdrawn):
        withdrawing.take_back(withdrawal_id=row.pk, by=request.user)
        messages.success(request, _("Taken back. Raters are given the text again, and new runs count its judgments."))
    return redirect("researcher:items", slug)
