"""Read JSON in a line or cell: strict, storable, of limited depth."""

from __future__ import annotations

import json

from django.utils.translation import gettext as _

from tasks_app.plaintext import problems_in_json
from tasks_app.sections import Json


class BadJson(ValueError):
    """A text is not JSON that can be stored; `column` counts its characters from 1, 0 where unknown."""

    def __init__(self, sentence: str, column: int = 0) -> None:
        super().__init__(sentence)
        self.sentence = sentence
        self.column = column


def loads(text: str) -> Json:
    """Read a JSON value.

    Raises
    ------
    BadJson
        Where it is not JSON, repeats a name, or holds what jsonb cannot keep.
    """
    try:
        value = json.loads(text, object_pairs_hook=_once, parse_constant=_not_finite)
    except json.JSONDecodeError as found:
        sentence = _("This is not JSON (%(reason)s).") % {"reason": found.msg}
        raise BadJson(sentence, found.pos + 1) from found
    except RecursionError as found:
        raise BadJson(_("This is nested too deeply.")) from found
    except BadJson:
        raise
    except ValueError as found:  # a whole number of thousands of digits
        raise BadJson(_("A number here is too long to be stored.")) from found
    for path, sentence in problems_in_json(value):
        where = path.strip("/")
        raise BadJson(f"{where}: {sentence}" if where else sentence)
    return value


def dumps(value: Json) -> str:
    """Write a JSON value on one line, as a person reads it; equal values give equal texts."""
    return json.dumps(value, ensure_ascii=False, sort_keys=True, allow_nan=False)


def _once(pairs: list[tuple[str, Json]]) -> dict[str, Json]:
    found: dict[str, Json] = {}
    for name, value in pairs:
        if name in found:
            raise BadJson(_("“%(name)s” stands here twice. Keep one of the two.") % {"name": name})
        found[name] = value
    return found


def _not_finite(name: str) -> Json:
    raise BadJson(
        _("%(value)s is not a number that can be stored. Use a finite one or leave it out.") % {"value": name}
    )
