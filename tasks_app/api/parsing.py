"""Parse request bodies: JSON of limited size and depth."""

from __future__ import annotations

from collections.abc import Mapping
from io import BytesIO
from typing import IO, Any

from django.utils.translation import gettext as _
from rest_framework.exceptions import ParseError
from rest_framework.parsers import JSONParser

from tasks_app.api.errors import TooLarge

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
