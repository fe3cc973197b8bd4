"""The part of the form of a new run that says which analyses are computed, and with which settings."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from django import forms
from django.utils.translation import gettext_lazy

from analytics_app import analyses
from analytics_app.analyses import Analysis
from analytics_app.plan import ALL
from analytics_app.selectors.questions import analyses_that_fit
from tasks_app.models import Study
from tasks_app.studyfile.fields import ListField


class WordsField(forms.CharField):
    """A list of words as people write one: with commas between them."""

    def prepare_value(self, value: Any) -> Any:
        """Return a list as the text of the field; what was posted is a text already."""
        return ", ".join(value) if isinstance(value, list | tuple) else value

    def to_python(self, value: Any) -> Any:
        """Return the words as a list."""
        text = super().to_python(self.prepare_value(value)) or ""
        return [word.strip() for word in text.split(",") if word.strip()]

    def has_changed(self, initial: Any, data: Any) -> bool:
        """Say whether the words are others."""
        return bool(self.to_python(initial) != self.to_python(data))


class On(forms.Form):
    """Whether an analysis is computed."""

    on = forms.BooleanField(required=False, label=gettext_lazy("Compute it"))


@dataclass(frozen=True, slots=True)
class AnalysisForms:
    """An analysis with its settings; the plan may ask for one several times, each with settings of its own."""

    analysis: Analysis
    where: On
    settings: forms.Form

    @property
    def is_on(self) -> bool:
        """Whether the form shows the analysis as wanted, as it came or as it was posted."""
        return bool(self.where["on"].value())

    def entry(self) -> dict[str, Any]:
        """Return what a plan says of it."""
        return {"analysis": self.analysis.name, **self.settings.cleaned_data}


def analysis_forms(study: Study, start: Mapping[str, Any], data: Mapping[str, Any] | None) -> list[AnalysisForms]:
    """Return the analyses of a plan in their order, then the others that fit what the study asked, by their labels.

    The order stays that of the plan, since a run whose settings differ from the plan in anything is exploratory.
    """
    by_label = sorted(analyses_that_fit(study), key=lambda name: str(analyses.registry[name].label))
    given = start.get("analyses", ALL)
    entries: list[Mapping[str, Any]] = [{"analysis": name} for name in by_label] if given == ALL else list(given)
    planned = {entry["analysis"] for entry in entries}
    rest: list[Mapping[str, Any]] = [{"analysis": name} for name in by_label if name not in planned]
    times: Counter[str] = Counter()
    forms_in_order: list[AnalysisForms] = []
    for entry in (*entries, *rest):
        name = entry["analysis"]
        if name in analyses.registry:
            prefix = f"{name}-{times[name]}"
            times[name] += 1
            member = analyses.registry[name]
            settings = _by_hand(member.Settings(data, initial=dict(entry), prefix=f"analysis-{prefix}"))
            switch = On(data, initial={"on": name in planned}, prefix=f"compute-{prefix}")
            forms_in_order.append(AnalysisForms(member, switch, settings))
    return forms_in_order


def _by_hand(settings: forms.Form) -> forms.Form:
    """Make lists, which study files have, writable in a form."""
    for name, field in settings.fields.items():
        if isinstance(field, ListField):
            words = WordsField(
                required=field.required, initial=list(field.initial), label=field.label, help_text=field.help_text
            )
            settings.fields[name] = words
    return settings


def wanted(found: Sequence[AnalysisForms], start: Mapping[str, Any]) -> list[dict[str, Any]] | str | None:
    """Return the analyses that were asked for; the word all where nothing was taken off, None where one is wrong."""
    usable = [one.where.is_valid() for one in found]
    on = [one for one in found if all(usable) and one.where.cleaned_data["on"]]
    sound = [one.settings.is_valid() for one in on]
    if not (all(usable) and all(sound)):
        return None
    untouched = len(on) == len(found) and not any(one.settings.has_changed() for one in on)
    return ALL if start.get("analyses", ALL) == ALL and untouched else [one.entry() for one in on]
