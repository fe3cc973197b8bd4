"""Scores of automatic metrics: upload, say which columns name item and system, check, import. Works without scripts."""

from __future__ import annotations

from typing import Any

from django import forms
from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.urls import reverse
from django.utils.http import urlencode
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from django.views.decorators.http import require_http_methods

from analytics_app.selectors.scores import metrics_of
from analytics_app.services.scores import Columns, import_scores, is_long
from tasks_app import access
from tasks_app.importing import RatingsFile, uploads
from tasks_app.importing.guessing import Peek, guess, peek
from tasks_app.models import Membership, Study
from tasks_app.request_sizes import accepts_files
from tasks_app.studyfile import StudyFileError
from tasks_app.studyfile.limits import largest_upload
from tasks_app.views.researcher.frame import researcher_page, study_page
from tasks_app.views.researcher.import_forms import MARKS

EDITOR = Membership.Role.EDITOR


class UploadForm(forms.Form):
    """A file of scores."""

    file = forms.FileField(
        label=gettext_lazy("File of scores"),
        help_text=gettext_lazy("CSV, TSV or JSON Lines, as it is or gzipped (.csv.gz). Nothing is stored yet."),
        allow_empty_file=True,  # an empty file is answered by the reader, which says what to do
    )


class ColumnsForm(forms.Form):
    """Which columns name the text, and what becomes of scores there are."""

    item = forms.ChoiceField(label=gettext_lazy("Item"), help_text=gettext_lazy("Key of the item."))
    system = forms.ChoiceField(label=gettext_lazy("System"), help_text=gettext_lazy("Key of the system."))
    variant = forms.ChoiceField(
        required=False,
        label=gettext_lazy("Variant"),
        help_text=gettext_lazy("Only where a system has several texts for an item."),
    )
    metrics = forms.MultipleChoiceField(
        required=False,
        label=gettext_lazy("Metrics"),
        help_text=gettext_lazy("Columns that hold scores. Those that look like scores are ticked; check them."),
        widget=forms.CheckboxSelectMultiple,
    )
    quoting = forms.ChoiceField(
        choices=MARKS,
        required=False,
        label=gettext_lazy("Quotation marks"),
        help_text=gettext_lazy("For files with tabs. You are asked if it is not clear what they mean."),
    )
    replace = forms.BooleanField(
        required=False,
        label=gettext_lazy("Replace all scores that the study has of these metrics"),
    )

    def __init__(self, *args: Any, looked: Peek, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        columns = looked.columns
        guessed = guess(columns)
        plain = [(one, one) for one in columns]
        # A file with scores of whole systems only has no item, and few files have variants.
        missing = [("", _("– not in the file –")), *plain]
        for name, choices in (("item", missing), ("system", plain), ("variant", missing)):
            field = self.fields[name]
            assert isinstance(field, forms.ChoiceField)
            field.choices = choices
            field.initial = guessed.get(name)
            field.required = name == "system"
        if is_long(columns):
            del self.fields["metrics"]
            return
        metrics = self.fields["metrics"]
        assert isinstance(metrics, forms.MultipleChoiceField)
        metrics.choices = plain
        metrics.initial = [
            name for name in columns if name not in guessed.values() and _looks_like_scores(looked, name)
        ]

    def clean(self) -> dict[str, Any]:
        """Refuse one column for both."""
        given = self.cleaned_data
        if given.get("item") and given.get("item") == given.get("system"):
            self.add_error("system", _("This column is the item already. Choose the one that names the system."))
        if "metrics" in self.fields and not given.get("metrics"):
            self.add_error("metrics", _("Tick at least one column that holds scores."))
        return given


def _looks_like_scores(looked: Peek, name: str) -> bool:
    """Return whether the first cells of a column are numbers, and not all of them whole ones, as ids and counts are."""
    index = looked.columns.index(name)
    cells = [row[index].strip() for row in looked.rows if index < len(row) and row[index].strip()]
    try:
        numbers = [float(cell) for cell in cells]
    except ValueError:
        return False
    return any(not number.is_integer() for number in numbers)


@accepts_files(largest_upload)
@researcher_page
@require_http_methods(["GET", "HEAD", "POST"])
def scores(request: HttpRequest, slug: str) -> HttpResponse:
    """Scores from elsewhere: a page to upload a file, and one to check and store it."""
    study = access.study_for_researcher(request.user, slug, EDITOR)
    given = request.POST if request.method == "POST" else request.GET
    action = request.POST.get("action", "")
    if action == "upload":
        return _upload(request, study)
    token = given.get("file", "")
    file = uploads.find(study, token) if token else None
    if file is None:
        if token:
            messages.warning(request, _("The uploaded file was deleted after a day. Upload it again."))
        return _first_page(request, study)
    if action == "cancel":
        uploads.forget(study, token)
        return redirect("analytics:scores", slug)
    try:
        looked = peek(file, given.get("quoting", ""))
    except StudyFileError as error:
        uploads.forget(study, token)
        return _first_page(request, study, refusal=error)
    return _second_page(request, study, file, token, looked, action)


def _page(request: HttpRequest, slug: str, context: dict[str, Any], status: int) -> HttpResponse:
    return study_page(
        request, slug, "data", lambda _study: context, template="scores", title=_("Import scores"), role=EDITOR,
        status=status,
    )  # fmt: skip


def _first_page(request: HttpRequest, study: Study, form: UploadForm | None = None, **more: Any) -> HttpResponse:
    form = form or UploadForm()
    status = 422 if form.errors or more else 200
    return _page(request, study.slug, {"upload": form, "stored": metrics_of(study), **more}, status)


def _upload(request: HttpRequest, study: Study) -> HttpResponse:
    form = UploadForm(request.POST, request.FILES)
    if not form.is_valid():
        return _first_page(request, study, form)
    try:
        token = uploads.keep(study, form.cleaned_data["file"])
    except StudyFileError as error:
        return _first_page(request, study, form, refusal=error)
    return redirect(f"{reverse('analytics:scores', args=[study.slug])}?{urlencode({'file': token})}")


def _second_page(
    request: HttpRequest, study: Study, file: RatingsFile, token: str, looked: Peek, action: str
) -> HttpResponse:
    """Show the first rows and what the columns are; check or store, where a button says so."""
    form = ColumnsForm(request.POST if action else None, looked=looked)
    about: dict[str, Any] = {"file": file.name, "token": token, "peek": looked, "form": form}
    if not action:
        return _page(request, study.slug, about, 200)
    if not form.is_valid():
        return _page(request, study.slug, about, 422)
    given = form.cleaned_data
    check = action != "import"
    try:
        columns = Columns(
            item=given["item"] or "item", system=given["system"], variant=given["variant"] or "variant",
            metrics=tuple(given.get("metrics", ())), quoting=given["quoting"],
        )  # fmt: skip
        done = import_scores(
            study=study, file=file, by=request.user, columns=columns, replace=given["replace"], check=check
        )
    except StudyFileError as error:
        return _page(request, study.slug, {**about, "refusal": error}, 422)
    if check:
        return _page(request, study.slug, {**about, "checked": done}, 200)
    uploads.forget(study, token)
    messages.success(request, _("Stored: scores %(n)d.") % {"n": done.counts["scores"]})
    for note in done.notes:
        messages.info(request, note)
    return redirect("analytics:scores", study.slug)
