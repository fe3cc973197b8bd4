"""Texts that were written for one rater each: upload, choose columns, check, store; delete, download."""

from __future__ import annotations

import csv
import io
from collections.abc import Mapping
from typing import Any

from django import forms
from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from django.shortcuts import redirect
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, ngettext
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from analytics_app.exports.ratings import may_export
from analytics_app.selectors import personal_texts as stored
from analytics_app.services.personal_texts import Columns, Uploaded, delete_personal_texts, upload_personal_texts
from tasks_app import access
from tasks_app.importing.guessing import Peek
from tasks_app.plaintext import without_formula
from tasks_app.request_sizes import accepts_files
from tasks_app.services import events
from tasks_app.studyfile.files.limits import largest_upload
from tasks_app.views.researcher.frame import researcher_page
from tasks_app.views.researcher.importing.forms import MARKS
from tasks_app.views.researcher.importing.uploading import EDITOR, TablePages, read_with

HEAD = ("rater", "group", "task", "condition", "text", "shown_at")


class UploadForm(forms.Form):
    """A file of texts."""

    file = forms.FileField(
        label=gettext_lazy("File of texts"),
        help_text=gettext_lazy("CSV, TSV or JSON Lines, plain or gzipped (.csv.gz). Nothing is stored yet."),
        allow_empty_file=True,  # the reader refuses an empty file with instructions
    )


class ColumnsForm(forms.Form):
    """Which columns name the rater and the task, and which hold the text and its condition."""

    rater = forms.ChoiceField(
        label=gettext_lazy("Rater"),
        help_text=gettext_lazy("Pseudonym, platform id, account, or name of the invitation."),
    )
    text = forms.ChoiceField(label=gettext_lazy("Text"), help_text=gettext_lazy("What this rater reads."))
    task = forms.ChoiceField(
        required=False,
        label=gettext_lazy("Task"),
        help_text=gettext_lazy("Key of the questionnaire. Not needed if only one shows texts."),
    )
    condition = forms.ChoiceField(
        required=False,
        label=gettext_lazy("Condition"),
        help_text=gettext_lazy("What wrote the text, such as a system. Raters never see it."),
    )
    quoting = forms.ChoiceField(
        choices=MARKS,
        required=False,
        label=gettext_lazy("Quotation marks"),
        help_text=gettext_lazy("For files with tabs. You are asked if it is not clear what they mean."),
    )

    def __init__(self, *args: Any, looked: Peek, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        plain = [(column, column) for column in looked.columns]
        by_name = {column.strip().casefold(): column for column in looked.columns}
        for name in ("rater", "text", "task", "condition"):
            field = self.fields[name]
            assert isinstance(field, forms.ChoiceField)
            field.choices = plain if field.required else [("", _("– not in the file –")), *plain]
            field.initial = by_name.get(name, "")

    def clean(self) -> dict[str, Any]:
        """Refuse one column for two things."""
        given = self.cleaned_data
        chosen: set[str] = set()
        for name in ("rater", "text", "task", "condition"):
            column = given.get(name)
            if column and column in chosen:
                self.add_error(name, _("This column is chosen twice."))
            chosen |= {column} if column else set()
        return given


@accepts_files(largest_upload)
@researcher_page
@require_http_methods(["GET", "HEAD", "POST"])
def personal_texts(request: HttpRequest, slug: str) -> HttpResponseBase:
    """Personal texts: a page to upload a file, and one to check and store it."""
    return _PersonalTextsPages(request, access.study_for_researcher(request.user, slug, EDITOR)).answer()


@researcher_page
@require_POST
def delete(request: HttpRequest, slug: str) -> HttpResponse:
    """Delete the texts of a task that nobody has been shown."""
    study = access.study_for_researcher(request.user, slug, EDITOR)
    task = request.POST.get("task", "").replace("\x00", "")
    if "sure" not in request.POST:
        messages.error(request, _("Nothing was deleted. Tick the box to confirm."))
    elif n := delete_personal_texts(study=study, task=task, by=request.user):
        messages.success(request, ngettext("Deleted: %(n)d text.", "Deleted: %(n)d texts.", n) % {"n": n})
    else:
        messages.error(request, _("There are no texts of this task that nobody has been shown."))
    return redirect("analytics:personal_texts", slug)


@researcher_page
@require_safe
def file(request: HttpRequest, slug: str) -> HttpResponse:
    """The texts as a CSV file, with pseudonyms; recorded in the study's log."""
    study, role = access.study_and_role(request.user, slug)
    if not may_export(study, role) or not stored.has_texts(study):
        raise Http404
    target = io.StringIO(newline="")
    writer = csv.writer(target)
    writer.writerow(HEAD)
    for row in stored.values_of(study):
        writer.writerow([without_formula(cell) for cell in row])
    events.log(study, request.user, "exported", about="personal texts as csv", after={"state": study.state})
    return HttpResponse(
        target.getvalue(),
        content_type="text/csv; charset=utf-8",
        headers={"Content-Disposition": f'attachment; filename="{study.slug}-personal-texts.csv"'},
    )


class _PersonalTextsPages(TablePages):
    """Texts, whose columns are named by choices."""

    address = "analytics:personal_texts"
    template = "personal_texts"
    title = gettext_lazy("Personal texts")

    def upload_form(self, *given: Any) -> UploadForm:
        return UploadForm(*given)

    def beside_upload(self) -> Mapping[str, Any]:
        rows = stored.texts_of(self.study)
        return {"stored": rows, "unread": [row for row in rows if row.texts > row.shown]}

    def columns(self) -> HttpResponse:
        form = ColumnsForm(self.request.POST if self.action else None, looked=self.peek)
        if not self.action:
            return self.show(form)
        done, refusal = read_with(form, self._do)
        if done is None:
            return self.show(form, status=422, **({"refusal": refusal} if refusal else {}))
        if self.action != "import":
            return self.show(form, checked=done)
        n = done.counts["texts"]
        return self.stored(ngettext("Stored: %(n)d text.", "Stored: %(n)d texts.", n) % {"n": n}, done.notes)

    def _do(self, form: ColumnsForm) -> Uploaded:
        """Check or store. Raises StudyFileError."""
        given = form.cleaned_data
        # A column that is not in the file has no name there; an empty name is never a column.
        columns = Columns(given["rater"], given["task"], given["text"], given["condition"], given["quoting"])
        return upload_personal_texts(
            study=self.study, file=self.file, by=self.request.user, columns=columns, check=self.action != "import"
        )
