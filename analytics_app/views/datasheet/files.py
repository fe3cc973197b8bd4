"""The datasheet as a file, and answers from a file of the public form."""

from django import forms
from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, ngettext

from analytics_app.heds import formats
from analytics_app.heds.formats import public_form
from analytics_app.heds.questions import Version
from analytics_app.heds.sheet import frozen_sheet, sheet_of
from analytics_app.services import datasheet as services
from tasks_app import access
from tasks_app.models import Membership
from tasks_app.uploads.request_sizes import accepts_files
from tasks_app.views.downloads import attachment
from tasks_app.views.researcher.frame import researcher_page, study_page


class UploadForm(forms.Form):
    """A file that the public form saved."""

    file = forms.FileField(
        label=gettext_lazy("Datasheet as JSON"),
        help_text=gettext_lazy("As the public form of HEDS 3.0 saves it, or as downloaded here."),
        allow_empty_file=True,  # the reader refuses an empty file with a sentence about what to do
    )


@researcher_page("GET")
def download(request: HttpRequest, slug: str, format: str) -> HttpResponse:
    """Return the current datasheet, or with `frozen` that of the open version, in one of the formats."""
    study, _role = access.study_and_role(request.user, slug)
    if format not in formats.WRITERS:
        raise Http404
    requested = request.GET.get("version", "")
    version = Version(requested) if requested in list(Version) else Version.THREE
    sheet, suffix = sheet_of(study), ""
    if request.GET.get("frozen"):
        frozen = frozen_sheet(sheet)
        if frozen is None:
            raise Http404
        sheet, suffix = frozen.sheet, f"-version-{frozen.version}"
    name = f"{study.slug}-heds-{Version.THREE if format == 'json' else version}{suffix}.{formats.ENDINGS[format]}"
    return attachment(name, formats.WRITERS[format](sheet, version), formats.CONTENT_TYPES[format])


@accepts_files(lambda: public_form.MOST_BYTES)
@researcher_page("GET", "POST")
def import_file(request: HttpRequest, slug: str) -> HttpResponse:
    """Store the answers of a file of the public form; nothing is stored unless the whole file is valid."""
    study = access.study_for_researcher(request.user, slug, Membership.Role.EDITOR)
    form = UploadForm(request.POST, request.FILES) if request.method == "POST" else UploadForm()
    problems: tuple[str, ...] = ()
    if form.is_bound and form.is_valid():
        try:
            n, unknown = services.import_file(study=study, content=form.cleaned_data["file"].read(), by=request.user)
        except public_form.BadFile as error:
            problems = error.problems
        else:
            messages.success(request, ngettext("%(n)d answer stored.", "%(n)d answers stored.", n) % {"n": n})
            if unknown:
                messages.warning(request, _("Not used, because no question has such a field: %s") % ", ".join(unknown))
            return redirect("analytics:datasheet", study.slug)
    context = {"form": form, "problems": problems}
    return study_page(
        request, slug, "datasheet", lambda _study: context, template="datasheet_import",
        title=_("Import a datasheet"), role=Membership.Role.EDITOR, status=422 if form.is_bound else 200,
    )  # fmt: skip
