"""All answers of a rater in one table, with those of others, for users who may read ratings."""

from typing import Any
from urllib.parse import urlencode

from django.core.paginator import Paginator
from django.db.models import QuerySet
from django.http import Http404, HttpRequest, HttpResponse
from django.utils.translation import gettext as _

from analytics_app.selectors import labels_of_rater as found
from analytics_app.show import cells
from analytics_app.show.table import Column, Table
from analytics_app.views.raters.answers import note_answers
from analytics_app.views.raters.page import rater_of
from tasks_app import access
from tasks_app.models import Judgment, Rater, Study
from tasks_app.selectors.judgments import may_export
from tasks_app.views.researcher.frame import researcher_page, study_page

ANSWERS_ON_A_PAGE = 50


@researcher_page("GET")
def labels(request: HttpRequest, slug: str, pseudonym: str) -> HttpResponse:
    """Show the answers of a rater, of one label, or those that differ from others'; a look is logged once per hour."""
    study, own = access.study_and_role(request.user, slug)
    if not may_export(study, own):
        raise Http404

    def context(study: Study) -> dict[str, Any]:
        rater = rater_of(study, pseudonym)
        if rater.erased_at is not None:
            raise Http404
        note_answers(request, study, rater)
        return _context(request, study, rater)

    title = _("Answers of %(rater)s") % {"rater": pseudonym}
    return study_page(request, slug, "monitor", context, template="rater_labels", title=title, fetched=(study, own))


def _context(request: HttpRequest, study: Study, rater: Rater) -> dict[str, Any]:
    given = found.labels_given(rater)
    criterion, _colon, label = request.GET.get("label", "").partition(":")
    label_of = {(key, value) for key, _name, value, _n in given}
    chosen = (criterion, label) if (criterion, label) in label_of else None
    differs = bool(request.GET.get("differs"))
    answers = _chosen(found.answers_of(rater), chosen, differs=differs)
    page = Paginator(answers, ANSWERS_ON_A_PAGE).get_page(request.GET.get("page"))
    parameters = {"label": ":".join(chosen) if chosen else "", "differs": "1" if differs else ""}
    return {
        "rater": rater,
        "page": page,
        "rows": found.answer_rows(rater, page),
        "labels": [(f"{key}:{value}", f"{name}: {value}", n) for key, name, value, n in given],
        "label": parameters["label"],
        "differs": differs,
        "query": urlencode({name: value for name, value in parameters.items() if value}),
        "shared": _shared(rater),
        "has_screens": rater.kind != Rater.Kind.IMPORTED,
    }


def _chosen(answers: QuerySet[Judgment], label: tuple[str, str] | None, *, differs: bool) -> QuerySet[Judgment]:
    """Return the answers with a label, or those that differ from others."""
    if label is not None:
        answers = found.with_label(answers, *label)
    return found.that_differ(answers) if differs else answers


def _shared(rater: Rater) -> Table:
    """Return the table of agreement of the rater with others on the texts that both labelled."""
    columns = [
        Column(_("Other rater"), number=False),
        Column(_("Question"), number=False),
        Column(_("Texts of both")),
        Column(_("Same label")),
        Column(_("Percent agreement")),
    ]
    rows = [
        [
            cells.name(shared.other),
            cells.name(shared.name),
            cells.whole(shared.texts),
            cells.whole(shared.same),
            cells.percent(shared.share),
        ]
        for shared in found.shared_with(rater)
    ]
    notes = [_("Counted now from all answers, and not corrected for chance. Cohen's kappa is on the tab Results.")]
    return Table(_("Agreement on shared texts"), columns, rows, notes if rows else ())
