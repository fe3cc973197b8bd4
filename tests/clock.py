"""A clock that shows what a test is about: a day that ends, a leap day, an hour that is left out."""

from datetime import datetime

import pytest
from django.utils import timezone


def set_clock(monkeypatch: pytest.MonkeyPatch, moment: datetime) -> None:
    """Stop Django's clock at a moment; the database's clock goes on."""
    assert timezone.is_aware(moment)
    monkeypatch.setattr(timezone, "now", lambda: moment)
