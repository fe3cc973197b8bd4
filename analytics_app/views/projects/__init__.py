"""Pages of projects about judgments: results side by side, and data."""

from analytics_app.views.projects.data import data, ratings
from analytics_app.views.projects.results import results, table

__all__ = ["data", "ratings", "results", "table"]
