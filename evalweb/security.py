"""The content security policies, and where each of them applies.

Raters' and public pages run on our own files alone, and researchers' pages also load unfold's fonts. No page allows
inline scripts or styles, or that texts become scripts: `static/js/admin_expressions.js` computes what unfold's Alpine
would have the browser compile.
"""

from collections.abc import Callable

from csp.constants import NONE, SELF
from django.http import HttpRequest, HttpResponse

ADMIN_PREFIX = "/admin/"

PUBLIC_POLICY: dict[str, list[str]] = {
    "default-src": [NONE],
    "script-src": [SELF],
    "style-src": [SELF],
    "img-src": [SELF],
    "media-src": [SELF],
    "connect-src": [SELF],
    "form-action": [SELF],
    "base-uri": [NONE],
    "frame-ancestors": [NONE],
}

# What researchers' pages load besides: unfold's fonts, and the preview of a study.
ADMIN_ADDITIONS: dict[str, list[str]] = {
    "frame-src": [SELF],
    "font-src": [SELF],
}

# The page to try the API draws its small icons from its style sheet, as data: addresses; pictures can run nothing.
API_PAGE = "/api/v1/"
API_PAGE_ADDITIONS: dict[str, list[str]] = {"img-src": [SELF, "data:"]}


class AdminFrameMiddleware:
    """Give researchers' pages the policies they need, and the page of the API its icons.

    Every other page keeps the strict policies of the settings.

    Researchers' pages have the referrer policy `same-origin`: under `no-referrer` browsers send `Origin: null` with a
    form, and Django then refuses every sign-in. Raters' forms carry a signature of their own and do not need it.
    """

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        """Mark the response for CSPMiddleware, unless the view has chosen a policy itself."""
        response = self.get_response(request)
        if request.path_info.startswith(ADMIN_PREFIX):
            response.headers.setdefault("Referrer-Policy", "same-origin")
            if getattr(response, "_csp_replace", None) is None:
                response._csp_replace = ADMIN_ADDITIONS  # type: ignore[attr-defined]  # read by django-csp
        elif request.path_info == API_PAGE:
            response._csp_replace = API_PAGE_ADDITIONS  # type: ignore[attr-defined]
        return response
