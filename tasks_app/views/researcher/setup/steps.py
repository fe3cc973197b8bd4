"""The steps of setting up a draft: forms made of the contents of a study file, saved as they are filled in."""

from functools import partial

from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from tasks_app import access
from tasks_app.models import Membership
from tasks_app.services.study.drafts import NotADraft
from tasks_app.setup import changes, editing
from tasks_app.setup.changes import Conflict
from tasks_app.setup.controls import in_control, name_of
from tasks_app.setup.editing import Saved
from tasks_app.setup.page import SetupPage
from tasks_app.setup.steps import STEPS
from tasks_app.views.researcher.frame import researcher_page
from tasks_app.views.researcher.setup import frozen
from tasks_app.views.researcher.setup.form_frame import STATES_IN_WORDS, go, go_on, setup_page, step_links, step_url

# Steps with a page of their own.
_OWN_PAGES = ("texts", "review")
_FORM_STEPS = tuple(step.slug for step in STEPS if step.slug not in _OWN_PAGES)


@researcher_page("GET", "POST")
def step(request: HttpRequest, slug: str, step: str) -> HttpResponse:
    """Show a step with its form, or save the changes in it."""
    if step not in _FORM_STEPS:
        raise Http404
    if request.method == "POST":
        return _save(request, slug, step)
    return setup_page(
        request, slug, step, lambda _page: {}, template="step", opened=partial(frozen.step, slug=step)
    )  # fmt: skip


def _save(request: HttpRequest, slug: str, step: str) -> HttpResponse:
    """Save the changes, carry out the action of the button, and answer with the parts of the page that differ."""
    study = access.study_for_researcher(request.user, slug, Membership.Role.EDITOR)
    # What saves by itself presses no button, whatever it carries.
    saves_by_itself = "HX-Request" in request.headers
    button = "" if saves_by_itself else request.POST.get("do", "")
    try:
        page = SetupPage(changes.begin(study), step, is_checked=True)
        saved = editing.save(page=page, posted=request.POST, button=button, by=request.user)
    except NotADraft as error:
        messages.error(request, str(error))
        return go(request, "researcher:setup", slug)
    _tell(request, saved)
    if saves_by_itself:
        return _parts(request, saved)
    for sentence in _in_words(saved):
        messages.warning(request, sentence)
    if button == "next" and (wrong := _wrong_on(saved.page)):
        sentence = ngettext(
            "Saved. There is an error on this step: %(errors)s. Fix it, or choose another step.",
            "Saved. There are errors on this step: %(errors)s. Fix them, or choose another step.",
            len(wrong),
        )
        messages.error(request, sentence % {"errors": ", ".join(f"“{label}”" for label in wrong)})
        return redirect(step_url(slug, step))
    return go_on(request, saved.page) if button == "next" else redirect(step_url(slug, step))


def _wrong_on(page: SetupPage) -> list[str]:
    """Return the labels of the fields of the step with a wrong value, each once; an empty field is none."""
    labels = page.labels
    wrong = [path for path in page.problems if path in labels and page.value(path) not in (None, "", [], {})]
    return list(dict.fromkeys(str(labels[path]) for path in wrong))


def _tell(request: HttpRequest, saved: Saved) -> None:
    """Name the values that were not stored and the actions that were refused, on the next page."""
    for path in saved.left_out:
        sentence = _("%(name)s was not stored: it holds characters or a depth that cannot be stored.")
        messages.error(request, sentence % {"name": name_of(path)})
    if saved.refusal:
        messages.error(request, _("No attention check was added. %(reason)s") % {"reason": saved.refusal})
    if saved.is_outdated:
        messages.warning(
            request,
            _("The list was changed while you were editing, so nothing was removed or moved. This is the list now."),
        )


def _in_words(saved: Saved) -> list[str]:
    """Return a sentence for each value that was not set, by the label of its field or by the name that was posted."""
    labels = saved.page.on(saved.page.step).labels if saved.conflicts else {}
    sentence = _("“%(name)s” was not stored: this step has no such field.")
    return [
        *(_conflict(conflict, labels.get(conflict.path, name_of(conflict.path))) for conflict in saved.conflicts),
        *(f"{sentence % {'name': name}} {suggestion}".rstrip() for name, suggestion in saved.unknown.items()),
    ]


def _conflict(conflict: Conflict, label: str) -> str:
    words = {
        "label": label,
        "theirs": in_control("text", conflict.theirs) or _("nothing"),
        "wanted": in_control("text", conflict.yours) or _("nothing"),
        "who": conflict.by or _("Somebody else"),
    }
    return (
        _(
            "%(who)s has changed “%(label)s” to “%(theirs)s” while you were editing, so it was not set to "
            "“%(wanted)s”. If it should be, enter it again."
        )
        % words
    )


def _parts(request: HttpRequest, saved: Saved) -> HttpResponse:
    """Answer a script with the parts that differ: the state, the problems, and all fields where the page has others."""
    page = saved.page
    context = {
        "setup_page": page,
        "setup": page.setup,
        "study": page.study,
        "redraw": saved.others or editing.is_stale(page, request.POST),
        "conflicts": _in_words(saved),
        "steps": step_links(page.study.slug, page.step, page.states),
        "step_states": STATES_IN_WORDS.items(),
        "is_part": True,
    }
    response = render(request, "researcher/setup/_saved.html", context)
    response["HX-Trigger"] = "setup-saved"
    return response
