"""Authenticate by the token in the Authorization header. Cookies do not count, so no other site can use a session."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from drf_spectacular.extensions import OpenApiAuthenticationExtension
from rest_framework.authentication import BaseAuthentication
from rest_framework.request import Request

from tasks_app.api.errors import BadToken
from tasks_app.services.study import tokens

if TYPE_CHECKING:
    from django.contrib.auth.models import User
    from drf_spectacular.openapi import AutoSchema

    from tasks_app.models import ApiToken

CHALLENGE = 'Bearer realm="evalweb"'


class BearerToken(BaseAuthentication):
    """Reads `Authorization: Bearer ewt_…`."""

    def authenticate(self, request: Request) -> tuple[User, ApiToken] | None:
        """Return the owner of the token; None without a header. Raises BadToken."""
        scheme, _space, secret = request.headers.get("Authorization", "").partition(" ")
        if not scheme:
            return None
        if scheme.lower() != "bearer":
            raise BadToken
        token = tokens.find(secret.strip())
        if token is None:
            raise BadToken
        return token.user, token

    def authenticate_header(self, request: Request) -> str:
        """Return the challenge of a 401."""
        return CHALLENGE


class BearerTokenScheme(OpenApiAuthenticationExtension):  # type: ignore[no-untyped-call]  # registers itself
    """The description of the token in the OpenAPI schema."""

    target_class = "tasks_app.api.authentication.BearerToken"
    name = "token"

    def get_security_definition(self, auto_schema: AutoSchema) -> dict[str, Any]:
        """Return the security scheme."""
        scopes = "\n".join(f"- `{name}`: {doc}" for name, doc in tokens.SCOPES.items())
        return {
            "type": "http",
            "scheme": "bearer",
            "description": f"A token made under Data → API of a study. Its scopes say what it may do:\n\n{scopes}",
        }
