"""The list of a rater's set: search it, open any text, download one's own answers."""

import csv
import io
import re
from collections import Counter

from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils.translation import gettext as _

from tasks_app.models import Rater
from tasks_app.selectors import overview as selector
from tasks_app.selectors.progress import progress_of
from tasks_app.views.rater import pages
from tasks_app.views.rater.journey import rater_page

LONGEST_SEARCH = 200

# What a spreadsheet takes for a formula, after any number of apostrophes.
FORMULA = re.compile(r"^'*[=+\-@\t\r]")


@rater_page("GET", "HEAD")
def overview(request: HttpRequest, rater: Rater, token: str) -> HttpResponse:
    """The texts of a rater's set with their states; `q` searches in them, `state` shows one state only."""
    entries = selector.entries(rater)
    if not entries:
        return redirect("rater:next", token)
    words = request.GET.get("q", "").strip()[:LONGEST_SEARCH]
    state = request.GET.get("state", "")
    counts = Counter(one.state for one in entries)
    found = [one for one in entries if (not words or one.has(words)) and state in {"", one.state}]
    context = {
        "frame": pages.frame_for(rater, token, progress_of(rater, rater.study.options.minutes, len(entries))),
        "rows": [(one, _address(rater, token, one)) for one in found],
        "words": words,
        "state": state,
        "states": [(name, label, counts[name]) for name, label in selector.LABELS.items()],
        "total": len(entries),
        "ended": rater.state == Rater.State.ENDED,
        "content_warning": rater.study.options.content_warning,
        "summary_url": reverse("rater:summary", args=[token]),
        "next_url": reverse("rater:next", args=[token]),
    }
    return render(request, "rater/overview.html", context)


def _address(rater: Rater, token: str, entry: selector.Entry) -> str:
    """Return where a text can be opened; empty where it cannot."""
    if rater.state == Rater.State.ENDED:
        return ""
    may_change = rater.study.options.allow_back and entry.kind.allows_back
    return reverse("rater:unit", args=[token, entry.order]) if entry.state == selector.PENDING or may_change else ""


@rater_page("GET", "HEAD")
def summary(request: HttpRequest, rater: Rater, token: str) -> HttpResponse:
    """A rater's own answers in words, as CSV: one row an answered question."""
    text = io.StringIO(newline="")
    # Without this mark, Excel takes the file for one of the local code page.
    text.write("\ufeff")
    writer = csv.writer(text)
    writer.writerow([_("text number"), _("source"), _("text"), _("question"), _("answer"), _("comment")])
    for one in selector.entries(rater):
        about = [str(one.order), one.source, "\n\n".join(one.texts)]
        for question, answer in _said(one):
            writer.writerow([as_text(cell) for cell in (*about, question, answer, one.comment)])
    response = HttpResponse(text.getvalue(), content_type="text/csv; charset=utf-8")
    response.headers["Content-Disposition"] = 'attachment; filename="my-answers.csv"'
    return response


def _said(entry: selector.Entry) -> list[tuple[str, str]]:
    """Word what a rater said of a text: nothing where it is still to do."""
    if entry.state == selector.PENDING:
        return []
    if entry.skip_reason:
        return [(_("Skipped"), entry.skip_reason)]
    return pages.in_words(entry.kind.form(entry.screen), entry.answer)


def as_text(cell: str) -> str:
    """Keep a spreadsheet from taking a cell for a formula."""
    return f"'{cell}" if FORMULA.match(cell) else cell
