"""Planning pages: numbers of judges, items and raters, widths of intervals, costs; all values are in the address."""

from analytics_app.views.planning.pages import PAGES, page, planning

__all__ = ["PAGES", "page", "planning"]
