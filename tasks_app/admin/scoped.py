"""Admin classes that show people only their own rows."""

from typing import Any

from django.contrib import admin
from django.db.models import QuerySet
from django.http import Http404, HttpRequest, HttpResponse
from unfold.admin import ModelAdmin

from tasks_app import access
from tasks_app.models import Event


class ScopedAdmin(ModelAdmin):  # type: ignore[misc]  # unfold ships no types
    """A table of rows of one's own studies; a row of somebody else's is 404, not a redirect that gives it away."""

    study_path = "study"

    def get_queryset(self, request: HttpRequest) -> QuerySet[Any]:
        """Keep the rows of studies that the person may see."""
        rows: QuerySet[Any] = super().get_queryset(request)
        return rows.filter(**{f"{self.study_path}__in": access.studies_for_researcher(request.user)})

    def _changeform_view(self, request: HttpRequest, object_id: str | None, *rest: Any) -> HttpResponse:
        if object_id is not None and self.get_object(request, object_id) is None:
            raise Http404
        response: HttpResponse = super()._changeform_view(request, object_id, *rest)
        return response


@admin.register(Event)
class EventAdmin(ScopedAdmin):
    """Who changed what; nobody can edit it."""

    list_display = ("at", "study", "actor", "verb", "object")
    list_filter = ("verb",)
    date_hierarchy = "at"
    list_select_related = ("study", "actor")
    list_per_page = 30  # unfold writes 3 kB for a row

    def has_view_permission(self, request: HttpRequest, obj: Event | None = None) -> bool:
        """Researchers may read the log of their studies."""
        return bool(request.user.is_active and request.user.is_staff)

    def has_module_permission(self, request: HttpRequest) -> bool:
        """Show the table to researchers."""
        return self.has_view_permission(request)

    def has_add_permission(self, request: HttpRequest) -> bool:
        """Nobody writes the log by hand."""
        return False

    def has_change_permission(self, request: HttpRequest, obj: Event | None = None) -> bool:
        """Nobody rewrites it."""
        return False

    def has_delete_permission(self, request: HttpRequest, obj: Event | None = None) -> bool:
        """Nobody erases it."""
        return False
