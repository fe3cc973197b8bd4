"""Files of a named format: show the format and how it was recognised, let it be changed, preview, and store."""

from collections.abc import Mapping
from typing import Any, cast

from django import forms
from django.contrib import messages
from django.contrib.auth.models import User
from django.core.files import File
from django.http import HttpRequest
from django.http.response import HttpResponseBase
from django.shortcuts import redirect
from django.urls import reverse
from django.utils.http import urlencode
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from tasks_app import access
from tasks_app.hooks.tabs import all_tabs
from tasks_app.importing import RatingsFile, background, uploads
from tasks_app.importing.formats.opening import plain_form
from tasks_app.importing.named import readers, studies  # noqa: F401  fills the registry
from tasks_app.importing.named.base import CERTAIN
from tasks_app.importing.named.registry import format_called, registry
from tasks_app.models import ImportWork, Membership, Study
from tasks_app.settings.fields import line_field
from tasks_app.studyfile import StudyFileError
from tasks_app.views.researcher.frame import researcher_page, study_page
from tasks_app.views.researcher.importing.progress import given_before, hand_over


class FormatForm(forms.Form):
    """The format of files, and the options that it leaves open."""

    format = forms.ChoiceField(label=gettext_lazy("Format"))

    def __init__(self, data: Mapping[str, Any] | None, chosen: str, options: Mapping[str, str] | None = None) -> None:
        super().__init__(data, initial={**(options or {}), "format": chosen})
        self.fields["format"].choices = [(reader.name, reader.label) for reader in registry.values()]  # type: ignore[attr-defined]
        self.reader = format_called(chosen)
        for name, option in self.reader.options.items():
            if option.choices:
                choices = [("", _("as usual")), *option.choices.items()]
                self.fields[name] = forms.ChoiceField(choices=choices, required=False, label=str(option.label))
            else:
                help_text = _("Leave empty to have it recognised.")
                self.fields[name] = line_field(option.label, help_text, required=False)

    @property
    def options(self) -> dict[str, str]:
        """The chosen options."""
        return {name: self.cleaned_data[name] for name in self.reader.options if self.cleaned_data.get(name)}


@researcher_page("GET", "POST")
def of_format(request: HttpRequest, slug: str) -> HttpResponseBase:
    """Show the format of an uploaded file and a preview of it; store the file in place of the empty draft."""
    study = access.study_for_researcher(request.user, slug, Membership.Role.OWNER)
    token = (request.POST if request.method == "POST" else request.GET).get("file", "")
    file = uploads.find(study, token) if token else None
    if file is None or file.form is None or not file.form.formats or study.is_frozen:
        if token:
            messages.warning(request, _("The uploaded file was deleted after a day. Upload it again."))
        return redirect("researcher:one_table", slug)
    return _answer(request, study, file, token)


def _answer(request: HttpRequest, study: Study, file: RatingsFile, token: str) -> HttpResponseBase:
    assert file.form is not None, "it was looked through"
    signs = {name: (sure == CERTAIN, why) for name, sure, why in file.form.formats}
    names = {reader.name for reader in registry.values()}
    chosen = request.POST.get("format", "")
    before = given_before(request, study, ImportWork.Kind.FORMAT, token) or {}
    chosen = chosen if chosen in names else before.get("format") or next(iter(signs))
    action = request.POST.get("action", "")
    form = FormatForm(request.POST if action else None, chosen, before.get("options"))
    context: dict[str, Any] = {"file": file.name, "token": token, "signs": signs, "chosen": chosen}
    try:
        if action == "columns":
            return redirect(_as_table(study, file, token))
        if action == "cancel":
            uploads.forget(study, token)
            return redirect("researcher:one_table", study.slug)
        if background.is_large(file):
            if action and form.is_valid():
                return _by_a_worker(request, study, form, token, only_check=action != "store")
            context["is_large"] = True
        elif not action or form.is_valid():
            made = _make(request, study, file, form, check=action != "store")
            if action == "store":
                return _stored(request, made)
            context["made"] = made
    except StudyFileError as error:
        context["refusal"] = error
    context |= {"form": form, "recognised": signs.get(chosen), "reader": form.reader}
    status = 422 if "refusal" in context or (action and form.errors) else 200
    return study_page(
        request, study.slug, "data", lambda _study: context, template="of_format", title=_("Files of a known format"),
        role=Membership.Role.OWNER, status=status,
    )  # fmt: skip


def _by_a_worker(
    request: HttpRequest, study: Study, form: FormatForm, token: str, *, only_check: bool
) -> HttpResponseBase:
    given = {"file": token, "format": form.reader.name, "options": form.options}
    return hand_over(request, study, ImportWork.Kind.FORMAT, given, only_check=only_check)


def _make(request: HttpRequest, study: Study, file: RatingsFile, form: FormatForm, *, check: bool) -> studies.Made:
    """Read the files and store them, or only check. Raises StudyFileError."""
    options = form.options if form.is_bound else {}
    with file.open() as stream:
        return studies.make_study(
            upload=studies.Upload(file.name, stream), format=form.reader.name, options=options,
            owner=cast("User", request.user), instead_of=study, check=check,
        )  # fmt: skip


def _stored(request: HttpRequest, made: studies.Made) -> HttpResponseBase:
    messages.success(request, _("Stored: %(summary)s. The results are being computed.") % {"summary": made.summary})
    for note in made.notes:
        messages.info(request, note)
    results = next(tab.url_name for tab in all_tabs() if tab.slug == "results")
    return redirect(results, made.study.slug)


def _as_table(study: Study, file: RatingsFile, token: str) -> str:
    """Keep the file as a table; return the address of the page of its columns. Raises StudyFileError."""
    with file.open() as stream:
        kept = uploads.keep(study, cast("Any", File(stream, name=file.name)), plain_form)
    uploads.forget(study, token)
    return f"{reverse('researcher:one_table', args=[study.slug])}?{urlencode({'file': kept})}"
