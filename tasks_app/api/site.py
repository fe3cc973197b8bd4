"""Pages of the API: its schema, a page to try it, and the answer for unknown addresses."""

from typing import Any

from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.shortcuts import render
from django.urls import resolve
from django.utils.translation import gettext as _
from django.utils.translation import override
from django.views.decorators.http import require_safe
from drf_spectacular.utils import extend_schema
from drf_spectacular.views import SpectacularJSONAPIView
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from tasks_app.api.base import OneFormat
from tasks_app.api.errors import NotFound


class Schema(SpectacularJSONAPIView):
    """The OpenAPI schema, in English: it is documentation, and generated clients should not depend on a header."""

    content_negotiation_class = OneFormat
    http_method_names = ("get", "head")

    @extend_schema(exclude=True)
    def get(self, request: Request, *args: Any, **kwargs: Any) -> Response:
        """Answer with the schema."""
        with override("en"):
            answer: Response = super().get(request, *args, **kwargs)  # type: ignore[no-untyped-call]
        return answer


@require_safe
def try_it(request: HttpRequest) -> HttpResponse:
    """Show a page that lists every address of the API and sends requests with a token pasted into it."""
    return render(request, "public/api.html")


@extend_schema(exclude=True)
class Nothing(APIView):
    """Every other address under the API's: refused as JSON, and without a word about whether a token is right."""

    authentication_classes = ()
    permission_classes = ()
    content_negotiation_class = OneFormat

    def get(self, request: Request, rest: str) -> HttpResponse:
        """Redirect a request that lacks the slash at the end; answer 404 to every other request."""
        if not _lacks_a_slash(request, rest):
            raise NotFound
        return HttpResponseRedirect(request.get_full_path(force_append_slash=True))

    def post(self, request: Request, rest: str) -> Response:
        """Refuse; clients would follow a redirection with a GET."""
        if _lacks_a_slash(request, rest):
            raise NotFound(_("There is nothing at this address. Put a slash at its end."))
        raise NotFound

    put = patch = delete = options = trace = post


def _lacks_a_slash(request: Request, rest: str) -> bool:
    match = resolve(f"{request.path_info}/")
    return not rest.endswith("/") and getattr(match.func, "view_class", None) is not Nothing
