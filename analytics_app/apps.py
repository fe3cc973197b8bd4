"""The Django configuration of this app."""

from django.apps import AppConfig
from django.utils.translation import gettext_lazy as _


class AnalyticsAppConfig(AppConfig):
    name = "analytics_app"
    verbose_name = _("Analyses")
    default_auto_field = "django.db.models.BigAutoField"

    def ready(self) -> None:
        """Fill the registries of the app below: section, checks of drafts, tabs, power, files; and hear its signals."""
        from analytics_app import receivers, views  # noqa: F401, PLC0415  models must be loaded first
        from analytics_app.plan import readiness  # noqa: PLC0415
        from analytics_app.plan import section as plan_section  # noqa: PLC0415  models must be loaded first
        from analytics_app.selectors import failing  # noqa: PLC0415
        from analytics_app.services import datasheet_files, mentions, smallest_difference  # noqa: PLC0415

        plan_section.register_section()
        readiness.register()
        views.register_tabs()
        smallest_difference.register()
        datasheet_files.register()
        mentions.register_texts()
        failing.register()
