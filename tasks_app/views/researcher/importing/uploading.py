"""Pages that read an uploaded file. They work without scripts."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Mapping
from typing import Any, ClassVar, Generic, TypeVar

from django import forms
from django.contrib import messages
from django.core.files.uploadedfile import UploadedFile
from django.http import HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from django.shortcuts import redirect
from django.urls import reverse
from django.utils.functional import Promise
from django.utils.http import urlencode
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from tasks_app.importing import RatingsFile, uploads
from tasks_app.importing.guessing import Peek, peek
from tasks_app.models import Membership, Study
from tasks_app.studyfile import StudyFileError
from tasks_app.views.researcher.frame import study_page

Form = TypeVar("Form", bound=forms.Form)
Result = TypeVar("Result")

EDITOR = Membership.Role.EDITOR


class UploadForm(forms.Form):
    """A table to upload."""

    file = forms.FileField(allow_empty_file=True)  # an empty file is answered by the reader, which says what to do

    def __init__(self, *given: Any, label: Any, help_text: Any, accept: str = "") -> None:
        super().__init__(*given)
        field = self.fields["file"]
        field.label, field.help_text = label, help_text
        if accept:
            field.widget.attrs["accept"] = accept


class QuotingField(forms.ChoiceField):
    """The meaning of quotation marks in a table with tabs."""

    def __init__(self) -> None:
        super().__init__(
            choices=(
                ("", gettext_lazy("enclose cells; ask if that is not clear")),
                ("double", gettext_lazy("enclose cells")),
                ("none", gettext_lazy("are part of the texts")),
            ),
            required=False,
            label=gettext_lazy("Quotation marks"),
            help_text=gettext_lazy("For files with tabs. You are asked if it is not clear what they mean."),
        )


def read_upload(form: Form, read: Callable[[Form], Result]) -> tuple[Result | None, StudyFileError | None]:
    """Read the file of a posted form; return the result or the refusal of the file, neither for an invalid form."""
    if not (form.is_bound and form.is_valid()):
        return None, None
    try:
        return read(form), None
    except StudyFileError as error:
        return None, error


class TablePages(ABC, Generic[Form]):
    """A page to upload a large table, and a page to name its columns, to check and to store it.

    Between the two the file is kept under a token, for a day at most.
    """

    address: ClassVar[str]  # of both pages: the name of their URL
    template: ClassVar[str]
    title: ClassVar[str | Promise]

    file: RatingsFile
    peek: Peek

    def __init__(self, request: HttpRequest, study: Study) -> None:
        self.request = request
        self.study = study
        self.action = request.POST.get("action", "")
        self.token = (request.POST if request.method == "POST" else request.GET).get("file", "")

    @property
    def location(self) -> str:
        """Return the address of both pages."""
        return reverse(self.address, args=[self.study.slug])

    @abstractmethod
    def upload_form(self, *given: Any) -> forms.Form:
        """Return the form of the first page."""

    @abstractmethod
    def beside_upload(self) -> Mapping[str, Any]:
        """Return the context of the first page beside its form."""

    @abstractmethod
    def columns_form(self) -> Form:
        """Return the form of the second page, unbound where no button was pressed; `file` and `peek` are there."""

    @abstractmethod
    def do(self, form: Form) -> HttpResponseBase:
        """Carry out the button of the second page, with a valid form. Raises StudyFileError."""

    def columns(self) -> HttpResponseBase:
        """Answer with the second page, or carry out its buttons."""
        form = self.columns_form()
        if not form.is_bound:
            return self.show(form)
        if not form.is_valid():
            return self.show(form, status=422)
        try:
            return self.do(form)
        except StudyFileError as error:
            return self.show(form, refusal=error, status=422, read=self.read(form))

    def read(self, _form: Form) -> Peek | None:
        """Return the first rows as a valid form has them read; None where there is nothing to show."""
        return None

    def after_upload(self, _form: forms.Form) -> Mapping[str, str]:
        """Return the parameters in the address of the second page besides the file."""
        return {}

    def keep(self, upload: UploadedFile[Any]) -> str:
        """Keep an upload; return its token. Raises StudyFileError."""
        return uploads.keep(self.study, upload)

    def look(self, file: RatingsFile) -> Peek:
        """Return the columns and first rows of a file. Raises StudyFileError."""
        return peek(file, self.request.POST.get("quoting", ""))

    def answer(self) -> HttpResponseBase:
        """Answer with the page that is due."""
        if self.action == "upload":
            return self._upload()
        file = uploads.find(self.study, self.token) if self.token else None
        if file is None:
            if self.token:
                messages.warning(self.request, _("The uploaded file was deleted after a day. Upload it again."))
            return self.first_page(self.upload_form())
        if self.action == "cancel":
            return self.leave()
        try:
            self.file, self.peek = file, self.look(file)
            return self.columns()
        except StudyFileError as error:
            # Nothing of the file can be shown, so that another one is needed.
            uploads.forget(self.study, self.token)
            return self.first_page(self.upload_form(), refusal=error)

    def show(self, form: forms.Form, *, status: int = 200, **more: Any) -> HttpResponse:
        """Show the second page."""
        about = {"file": self.file.name, "token": self.token, "peek": self.peek, "form": form}
        return self.page({**about, **more}, status)

    def stored(self, sentence: str, notes: Iterable[str]) -> HttpResponse:
        """Tell the researcher the stored rows, and lead back to the first page."""
        messages.success(self.request, sentence)
        for note in notes:
            messages.info(self.request, note)
        return self.leave()

    def _upload(self) -> HttpResponse:
        form = self.upload_form(self.request.POST, self.request.FILES)
        token, refusal = read_upload(form, lambda form: self.keep(form.cleaned_data["file"]))
        if token is None:
            return self.first_page(form, **({"refusal": refusal} if refusal else {}))
        query = urlencode({"file": token, **self.after_upload(form)})
        return redirect(f"{self.location}?{query}")

    def first_page(self, form: forms.Form, **refusal: StudyFileError) -> HttpResponse:
        """Show the first page, with why a file was refused."""
        status = 422 if form.errors or refusal else 200
        return self.page({"upload": form, **self.beside_upload(), **refusal}, status)

    def leave(self) -> HttpResponse:
        """Forget the file, and lead back to the first page."""
        uploads.forget(self.study, self.token)
        return redirect(self.location)

    def page(self, context: dict[str, Any], status: int) -> HttpResponse:
        """Render the first page or the second."""
        return study_page(
            self.request,
            self.study.slug,
            "data",
            lambda _study: context,
            template=self.template,
            title=self.title,
            role=EDITOR,
            status=status,
        )
