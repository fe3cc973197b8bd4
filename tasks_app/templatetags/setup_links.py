"""Template tags for pages about the set-up of a study: links to the pages that explain it, and entries of tables."""

from collections.abc import Mapping

from django import template
from django.urls import reverse

register = template.Library()


@register.filter
def manual_url(page: str) -> str:
    """Return the address of a page of docs/, such as "checks#known-answers"."""
    name, _hash, anchor = page.partition("#")
    return reverse("help:page", args=[name]) + (f"#{anchor}" if anchor else "")


@register.filter
def entry(table: Mapping[str, object], key: str) -> object:
    """Return the entry of a table under a key; "" where there is none."""
    return table.get(key, "")
