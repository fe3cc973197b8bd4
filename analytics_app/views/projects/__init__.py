"""Pages of projects about judgments: raters, results side by side, and data."""

from analytics_app.views.projects.data import data, ratings
from analytics_app.views.projects.raters import raters, write
from analytics_app.views.projects.results import results, table

__all__ = ["data", "raters", "ratings", "results", "table", "write"]
