"""Pages of raters: the list with filters, one rater's timeline, and actions on a rater."""

from analytics_app.views.raters.acting import act, new_link, write
from analytics_app.views.raters.answers import answers, answers_media
from analytics_app.views.raters.labels import labels
from analytics_app.views.raters.listing import raters
from analytics_app.views.raters.page import timeline

__all__ = ["act", "answers", "answers_media", "labels", "new_link", "raters", "timeline", "write"]
