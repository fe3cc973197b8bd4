"""Analyses, one module or folder each: from a table of ratings to rows of the results document.

A module holds the computing of its analysis, the tables of the results page, the charts and the finding, in this order.
A large analysis is a folder with the modules `tables`, `charts` and `finding`, which are imported here to register.
"""

from analytics_app.analyses.base import Analysis, Common, Question, QuestionCriterion, Sample
from analytics_app.analyses.registry import import_shown, only_drawn, registry
from analytics_app.analyses.shared.conditions import Condition

registry.discover(__name__)
import_shown(__name__)

__all__ = ["Analysis", "Common", "Condition", "Question", "QuestionCriterion", "Sample", "only_drawn", "registry"]
