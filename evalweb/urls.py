"""The addresses of the site. Researcher pages stand under admin/, before the admin's own pages."""

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
