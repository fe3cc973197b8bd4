"""The home page."""

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe


@require_safe
def home(request: HttpRequest) -> HttpResponse:
    """Show the home page: raters have a link of their own, researchers sign in."""
    return render(request, "public/home.html")
