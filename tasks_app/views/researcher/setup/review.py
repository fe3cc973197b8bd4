"""Review: check the whole set-up and make the study of it, and show the values that opening would freeze."""

import tempfile
from collections.abc import Callable, Mapping, Sequence
from functools import cache
from typing import Any

from django.contrib import messages
from django.http import FileResponse, HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils.translation import gettext as _

from tasks_app import access
from tasks_app.models import Membership, Setup, SetupWork, Study
from tasks_app.readiness import Point, limits, sets
from tasks_app.services import events
from tasks_app.services.background import Busy, refusal_of
from tasks_app.services.study.drafts import NotADraft
from tasks_app.services.study.lifecycle import NotPossible
from tasks_app.setup import background, changes
from tasks_app.setup.checking import make_study
from tasks_app.setup.controls import field_id, name_of
from tasks_app.setup.following import missing_codes
from tasks_app.setup.frozen import setup_of
from tasks_app.setup.media import earlier_files
from tasks_app.setup.page import SetupPage
from tasks_app.setup.preregistration import write as write_preregistration
from tasks_app.setup.steps import STEPS, step_of
from tasks_app.setup.summary import summary_of
from tasks_app.setup.unit_tables.declared import UNIT_TABLES
from tasks_app.setup.unit_tables.offered import offered_on, rows_by_table
from tasks_app.studyfile.files.source import STUDY_YAML
from tasks_app.studyfile.problems import Problem, StudyFileError
from tasks_app.views.researcher.frame import refusals_shown, researcher_page
from tasks_app.views.researcher.setup import frozen, moving
from tasks_app.views.researcher.setup.comments import comments_of, links_of
from tasks_app.views.researcher.setup.family import changed_settings, family, what_changed
from tasks_app.views.researcher.setup.form_frame import go, page_of, setup_page, step_url
from tasks_app.views.researcher.setup.working import live, work_on

# Where problems stand that no step asks for.
_FILE = "file"


@researcher_page("GET", "POST")
def review(request: HttpRequest, slug: str) -> HttpResponse:
    """Show the problems, step by step; posted to, check everything and make the study, or have a worker do it."""
    if request.method != "POST":
        return _show_page_or_part(request, slug)
    study = access.study_for_researcher(request.user, slug, Membership.Role.EDITOR)
    if (act := _ACTS.get(request.POST.get("do", ""))) is not None:
        return act(request, study)
    try:
        setup = changes.begin(study)
        if background.is_long(setup):
            background.ask_for_check(setup=setup, by=request.user)
            return redirect(step_url(slug, "review"))
        study, loaded = make_study(setup=setup, by=request.user)
    except StudyFileError as refusal:
        return _page(request, slug, refusal=refusal, status=422)
    except (NotADraft, Busy) as error:
        messages.error(request, str(error))
        return redirect(step_url(slug, "review"))
    messages.success(
        request, _("All checks passed. You can now try the study out; see below what to settle before you open it.")
    )
    for note in (*loaded.notes, *filter(None, [loaded.load])):
        messages.info(request, note)
    return redirect(step_url(slug, "review"))


def _show_page_or_part(request: HttpRequest, slug: str) -> HttpResponse:
    """Show the page, or one of its parts."""
    if "live" in request.GET:
        return live(request, slug)
    if "changed" in request.GET:
        return _changed(request, slug)
    for name, context_of in _PARTS.items():
        if name in request.GET:
            return _part(request, slug, name, context_of)
    return _page(request, slug)


def _changed(request: HttpRequest, slug: str) -> HttpResponse:
    """Show the changes of a study compared with the one that it follows: a part of Review that a script loads.

    Without scripts, it is a page of its own.
    """
    study = access.study_for_researcher(request.user, slug, Membership.Role.EDITOR)
    setup = setup_of(study)
    context = what_changed(request.user, study, setup)
    if context["changed"] is None:
        return go(request, step_url(slug, "review"))
    if "HX-Request" in request.headers:
        return render(request, "researcher/setup/_changed.html", {"study": study, **context})
    return page_of(request, SetupPage(setup, "review", is_checked=True), lambda _page: context, template="changed")


def _part(request: HttpRequest, slug: str, name: str, context_of: Callable[[Setup], dict[str, Any]]) -> HttpResponse:
    """Show a part of Review that a script loads, since it takes longer than the page; without scripts, a page."""
    study = access.study_for_researcher(request.user, slug, Membership.Role.EDITOR)
    setup = None if study.is_frozen else changes.begin(study)
    if setup is None or not (setup.is_stored or name in _OF_THE_FORM):
        return go(request, step_url(slug, "review"))
    context = context_of(setup)
    if "HX-Request" in request.headers:
        return render(request, f"researcher/setup/_{name}.html", {"study": study, **context})
    return page_of(
        request, SetupPage(setup, "review", is_checked=True), lambda _page: {"part": name, **context}, template="part"
    )


def _summary(setup: Setup) -> dict[str, Any]:
    """Return the consequences of the settings of a study, each line with the address of its field."""
    lines = []
    for line in summary_of(setup):
        url = step_url(setup.study.slug, step_of(line.path) or "task")
        lines.append({"sentence": line.sentence, "url": f"{url}#{field_id(line.path)}"})
    return {"lines": lines}


# What a query of the address asks for: what the study will do, what is left to settle, and what opening freezes.
_PARTS: Mapping[str, Callable[[Setup], dict[str, Any]]] = {
    "summary": _summary,
    "settle": moving.what_is_left,
    "opening": lambda setup: moving.what_opening_does(setup.study),
}


# Parts that are made of the form, whether or not the study was made of it.
_OF_THE_FORM = frozenset({"summary"})


def _make_codes(request: HttpRequest, study: Study) -> HttpResponse:
    """Draw a completion code for every outcome that has none."""
    with refusals_shown(request, NotADraft):
        setup = changes.begin(study)
        made = missing_codes(setup.document)
        changes.change(setup=setup, values=made, base=setup.revision, by=request.user)
        messages.success(request, _("Every outcome has a completion code now. Recruit says where they go."))
    return redirect(step_url(study.slug, "review"))


def _split_limit(request: HttpRequest, study: Study) -> HttpResponse:
    """Cut the sets of the tasks so that no rater judges more texts than the study's limit."""
    with refusals_shown(request, NotADraft):
        page = SetupPage(changes.begin(study), "raters", is_checked=True)
        advice = page.advice(limits.PATH)
        if advice is None:
            messages.info(request, _("The tasks keep to the limit already, or cannot be cut any further."))
        else:
            changes.change(setup=page.setup, values=advice.values, base=page.setup.revision, by=request.user)
            messages.success(request, _("The limit is split over the tasks. Check everything again."))
    return redirect(step_url(study.slug, "review"))


def _fit_sets(request: HttpRequest, study: Study) -> HttpResponse:
    """Change the sizes of sets so that all tasks have sets for as many raters."""
    with refusals_shown(request, NotADraft):
        page = SetupPage(changes.begin(study), "raters", is_checked=True)
        sizes = {} if page.problems else sets.fitting_sizes(page.facts)
        if sizes:
            changes.change(setup=page.setup, values=sizes, base=page.setup.revision, by=request.user)
            messages.success(request, _("All tasks have sets for as many raters now. Check everything again."))
        else:
            messages.info(request, _("All tasks have sets for as many raters already, or no set sizes fit them all."))
    return redirect(step_url(study.slug, "review"))


def _remove_tables(request: HttpRequest, study: Study) -> HttpResponse:
    """Remove the tables about units, where they belong to texts that are gone."""
    with refusals_shown(request, NotADraft):
        changes.remove_tables(setup=changes.begin(study), tables=list(UNIT_TABLES), by=request.user)
        messages.success(request, _("The known answers, batches and suggestions are removed."))
    return redirect(step_url(study.slug, "review"))


# Buttons of the page beside “Check everything”.
_ACTS: Mapping[str, Callable[[HttpRequest, Study], HttpResponse]] = {
    "remove": _remove_tables,
    "codes": _make_codes,
    "split": _split_limit,
    "fit_sets": _fit_sets,
}


@researcher_page("GET")
def preregistration(request: HttpRequest, slug: str) -> HttpResponseBase:
    """Send the file to preregister a checked draft with; it holds known answers, and so it is logged."""
    study = access.study_for_researcher(request.user, slug, Membership.Role.EDITOR)
    target = tempfile.TemporaryFile()  # noqa: SIM115  FileResponse closes it
    try:
        setup = changes.begin(study)
        opening = moving.what_opening_does(study)
        plans = [(str(task), text) for task, text in opening["plans"]]
        write_preregistration(study, target, opening["frozen"], plans, changed_settings(request.user, study, setup))
    except (NotADraft, NotPossible) as error:
        target.close()
        messages.error(request, str(error))
        return redirect("researcher:setup", slug)
    target.seek(0)
    events.log(study, request.user, "exported", about="preregistration")
    return FileResponse(target, as_attachment=True, filename=f"{study.slug}-preregistration.zip")


def _page(request: HttpRequest, slug: str, *, refusal: StudyFileError | None = None, status: int = 200) -> HttpResponse:
    def context(page: SetupPage) -> dict[str, Any]:
        study, setup = page.study, page.setup
        work = work_on(setup, SetupWork.Kind.CHECK)
        shown = refusal or (refusal_of(work) if work and work.revision == setup.revision else None)
        is_ready = setup.is_stored and shown is None and not (work and work.is_under_way)
        counts = rows_by_table(setup)
        left = () if is_ready else page.points
        return {
            "work": work,
            # A set-up that was checked as a whole has none.
            "open_points": [] if is_ready else _open_points(page, left, has_texts=bool(counts.get("items"))),
            "lacks_codes": any(point.kind == "codes" for point in left),
            "is_beyond_limit": any(point.kind == limits.KIND for point in left),
            "has_sets_left": any(point.kind == sets.KIND for point in left),
            "is_ready": is_ready,
            "refusal": shown,
            "elsewhere": _elsewhere(shown, page) if shown else (),
            "outputs": counts.get("items", 0),
            "unit_tables": [table for table in offered_on(setup, counts=counts) if table.rows],
            "earlier_files": earlier_files(study),
            **family(request.user, study),
            **comments_of(study),
            **links_of(study),
        }

    return setup_page(request, slug, "review", context, template="review", status=status, opened=frozen.review)


def _elsewhere(refusal: StudyFileError, page: SetupPage) -> list[Problem]:
    """Return the problems of a refused check that no step names beside a field."""
    named = {sentence for sentences in page.reading.sentences.values() for sentence in sentences}
    return [
        problem
        for problem in refusal.problems
        if problem.file != STUDY_YAML or not any(problem.message.endswith(sentence) for sentence in named)
    ]


def _open_points(page: SetupPage, left: Sequence[Point], *, has_texts: bool) -> list[dict[str, Any]]:
    """Return the steps that have problems, each with these and the places to fix them."""
    pages = cache(page.on)
    by_step: dict[str, list[dict[str, str]]] = {}
    for problem, sentences in page.problems.items():
        path = page.fixed_by(problem)
        # What no step asks for, such as a misspelt name, stands only in the file.
        step = step_of(path)
        step = step if step and pages(step).asks_for(path) else _FILE
        control = next((shown for shown in pages(step).controls if shown.path == path), None) if step != _FILE else None
        anchor, label = (f"#{control.id}", control.label) if control is not None else ("", name_of(path))
        by_step.setdefault(step, []).extend(
            {"sentence": f"{label}: {sentence}", "anchor": anchor} for sentence in sentences
        )
    if not has_texts and page.reads_texts:
        sentence = _("There are no texts yet. Upload a table of them.")
        by_step.setdefault("texts", []).append({"sentence": sentence, "anchor": ""})
    for sentence in page.problems_of_texts:
        by_step.setdefault("texts", []).append({"sentence": sentence, "anchor": ""})
    for point in left:
        step = step_of(point.path) or "task"
        control = next((shown for shown in pages(step).controls if shown.path == point.path), None)
        anchor, label = (f"#{control.id}", f"{control.label}: ") if control is not None else ("", "")
        by_step.setdefault(step, []).append({"sentence": f"{label}{point.sentence}", "anchor": anchor})
    slug = page.study.slug
    places = [
        *((step.slug, step.label, step_url(slug, step.slug)) for step in STEPS),
        (_FILE, _("Study file"), reverse("researcher:setup_file", args=[slug])),
    ]
    return [
        {"label": label, "url": url, "problems": by_step[place]} for place, label, url in places if place in by_step
    ]
