"""Features of outputs before anything is judged: how many outputs of each system have each value."""

import csv
import io
from collections.abc import Mapping, Sequence
from typing import Any

from django import forms
from django.http import Http404, HttpRequest, HttpResponse
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from analytics_app import analyses
from analytics_app import plan as plans
from analytics_app.analyses.features.rules import read_features
from analytics_app.selectors.coverage import (
    FEW_OUTPUTS,
    MOST_OUTPUTS,
    Coverage,
    TooManyOutputs,
    coverage_of,
    known_features,
)
from tasks_app import access
from tasks_app.models import Membership, Study
from tasks_app.texts.plaintext import without_formula
from tasks_app.views.downloads import attachment
from tasks_app.views.researcher.frame import researcher_page, study_page

# What is counted where neither the plan nor the items have features.
SUGGESTED = "length: words"


class CoverageForm(forms.Form):
    """The features to count, with the fields of the analysis."""

    features = analyses.registry["features"].Settings.base_fields["features"]
    groups = analyses.registry["features"].Settings.base_fields["groups"]

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.fields["features"].required = True
        self.fields["features"].help_text = gettext_lazy(
            "One per line: the name of a feature of the items, or a name and a rule, such as “length: words”, "
            "“question: matches \\?” or “hedged: contains may, might”. Limits between groups of numbers go after the "
            "name: “length (10, 20): words”."
        )


@researcher_page("GET", "POST")
def coverage(request: HttpRequest, slug: str) -> HttpResponse:
    """Count the outputs of a study by the features of its analysis plan; a POST tries others, and stores nothing.

    Only editors try features: a pattern is a program, which an address must not hand to whoever opens it.
    """
    study, role, form = _asked(request, slug)
    tables: Sequence[Coverage] = ()
    problem = ""
    try:
        tables = _counted(study, form)
    except TooManyOutputs:
        problem = _("The study has more than %(n)s outputs. A run with the analysis “Features of outputs” counts them.")
        problem %= {"n": f"{MOST_OUTPUTS:,}"}
    context = {
        "form": form,
        "tables": tables,
        "problem": problem,
        "few": FEW_OUTPUTS,
        "is_tried": request.method == "POST",
        "is_planned": _start(study)["planned"],
    }
    return study_page(
        request,
        slug,
        "items",
        lambda _study: context,
        template="coverage",
        title=_("Features of outputs"),
        status=422 if form.errors else 200,
        fetched=(study, role),
    )


@researcher_page("GET", "POST")
def file(request: HttpRequest, slug: str) -> HttpResponse:
    """Return the same counts as CSV: a row for each value and system."""
    study, _role, form = _asked(request, slug)
    try:
        tables = _counted(study, form)
    except TooManyOutputs as problem:
        raise Http404 from problem
    if form.errors:
        raise Http404
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(["task", "feature", "value", "system", "items", "outputs"])
    for table in tables:
        for line in table.lines:
            for system, n in zip(table.systems, line.n_outputs, strict=True):
                words = (table.task, line.feature, line.value, system)
                writer.writerow([*map(without_formula, words), line.n_items, n])
    return attachment(f"{study.slug}-features.csv", text.getvalue())


def _asked(request: HttpRequest, slug: str) -> tuple[Study, str | None, CoverageForm]:
    """Return the study with the person's role in it, and the features: those posted, by editors only, or the saved."""
    if request.method == "POST":
        study, role = access.study_and_role(request.user, slug, Membership.Role.EDITOR)
        return study, role, CoverageForm(request.POST)
    study, role = access.study_and_role(request.user, slug)
    return study, role, CoverageForm(_start(study))


def _counted(study: Study, form: CoverageForm) -> list[Coverage]:
    if not form.is_valid():
        return []
    return coverage_of(study, read_features(form.cleaned_data["features"]), form.cleaned_data["groups"] or 3)


def _start(study: Study) -> Mapping[str, Any]:
    """Return the saved features: those of the plan, else those of the items, else a suggestion."""
    try:
        document = plans.document_of(study)
    except plans.BadPlan:
        document = {}
    listed = document.get("analyses", plans.ALL)
    for entry in () if listed == plans.ALL else listed:
        if entry["analysis"] == "features" and entry.get("features"):
            return {"features": entry["features"], "groups": entry.get("groups", 3), "planned": True}
    features = "\n".join(known_features(study)) or SUGGESTED
    return {"features": features, "groups": 3, "planned": False}
