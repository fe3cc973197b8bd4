"""Analyses, one module or folder each: from a table of ratings to rows of the results document.

A folder may have its own tables of a results page (`tables.py`) and charts (`charts.py`), which are found here.
"""

from analytics_app.analyses.base import Analysis, Common, Question, QuestionCriterion, Sample
from analytics_app.analyses.registry import import_shown, only_drawn, registry
from analytics_app.analyses.shared.conditions import Condition

registry.discover(__name__)
import_shown(__name__)

__all__ = ["Analysis", "Common", "Condition", "Question", "QuestionCriterion", "Sample", "only_drawn", "registry"]
