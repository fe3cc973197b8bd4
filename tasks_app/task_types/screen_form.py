"""The form of a screen, which the form of every task type is built on."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING

from django import forms

from tasks_app.task_types.screen_data import Screen

if TYPE_CHECKING:
    from tasks_app.task_types.base import TaskType


class ScreenForm(forms.Form):
    """The form of a screen, unbound or bound to posted data.

    `kind` is the task type with its parameters. Nothing is preselected unless `initial` carries a draft. `prefix` tells
    the fields from those of other screens on the page.
    """

    kind: TaskType

    def __init__(
        self,
        kind: TaskType,
        screen: Screen,
        data: Mapping[str, str] | None = None,
        initial: Mapping[str, object] | None = None,
        prefix: str = "",
    ) -> None:
        super().__init__(data, initial=dict(initial or {}), prefix=prefix or None)
        self.kind, self.screen = kind, screen
        self.fields.update(self.make_fields())

    @property
    def read_on(self) -> dict[str, str]:
        """The fields that a button within the form sets, where it only asks for the next part of the screen.

        Pages with scripts have all parts; without them such a button sends the form, and what was filled in is kept.
        Empty where the form was sent to be stored.
        """
        return {}

    def make_fields(self) -> Iterable[tuple[str, forms.Field]]:
        """Return the fields by their names, in the order of the screen."""
        raise NotImplementedError
