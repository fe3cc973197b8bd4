"""The corrections of an open study: the corrected texts, and the forms to correct a typo."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import takewhile
from typing import Any

from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.utils.translation import gettext as _

from tasks_app import access
from tasks_app.models import Correction, Membership, Study
from tasks_app.services.study import correcting
from tasks_app.services.study.correcting import Correctable, Corrected, NotCorrected
from tasks_app.views.downloads import csv_file
from tasks_app.views.researcher.frame import researcher_page, study_page

COLUMNS = ("kind", "keys", "before", "after", "reason", "by", "at")

# Characters of unchanged text that are shown on either side of a change.
AROUND = 80


@dataclass(frozen=True, slots=True)
class Field:
    """A text with the form that corrects it, filled with the post if that was refused."""

    correctable: Correctable
    text: str
    reason: str = ""
    problem: str = ""

    @property
    def number_of_lines(self) -> int:
        """The height of the field."""
        return min(16, max(2, len(self.text) // 80 + self.text.count("\n") + 1))

    @property
    def is_one_line(self) -> bool:
        """Whether the text is a line, as contacts are."""
        return self.correctable.kind not in {Correction.Kind.INSTRUCTIONS, Correction.Kind.HELP}


@dataclass(frozen=True, slots=True)
class Change:
    """The words that a correction changed, with the unchanged words around them."""

    lead: str
    before: str
    after: str
    tail: str


def change_of(corrected: Corrected) -> Change:
    """Return the differing parts of two texts: everything between their common beginning and their common end."""
    old, new = corrected.before.split(" "), corrected.after.split(" ")
    n_lead = _n_same(old, new)
    n_tail = _n_same(old[n_lead:][::-1], new[n_lead:][::-1])
    lead, tail = " ".join(old[:n_lead]), " ".join(old[len(old) - n_tail :])
    return Change(
        lead=lead if len(lead) <= AROUND else f"…{lead[-AROUND:]}",
        before=" ".join(old[n_lead : len(old) - n_tail]),
        after=" ".join(new[n_lead : len(new) - n_tail]),
        tail=tail if len(tail) <= AROUND else f"{tail[:AROUND]}…",
    )


def _n_same(first: list[str], second: list[str]) -> int:
    return sum(1 for _pair in takewhile(lambda pair: pair[0] == pair[1], zip(first, second, strict=False)))


def history(corrections: Sequence[Corrected]) -> list[tuple[Corrected, Change]]:
    """Return corrections with the words that each changed, the newest first."""
    return [(corrected, change_of(corrected)) for corrected in reversed(corrections)]


@researcher_page("GET", "POST")
def corrections(request: HttpRequest, slug: str) -> HttpResponse:
    """List the corrections, and for editors the texts that can be corrected; posted to, correct one of them."""
    refused: dict[str, str] = {}
    if request.method == "POST":
        study = access.study_for_researcher(request.user, slug, Membership.Role.EDITOR)
        if not study.is_frozen:
            raise Http404
        sent = {name: request.POST.get(name, "") for name in ("name", "shown", "text", "reason")}
        try:
            correcting.correct(study_id=study.pk, by=request.user, **sent)
        except NotCorrected as refusal:
            refused = {**sent, "problem": str(refusal)}
        else:
            messages.success(request, _("Corrected. Raters read the new text from now on."))
            return redirect("researcher:corrections", slug)

    def context(study: Study) -> dict[str, Any]:
        if not study.is_frozen:
            raise Http404
        under_way = study.state in Study.State.UNDER_WAY
        fields = list(_fields(study, refused)) if under_way else []
        return {
            "history": history(correcting.corrections_of(study)),
            "fields": fields,
            "under_way": under_way,
            # What was sent about a text that is not there any more is refused beside no field.
            "problem": refused.get("problem", "") if not any(field.problem for field in fields) else "",
            "most_reason": correcting.LONGEST_REASON,
        }

    status = 422 if refused else 200
    return study_page(request, slug, "setup", context, template="corrections", title=_("Corrections"), status=status)


def _fields(study: Study, refused: dict[str, str]) -> Iterator[Field]:
    for correctable in correcting.texts_of(study):
        if correctable.name != refused.get("name"):
            yield Field(correctable, correctable.text)
        elif correctable.shown != refused["shown"]:
            # Somebody corrected the text meanwhile: what was sent was written for another one.
            yield Field(correctable, correctable.text, refused["reason"], refused["problem"])
        else:
            yield Field(correctable, refused["text"], refused["reason"], refused["problem"])


@researcher_page("GET")
def corrections_csv(request: HttpRequest, slug: str) -> HttpResponse:
    """Send the corrections as a file, the first one first."""
    study = access.study_for_researcher(request.user, slug)
    rows = (
        (row.kind, " ".join(row.keys), row.before, row.after, row.reason, row.by, row.at.isoformat())
        for row in correcting.corrections_of(study)
    )
    return csv_file(f"{study.slug}-corrections.csv", [COLUMNS, *rows])
