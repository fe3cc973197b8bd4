"""How Django finds this app."""

from django.apps import AppConfig
from django.utils.translation import gettext_lazy as _


class AnalyticsAppConfig(AppConfig):
    name = "analytics_app"
    verbose_name = _("Analyses")
    default_auto_field = "django.db.models.BigAutoField"
