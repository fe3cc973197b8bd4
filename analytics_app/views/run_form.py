"""The form of a new run: the settings of the plan, which can be changed."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from django import forms
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from analytics_app import quality
from analytics_app.plan import ALL, BadPlan, PlanBlock, check
from analytics_app.quality.base import Rule
from analytics_app.ratings.composites import read_composites
from analytics_app.selectors.scores import metrics_of
from analytics_app.show.labels import CORRECTIONS
from analytics_app.views.analysis_forms import analysis_forms, chosen_entries
from tasks_app.models import Criterion, Study
from tasks_app.settings.fields import whole_field
from tasks_app.studyfile.problems import nearest


class Place(forms.Form):
    """The switch of a rule, and its place in the order."""

    on = forms.BooleanField(required=False, label=gettext_lazy("Apply this rule"))
    place = whole_field(gettext_lazy("Order"), within=(1, 99))


class Comparisons(forms.Form):
    """The pairs of systems to compare."""

    pairs = forms.CharField(
        required=False,
        max_length=20_000,
        widget=forms.Textarea(attrs={"rows": 4, "spellcheck": "false"}),
        label=gettext_lazy("Pairs of systems to compare"),
        help_text=gettext_lazy("One pair per line, such as: ours baseline. Leave empty for every pair."),
    )


@dataclass(frozen=True, slots=True)
class RuleForms:
    """A rule with its place and its settings."""

    rule: type[Rule]
    where: Place
    settings: forms.Form

    @property
    def is_on(self) -> bool:
        """Return whether the rule is switched on in the form, at first or as posted."""
        return bool(self.where["on"].value())


class RunForm:
    """All forms of a new run together; their values are checked as a plan."""

    def __init__(self, study: Study, start: Mapping[str, Any], data: Mapping[str, Any] | None = None) -> None:
        """Make the forms; `start` is the document that they show at first, `data` the posted values."""
        self.study, self.start = study, start
        self.rules = list(_rule_forms(start, data))
        self.analyses = analysis_forms(study, start, data)
        general = {name: start.get(name, field.initial) for name, field in PlanBlock.base_fields.items()}
        self.general = PlanBlock(data, initial=general, prefix="run")
        # Only a plan can have judgments of excluded raters assigned again.
        del self.general.fields["reopen"]
        self.general.fields["primary"] = _primary(study, PlanBlock.base_fields["primary"])
        self.general.fields["correction"] = forms.ChoiceField(
            choices=list(CORRECTIONS.items()),
            label=str(PlanBlock.base_fields["correction"].label),
            help_text=str(PlanBlock.base_fields["correction"].help_text),
        )
        pairs = start.get("comparisons", ALL)
        text = "" if pairs == ALL else "\n".join(" ".join(pair) for pair in pairs)
        self.comparisons = Comparisons(data, initial={"pairs": text}, prefix="run")
        self.problems: list[str] = []
        self.faults: list[tuple[str, str]] = []
        self.document: dict[str, Any] = {}

    def is_valid(self) -> bool:
        """Check every form, and assemble `document`.

        `problems` are sentences about errors, and `faults` the fields with errors: the id of each, and a sentence.
        """
        general, compared = self.general.is_valid(), self.comparisons.is_valid()
        on = [entry for entry in self.rules if entry.where.is_valid() and entry.where.cleaned_data["on"]]
        settled = [entry.settings.is_valid() for entry in on]
        chosen = chosen_entries(self.analyses, self.start)
        if not (
            general
            and compared
            and all(settled)
            and chosen is not None
            and all(entry.where.is_valid() for entry in self.rules)
        ):
            self.problems = [_("Some settings cannot be used:")]
            self.faults = list(self._faults())
            return False
        on.sort(key=lambda entry: entry.where.cleaned_data["place"] or len(self.rules) + 1)
        lines = [line.replace(",", " ").split() for line in self.comparisons.cleaned_data["pairs"].splitlines()]
        pairs = [line for line in lines if line]
        document = {
            **self.start,
            **self.general.cleaned_data,
            "reopen": _still([entry.rule.name for entry in on], self.start),
            "rules": [{"rule": entry.rule.name, **entry.settings.cleaned_data} for entry in on],
            "analyses": chosen,
            "comparisons": pairs or ALL,
        }
        try:
            self.document = check(document, self.study)
        except BadPlan as error:
            self.problems = str(error).splitlines()
        if not self.problems and "composites" in self.general.changed_data:
            self.problems = list(_unknown_parts(self.document["composites"], self.study))
        return not self.problems

    def _faults(self) -> Iterator[tuple[str, str]]:
        """Yield the fields with errors, in the order of the page, without those of rules and analyses that are off."""
        for about, form, has_say in self._parts():
            for name, errors in form.errors.items() if has_say else ():
                if name in form.fields:
                    sentence = ": ".join(filter(None, (about, str(form[name].label), " ".join(map(str, errors)))))
                    yield form[name].id_for_label, sentence

    def fields(self) -> Iterator[tuple[str, Sequence[str]]]:
        """Yield the id of every field that can show errors (all but the boxes), with its errors."""
        for _about, form, has_say in self._parts():
            for bound in form:
                if bound.name != "on":
                    yield bound.auto_id, [str(error) for error in bound.errors] if has_say else []

    def _parts(self) -> Iterator[tuple[str, forms.Form, bool]]:
        """Yield every form with its subject, and whether it applies: settings of a disabled rule or analysis do not."""
        for rule in self.rules:
            yield str(rule.rule.label), rule.where, True
            yield str(rule.rule.label), rule.settings, rule.is_on
        yield "", self.general, True
        yield "", self.comparisons, True
        for entry in self.analyses:
            yield str(entry.analysis.label), entry.where, True
            yield str(entry.analysis.label), entry.settings, entry.is_on


def _unknown_parts(composites: str, study: Study) -> Iterator[str]:
    """Say which parts of composite scores are neither imported scores nor composites, if any scores were imported."""
    imported = [row["metric"] for row in metrics_of(study)]
    declared = read_composites(composites)
    known = {*imported, *(composite.name for composite in declared)}
    for composite in declared if imported else ():
        for part in composite.parts:
            if part.metric not in known:
                sentence = _("“%(composite)s”: no scores of “%(name)s” were imported.")
                named = sentence % {"composite": composite.name, "name": part.metric}
                yield f"{named} {nearest(part.metric, sorted(known - {composite.name}))}".rstrip()


def without(document: Mapping[str, Any], rule: str) -> dict[str, Any]:
    """Return the settings of a run with one rule off; a refused run has no settings."""
    return with_rules(document, [entry for entry in document.get("rules", ()) if entry["rule"] != rule])


def with_rules(document: Mapping[str, Any], rules: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """Return the settings of a run with other quality rules."""
    return {**document, "rules": list(rules), "reopen": _still([entry["rule"] for entry in rules], document)}


def _still(rules: Sequence[str], document: Mapping[str, Any]) -> list[str]:
    """Return the rules that have their excluded judgments assigned again, without those that are off."""
    return [name for name in document.get("reopen", ()) if name in rules]


def _rule_forms(start: Mapping[str, Any], data: Mapping[str, Any] | None) -> list[RuleForms]:
    """Return the rules that are on in their order, then the others."""
    given = {entry["rule"]: entry for entry in start.get("rules", ())}
    names = [
        *(name for name in given if name in quality.registry),
        *(name for name, _rule in sorted(quality.registry.items(), key=_suggested) if name not in given),
    ]
    rule_forms = []
    for number, name in enumerate(names, start=1):
        rule = quality.registry[name]
        where = Place(data, initial={"on": name in given, "place": number}, prefix=f"at-{name}")
        settings = rule.Settings(data, initial=given.get(name, {}), prefix=f"rule-{name}")
        rule_forms.append(RuleForms(rule, where, settings))
    return rule_forms


def _suggested(member: tuple[str, type[Rule]]) -> tuple[int, str]:
    name, rule = member
    return rule.order, name


def _primary(study: Study, declared: forms.Field) -> forms.ChoiceField:
    """Return the choice of the primary criterion by its name."""
    criteria = Criterion.objects.filter(study=study, until=None).order_by("id").values_list("key", "name")
    return forms.ChoiceField(
        required=False,
        choices=[("", _("none")), *criteria],
        label=str(declared.label),
        help_text=_("Its results are shown first."),
    )
