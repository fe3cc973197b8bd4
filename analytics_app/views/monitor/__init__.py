"""The Monitor page: is it going well? Alerts, a few figures, and charts that follow the raters at work."""

from analytics_app.views.monitor.page import monitor

__all__ = ["monitor"]
