"""The names that settings of a form choose from: questions, tasks, systems, groups, rules, and columns of the items."""

from collections.abc import Callable, Collection, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property, lru_cache
from zoneinfo import available_timezones

from django.conf.locale import LANG_INFO
from django.db.models import QuerySet, Value
from django.db.models.fields.json import KT
from django.utils.text import capfirst
from django.utils.translation import get_language, get_language_info
from django.utils.translation import gettext as _

from tasks_app.hooks.sections import Path
from tasks_app.models import SetupRow
from tasks_app.models.setup_document import SetupDocument
from tasks_app.settings.checks import CHECK_SYSTEM
from tasks_app.setup.entries import task_name
from tasks_app.studyfile.fields import is_language
from tasks_app.task_types import names_of
from tasks_app.task_types.registry import registry

# Number of rows in which columns with features are looked for: a table gives them to all rows or to none.
ROWS_SEARCHED = 50
# Columns and values of a column that are offered; others can still be typed.
MOST_COLUMNS = 12
MOST_VALUES = 40
MOST_SYSTEMS = 400

FEATURE = "feature_"

# The beginning of the names of attributes of raters, as in a table of texts and ratings.
ATTRIBUTE = "rater_"

# The beginning of the names of attributes of systems: system_size.
OF_SYSTEM = "system_"

# Parts of the names of time zones that are no places.
_NO_PLACES = ("Etc/", "SystemV/", "US/", "posix", "right")


@dataclass(frozen=True)
class ItemNames:
    """The names in the items table of the set-up with this id, each read when it is first asked for; None for none."""

    setup: int | None

    @property
    def _rows(self) -> QuerySet[SetupRow]:
        if self.setup is None:
            return SetupRow.objects.none()
        return SetupRow.objects.filter(setup=self.setup, table="items").order_by()

    @cached_property
    def systems(self) -> list[str]:
        """The systems with texts that are judged, by their keys."""
        column = self._rows.values_list("cells__system", flat=True).distinct()[:MOST_SYSTEMS]
        return sorted(str(key) for key in column if key and not str(key).startswith(CHECK_SYSTEM))

    @cached_property
    def values(self) -> dict[str, list[str]]:
        """The values of the columns by which items are told apart: of documents and features, if they are few."""
        first = self._rows.order_by("number").values_list("cells", flat=True)[:ROWS_SEARCHED]
        columns = list(dict.fromkeys(name for cells in first for name, cell in cells.items() if cell))
        columns = [name for name in columns if name == "document" or name.startswith(FEATURE)][:MOST_COLUMNS]
        if not columns:
            return {}
        first_column, *others = (
            self._rows.values_list(Value(name), KT(f"cells__{name}")).distinct()[: MOST_VALUES + 1] for name in columns
        )
        values: dict[str, list[str]] = {name: [] for name in columns}
        for name, value in first_column.union(*others, all=True):
            if value:
                values[name].append(value)
        return {name: sorted(values_of_name) for name, values_of_name in values.items()}

    @property
    def features(self) -> list[str]:
        """The names of the features of items."""
        return [name.removeprefix(FEATURE) for name in self.values if name.startswith(FEATURE)]

    def lines(self) -> Iterator[str]:
        """Yield a line for every value of a column that has few, such as "feature_domain: news"."""
        for name, values in self.values.items():
            if 1 < len(values) <= MOST_VALUES:
                yield from (f"{name}: {value}" for value in values)

    def conditions(self) -> list[str]:
        """Return a condition on every value of a feature that has few, such as "domain=news"."""
        return [
            f"{name.removeprefix(FEATURE)}={value}"
            for name, values in self.values.items()
            if name.startswith(FEATURE) and 1 < len(values) <= MOST_VALUES
            for value in values
        ]


@dataclass(frozen=True)
class Names:
    """The names that settings of a form choose from.

    `document` is that of the form, `rules` has the labels of quality rules, and `brought` returns the questions
    that task types bring.
    """

    document: SetupDocument
    rules: Mapping[str, str]
    items: ItemNames
    brought: Callable[[], Mapping[str, str]]

    def of(self, rows: str, path: Path) -> dict[str, str]:
        """Return the rows that the setting at a path can name, as `rows` says: their names by their keys."""
        if rows == "rules":
            used = [str(entry["rule"]) for entry in self.document.entries("analysis", "rules") if entry.get("rule")]
            return {name: capfirst(str(self.rules.get(name, name))) for name in used or ["manual"]}
        if rows in {"features", "truths"}:
            more = {"system": _("The system itself")} if rows == "truths" else {**self._attributes, **self._of_systems}
            document = {"document": _("The document")} if "document" in self.items.values else {}
            return {**{name: name for name in self.items.features}, **(document if rows == "features" else {}), **more}
        entries = [entry for entry in self.document.entries(rows) if entry.get("key")]
        if rows == "tasks":
            numbered = enumerate(self.document.entries(rows), start=1)
            tasks = [(number, str(task["key"]), task) for number, task in numbered if task.get("key")]
            return names_of((key, task_name(task, number) or key, "", number) for number, key, task in tasks)
        named = {str(entry["key"]): str(entry.get("name") or entry["key"]) for entry in entries}
        if rows == "systems":
            # What an attention check was written by is compared with nothing.
            named = {key: name for key, name in named.items() if not key.startswith(CHECK_SYSTEM)}
            named |= {key: key for key in self.items.systems if key not in named}
        return self._questions_for(path, named) if rows == "criteria" else named

    @property
    def _attributes(self) -> dict[str, str]:
        """Return the answers of raters about themselves by which results can be split, such as rater_age."""
        tasks = [entry for entry in self.document.entries("tasks") if entry.get("type") in registry]
        tasks = [entry for entry in tasks if not registry[str(entry["type"])].needs_items]
        params = [entry["params"] for entry in tasks if isinstance(entry.get("params"), dict)]
        own = [question for given in params for question in given.get("questions") or () if isinstance(question, dict)]
        chosen = [key for entry in tasks for key in entry.get("criteria") or ()]
        keys = [*chosen, *(question.get("key") for question in own)]
        return {name: name for name in (f"{ATTRIBUTE}{key}" for key in keys if key)}

    @property
    def _of_systems(self) -> dict[str, str]:
        """Return the attributes of systems by which results can be split, such as system_size."""
        entries = self.document.entries("systems")
        given = [entry["attributes"] for entry in entries if isinstance(entry.get("attributes"), dict)]
        names = ["kind"] if len({entry.get("kind") or "machine" for entry in entries}) > 1 else []
        names += [str(name) for attributes in given for name in attributes]
        return {f"{OF_SYSTEM}{name}": f"{OF_SYSTEM}{name}" for name in names}

    def _questions_for(self, path: Path, named: dict[str, str]) -> dict[str, str]:
        """Return the questions that a setting can name: for a parameter of a task those that the task asks."""
        if path[0] == "tasks" and path[2:3] == ("params",):
            keys = self.document.value((*path[:2], "criteria"))
            keys = [key for key in keys if key in named] if isinstance(keys, list) else []
            return {key: named[key] for key in keys or named}
        if path[0] == "analysis":
            return {**named, **{key: name for key, name in self.brought().items() if key not in named}}
        return named


def value_in_words(line: str) -> str:
    """Return a line of a column and a value as a box is called."""
    column, _colon, value = line.partition(": ")
    name = _("Document") if column == "document" else column.removeprefix("feature_")
    return f"{name}: {value}"


def pair_in_words(pair: str, systems: Mapping[str, str]) -> str:
    """Return two systems by their names."""
    names = [systems.get(key, key) for key in pair.split(", ")]
    return _("%(system)s with %(other)s") % {"system": names[0], "other": names[-1]}


def time_zones() -> list[str]:
    """Return the time zones of places, by their names."""
    return sorted(zone for zone in available_timezones() if "/" in zone and not zone.startswith(_NO_PLACES))


def language_name(tag: str) -> str:
    """Return the name of a language, or its tag where Django does not know it."""
    try:
        return str(get_language_info(tag.lower())["name_translated"])
    except KeyError:
        return tag


def language_shown(tag: str) -> str:
    """Return a language as a form shows it, such as "German (de)"."""
    name = language_name(tag)
    return tag if name == tag or not is_language(tag) else f"{name} ({tag})"


def language_read(text: str) -> str:
    """Return the tag of a language that somebody chose or typed by its name; other texts as they are."""
    if (tag := _tags_by_name(get_language()).get(text.casefold())) is not None:
        return tag
    tag = text.removesuffix(")").rpartition("(")[2]
    return tag if text.endswith(")") and is_language(tag) else text


def languages_shown() -> list[str]:
    """Return the languages that a form suggests, by their names."""
    return sorted(language_shown(tag) for tag in _tags_by_name(get_language()).values())


@lru_cache(maxsize=8)
def _tags_by_name(_language: str | None) -> Mapping[str, str]:
    """Return the tags of the languages that Django names, by the names in the language of the page."""
    known = [code for code, about in LANG_INFO.items() if "name" in about]
    return {language_name(code).casefold(): _spelt(code) for code in known}


def _spelt(code: str) -> str:
    """Return a language tag in its usual spelling, such as zh-Hans or pt-BR."""
    base, *further = code.split("-")
    return "-".join([base, *(part.title() if len(part) == 4 else part.upper() for part in further)])


def suggested(used: Collection[str], items: ItemNames) -> dict[str, list[str]]:
    """Return the lists of suggestions that are used, by their names: languages, zones, conditions."""
    makers = {"languages": languages_shown, "zones": time_zones, "conditions": items.conditions}
    return {name: make() for name, make in makers.items() if name in used}
