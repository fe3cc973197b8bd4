"""The field of a setting that is either on or off."""

from __future__ import annotations

from typing import Any

from django import forms


class YesNoField(forms.BooleanField):
    """A box to tick. Django asks of a required one that it is ticked, so this one never is; it is off by default."""

    def __init__(self, *, initial: bool = False, **options: Any) -> None:
        super().__init__(required=False, initial=initial, **options)
