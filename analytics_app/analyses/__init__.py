"""Analyses, one module or folder each: from a table of ratings to rows of the results document.

A module holds the computing of its analysis, the tables of the results page, the charts and the finding, in this order.
A large analysis is a folder with the modules `tables`, `charts` and `finding`, which are imported here to register.

All that an analysis of your own is written with can be imported from here (docs/extending.md).
"""

from analytics_app.analyses.base import Analysis, Common, Question, QuestionCriterion, Rows, Sample
from analytics_app.analyses.registry import import_shown, measures_of_agreement, only_drawn, register, registry
from analytics_app.analyses.shared.bootstrap import bootstrap
from analytics_app.analyses.shared.conditions import Condition
from analytics_app.analyses.shared.filtered import FilteredAnalysis
from analytics_app.analyses.shared.rated_texts import BetweenRaters, rated_texts
from analytics_app.analyses.shared.rater_groups import RaterSlice
from analytics_app.analyses.shared.system_groups import SystemSlice
from analytics_app.results import Row
from analytics_app.stats.values import Estimate
from tasks_app.settings.fields import YesNoField, choice_field, line_field, number_field, whole_field
from tasks_app.task_types.base import ORDERED_SCALES, Scale

registry.discover(__name__)
import_shown(__name__)

__all__ = [
    "ORDERED_SCALES",
    "Analysis",
    "BetweenRaters",
    "Common",
    "Condition",
    "Estimate",
    "FilteredAnalysis",
    "Question",
    "QuestionCriterion",
    "RaterSlice",
    "Row",
    "Rows",
    "Sample",
    "Scale",
    "SystemSlice",
    "YesNoField",
    "bootstrap",
    "choice_field",
    "line_field",
    "measures_of_agreement",
    "number_field",
    "only_drawn",
    "rated_texts",
    "register",
    "registry",
    "whole_field",
]
