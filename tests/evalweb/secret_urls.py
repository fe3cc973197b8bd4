"""Every address of the site that has a secret in it, with a view that fails in the way that a header asks for."""

from django.core.exceptions import BadRequest, PermissionDenied
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseNotAllowed
from django.urls import path

from evalweb import urls
from evalweb.secret_paths import routes
from tasks_app.links.converters import HiddenInLogs

handler400, handler403, handler404, handler500 = urls.handler400, urls.handler403, urls.handler404, urls.handler500

SECRET = [
    (route, converters)
    for route, converters in routes(urls.urlpatterns)
    if any(isinstance(converter, HiddenInLogs) for converter in converters.values())
]


def fail(request: HttpRequest, **values: object) -> HttpResponse:
    """Fail with the status in X-Fail, and a message that quotes the address where Django passes it on."""
    if request.headers["X-Fail"] == "405":
        return HttpResponseNotAllowed(["BREW"])
    errors = {"400": BadRequest, "403": PermissionDenied, "404": Http404, "500": TypeError}
    raise errors[request.headers["X-Fail"]](f"nothing for {request.get_full_path()}")


urlpatterns = [path(route, fail) for route, _converters in SECRET]
