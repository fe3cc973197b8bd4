"""Links from the form of a study to the pages that explain it."""

from django import template
from django.urls import reverse

register = template.Library()


@register.filter
def manual_url(page: str) -> str:
    """Return the address of a page of docs/, such as "checks#known-answers"."""
    name, _hash, anchor = page.partition("#")
    return reverse("help:page", args=[name]) + (f"#{anchor}" if anchor else "")
