"""Two runs of a study side by side: a page, and its numbers as CSV."""

from analytics_app.views.comparing.page import compare, compare_csv

__all__ = ["compare", "compare_csv"]
