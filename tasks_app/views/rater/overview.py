"""The list of a rater's set: search it, open any text, download one's own answers."""

from collections import Counter

from django.http import HttpResponse
from django.utils.translation import gettext as _

from tasks_app.selectors import overview as selector
from tasks_app.selectors.progress import progress_of
from tasks_app.views.downloads import BYTE_ORDER_MARK, csv_file
from tasks_app.views.rater import pages
from tasks_app.views.rater.visit import Visit, rater_page

LONGEST_SEARCH = 200


@rater_page("GET", "HEAD")
def overview(visit: Visit) -> HttpResponse:
    """List the texts of a rater's set with their states; `q` searches in them, `state` shows one state only."""
    rater = visit.rater
    entries = selector.entries(rater)
    if not entries:
        return visit.go_to("next")
    words = visit.request.GET.get("q", "").strip()[:LONGEST_SEARCH]
    state = visit.request.GET.get("state", "")
    counts = Counter(entry.state for entry in entries)
    listed = [entry for entry in entries if (not words or entry.has(words)) and state in {"", entry.state}]
    context = {
        "frame": pages.frame_for(visit, progress_of(rater, len(entries))),
        "rows": [(entry, _address(visit, entry)) for entry in listed],
        "words": words,
        "state": state,
        "states": [(name, label, counts[name]) for name, label in selector.LABELS.items()],
        "total": len(entries),
        "ended": visit.has_ended,
        "content_warning": visit.options.content_warning,
        "summary_url": visit.url("summary"),
        "next_url": visit.url("next"),
    }
    return visit.render("rater/overview.html", context)


def _address(visit: Visit, entry: selector.Entry) -> str:
    """Return the address at which a text can be opened; empty where it cannot."""
    if visit.has_ended:
        return ""
    may_change = visit.options.allow_back and entry.kind.allows_back and entry.kind.set_time is None
    return visit.url("unit", entry.order) if entry.state == selector.PENDING or may_change else ""


@rater_page("GET", "HEAD")
def summary(visit: Visit) -> HttpResponse:
    """Send a rater's own answers in words, as CSV: one row per answered question."""
    header = [_("text number"), _("source"), _("text"), _("question"), _("answer"), _("comment")]
    rows = [
        [str(entry.order), entry.source, "\n\n".join(entry.texts), question, answer, entry.comment]
        for entry in selector.entries(visit.rater)
        for question, answer in _said(entry)
    ]
    return csv_file("my-answers.csv", [header, *rows], start=BYTE_ORDER_MARK)


def _said(entry: selector.Entry) -> list[tuple[str, str]]:
    """Describe a rater's answer to a text; empty where the text is still to be judged."""
    if entry.state == selector.PENDING:
        return []
    if entry.skip_reason:
        return [(_("Skipped"), entry.skip_reason)]
    return pages.in_words(entry.kind.form(entry.screen), entry.answer)
