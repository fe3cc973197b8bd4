"""Quality rules, one module each: they exclude ratings, with reasons.

A rule never decides who is paid, and nothing is deleted: what it removes is a row with a reason.
"""

from analytics_app.quality.base import Removal, Rule, RuleSample, registry, rule_name

registry.discover(__name__)

__all__ = ["Removal", "Rule", "RuleSample", "registry", "rule_name"]
