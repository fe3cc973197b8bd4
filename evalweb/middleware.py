"""Middleware that every request passes."""

import logging
import re
import time
import uuid
from collections.abc import Callable

from django.conf import settings
from django.http import HttpRequest, HttpResponse
from django.utils import translation

from evalweb import logs
from evalweb.outages import is_outage
from evalweb.views import RATERS, service_unavailable
from tasks_app.texts import languages
from tasks_app.uploads.limited.turns import person

GetResponse = Callable[[HttpRequest], HttpResponse]
REQUEST_ID = re.compile(r"[A-Za-z0-9._-]{8,64}")

log = logging.getLogger("evalweb.request")


class RequestLogMiddleware:
    """Give each request an id that its log lines and its answer carry, and log it by its route.

    The route (`r/<secret:token>/`) says which page was asked for and not by whom, unlike the path.
    """

    def __init__(self, get_response: GetResponse) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        """Answer with X-Request-ID: the caller's if it is a plain word, else a new one."""
        offered = request.headers.get("X-Request-ID", "")
        current = offered if REQUEST_ID.fullmatch(offered) else uuid.uuid4().hex
        mark = logs.request_id.set(current)
        started = time.monotonic()
        try:
            response = self.get_response(request)
            match = request.resolver_match
            log.info(
                "%s %s",
                request.method,
                response.status_code,
                extra={
                    "route": match.route if match else None,
                    "ms": round((time.monotonic() - started) * 1000, 1),
                },
            )
        finally:
            logs.request_id.reset(mark)
        response.headers["X-Request-ID"] = current
        return response


class LanguageMiddleware:
    """Use English, except for raters: they get their browser's language until their study is known.

    Pages of researchers, the public ones and the API are in English only. A rater's own pages choose the language of
    their study; what is left for the browser's wish is an address that leads nowhere, and a fault on the way.
    """

    def __init__(self, get_response: GetResponse) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        """Answer in the browser's language as long as nothing says otherwise."""
        with translation.override(languages.of_browser(request)):
            return self.get_response(request)

    def process_view(self, request: HttpRequest, view: object, args: object, kwargs: object) -> None:
        """Turn to English for every page that is not for raters."""
        match = request.resolver_match
        if match is None or match.app_name != RATERS:
            translation.activate(settings.LANGUAGE_CODE)


class PersonMiddleware:
    """Tell readers of uploads the person behind the request; they look only for requests with an upload."""

    def __init__(self, get_response: GetResponse) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        """Answer the request of a person."""
        mark = person.set(lambda: request.user.pk)
        try:
            return self.get_response(request)
        finally:
            person.reset(mark)


class NoStoreMiddleware:
    """Keep browsers and proxies from storing pages, unless a view says otherwise itself."""

    def __init__(self, get_response: GetResponse) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        """Answer with Cache-Control: no-store where the view left it open."""
        response = self.get_response(request)
        response.headers.setdefault("Cache-Control", "no-store")
        return response


class DatabaseLostMiddleware:
    """Answer 503 with Retry-After while the database is away, restarting or too busy, instead of a 500."""

    def __init__(self, get_response: GetResponse) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        """Pass the request on; only exceptions of views concern this middleware."""
        return self.get_response(request)

    def process_exception(self, request: HttpRequest, exception: Exception) -> HttpResponse | None:
        """Answer for a lost connection, a lock that was not granted in time, and their like."""
        if is_outage(exception):
            log.error("The database did not answer", exc_info=exception)
            return service_unavailable(request)
        return None
