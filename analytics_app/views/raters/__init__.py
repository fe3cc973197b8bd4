"""Pages of raters: the list with filters, one rater's timeline, and what can be done for a rater."""

from analytics_app.views.raters.acting import act, new_link, write
from analytics_app.views.raters.listing import raters
from analytics_app.views.raters.page import rater

__all__ = ["act", "new_link", "rater", "raters", "write"]
