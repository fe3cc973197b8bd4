"""Paginate listings: each page names the address of the next, so that new rows are neither lost nor doubled."""

from collections.abc import Mapping, Sequence
from typing import Any, TypeVar

from django.db.models import Model, QuerySet
from django.utils.translation import gettext as _
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.utils.urls import replace_query_param

from tasks_app.api.errors import BadRequest

PAGE, LARGEST_PAGE = 100, 1_000

# The largest number a row can have.
LARGEST = 2**63 - 1

M = TypeVar("M", bound=Model)


class PageParams(serializers.Serializer[Any]):
    """Parameters of a listing."""

    cursor = serializers.CharField(required=False, help_text="Where the page begins: taken from `next`, never made up.")
    page_size = serializers.IntegerField(
        required=False, default=PAGE, min_value=1, max_value=LARGEST_PAGE, help_text="How many entries a page has."
    )


class Page(serializers.Serializer[Any]):
    """A page of a listing; each listing adds its `results`."""

    next = serializers.URLField(allow_null=True, help_text="Address of the next page; null on the last.")


def listing(
    request: Request, rows: QuerySet[M], given: Mapping[str, Any], page: type[Page], *, newest_by: str = "", **more: Any
) -> Response:
    """Answer with a page of rows in the order of their ids, or newest first by a column of whole numbers.

    `given` holds what `PageParams` read, and `more` is what the serializer of the page needs beside the rows. Raises
    BadRequest for a cursor that is none.
    """
    column = newest_by or "id"
    if "cursor" in given:
        cursor = given["cursor"]
        if not is_number(cursor):
            raise BadRequest(_("This is not a valid cursor: use the address in “next” as it is."))
        rows = rows.filter(**{f"{column}__{'lt' if newest_by else 'gt'}": int(cursor)})
    entries = list(rows.order_by(f"-{column}" if newest_by else column)[: given["page_size"] + 1])
    shown = entries[: given["page_size"]]
    mark = getattr(shown[-1], column) if len(entries) > len(shown) else None
    return Response(page(page_of(request, shown, mark), context={"request": request, **more}).data)


def page_of(request: Request, results: Sequence[object], mark: object) -> dict[str, Any]:
    """Return a page: some entries, and the address of the next page where there is a mark to begin it at."""
    following = None if mark is None else replace_query_param(request.build_absolute_uri(), "cursor", str(mark))
    return {"next": following, "results": results}


def is_number(word: str) -> bool:
    """Return whether a word can be the number of a row, however long it is."""
    return word.isascii() and word.isdecimal() and len(word) <= len(str(LARGEST)) and int(word) <= LARGEST
