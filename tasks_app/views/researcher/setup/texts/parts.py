"""Actions on the texts of a draft: change a row, name systems, draw a sample, manage files."""

from typing import Any

from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from tasks_app.hooks.sections import digest
from tasks_app.models import Setup, SetupRow
from tasks_app.setup import media, table_rows
from tasks_app.setup.texts import reads, samples, writes
from tasks_app.studyfile import StudyFileError
from tasks_app.studyfile.files.limits import largest_upload
from tasks_app.uploads.request_sizes import accepts_files
from tasks_app.views.researcher.frame import researcher_page
from tasks_app.views.researcher.setup.texts.drafts import of_draft, show
from tasks_app.views.researcher.setup.texts.forms import MediaForm, SampleForm, SystemsForm
from tasks_app.views.researcher.setup.texts.row_form import RowForm


@researcher_page("GET", "POST")
@of_draft
def text_row(request: HttpRequest, setup: Setup, number: int | None = None) -> HttpResponse:
    """Show a row of the texts to change it, or an empty one to add it, and store it."""
    row = SetupRow(cells={}) if number is None else reads.rows_of(setup).filter(number=number).first()
    if row is None:
        raise Http404
    form = RowForm(request.POST or None, cells=row.cells, setup=setup)
    if form.is_valid():
        try:
            writes.put_row(
                setup=setup,
                number=number,
                cells=form.cells(),
                media=media.uploaded(setup),
                by=request.user,
                digest_shown=request.POST.get("seen", ""),
            )
        except table_rows.RowChanged:
            return _changed_meanwhile(request, setup, number)
        except StudyFileError as error:
            form.refuse(error)
        else:
            messages.success(request, _("The row is stored."))
            return redirect("researcher:texts", setup.study.slug)
    digest_shown = request.POST.get("seen", "") or (digest(row.cells) if number is not None else "")
    context = {"form": form, "number": number, "systems": reads.systems_of(setup), "seen": digest_shown}
    return show(request, setup, "texts_row", context, 422 if form.errors else 200)


def _changed_meanwhile(request: HttpRequest, setup: Setup, number: int | None) -> HttpResponse:
    """Show a row as somebody else has changed it."""
    sentence = _(
        "Somebody else has changed this row while you were editing, so nothing was stored. This is how it is now."
    )
    messages.warning(request, sentence)
    return redirect("researcher:text_row", setup.study.slug, number)


@researcher_page("POST")
@of_draft
def systems(request: HttpRequest, setup: Setup) -> HttpResponse:
    """Store the names and kinds of the systems."""
    form = SystemsForm(request.POST, systems=reads.counts(setup).systems)
    if form.is_valid():
        base = form.cleaned_data["base"]
        if writes.name_systems(setup=setup, systems=form.entries(), base=base, by=request.user):
            messages.success(request, _("The systems are stored."))
            return redirect("researcher:texts", setup.study.slug)
    sentence = _(
        "Somebody else has changed the systems while you were editing, so nothing was stored. These are the current "
        "ones."
    )
    messages.warning(request, sentence)
    return redirect("researcher:texts", setup.study.slug)


@researcher_page("GET", "POST")
@of_draft
def sample(request: HttpRequest, setup: Setup) -> HttpResponse:
    """Ask for the settings of a sample, and draw it."""
    form = SampleForm(request.POST or None, strata=samples.strata_of(setup))
    if form.is_valid():
        try:
            drawn = samples.take_sample(setup=setup, sample=form.sample(), by=request.user)
        except samples.CannotSample as error:
            form.add_error("n", str(error))
        else:
            sentence = _("The texts are now a sample of %(items)s of %(from_items)s items, drawn with seed %(seed)s.")
            messages.success(request, sentence % drawn)
            return redirect("researcher:texts", setup.study.slug)
    context = {"sample_form": form, "counts": reads.counts(setup)}
    return show(request, setup, "texts_sample", context, 422 if form.errors else 200)


@accepts_files(largest_upload)
@researcher_page("GET", "POST")
@of_draft
def text_media(request: HttpRequest, setup: Setup) -> HttpResponse:
    """List the pictures, sounds and videos of a draft, take new ones, and remove them."""
    if request.POST.get("action") == "remove":
        return _remove_file(request, setup)
    form = MediaForm(request.POST or None, request.FILES or None)
    context: dict[str, Any] = {}
    if form.is_valid():
        try:
            uploads = form.cleaned_data["uploads"]
            notes = media.keep(setup=setup, uploads=uploads, by=request.user)
        except StudyFileError as error:
            context["refusal"] = error
        else:
            sentence = ngettext("%(n)d file is stored.", "%(n)d files are stored.", len(uploads))
            messages.success(request, sentence % {"n": len(uploads)})
            for note in notes:
                messages.info(request, note)
            return redirect("researcher:text_media", setup.study.slug)
    context |= {"media_form": form, "media": media.files_of(setup)}
    return show(request, setup, "texts_media", context, 422 if context.get("refusal") or form.errors else 200)


def _remove_file(request: HttpRequest, setup: Setup) -> HttpResponse:
    try:
        media.remove(setup=setup, name=request.POST.get("name", ""), by=request.user)
    except media.IsUsed as error:
        messages.warning(request, str(error))
    else:
        messages.success(request, _("The file is removed."))
    return redirect("researcher:text_media", setup.study.slug)
