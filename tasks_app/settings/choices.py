"""Choices with words for settings: task types and designs import them from here, and nothing of Django's database."""

from django.db.models import TextChoices

__all__ = ["TextChoices"]
