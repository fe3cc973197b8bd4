"""The base of all API views: authentication, scopes of tokens, bodies, parameters."""

from collections.abc import Mapping
from datetime import timedelta
from io import BytesIO
from typing import IO, Any, ClassVar, cast

from django.db.models.functions import Now
from django.utils.translation import gettext as _
from rest_framework import serializers
from rest_framework.exceptions import MethodNotAllowed, ParseError
from rest_framework.negotiation import BaseContentNegotiation
from rest_framework.parsers import JSONParser
from rest_framework.permissions import SAFE_METHODS, BasePermission
from rest_framework.renderers import BaseRenderer
from rest_framework.request import Request
from rest_framework.utils.mediatypes import media_type_matches
from rest_framework.views import APIView

from tasks_app import access
from tasks_app.api.authentication import BearerToken
from tasks_app.api.errors import BadRequest, Busy, NotFound, NoToken, ScopeMissing, TooLarge, UnderWay
from tasks_app.models import ApiToken, Event, Study
from tasks_app.selectors.judgments import may_export
from tasks_app.services import events, high_water

# A plan with every rule and every analysis is a hundredth of this.
LARGEST_BODY = 1024 * 1024


class JsonBody(JSONParser):
    """JSON, of which no more is read than anybody needs."""

    def parse(
        self, stream: IO[Any], media_type: str | None = None, parser_context: Mapping[str, Any] | None = None
    ) -> Any:
        """Return the content of the body. Raises TooLarge, or ParseError where it is no JSON."""
        body = stream.read(LARGEST_BODY + 1)
        if len(body) > LARGEST_BODY:
            raise TooLarge(_("The body is larger than a megabyte. Send the settings alone."))
        try:
            return super().parse(BytesIO(body), media_type, parser_context)
        except RecursionError as error:
            raise ParseError(_("JSON parse error - it is nested too deeply.")) from error


EXPORTED = "exported"
LONGEST_ABOUT = Event._meta.get_field("object").max_length


def token_of(request: Request) -> ApiToken:
    """Return the token of a request that `HasScope` has let through."""
    return cast("ApiToken", request.auth)


def marks_of(study: Study) -> high_water.Marks:
    """Return up to which numbers all judgments and ratings are there, so that who goes on from the last misses none.

    Raises Busy where that cannot be said for now.
    """
    try:
        return high_water.marks_of(study.pk)
    except high_water.Busy as busy:
        raise Busy(_("Many ratings are being stored just now. Try again in a few seconds.")) from busy


class OneFormat(BaseContentNegotiation):
    """Answer in the one format of an address, and ignore the formats that the client says it accepts."""

    def select_parser(self, request: Request, parsers: Any) -> Any:
        """Return the parser of the body's type; None, which is answered with 415, where there is none."""
        return next((parser for parser in parsers if media_type_matches(parser.media_type, request.content_type)), None)

    def select_renderer(
        self, request: Request, renderers: Any, format_suffix: str | None = None
    ) -> tuple[BaseRenderer, str]:
        """Return the renderer."""
        return renderers[0], renderers[0].media_type


class HasScope(BasePermission):
    """The token has the scope that the view asks for the method of the request."""

    def has_permission(self, request: Request, view: APIView) -> bool:
        """Return True, or raise NoToken or ScopeMissing; their messages say how to get access."""
        if not isinstance(request.auth, ApiToken):
            raise NoToken
        scope = getattr(view, "scopes", {}).get(request.method, getattr(view, "scope", ""))
        if scope not in request.auth.scopes:
            raise ScopeMissing(scope)
        return True


class NoParams(serializers.Serializer[Any]):
    """An address without parameters."""


def _problem_with(params: serializers.Serializer[Any], name: str, values: list[str]) -> str:
    """Return the reason why a parameter would be ignored as it stands; empty where it would not."""
    if name not in params.fields:
        given = {"name": name, "names": ", ".join(params.fields) or _("none")}
        return _("There is no parameter “%(name)s” here. The parameters are: %(names)s.") % given
    if "" in values:
        return _("The parameter “%(name)s” is empty. Give it a value, or leave it out.") % {"name": name}
    if len(values) > 1 and not isinstance(params.fields[name], serializers.ListField):
        return _("The parameter “%(name)s” is given more than once. Give it one value.") % {"name": name}
    return ""


class ApiView(APIView):
    """An address of the API. A token needs `scope` (or `scopes` by method), and a GET takes the `Params`."""

    authentication_classes = (BearerToken,)
    parser_classes = (JsonBody,)
    permission_classes = (HasScope,)
    content_negotiation_class = OneFormat
    http_method_names = ("get", "head", "post")
    scope: ClassVar[str] = ""
    scopes: ClassVar[dict[str, str]] = {}
    Params: ClassVar[type[serializers.Serializer[Any]]] = NoParams

    def initial(self, request: Request, *args: Any, **kwargs: Any) -> None:
        """Check the method, then the token, then the parameters; `self.given` holds the parameters."""
        method = (request.method or "").lower()
        if method not in self.http_method_names or not hasattr(self, method):
            raise MethodNotAllowed(method.upper())
        super().initial(request, *args, **kwargs)
        self.given = self._read_params(request)

    def _read_params(self, request: Request) -> dict[str, Any]:
        params = (self.Params if request.method in SAFE_METHODS else NoParams)(data=request.query_params)
        for name, values in request.query_params.lists():
            if problem := _problem_with(params, name, values):
                raise BadRequest(problem)
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
            # A number in an address may have any length, what is logged has not.
            events.log(study, request.user, "viewed", about=f"API {about}"[:LONGEST_ABOUT])
        return study, own

    def study_to_export(self, request: Request, slug: str, about: str, *, pages: bool = False) -> Study:
        """Return a study with answers that may be exported now, and log the export while the study is under way.

        Of the many `pages` of one listing the first in an hour is.
        """
        study, own = self.study(request, slug, about)
        if not may_export(study, own):
            raise UnderWay
        if study.state in Study.State.UNDER_WAY:
            lately = study.events.filter(
                actor_id=request.user.pk, verb=EXPORTED, object=about, at__gt=Now() - timedelta(hours=1)
            )
            if not (pages and lately.exists()):
                events.log(study, request.user, EXPORTED, about=about)
        return study
