"""Scores of automatic metrics: upload, say which columns name item and system, check, import. Works without scripts."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from django import forms
from django.http import HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from django.views.decorators.http import require_http_methods

from analytics_app.selectors.scores import metrics_of
from analytics_app.services.scores import Columns, Imported, import_scores, is_long
from tasks_app import access
from tasks_app.importing.guessing import Peek, guess
from tasks_app.request_sizes import accepts_files
from tasks_app.studyfile.files.limits import largest_upload
from tasks_app.views.researcher.frame import researcher_page
from tasks_app.views.researcher.importing.forms import MARKS
from tasks_app.views.researcher.importing.uploading import EDITOR, TablePages, read_with


class UploadForm(forms.Form):
    """A file of scores."""

    file = forms.FileField(
        label=gettext_lazy("File of scores"),
        help_text=gettext_lazy("CSV, TSV or JSON Lines, plain or gzipped (.csv.gz). Nothing is stored yet."),
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
def scores(request: HttpRequest, slug: str) -> HttpResponseBase:
    """Scores from elsewhere: a page to upload a file, and one to check and store it."""
    return _ScoresPages(request, access.study_for_researcher(request.user, slug, EDITOR)).answer()


class _ScoresPages(TablePages):
    """Scores, whose columns are named by choices."""

    address = "analytics:scores"
    template = "scores"
    title = gettext_lazy("Import scores")

    def upload_form(self, *given: Any) -> UploadForm:
        return UploadForm(*given)

    def beside_upload(self) -> Mapping[str, Any]:
        return {"stored": metrics_of(self.study)}

    def columns(self) -> HttpResponse:
        form = ColumnsForm(self.request.POST if self.action else None, looked=self.peek)
        if not self.action:
            return self.show(form)
        done, refusal = read_with(form, self._do)
        if done is None:
            return self.show(form, status=422, **({"refusal": refusal} if refusal else {}))
        if self.action != "import":
            return self.show(form, checked=done)
        return self.stored(_("Stored: scores %(n)d.") % {"n": done.counts["scores"]}, done.notes)

    def _do(self, form: ColumnsForm) -> Imported:
        """Check or import. Raises StudyFileError."""
        given = form.cleaned_data
        columns = Columns(
            item=given["item"] or "item",
            system=given["system"],
            variant=given["variant"] or "variant",
            metrics=tuple(given.get("metrics", ())),
            quoting=given["quoting"],
        )
        check = self.action != "import"
        return import_scores(
            study=self.study,
            file=self.file,
            by=self.request.user,
            columns=columns,
            replace=given["replace"],
            check=check,
        )
