"""Outcomes measured elsewhere: upload, choose columns, check, store; delete one, download all. Without scripts too."""

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
from analytics_app.selectors import outcomes as stored
from analytics_app.services.outcomes import Columns, Uploaded, delete_outcome, is_long, upload_outcomes
from tasks_app import access
from tasks_app.importing.guessing import Peek, guess
from tasks_app.plaintext import without_formula
from tasks_app.request_sizes import accepts_files
from tasks_app.services import events
from tasks_app.studyfile.files.limits import largest_upload
from tasks_app.views.researcher.frame import researcher_page
from tasks_app.views.researcher.importing.forms import MARKS
from tasks_app.views.researcher.importing.uploading import EDITOR, TablePages, read_with

HEAD = ("rater", "group", "wave", "outcome", "value")


class UploadForm(forms.Form):
    """A file of outcomes."""

    file = forms.FileField(
        label=gettext_lazy("File of outcomes"),
        help_text=gettext_lazy("CSV, TSV or JSON Lines, plain or gzipped (.csv.gz). Nothing is stored yet."),
        allow_empty_file=True,  # the reader refuses an empty file with instructions
    )


class ColumnsForm(forms.Form):
    """Which columns name rater and wave, and what happens to stored values."""

    rater = forms.ChoiceField(
        label=gettext_lazy("Rater"),
        help_text=gettext_lazy("Pseudonym, platform id, account, or name of the personal link."),
    )
    wave = forms.ChoiceField(
        required=False,
        label=gettext_lazy("Wave"),
        help_text=gettext_lazy("Number of the wave, or the key of a task in it. Not needed if there is one wave only."),
    )
    outcomes = forms.MultipleChoiceField(
        required=False,
        label=gettext_lazy("Outcomes"),
        help_text=gettext_lazy("Columns that hold what was measured. Columns of numbers are ticked; check them."),
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
        label=gettext_lazy("Replace all values that the study has of these outcomes"),
        help_text=gettext_lazy("Otherwise the file adds to them, and a value that is already stored is refused."),
    )

    def __init__(self, *args: Any, looked: Peek, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        columns = looked.columns
        plain = [(column, column) for column in columns]
        guessed = {name: column for name, column in guess(columns).items() if name in {"rater", "wave"}}
        for name, choices in (("rater", plain), ("wave", [("", _("– not in the file –")), *plain])):
            field = self.fields[name]
            assert isinstance(field, forms.ChoiceField)
            field.choices = choices
            field.initial = guessed.get(name)
        if is_long(columns):
            del self.fields["outcomes"]
            return
        outcomes = self.fields["outcomes"]
        assert isinstance(outcomes, forms.MultipleChoiceField)
        outcomes.choices = plain
        outcomes.initial = [
            column for column in columns if column not in guessed.values() and _holds_numbers(looked, column)
        ]

    def clean(self) -> dict[str, Any]:
        """Refuse one column for both, and a file without an outcome."""
        given = self.cleaned_data
        if given.get("rater") and given.get("rater") == given.get("wave"):
            self.add_error("wave", _("This column is the rater already. Choose the one that names the wave."))
        if "outcomes" in self.fields and not given.get("outcomes"):
            self.add_error("outcomes", _("Tick at least one column that holds an outcome."))
        return given


def _holds_numbers(looked: Peek, name: str) -> bool:
    """Return whether the first cells of a column are numbers."""
    index = looked.columns.index(name)
    cells = [row[index].strip() for row in looked.rows if index < len(row) and row[index].strip()]
    try:
        return bool([float(cell) for cell in cells])
    except ValueError:
        return False


@accepts_files(largest_upload)
@researcher_page
@require_http_methods(["GET", "HEAD", "POST"])
def outcomes(request: HttpRequest, slug: str) -> HttpResponseBase:
    """Outcomes measured elsewhere: a page to upload a file, and one to check and store it."""
    return _OutcomesPages(request, access.study_for_researcher(request.user, slug, EDITOR)).answer()


@researcher_page
@require_POST
def delete(request: HttpRequest, slug: str) -> HttpResponse:
    """Delete all values of an outcome."""
    study = access.study_for_researcher(request.user, slug, EDITOR)
    outcome = request.POST.get("outcome", "")
    if "sure" not in request.POST:
        messages.error(request, _("Nothing was deleted. Tick the box to confirm."))
    elif n := delete_outcome(study=study, outcome=outcome.replace("\x00", ""), by=request.user):
        text = ngettext("Deleted: %(n)d value of %(outcome)s.", "Deleted: %(n)d values of %(outcome)s.", n)
        messages.success(request, text % {"n": n, "outcome": outcome})
    else:
        messages.error(request, _("The study has no such outcome."))
    return redirect("analytics:outcomes", slug)


@researcher_page
@require_safe
def file(request: HttpRequest, slug: str) -> HttpResponse:
    """Everything that was uploaded as a CSV file, with pseudonyms; recorded in the study's log."""
    study, role = access.study_and_role(request.user, slug)
    if not may_export(study, role) or not stored.has_outcomes(study):
        raise Http404
    target = io.StringIO(newline="")
    writer = csv.writer(target)
    writer.writerow(HEAD)
    for rater, group, wave, outcome, value in stored.values_of(study):
        writer.writerow([without_formula(rater), group, wave, without_formula(outcome), value])
    events.log(study, request.user, "exported", about="outcomes as csv", after={"state": study.state})
    return HttpResponse(
        target.getvalue(),
        content_type="text/csv; charset=utf-8",
        headers={"Content-Disposition": f'attachment; filename="{study.slug}-outcomes.csv"'},
    )


class _OutcomesPages(TablePages):
    """Outcomes, whose columns are named by choices."""

    address = "analytics:outcomes"
    template = "outcomes"
    title = gettext_lazy("Upload outcomes")

    def upload_form(self, *given: Any) -> UploadForm:
        return UploadForm(*given)

    def beside_upload(self) -> Mapping[str, Any]:
        rows = stored.outcomes_of(self.study)
        return {"stored": rows, "names": list(dict.fromkeys(row["outcome"] for row in rows))}

    def columns(self) -> HttpResponse:
        form = ColumnsForm(self.request.POST if self.action else None, looked=self.peek)
        if not self.action:
            return self.show(form)
        done, refusal = read_with(form, self._do)
        if done is None:
            return self.show(form, status=422, **({"refusal": refusal} if refusal else {}))
        if self.action != "import":
            return self.show(form, checked=done)
        text = ngettext("Stored: %(n)d value.", "Stored: %(n)d values.", done.counts["values"])
        return self.stored(text % {"n": done.counts["values"]}, done.notes)

    def _do(self, form: ColumnsForm) -> Uploaded:
        """Check or store. Raises StudyFileError."""
        given = form.cleaned_data
        columns = Columns(
            rater=given["rater"],
            wave=given["wave"] or "wave",
            outcomes=tuple(given.get("outcomes", ())),
            quoting=given["quoting"],
        )
        return upload_outcomes(
            study=self.study,
            file=self.file,
            by=self.request.user,
            columns=columns,
            replace=given["replace"],
            check=self.action != "import",
        )
