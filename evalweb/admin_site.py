"""The site of the admin; all pages of researchers share its frame."""

from collections.abc import Sequence
from typing import Any, cast

from django.contrib.admin.apps import AdminConfig
from django.http import HttpRequest
from django.utils.functional import SimpleLazyObject
from unfold.sites import UnfoldAdminSite


class Site(UnfoldAdminSite):  # type: ignore[misc]  # Unfold has no types
    """Unfold's site, which looks up a person's permissions for the models only where a page lists the models."""

    def get_app_list(self, request: HttpRequest, app_label: str | None = None) -> Sequence[Any]:
        """Return the models by app, as Django does, read from the database when the list is first used."""
        listed = SimpleLazyObject(lambda: UnfoldAdminSite.get_app_list(self, request, app_label))
        return cast("Sequence[Any]", listed)


class Config(AdminConfig):
    """The admin with this site; in the settings `unfold.apps.BasicAppConfig` leaves the site to it."""

    default_site = "evalweb.admin_site.Site"

    def ready(self) -> None:
        """Load the checks of settings and the Celery app of all jobs, which every process with Django needs."""
        super().ready()
        from evalweb import celery, checks  # noqa: F401, PLC0415  both need complete settings
