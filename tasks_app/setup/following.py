"""Values that are set along with a change of a set-up: completion codes, and the rules that use checks.

Whoever chooses a platform that needs completion codes gets one for each outcome, and whoever adds the first check of a
kind gets the quality rule that uses it. Both can be seen, changed and taken back like any other setting.
"""

import secrets
from collections.abc import Callable, Collection, Mapping

from tasks_app import channels
from tasks_app.hooks.sections import Json, Path
from tasks_app.models.setup_document import SetupDocument, value_at
from tasks_app.settings.study import Codes

# Returns the settings that follow from new kinds of checks: of control, attention, degraded and repeat.
ForChecks = Callable[[Mapping[str, Json], Collection[str]], Mapping[Path, Json]]

# Kinds of checks that rows of the table of known answers make, and those that a number in the form does.
IN_ROWS = ("control", "attention")
_IN_FORM = {"degraded": "degraded", "repeat": "repeats"}

# Letters and digits that nobody takes for one another.
_LETTERS = "ABCDEFGHJKLMNPQRSTUVWXYZ23456789"
_CODE_LENGTH = 8

_for_checks: list[ForChecks] = []


def register(function: ForChecks) -> None:
    """Add a function that returns the values that follow from checks; a repeated call adds it once."""
    if function not in _for_checks:
        _for_checks.append(function)


def after_values(before: SetupDocument, after: SetupDocument) -> dict[Path, Json]:
    """Return the settings that follow from a change of settings."""
    return after_checks(after, _in_form(after) - _in_form(before)) | _codes(before, after)


def after_checks(document: SetupDocument, kinds: Collection[str]) -> dict[Path, Json]:
    """Return the settings that follow from the first checks of some kinds."""
    values: dict[Path, Json] = {}
    for function in _for_checks if kinds else ():
        values.update(function(document.given, kinds))
    return values


def _in_form(document: SetupDocument) -> set[str]:
    """Return the kinds of checks for which a task has a number above 0."""
    kinds = set()
    for task in document.entries("tasks"):
        for kind, setting in _IN_FORM.items():
            number = value_at(task, ("checks", setting))
            if isinstance(number, int) and not isinstance(number, bool) and number > 0:
                kinds.add(kind)
    return kinds


def _codes(before: SetupDocument, after: SetupDocument) -> dict[Path, Json]:
    """Return a code for every outcome without one, where a platform that needs codes was chosen."""
    chosen = _platforms(after) - _platforms(before)
    return missing_codes(after) if chosen else {}


def _platforms(document: SetupDocument) -> set[str]:
    """Return the channels of a document that need completion codes."""
    named = document.value(("channels",))
    return {
        name
        for name in (named if isinstance(named, Mapping) else ())
        if name in channels.registry and channels.registry[name].needs_codes
    }


def missing_codes(document: SetupDocument) -> dict[Path, Json]:
    """Return a new code for every outcome that has none."""
    return {
        ("codes", name): "".join(secrets.choice(_LETTERS) for _letter in range(_CODE_LENGTH))
        for name in Codes.Settings.base_fields
        if not document.value(("codes", name))
    }
