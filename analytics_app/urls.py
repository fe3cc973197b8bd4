"""Addresses of results, runs and exports: each issue that adds a page adds its line here."""

from django.urls import URLPattern, URLResolver

urlpatterns: list[URLPattern | URLResolver] = []
