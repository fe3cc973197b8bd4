"""The frame of public pages: for researchers who are signed in, the navigation of their own pages."""

from typing import Any

from django import template
from django.contrib import admin
from django.template import RequestContext

register = template.Library()

# Pages of raters have addresses of their own: nothing there leads to pages of researchers.
OF_RATERS = ("/r/", "/join/", "/studies/", "/sign-in/")


@register.simple_tag(takes_context=True)
def researcher_links(context: RequestContext) -> list[dict[str, Any]]:
    """Return the entries of the researchers' navigation; none for anybody else, or where a page has no request."""
    request = context.get("request")
    if not getattr(getattr(request, "user", None), "is_staff", False):
        return []
    groups: list[dict[str, Any]] = admin.site.get_sidebar_list(request)  # type: ignore[attr-defined]  # unfold's
    shown = [item for group in groups for item in group["items"] if item.get("has_permission", True)]
    return [{**item, "current": str(item["link"]) == getattr(request, "path", "")} for item in shown]


@register.simple_tag(takes_context=True)
def leads_to_researchers(context: RequestContext) -> bool:
    """Return whether the head of a page leads to pages for researchers: not where raters are."""
    request = context.get("request")
    return request is not None and not request.path.startswith(OF_RATERS)
