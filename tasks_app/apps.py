"""The Django configuration of this app."""

from django.apps import AppConfig
from django.utils.translation import gettext_lazy as _

from tasks_app.links.converters import register_converters


class TasksAppConfig(AppConfig):
    name = "tasks_app"
    verbose_name = _("Studies")
    default_auto_field = "django.db.models.BigAutoField"

    def ready(self) -> None:
        """Fill the registries of this app: converters of addresses, sections of a study file, and tabs of a study."""
        from tasks_app.studyfile import register_sections  # noqa: PLC0415  models must be loaded first
        from tasks_app.views import register_tabs  # noqa: PLC0415  models must be loaded first

        register_converters()
        register_sections()
        register_tabs()
