"""Upload scores of automatic metrics, or have a worker compute them."""

from collections.abc import Mapping
from typing import Any

from django import forms
from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from django.shortcuts import redirect
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, ngettext

from analytics_app.models import ScoreWork
from analytics_app.selectors.scores import metrics_of
from analytics_app.services.computing import background
from analytics_app.services.computing.request import AGAINST, OF_ITEMS, REFERENCES, Request
from analytics_app.services.computing.scores import SPLIT_APART, CannotCompute, known_metrics, require, split_metrics
from analytics_app.services.uploads.scores import Scores
from analytics_app.stats.metrics.reference_scores import COMPUTED, DEFAULT_TOKENIZER, OF_PACKAGES, tokenizers
from analytics_app.views.uploads.base import UploadPages
from tasks_app import access
from tasks_app.models import Study, System
from tasks_app.services.background import Busy
from tasks_app.settings.fields import YesNoField
from tasks_app.views.researcher.frame import researcher_page, study_page
from tasks_app.views.researcher.importing.uploading import EDITOR
from tasks_app.views.researcher.parts import part, wants_part

SPLITS = {
    "13a": gettext_lazy("13a – languages with spaces between words (the default of sacreBLEU)"),
    "intl": gettext_lazy("intl – also separates punctuation outside ASCII from words"),
    "zh": gettext_lazy("zh – Chinese"),
    "char": gettext_lazy("char – every character, as for Japanese, Korean or Thai"),
    "none": gettext_lazy("none – the texts have spaces between words already"),
    "ja-mecab": gettext_lazy("ja-mecab – words of Japanese, by MeCab"),
    "ko-mecab": gettext_lazy("ko-mecab – words of Korean, by MeCab"),
}


class ComputeForm(forms.Form):
    """The metrics to compute, and how."""

    metrics = forms.MultipleChoiceField(
        choices=lambda: [(name, name) for name in known_metrics()],
        widget=forms.CheckboxSelectMultiple,
        label=gettext_lazy("Metrics"),
        error_messages={"required": gettext_lazy("Tick at least one metric.")},
    )
    against = forms.MultipleChoiceField(
        choices=AGAINST.items(),
        initial=[REFERENCES],
        required=False,
        widget=forms.CheckboxSelectMultiple,
        label=gettext_lazy("Compare texts with"),
        help_text=gettext_lazy("Each choice gives scores with a name of their own, such as “BLEU (source)”."),
    )
    references = forms.MultipleChoiceField(
        required=False,
        initial=[OF_ITEMS],
        widget=forms.CheckboxSelectMultiple,
        label=gettext_lazy("References"),
        help_text=gettext_lazy(
            "Several are taken together. A system whose texts are references, such as people who translated, gets no "
            "scores against all of them, but does against the source and against fewer references."
        ),
    )
    by_number = YesNoField(
        label=gettext_lazy("Also with fewer references at once"),
        help_text=gettext_lazy(
            "With one reference, two, and so on: the mean over all choices, such as “BLEU (1 of 3 references)”. A "
            "system whose texts are references is scored like the others, against the rest."
        ),
    )
    tokenizer = forms.MultipleChoiceField(
        choices=lambda: [(name, SPLITS[name]) for name in tokenizers()],
        initial=[DEFAULT_TOKENIZER],
        required=False,
        widget=forms.CheckboxSelectMultiple,
        label=gettext_lazy("How BLEU splits texts into words"),
        help_text=gettext_lazy("Each choice gives scores with a name of their own, such as “BLEU (zh)”."),
    )
    replace = YesNoField(label=gettext_lazy("Replace the scores that the study has of these metrics"))

    def __init__(self, *given: Any, study: Study) -> None:
        super().__init__(*given)
        self._study = study
        systems = System.objects.filter(study=study).order_by("key").values_list("key", "name")
        self.fields["references"].choices = [  # type: ignore[attr-defined]  # a field of choices
            (OF_ITEMS, _("The reference of each item")),
            *((key, _("The texts of %(system)s") % {"system": name or key}) for key, name in systems),
        ]

    @property
    def programs(self) -> list[str]:
        """Return the metrics that programs of this site compute."""
        return [name for name in known_metrics() if name not in COMPUTED]

    @property
    def asked(self) -> Request:
        """Return the choice, from valid data."""
        given = self.cleaned_data
        return Request(
            metrics=tuple(given["metrics"]), tokenizers=tuple(given["tokenizer"]) or (DEFAULT_TOKENIZER,),
            against=tuple(given["against"]) or (REFERENCES,), references=tuple(given["references"]) or (OF_ITEMS,),
            by_number=given["by_number"], replace=given["replace"],
        )  # fmt: skip

    @property
    def boxes(self) -> list[forms.BoundField]:
        """Return the fields of boxes to tick, but for the metrics."""
        return [self["against"], self["references"], self["tokenizer"]]

    @property
    def not_installed(self) -> list[str]:
        """Return the ways to split texts that need packages which this site does not have."""
        return [name for name in OF_PACKAGES if name not in tokenizers()]

    @property
    def warning(self) -> str:
        """Return a warning where the default does not split the language of the study into words; else nothing."""
        language = self._study.language.partition("-")[0]
        if language not in SPLIT_APART:
            return ""
        sentence = _(
            "The texts of this study are in a language (%(language)s) that 13a does not split into words: scores by "
            "words mean little with it. Tick %(better)s for %(metrics)s, or take chrF, which needs no words."
        )
        better = SPLIT_APART[language][0]
        return sentence % {"language": language, "better": better, "metrics": split_metrics(language)}

    def clean(self) -> dict[str, Any]:
        """Refuse scores that cannot be computed, before a worker begins."""
        given: dict[str, Any] = self.cleaned_data
        if not self.errors:
            try:
                require(self._study, self.asked)
            except CannotCompute as refusal:
                self.add_error(None, str(refusal))
        return given


class Pages(UploadPages):
    """The pages of scores."""

    address = "analytics:scores"
    template = "scores"
    title = gettext_lazy("Scores of metrics")
    kind = Scores
    file_label = gettext_lazy("File of scores")
    deletes = "metric"
    nothing_to_delete = gettext_lazy("The study has no scores of this metric.")

    def __init__(self, request: HttpRequest, study: Study) -> None:
        super().__init__(request, study)
        self.compute = ComputeForm(request.POST if self.action == "compute" else None, study=study)

    def answer(self) -> HttpResponseBase:
        """Answer with the page that is due, or have a worker compute scores."""
        if self.action != "compute":
            return super().answer()
        if not self.compute.is_valid():
            return self.page({"upload": self.upload_form(), **self.beside_upload()}, 422)
        try:
            background.ask(study=self.study, request=self.compute.asked, by=self.request.user)
        except Busy as busy:
            messages.warning(self.request, str(busy))
        return redirect("analytics:computing_scores", self.study.slug)

    def beside_upload(self) -> Mapping[str, Any]:
        work = ScoreWork.objects.filter(study=self.study).first()
        return {**super().beside_upload(), "compute": self.compute, "work": work}

    def stored_values(self) -> list[dict[str, Any]]:
        return metrics_of(self.study)

    def deleted(self, n: int, name: str) -> str:
        text = ngettext("Deleted: %(n)d score of %(name)s.", "Deleted: %(n)d scores of %(name)s.", n)
        return text % {"n": n, "name": name}


@researcher_page("GET")
def computing(request: HttpRequest, slug: str) -> HttpResponse:
    """Show how far a worker is with the scores that were asked for last, and the outcome."""
    study = access.study_for_researcher(request.user, slug, EDITOR)
    work = ScoreWork.objects.filter(study=study).first()
    if wants_part(request):
        if work is None:
            raise Http404
        return part(request, "_scores_live", {"study": study, "work": work})
    if work is None:
        return redirect("analytics:scores", slug)
    return study_page(
        request, slug, "data", lambda _study: {"work": work}, template="scores_progress", role=EDITOR,
        title=_("Computing scores"),
    )  # fmt: skip
