"""The labels of the form's sections and of the entries of its lists: names, never keys."""

import re
import unicodedata
from collections.abc import Iterable, Mapping

from django.utils.functional import Promise
from django.utils.text import capfirst
from django.utils.translation import gettext_lazy

from tasks_app.hooks.sections import Json, Path
from tasks_app.studyfile.schema import LABELS
from tasks_app.task_types import name_of, registry

# Length of a key that is made of a name.
_LONGEST_KEY = 40

# Lists whose entries have keys, and the setting of which a key is made where none was given.
NAMED_BY = {"tasks": "title", "criteria": "name", "systems": "name", "groups": "name"}

# The names of the sections of a study file, where their schema has no title.
SECTION_LABELS: Mapping[str, Promise] = {
    "study": gettext_lazy("The study"), "about": gettext_lazy("Who runs the study"), "pay": gettext_lazy("Pay"),
    "flow": gettext_lazy("Way through the study"), "codes": gettext_lazy("Completion codes"),
    "acceptance": gettext_lazy("Texts that raters wrote"), "channels": gettext_lazy("Where raters come from"),
    "consent": gettext_lazy("Consent text"), "criteria": gettext_lazy("Questions"),
    "groups": gettext_lazy("Groups of raters"), "tasks": gettext_lazy("Tasks"), "systems": gettext_lazy("Systems"),
    "analysis": gettext_lazy("Analysis plan"), "analysis.rules": gettext_lazy("Quality rules"),
    "analysis.analyses": gettext_lazy("Analyses"), "analysis.comparisons": gettext_lazy("Comparisons"),
}  # fmt: skip

# What the entries of a list are called, by the name of the list: the button that adds one, and one without a name.
_ENTRIES: Mapping[str, tuple[Promise, Promise]] = {
    "criteria": (gettext_lazy("Add a question"), gettext_lazy("Question %(n)d")),
    "questions": (gettext_lazy("Add a question"), gettext_lazy("Question %(n)d")),
    "tasks": (gettext_lazy("Add a task"), gettext_lazy("Task %(n)d")),
    "systems": (gettext_lazy("Add a system"), gettext_lazy("System %(n)d")),
    "groups": (gettext_lazy("Add a group"), gettext_lazy("Group %(n)d")),
    "rules": (gettext_lazy("Add a rule"), gettext_lazy("Rule %(n)d")),
    "analyses": (gettext_lazy("Add an analysis"), gettext_lazy("Analysis %(n)d")),
    "labels": (gettext_lazy("Add a label"), gettext_lazy("Label %(n)d")),
    "wordings": (gettext_lazy("Add a wording"), gettext_lazy("Wording %(n)d")),
    "categories": (gettext_lazy("Add a category"), gettext_lazy("Category %(n)d")),
    "severities": (gettext_lazy("Add a severity"), gettext_lazy("Severity %(n)d")),
    "ticks": (gettext_lazy("Add a checkbox"), gettext_lazy("Checkbox %(n)d")),
    "details": (gettext_lazy("Add a follow-up question"), gettext_lazy("Follow-up question %(n)d")),
    "only_if": (gettext_lazy("Add a condition"), gettext_lazy("Condition %(n)d")),
}
_ENTRY = (gettext_lazy("Add another"), gettext_lazy("No. %(n)d"))


def add_label(path: Path) -> str:
    """Return the words of the button that adds an entry to a list."""
    return str(_ENTRIES.get(str(path[-1]), _ENTRY)[0])


def task_name(task: Mapping[str, Json], number: int) -> str:
    """Return a task's title with the name of its type, or one of them; `number` counts the tasks from 1."""
    kind, title = str(task.get("type") or ""), str(task.get("title") or "")
    label = str(registry[kind].label) if kind in registry else ""
    if not title and label:
        return name_of(kind, number)
    return ": ".join(filter(None, (label, title)))


def task_called(task: Mapping[str, Json], number: int) -> str:
    """Return the title of a task, or else the name of its type; `number` counts the tasks of the study from 1."""
    return str(task.get("title") or "") or name_of(str(task.get("type") or ""), number)


def entry_label(node: Mapping[str, Json], path: Path, number: int, row: Json) -> str:
    """Return the name of an entry of a list; `node` is the schema of an entry."""
    words = row if isinstance(row, Mapping) else {}
    if path == ("tasks",):
        title = task_name(words, number + 1)
    elif chosen := next((name for name in ("rule", "analysis") if words.get(name)), ""):
        labels = node["properties"].get(chosen, {}).get(LABELS, {})
        title = capfirst(str(labels.get(str(words[chosen]), words[chosen])))
    else:
        title = next((str(words[name]) for name in ("name", "title", "question", "rows") if words.get(name)), "")
    return title or str(_ENTRIES.get(str(path[-1]), _ENTRY)[1] % {"n": number + 1})


def new_key(name: str, keys: Iterable[str]) -> str:
    """Make a key of a name that no other entry has."""
    plain = unicodedata.normalize("NFKD", name).encode("ascii", "ignore").decode().lower()
    stem = re.sub(r"[^a-z0-9]+", "-", plain).strip("-")[:_LONGEST_KEY].strip("-") or "entry"
    keys, number, key = set(keys), 1, stem
    while key in keys:
        number += 1
        key = f"{stem}-{number}"
    return key
