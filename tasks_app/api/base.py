"""What every address of the API shares: who asks, what the token may do, which parameters there are."""

from __future__ import annotations

from datetime import timedelta
from typing import Any, ClassVar, cast

from django.db.models.functions import Now
from django.utils.translation import gettext as _
from rest_framework import serializers
from rest_framework.negotiation import BaseContentNegotiation
from rest_framework.permissions import SAFE_METHODS, BasePermission
from rest_framework.renderers import BaseRenderer
from rest_framework.request import Request
from rest_framework.views import APIView

from tasks_app import access
from tasks_app.api.authentication import BearerToken
from tasks_app.api.errors import BadRequest, NotFound, NoToken, ScopeMissing, UnderWay
from tasks_app.models import ApiToken, Study
from tasks_app.selectors.judgments import UNDER_WAY, may_export
from tasks_app.services import events

EXPORTED = "exported"


def token_of(request: Request) -> ApiToken:
    """Return the token of a request that `HasScope` has let through."""
    return cast("ApiToken", request.auth)


class OneFormat(BaseContentNegotiation):
    """Answer in the one format an address has, whatever the client says it accepts."""

    def select_parser(self, request: Request, parsers: Any) -> Any:
        """Return the parser."""
        return parsers[0]

    def select_renderer(
        self, request: Request, renderers: Any, format_suffix: str | None = None
    ) -> tuple[BaseRenderer, str]:
        """Return the renderer."""
        return renderers[0], renderers[0].media_type


class HasScope(BasePermission):
    """The token has the scope that the view asks for the method of the request."""

    def has_permission(self, request: Request, view: APIView) -> bool:
        """Return True, or raise NoToken or ScopeMissing: each says what to do."""
        if not isinstance(request.auth, ApiToken):
            raise NoToken
        scope = getattr(view, "scopes", {}).get(request.method, getattr(view, "scope", ""))
        if scope not in request.auth.scopes:
            raise ScopeMissing(scope)
        return True


class NoParams(serializers.Serializer[Any]):
    """An address without parameters."""


class ApiView(APIView):
    """An address of the API. `scope` is what a token needs (`scopes` by method), `Params` what a GET takes."""

    authentication_classes = (BearerToken,)
    permission_classes = (HasScope,)
    content_negotiation_class = OneFormat
    http_method_names = ("get", "head", "post")
    scope: ClassVar[str] = ""
    scopes: ClassVar[dict[str, str]] = {}
    Params: ClassVar[type[serializers.Serializer[Any]]] = NoParams

    def initial(self, request: Request, *args: Any, **kwargs: Any) -> None:
        """Check who asks, then what: `self.given` holds the parameters."""
        super().initial(request, *args, **kwargs)
        self.given = self._read_params(request)

    def _read_params(self, request: Request) -> dict[str, Any]:
        params = (self.Params if request.method in SAFE_METHODS else NoParams)(data=request.query_params)
        known = list(params.fields)
        for name in request.query_params:
            if name not in known:
                names = ", ".join(known) or _("none")
                raise BadRequest(
                    _("There is no parameter “%(name)s” here; there are: %(names)s.") % {"name": name, "names": names}
                )
        params.is_valid(raise_exception=True)
        return dict(params.validated_data)

    def study(self, request: Request, slug: str, about: str) -> tuple[Study, str | None]:
        """Return a study and the person's role in it; 404 where they, or the token, may not see it.

        A superuser's look into a study of others is logged.
        """
        study, own = access.study_and_role(request.user, slug)
        bound = token_of(request).study_id
        if bound not in (None, study.pk):
            raise NotFound
        if own is None:
            events.log(study, request.user, "viewed", about=f"API {about}")
        return study, own

    def study_to_export(self, request: Request, slug: str, about: str, *, pages: bool = False) -> Study:
        """Return a study whose answers may be taken out now; where it is under way that is logged.

        Of the many `pages` of one listing the first in an hour is.
        """
        study, own = self.study(request, slug, about)
        if not may_export(study, own):
            raise UnderWay
        if study.state in UNDER_WAY:
            lately = study.events.filter(
                actor_id=request.user.pk, verb=EXPORTED, object=about, at__gt=Now() - timedelta(hours=1)
            )
            if not (pages and lately.exists()):
                events.log(study, request.user, EXPORTED, about=about)
        return study
