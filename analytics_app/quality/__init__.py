"""Quality rules, one module each: they exclude ratings, with reasons.

A rule never decides who is paid, and nothing is deleted: what it removes is a row with a reason.

Whatever a rule of your own is written with can be imported from here (docs/extending.md).
"""

from analytics_app.quality.base import Removal, Rule, RuleSample, register, registry, remove_raters, rule_name
from tasks_app.settings.fields import YesNoField, choice_field, line_field, number_field, whole_field

registry.discover(__name__)

__all__ = [
    "Removal",
    "Rule",
    "RuleSample",
    "YesNoField",
    "choice_field",
    "line_field",
    "number_field",
    "register",
    "registry",
    "remove_raters",
    "rule_name",
    "whole_field",
]
