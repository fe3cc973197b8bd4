"""The part of the form of a new run with the analyses and their settings."""

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
    """A list of words with commas between them."""

    def prepare_value(self, value: Any) -> Any:
        """Return a list as the text of the field; a posted value is a text already."""
        return ", ".join(value) if isinstance(value, list | tuple) else value

    def to_python(self, value: Any) -> Any:
        """Return the words as a list."""
        text = super().to_python(self.prepare_value(value)) or ""
        return [word.strip() for word in text.split(",") if word.strip()]

    def has_changed(self, initial: Any, data: Any) -> bool:
        """Return whether the words changed."""
        return bool(self.to_python(initial) != self.to_python(data))


class On(forms.Form):
    """The switch of an analysis."""

    on = forms.BooleanField(required=False, label=gettext_lazy("Compute it"))


@dataclass(frozen=True, slots=True)
class AnalysisForms:
    """An analysis with its settings; a plan may have an analysis several times, with different settings."""

    analysis: type[Analysis]
    where: On
    settings: forms.Form

    @property
    def is_on(self) -> bool:
        """Return whether the analysis is switched on in the form, at first or as posted."""
        return bool(self.where["on"].value())

    def entry(self) -> dict[str, Any]:
        """Return the entry of the analysis in a plan."""
        return {"analysis": self.analysis.name, **self.settings.cleaned_data}


def analysis_forms(study: Study, start: Mapping[str, Any], data: Mapping[str, Any] | None) -> list[AnalysisForms]:
    """Return the analyses of a plan in their order, then the others that fit the study, by their labels.

    The order of the plan is kept, since a run is exploratory if its settings differ from the plan in any way.
    """
    by_label = sorted(analyses_that_fit(study), key=lambda name: str(analyses.registry[name].label))
    given = start.get("analyses", ALL)
    entries: list[Mapping[str, Any]] = [{"analysis": name} for name in by_label] if given == ALL else list(given)
    planned = {entry["analysis"] for entry in entries}
    unplanned: list[Mapping[str, Any]] = [{"analysis": name} for name in by_label if name not in planned]
    times: Counter[str] = Counter()
    forms_in_order: list[AnalysisForms] = []
    for entry in (*entries, *unplanned):
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
    """Replace the list fields of settings by fields that people can write in."""
    for name, field in settings.fields.items():
        if isinstance(field, ListField):
            words = WordsField(
                required=field.required, initial=list(field.initial), label=field.label, help_text=field.help_text
            )
            settings.fields[name] = words
    return settings


def chosen_entries(entries: Sequence[AnalysisForms], start: Mapping[str, Any]) -> list[dict[str, Any]] | str | None:
    """Return the entries of the chosen analyses; the word all if all are on, None if a setting is invalid."""
    usable = [entry.where.is_valid() for entry in entries]
    on = [entry for entry in entries if all(usable) and entry.where.cleaned_data["on"]]
    sound = [entry.settings.is_valid() for entry in on]
    if not (all(usable) and all(sound)):
        return None
    untouched = len(on) == len(entries) and not any(entry.settings.has_changed() for entry in on)
    return ALL if start.get("analyses", ALL) == ALL and untouched else [entry.entry() for entry in on]
