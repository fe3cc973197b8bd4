"""Planning pages: how many judges, items and raters, how wide intervals, how much money; by address alone."""

from analytics_app.views.planning.pages import PAGES, page, planning

__all__ = ["PAGES", "page", "planning"]
