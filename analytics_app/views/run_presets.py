"""The presets of a new run: the settings of the plan, those with other quality rules, and the analyses of papers."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from django.utils.functional import Promise
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from analytics_app import quality
from analytics_app.plan.published import PublishedPlan, analyses_of, plans_for
from analytics_app.quality.base import Evidence, Rule
from analytics_app.selectors.evidence import evidence_of
from analytics_app.views.run_form import with_rules
from tasks_app.models import Study

PLANNED, STRICT, ALL_RATINGS = "planned", "strict", "all"

# The reasons why a rule cannot test any rater of a study.
MISSING: Mapping[Evidence, str | Promise] = {
    Evidence.MINUTES: gettext_lazy("imported ratings have no expected duration"),
    Evidence.TIMES: gettext_lazy("no response times"),
    Evidence.SCALE: gettext_lazy("no numeric scale"),
    Evidence.POSITIONS: gettext_lazy("no scale, or one with fewer than three steps"),
    Evidence.SKIPS: gettext_lazy("units cannot be skipped"),
    Evidence.KNOWN_ANSWERS: gettext_lazy("no known answers"),
    Evidence.REPEATS: gettext_lazy("no repeated units"),
}


@dataclass(frozen=True, slots=True)
class Preset:
    """The settings of a preset, and the query of its address."""

    query: str
    label: str
    sentence: str
    document: Mapping[str, Any]
    left_out: str = ""


def presets(study: Study, planned: Mapping[str, Any], *, is_plan: bool) -> dict[str, Preset]:
    """Return the presets by their keys in addresses: the plan, with strict rules, without rules, and as in papers.

    Papers about metrics come where the study has scores of some. If not `is_plan`, the plan cannot be used any more,
    and `planned` are the default settings.
    """
    evidence = evidence_of(study)
    ordered = sorted(quality.registry.values(), key=lambda rule: (rule.order, rule.name))
    strict = [rule for rule in ordered if rule.strict is not None and rule.strict <= evidence]
    return {
        PLANNED: Preset(
            f"preset={PLANNED}",
            _("As planned") if is_plan else _("Default settings"),
            (
                _("The current analysis plan of this study. Its quality rules: %(rules)s.")
                if is_plan
                else _(
                    "The analysis plan can no longer be used. These are the default settings, with the quality rules: "
                    "%(rules)s."
                )
            )
            % {"rules": ", ".join(quality.rule_name(entry["rule"]) for entry in planned["rules"]) or _("none")},
            planned,
        ),
        STRICT: Preset(
            f"preset={STRICT}",
            _("Strict"),
            _("Only the quality rules change, to these at their default settings: %(rules)s.")
            % {"rules": ", ".join(str(rule.label) for rule in strict)},
            with_rules(planned, [{"rule": rule.name, **_defaults(rule)} for rule in strict]),
            _left_out(ordered, evidence),
        ),
        ALL_RATINGS: Preset(
            f"preset={ALL_RATINGS}",
            _("All ratings"),
            _("Only the quality rules change: none is applied, so ratings excluded by hand count as well."),
            with_rules(planned, []),
        ),
        **{plan.name: _as_in(plan, study, planned) for plan in plans_for(study)},
    }


def _as_in(plan: PublishedPlan, study: Study, planned: Mapping[str, Any]) -> Preset:
    """Return the preset with the analyses of a paper, and the rules of the plan."""
    label = _("As in %(cited)s") % {"cited": plan.cited}
    return Preset(f"preset={plan.name}", label, plan.computes, {**planned, "analyses": analyses_of(plan, study)})


def _left_out(rules: Sequence[type[Rule]], evidence: set[Evidence]) -> str:
    """Return a sentence about rules of the preset that cannot test any rater, with reasons; "" if all can."""
    named = []
    for rule in rules:
        missing = sorted((rule.strict or frozenset()) - evidence, key=lambda kind: kind.value)
        if missing:
            named.append(f"{rule.label} – {', '.join(str(MISSING[kind]) for kind in missing)}")
    return _("Not applicable in this study: %(rules)s.") % {"rules": "; ".join(named)} if named else ""


def _defaults(rule: type[Rule]) -> dict[str, Any]:
    return {name: field.initial for name, field in rule.Settings.base_fields.items()}
