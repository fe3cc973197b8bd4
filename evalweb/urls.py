"""Addresses. Researchers' pages stand under admin/ and come before the admin's own, which answers the rest."""

from django.contrib import admin
from django.urls import include, path

handler400 = "evalweb.views.bad_request"
handler403 = "evalweb.views.permission_denied"
handler404 = "evalweb.views.page_not_found"
handler500 = "evalweb.views.server_error"

urlpatterns = [
    path("", include("tasks_app.urls")),
    path("", include("analytics_app.urls")),
    path("admin/", admin.site.urls),
]
