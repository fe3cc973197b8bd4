"""A template filter that links the pages of the help that a message names by their files."""

import re

from django import template
from django.urls import reverse
from django.utils.html import conditional_escape
from django.utils.safestring import SafeString, mark_safe

register = template.Library()

_PAGE = re.compile(r"docs/([a-z-]+(?:/[a-z-]+)*)\.md")


@register.filter
def with_help_links(message: str) -> SafeString:
    """Escape a message, and link each page that it names, such as docs/ratings-file.md, to the help."""
    text = str(conditional_escape(message))

    def link(match: re.Match[str]) -> str:
        return f'<a href="{reverse("help:page", args=[match[1]])}">{match[0]}</a>'

    return mark_safe(_PAGE.sub(link, text))  # noqa: S308  escaped above
