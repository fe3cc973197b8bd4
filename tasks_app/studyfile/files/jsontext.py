"""Read JSON in a line or cell: strict, storable, of limited depth."""

import json

from django.utils.translation import gettext as _

from tasks_app.hooks.sections import Json
from tasks_app.studyfile.files.limits import limits
from tasks_app.texts.plaintext import problems_in_json


class BadJson(ValueError):
    """A text is not JSON that can be stored; `column` counts its characters from 1, 0 where unknown."""

    def __init__(self, sentence: str, column: int = 0) -> None:
        super().__init__(sentence)
        self.sentence = sentence
        self.column = column


def loads(text: str, *, is_whole: bool = False) -> Json:
    """Read a JSON value; one that `is_whole`, a file and no line of a table, may have any number of values.

    Raises
    ------
    BadJson
        If it is not JSON, repeats a name, or holds a value that jsonb cannot store.
    """
    most = limits().json_values
    # Empty lists and objects take thirty times the memory of their letters.
    if not is_whole and len(text) > most and sum(map(text.count, "[{,")) > most:
        raise BadJson(_("This holds more than %(n)s values.") % {"n": f"{most:,}"})
    try:
        value = json.loads(text, object_pairs_hook=_once, parse_constant=_not_finite)
    except json.JSONDecodeError as error:
        sentence = _("This is not JSON (%(reason)s).") % {"reason": error.msg}
        raise BadJson(sentence, error.pos + 1) from error
    except RecursionError as error:
        raise BadJson(_("This is nested too deeply.")) from error
    except BadJson:
        raise
    except ValueError as error:  # a whole number of thousands of digits
        raise BadJson(_("A number here is too long to be stored.")) from error
    for path, sentence in problems_in_json(value):
        place = path.strip("/")
        raise BadJson(f"{place}: {sentence}" if place else sentence)
    return value


def dumps(value: Json) -> str:
    """Write a JSON value on one readable line; equal values give equal texts."""
    return json.dumps(value, ensure_ascii=False, sort_keys=True, allow_nan=False)


def _once(pairs: list[tuple[str, Json]]) -> dict[str, Json]:
    members: dict[str, Json] = {}
    for name, value in pairs:
        if name in members:
            raise BadJson(_("“%(name)s” stands here twice. Keep one of the two.") % {"name": name})
        members[name] = value
    return members


def _not_finite(name: str) -> Json:
    raise BadJson(
        _("%(value)s is not a number that can be stored. Use a finite one or leave it out.") % {"value": name}
    )
