"""The steps of setting up a draft: forms made of what a study file may contain, saved as they are filled in."""

from collections.abc import Sequence
from functools import partial
from typing import Any

from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.datastructures import MultiValueDict
from django.utils.translation import gettext as _

from tasks_app import access
from tasks_app.models import Membership, Setup, Study
from tasks_app.plaintext import problems_in_json
from tasks_app.services.study.drafts import NotADraft
from tasks_app.setup import changes, editing
from tasks_app.setup.changes import Changed, Conflict
from tasks_app.setup.checking import problems_of, reading_of
from tasks_app.setup.controls import Control, in_control, name_of, posted_value
from tasks_app.setup.fields import Fields, Group, controls_of
from tasks_app.setup.numbers import checked_reading, numbers_of
from tasks_app.setup.steps import STEPS
from tasks_app.setup.unit_tables.offered import offered_on
from tasks_app.studyfile.schema import whole_schema
from tasks_app.views.researcher.frame import researcher_page
from tasks_app.views.researcher.setup import frozen
from tasks_app.views.researcher.setup.form_frame import go, setup_page, step_url

# Steps with a page of their own.
_OWN_PAGES = ("texts", "review")
# Names that the form posts beside its fields.
_NOT_FIELDS = {"csrfmiddlewaretoken", "revision", "do", "new_language"}
_FORM_STEPS = tuple(step.slug for step in STEPS if step.slug not in _OWN_PAGES)


@researcher_page("GET", "POST")
def step(request: HttpRequest, slug: str, step: str) -> HttpResponse:
    """Show a step with its form, or save the changes in it."""
    if step not in _FORM_STEPS:
        raise Http404
    if request.method == "POST":
        return _save(request, slug, step)

    return setup_page(
        request, slug, step, lambda _study, setup: _fields(setup, step), template="step",
        opened=partial(frozen.step, slug=step),
    )  # fmt: skip


def _fields(setup: Setup, step: str) -> dict[str, Any]:
    """Return the fields of a step with their problems, and the numbers of the study where the step shows these."""
    tables = {"unit_tables": offered_on(setup, step)}
    if step not in frozen.WITH_NUMBERS:
        return {"groups": Fields(whole_schema(), setup.given, problems_of(reading_of(setup)), step).groups(), **tables}
    reading, scale = checked_reading(setup)
    groups = Fields(whole_schema(), setup.given, problems_of(reading), step, reading.nearest).groups()
    return {"groups": groups, "with_numbers": True, "numbers": numbers_of(reading, scale), **tables}


def _save(request: HttpRequest, slug: str, step: str) -> HttpResponse:
    """Save the changes, carry out the action of the button, and answer with the parts of the page that differ."""
    study = access.study_for_researcher(request.user, slug, Membership.Role.EDITOR)
    try:
        changed, base = _changed(request, study, step)
    except NotADraft as error:
        messages.error(request, str(error))
        return go(request, "researcher:setup", slug)
    if request.POST.get("do") == "next":
        slugs = [known_step.slug for known_step in STEPS]
        return go(request, step_url(slug, slugs[slugs.index(step) + 1]))
    if "HX-Request" not in request.headers:
        for sentence in _in_words(changed, step):
            messages.warning(request, sentence)
        return redirect(step_url(slug, step))
    return _parts(request, step, changed, base)


def _changed(request: HttpRequest, study: Study, step: str) -> tuple[Changed, int]:
    """Make the changes that were posted; return them, and the revision of the page they were made on."""
    setup, posted = changes.begin(study), request.POST
    text = posted.get("revision", "")
    base = min(int(text), setup.revision) if text.isdecimal() and len(text) < 10 else setup.revision
    values = editing.changed_values(editing.given_at(setup, base), step, posted)
    for path in [path for path, value in values.items() if any(problems_in_json(value))]:
        del values[path]
        messages.error(
            request,
            _("%(name)s was not stored: it holds characters or a depth that cannot be stored.")
            % {"name": name_of(path)},
        )
    changed = changes.change(setup=setup, values=values, base=base, by=request.user)
    button = posted.get("do", "")
    if button == "undo":
        changes.undo(setup=changed.setup, by=request.user)
        return Changed(Setup.objects.select_related("study").get(pk=setup.pk), changed.conflicts), base
    if editing.is_outdated(changed.setup, button, base, setup.revision):
        messages.warning(
            request,
            _("The list was changed while you were editing, so nothing was removed or moved. This is the list now."),
        )
        return changed, base
    after = editing.press(setup=changed.setup, step=step, button=button, posted=posted, by=request.user)
    return Changed(after, changed.conflicts), base


def _in_words(changed: Changed, step: str) -> list[str]:
    """Return a sentence for each value that somebody else has changed too, by the label of its field."""
    groups = Fields(whole_schema(), changed.setup.given, {}, step).groups() if changed.conflicts else []
    labels = {control.path: control.label for group in groups for control in controls_of(group)}
    return [_conflict(conflict, labels.get(conflict.path, name_of(conflict.path))) for conflict in changed.conflicts]


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


def _parts(request: HttpRequest, step: str, changed: Changed, base: int) -> HttpResponse:
    """Answer a script with the parts that differ: the state, the problems, and all fields where the page has others."""
    setup = changed.setup
    fields = _fields(setup, step)
    groups: list[Group] = fields["groups"]
    controls = [control for group in groups for control in controls_of(group)]
    others = setup.changes.filter(revision__gt=base).exclude(by_id=request.user.pk).exists()
    context = {
        "setup": setup,
        "study": setup.study,
        **fields,
        "controls": controls,
        "redraw": others or bool(request.POST.get("do")) or _is_stale(controls, request.POST),
        "conflicts": _in_words(changed, step),
        "others": others,
        "is_part": True,
    }
    response = render(request, "researcher/setup/_saved.html", context)
    response["HX-Trigger"] = "setup-saved"
    return response


def _is_stale(controls: Sequence[Control], posted: MultiValueDict[str, str]) -> bool:
    """Return whether the page that was posted has other fields, or other values in them, than the step has now."""
    if {control.name for control in controls} != set(posted) - _NOT_FIELDS:
        return True
    for control in controls:
        value = posted_value(control, posted)
        is_empty = value is None and (control.value == control.default or control.path[-1] == "key")
        if control.path[-1] != "" and not is_empty and not control.is_as_shown(value):
            return True
    return False
