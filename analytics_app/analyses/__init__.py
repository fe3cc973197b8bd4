"""Analyses, one module each: from a table of ratings to rows of the results document."""

from analytics_app.analyses.base import Analysis, Asked, Common, Question, Sample
from analytics_app.analyses.registry import registry
from analytics_app.analyses.shared.conditions import Condition

registry.discover(__name__)

__all__ = ["Analysis", "Asked", "Common", "Condition", "Question", "Sample", "registry"]
