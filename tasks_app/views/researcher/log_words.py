"""The entries of the log in words: the action, its object, and the details that a reader can use.

The rows keep their names, which the API and the exports have; only the page words them.
"""

import re
from collections.abc import Iterator, Mapping
from typing import Any

from django.utils.functional import Promise
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from tasks_app.models import Event, Study

# The longest value of a change that a page shows; exports and the API have the whole.
LONGEST = 200

# What was done, where the name in the row is no plain English.
_VERBS: Mapping[str, str | Promise] = {
    "unshared": gettext_lazy("took away the role of"),
    "follows": gettext_lazy("began a changed version of"),
    "set up": gettext_lazy("checked the set-up"),
    "loaded": gettext_lazy("loaded the study"),
    "replaced": gettext_lazy("replaced the earlier draft"),
    "made ordinary": gettext_lazy("made an ordinary study of the template"),
    "opened in spite of points": gettext_lazy("opened although points were left on Review"),
    "viewed": gettext_lazy("looked at"),
    "answered": gettext_lazy("filled in"),
    "decided": gettext_lazy("decided on a code for"),
    "entered statuses": gettext_lazy("entered platform statuses of"),
    "began demonstration": gettext_lazy("began the demonstration of"),
    "finished demonstration": gettext_lazy("finished the demonstration of"),
}

_TRIALS: Mapping[str, Promise] = {
    Event.REHEARSAL: gettext_lazy("began to rate the draft on trial"),
    Event.WHOLE_REHEARSAL: gettext_lazy("finished rating the draft on trial"),
}

# Names of details; what is not listed is shown as it is, and None leaves a detail out that only programs use.
_DETAILS: Mapping[str, str | Promise | None] = {
    "units": gettext_lazy("units to judge"),
    "places": gettext_lazy("judgments planned"),
    "booklets": gettext_lazy("sets"),
    "identical": gettext_lazy("outputs with identical text"),
    "planned": gettext_lazy("by the plan"),
    "trigger": gettext_lazy("started"),
    "n": gettext_lazy("number"),
    "ids": gettext_lazy("number of ids"),
    "systems": gettext_lazy("systems"),
    "checks": gettext_lazy("items with known answers"),
    "digest": None,
    "sha256": None,
    "revision": None,
    "comment": None,
    "form": None,
    "last": None,
}

_TRIGGERS: Mapping[str, str | Promise] = {
    "demand": gettext_lazy("on demand"),
    "closing": gettext_lazy("when the study was closed"),
    "schedule": gettext_lazy("after new judgments"),
    "command": gettext_lazy("by a command"),
}

_DIGEST = re.compile(r"[0-9a-f]{40,}")


def verb(name: str) -> str:
    """Return the words for an action, by its name in the rows."""
    return str(_VERBS.get(name, name))


def sentence(event: Event) -> tuple[str, str]:
    """Return the action and its object in words; the study is not named, since the entry ends with its title."""
    if event.verb == Event.TRIED and event.object in _TRIALS:
        return str(_TRIALS[event.object]), ""
    slug = event.study.slug if event.study is not None else event.deleted_study.slug if event.deleted_study else ""
    return verb(event.verb), "" if event.object == slug else event.object


def details(event: Event) -> Iterator[tuple[str, str]]:
    """Yield the names and the values of a change, each before and after."""
    before, after = (value if isinstance(value, dict) else {"": value} for value in (event.before, event.after))
    for name in dict.fromkeys([*before, *after]):
        old, new = before.get(name), after.get(name)
        label = _DETAILS.get(name, name.replace("_", " "))
        if label is None or (old is None and new is None) or _is_digest(old) or _is_digest(new):
            continue
        # One of them alone is empty where something was added or removed.
        words = _value(name, new) if old is None else _("%(old)s → %(new)s") % {
            "old": _value(name, old), "new": _value(name, new)
        }  # fmt: skip
        yield str(label), words


def _is_digest(value: object) -> bool:
    return isinstance(value, str) and _DIGEST.fullmatch(value) is not None


def _value(name: str, value: Any) -> str:
    if value is None:
        return "–"
    if isinstance(value, bool):
        return _("yes") if value else _("no")
    if name == "state" and value in Study.State.values:
        return str(Study.State(value).label)
    if name == "trigger":
        return str(_TRIGGERS.get(str(value), value))
    if isinstance(value, list):
        value = ", ".join(map(str, value))
    elif isinstance(value, dict):
        value = ", ".join(f"{key}: {_value(key, part)}" for key, part in value.items())
    text = str(value)
    return text if len(text) <= LONGEST else f"{text[: LONGEST - 1]}…"
