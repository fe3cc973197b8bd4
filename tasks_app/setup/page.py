"""The object of a request for a page of the set-up: a document, and all that one step knows of it.

The fields of a step are made of the JSON Schema of a study file, so that what any app declares can be filled in. Below
the page stand the points that are left to settle, the states of the steps, and advice on values.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import combinations
from typing import Any, TypeAlias
from uuid import uuid4

from django.utils.text import capfirst
from django.utils.translation import gettext as _

from tasks_app import channels, readiness
from tasks_app.hooks.sections import Json, Path
from tasks_app.models import Setup, Study
from tasks_app.models.setup_document import SetupDocument, value_at
from tasks_app.readiness import Facts, Level, Point, limits
from tasks_app.setup.attention import Check, Offer, checks_in, offers
from tasks_app.setup.checking import problems_of_tables
from tasks_app.setup.controls import ON, Advice, Control, Group, Node, controls_of, groups_within, in_control
from tasks_app.setup.criteria.framing import framing_of
from tasks_app.setup.criteria.scales import has_scale, may_have_wordings, steps_worded
from tasks_app.setup.entries import NAMED_BY, SECTION_LABELS, add_label, entry_label
from tasks_app.setup.facts import facts_of
from tasks_app.setup.leaves import kind_of, resolved, suggests
from tasks_app.setup.names import ItemNames, Names, language_name, pair_in_words, suggested, value_in_words
from tasks_app.setup.numbers import Numbers, checked_reading, numbers_of
from tasks_app.setup.steps import STEPS, WITH_NUMBERS, State, explained_in, in_order, is_folded, step_called, step_of
from tasks_app.setup.unit_tables.offered import Offered, offered_on
from tasks_app.studyfile.columns import CONTROLS
from tasks_app.studyfile.explain import said_by_a_form
from tasks_app.studyfile.fields import LANGUAGE_PATTERN
from tasks_app.studyfile.files.yaml_text import KEPT
from tasks_app.studyfile.reading import StudyReading
from tasks_app.studyfile.schema import KEYS_OF, LABELS, RETIRED, whole_schema
from tasks_app.studyfile.screens import draft_tasks
from tasks_app.studyfile.workload import workload_of
from tasks_app.task_types import registry
from tasks_app.texts import languages

Problems: TypeAlias = Mapping[Path, tuple[str, ...]]

# The sections that a consent text is compared with.
_BEHIND_CONSENT = frozenset({"about", "channels", "consent", "flow", "pay", "study"})
# Settings of a question that word its scale.
_WORDS_OF_SCALES = frozenset({"low", "high", "labels", "anchors"})

# Number of systems up to which each pair of them can be ticked.
MOST_PAIRED = 30


@dataclass(frozen=True)
class SetupPage:
    """A step of a set-up as it is shown and saved; each derived value is made once, at first use.

    `is_checked` says that the document is read as a study file, so that its problems stand beside the fields.
    """

    setup: Setup
    step: str
    is_checked: bool = False

    @property
    def study(self) -> Study:
        """The study that is set up."""
        return self.setup.study

    @cached_property
    def document(self) -> SetupDocument:
        """The document, with values that are reached by paths."""
        return self.setup.document

    @property
    def given(self) -> Mapping[str, Json]:
        """The document: the content of study.yaml."""
        given: Mapping[str, Json] = self.setup.given
        return given

    @property
    def is_read_only(self) -> bool:
        """Whether the document was frozen when the study was opened."""
        return self.setup.version is not None

    @cached_property
    def click(self) -> str:
        """The key of the next press of a button: sent twice, it is carried out once."""
        return uuid4().hex

    def value(self, path: Path) -> Json:
        """Return the value at a path; None where there is none."""
        return self.document.value(path)

    def entries(self, section: str) -> list[dict[str, Json]]:
        """Return the entries of a list that can be used."""
        return self.document.entries(section)

    def keys(self, section: str) -> set[str]:
        """Return the keys of the entries of a list; "" for an entry without one."""
        return {str(entry.get("key", "")) for entry in self.entries(section)}

    def on(self, step: str) -> SetupPage:
        """Return another step of the same document, without a check for its problems."""
        return SetupPage(self.setup, step)

    @cached_property
    def schema(self) -> Mapping[str, Json]:
        """The JSON Schema of a study file."""
        return whole_schema()

    @cached_property
    def _read(self) -> tuple[StudyReading, float, Problems]:
        """Read and check the document; its problems are copied, since making units may find further ones."""
        with_plan = self.has_numbers or (self.step == "review" and not self.setup.is_stored)
        reading, scale = checked_reading(self.setup, with_plan=with_plan)
        return reading, scale, _said_by_the_form(reading.sentences)

    @property
    def reading(self) -> StudyReading:
        """The document as it was read and checked, with the first texts or, for numbers, as many as can be read."""
        return self._read[0]

    @property
    def is_whole(self) -> bool:
        """Whether all texts were read."""
        return self._read[1] == 1.0

    @property
    def problems(self) -> Problems:
        """The problems of each value, by its path."""
        return self._read[2] if self.is_checked else {}

    @cached_property
    def _beside(self) -> Problems:
        """The sentences beside each field: its problems, and the points that are settled there."""
        beside = dict(self.problems)
        for point in self.points:
            beside[point.path] = (*beside.get(point.path, ()), point.sentence)
        return beside

    def fixed_by(self, path: Path) -> Path:
        """Return the setting by which a problem is fixed: for a plan that cannot be drawn, one that would make it."""
        return next((setting for setting in self.reading.nearest if setting[: len(path)] == path), path)

    @property
    def problems_of_texts(self) -> list[str]:
        """The problems of the texts that were read, or of their fit to a task."""
        return problems_of_tables(self.reading)

    @cached_property
    def points(self) -> Sequence[Point]:
        """The points that would keep the study closed, as far as the settings tell; empty for an unchecked document."""
        if not self.is_checked:
            return ()
        return left_to_settle(self)

    @cached_property
    def facts(self) -> Facts:
        """The document as checks before opening see it; it must be without problems but for its plan."""
        return facts_of(self.setup, self.reading, is_whole=self.is_whole)

    @cached_property
    def states(self) -> Mapping[str, State]:
        """The state of each step, by its name; empty where the document is not checked."""
        return states_of(self) if self.is_checked else {}

    @property
    def reads_texts(self) -> bool:
        """Whether a task shows texts, or there is none yet that could."""
        types = [task["type"] for task in self.reading.document["tasks"] if task["type"] in registry]
        return not types or any(registry[name].needs_items for name in types)

    @property
    def has_known_answers(self) -> bool:
        """Whether the set-up has rows with known answers."""
        reading, scale, _problems = self._read
        if scale == 1.0:  # all tables were read
            return f"{CONTROLS.stem}.csv" in reading.files.names
        exists: bool = self.setup.rows.filter(table=CONTROLS.stem).exists()
        return exists

    @property
    def has_numbers(self) -> bool:
        """Whether the step shows the numbers that follow from the settings."""
        return self.step in WITH_NUMBERS

    @cached_property
    def numbers(self) -> Numbers | None:
        """The number of judgments, sets and raters, and their cost; None if no text can be judged."""
        reading, scale, _problems = self._read
        return numbers_of(reading, scale)

    @property
    def has_texts_and_task(self) -> bool:
        """Whether the set-up has a task, and rows of texts."""
        return bool(self.entries("tasks")) and self.setup.rows.filter(table="items").exists()

    @cached_property
    def unit_tables(self) -> list[Offered]:
        """The tables that the step leads to; of a frozen study those with rows."""
        return [table for table in offered_on(self.setup, self.step) if table.rows or not self.is_read_only]

    @property
    def new_types(self) -> list[tuple[str, str]]:
        """The task types of which another task can be added on the step: names and purposes."""
        if self.step != "questions" or self.is_read_only or not self.entries("tasks"):
            return []
        return [(name, str(member.purpose)) for name, member in registry.items()]

    @cached_property
    def attention_checks(self) -> list[Check]:
        """The attention checks that were added in one click, on the step that offers them."""
        return checks_in(self.setup) if self.step == "checks" else []

    @cached_property
    def attention_offers(self) -> list[Offer]:
        """The tasks to which an attention check can be added, and why one cannot be added to others."""
        return offers(self.setup, self.reading) if self.step == "checks" and not self.is_read_only else []

    @cached_property
    def controls(self) -> list[Control]:
        """Every control of the step."""
        return [control for group in self.groups for control in controls_of(group)]

    @cached_property
    def labels(self) -> Mapping[Path, str]:
        """The label of each control, by its path."""
        return {control.path: control.label for control in self.controls}

    def asks_for(self, path: Path) -> bool:
        """Return whether the step has a field for a value or for a group around it, or a group of that path."""
        is_in_field = any(path[: len(control.path)] == control.path for control in self.controls)
        return is_in_field or any(group.path == path for group in groups_within(self.groups))

    def can_add_to(self, name: str) -> bool:
        """Return whether the step has a list of this name to which entries can be added."""
        return any(group.adds and group.name == name for group in groups_within(self.groups))

    @cached_property
    def groups(self) -> list[Group]:
        """The sections that the step asks for, each a group, in the order of the step."""
        groups = []
        sections, first = self.schema["properties"], step_called(self.step).first
        for name in [*first, *(name for name in sections if name not in first)]:
            node = sections[name]
            group = self._make(node, (name,), needed=False)
            if isinstance(group, Control):
                group = Group((name,), group.label, "", (group,))
            if group is not None and (group.members or group.is_list):
                groups.append(group)
        return groups

    def _make(self, node: Mapping[str, Json], path: Path, *, needed: bool) -> Node | None:
        """Return the fields of a node of the schema; None where this step asks for none of them."""
        if "const" in node:
            return None
        if node.get("type") == "object" and "properties" in node:
            return self._object(node, path)
        if path == ("consent",):
            return self._by_language(node, path)
        if isinstance(node.get("items"), Mapping) and "properties" in node["items"]:
            return self._list(node, path)
        return self._control(node, path, needed=needed) if step_of(path) == self.step else None

    def _object(self, node: Mapping[str, Json], path: Path) -> Group | None:
        if _has_ended(path) and self.value(path) is None:
            return None
        node = resolved(node, self.value(path))
        required, properties = set(node.get("required", ())), node["properties"]
        fields = (
            self._make(properties[name], (*path, name), needed=name in required) for name in in_order(path, properties)
        )
        members = tuple(member for member in fields if member is not None and not self._is_pointless(member.path))
        switch = None
        if node.get(KEPT) and step_of(path) == self.step:
            is_there = self.value(path) is not None
            switch = Control((*path, ""), "tick", str(node.get("title", path[-1])), "", ON if is_there else "")
            members = members if is_there else ()
        if not members and switch is None:
            return None
        # Descriptions of sections are meant for people who write the file, so they are not shown here.
        help_text = _help(node) if len(path) > 1 else ""
        return Group(
            path, self._label(node, path), help_text, members, self._problems(path), switch=switch,
            manual=self._explained(path),
        )  # fmt: skip

    def _is_pointless(self, path: Path) -> bool:
        """Return whether a field is empty and of no use: words of a hidden scale, or wordings."""
        if len(path) != 3 or path[0] != "criteria" or self.value(path):
            return False
        key = str(self.value((*path[:2], "key")) or "")
        if path[2] == "wordings":
            return not may_have_wordings(self.document, key)
        return path[2] in _WORDS_OF_SCALES and not has_scale(self.document, key)

    def _list(self, node: Mapping[str, Json], path: Path) -> Group | None:
        value = self.value(path)
        is_here = step_of(path) == self.step
        rows = value if isinstance(value, list) else []
        entries = []
        for number, row in enumerate(rows):
            inner = self._object(node["items"], (*path, number))
            if inner is None:
                continue
            entries.append(
                Group(
                    inner.path, entry_label(node["items"], path, number, row), "", inner.members, inner.problems,
                    number=number, of=len(rows) if is_here else 0,
                )
            )  # fmt: skip
        if not entries and not is_here:
            return None
        return Group(
            path, self._label(node, path), _help(node), tuple(entries), self._problems(path), is_list=True,
            adds=is_here, manual=self._explained(path), add_label=add_label(path),
        )  # fmt: skip

    def _by_language(self, node: Mapping[str, Json], path: Path) -> Group | None:
        """Return an area for each language there is a text in, and for the study's own."""
        if step_of(path) != self.step:
            return None
        texts = self.value(path)
        own = str(self.value(("study", "language")) or "en")
        languages = dict.fromkeys([own, *(texts if isinstance(texts, Mapping) else ())])
        members = tuple(
            Control(
                (*path, language), "area", _("Text in %(language)s") % {"language": language_name(language)}, "",
                in_control("area", self.value((*path, language))),
                problems=self._problems((*path, language)),
            )
            for language in languages
        )  # fmt: skip
        return Group(
            path, self._label(node, path), _help(node), members, self._problems(path), manual=self._explained(path)
        )

    def _control(self, node: Mapping[str, Json], path: Path, *, needed: bool) -> Control:
        value, default = self.value(path), node.get("default")
        kind = self._kind(node, path)
        shown = in_control(kind, default if value is None else value)
        if kind in {"steps", "pairs"} and not isinstance(shown, list):
            kind = "json"
        choices = self._choices(node, kind, path, shown, needed=needed)
        size = self._size(path) if kind == "steps" else None
        return Control(
            path=path, kind=kind, label=self._label(node, path), help=_help(node), value=shown,
            default="" if kind == "keys" else in_control(kind, default), needed=needed, choices=choices, schema=node,
            problems=self._problems(path), folded=is_folded(path) or size == 0, advice=self.advice(path),
            manual=self._explained(path), size=size or None, suggests=suggests(node, path, kind),
        )  # fmt: skip

    def _kind(self, node: Mapping[str, Json], path: Path) -> str:
        """Return the kind of control for a value; the words of steps and languages have kinds of their own."""
        if len(path) == 3 and path[0] == "criteria" and path[2] == "labels":
            return "steps"
        return "language" if node.get("pattern") == LANGUAGE_PATTERN else kind_of(node)

    def _size(self, path: Path) -> int | None:
        return steps_worded(self.document, str(self.value((*path[:2], "key")) or ""))

    def _choices(
        self, node: Mapping[str, Json], kind: str, path: Path, shown: Any, *, needed: bool
    ) -> tuple[tuple[str, str], ...]:
        if kind in {"keys", "spaced"}:
            names = self.names.of(str(node[KEYS_OF]), path)
            return tuple((names | {key: key for key in shown if key not in names}).items())
        if kind == "choice" and KEYS_OF in node:
            names = self.names.of(str(node[KEYS_OF]), path)
            nothing = _("Choose …") if needed else _("None")
            return tuple(({"": nothing} | names | ({} if shown in names or not shown else {shown: shown})).items())
        if kind == "values":
            return tuple((line, value_in_words(line)) for line in self.names.items.lines())
        if kind == "pairs":
            systems = self.names.of("systems", path)
            pairs = list(combinations(systems, 2)) if len(systems) <= MOST_PAIRED else []
            ticked = {frozenset(pair.split(", ")) for pair in shown}
            offered = [", ".join(pair) for pair in pairs if frozenset(pair) not in ticked]
            return tuple((pair, pair_in_words(pair, systems)) for pair in [*shown, *offered])
        if kind == "choice":
            labels = node.get(LABELS, {})
            offered = [value for value in node["enum"] if value == shown or value not in node.get(RETIRED, ())]
            choices = [(str(value), capfirst(str(labels.get(value, value)))) for value in offered]
            if shown not in dict(choices):
                choices.insert(0, (str(shown), str(shown) or _("Choose …")))
            return tuple(choices)
        return ()

    @cached_property
    def names(self) -> Names:
        """The names from which settings choose; a page that is not filled in needs none of the items table."""
        rules = self.schema["properties"]["analysis"]["properties"]["rules"]["items"]["properties"]["rule"][LABELS]
        return Names(self.document, rules, ItemNames(self.setup.pk if self.is_checked else None), self._brought)

    def _brought(self) -> dict[str, str]:
        """Return the questions that task types bring, which no form lists, by their keys."""
        criteria = self.reading.document["criteria"] if self.is_checked else ()
        return {row["key"]: row["name"] for row in criteria if row["key"]}

    @cached_property
    def suggestions(self) -> dict[str, list[str]]:
        """The lists of suggestions that texts of the step are completed from, by their names."""
        used = {control.suggests for control in self.controls} | ({"languages"} if self.step == "consent" else set())
        return suggested(used, self.names.items)

    def _explained(self, path: Path) -> str:
        """Return the page that explains a part; of the parameters of a task, that of its type."""
        if len(path) == 3 and path[0] == "tasks" and path[2] == "params":
            kind = self.value((*path[:2], "type"))
            return f"task-types/{kind}" if isinstance(kind, str) and kind in registry else ""
        return explained_in(path)

    def _problems(self, path: Path) -> tuple[str, ...]:
        return self._beside.get(path, ())

    def _label(self, node: Mapping[str, Json], path: Path) -> str:
        return str(node.get("title") or SECTION_LABELS.get(".".join(map(str, path)), path[-1]))

    def advice(self, path: Path) -> Advice | None:
        """Return advice on a better value: nothing wrong, but a question that a careful reviewer would ask."""
        return advice_on(self, path)


def _said_by_the_form(sentences: Mapping[Path, Sequence[str]]) -> Problems:
    """Return the problems as the form says them, each once; a missing key is asked for by the name it is made of."""
    problems: dict[Path, dict[str, None]] = {}
    for path, about in sentences.items():
        for sentence in about:
            in_form = said_by_a_form(sentence) if len(path) > 1 else sentence
            named_by = NAMED_BY.get(str(path[0])) if len(path) == 3 and path[2] == "key" else None
            field = (*path[:2], named_by) if named_by and in_form != sentence else path
            problems.setdefault(field, {})[in_form] = None
    return {path: tuple(about) for path, about in problems.items()}


def _has_ended(path: Path) -> bool:
    """Return whether a path is that of a channel which brings nobody any more; only studies that have it show it."""
    channel = channels.registry.get(str(path[1])) if len(path) == 2 and path[0] == "channels" else None
    return channel is not None and bool(channel.ended)


def _help(node: Mapping[str, Json]) -> str:
    return str(node.get("description", ""))


def left_to_settle(page: SetupPage) -> list[Point]:
    """Return the points that would keep the study closed, the gravest first.

    Where not all texts were read, what an estimate of the minutes decides is left to Review.

    As long as the reading has problems, other than that no plan can be drawn, only left-over text is looked for, and
    what the consent text says and lacks, unless it is the settings behind it that have problems: those cannot be
    compared.
    """
    reading = page.reading
    if reading.document["flow"].get("imported"):
        return []
    if reading.problems.count and not reading.lacks_only_a_plan:
        points = readiness.leftovers_in(Facts(page.given))
        if not any(path and path[0] in _BEHIND_CONSENT for path in reading.sentences):
            is_counted = reading.units_sound and page.is_whole
            facts = Facts(reading.document, workload_of(reading, draft_tasks(reading)) if is_counted else None)
            points += readiness.contradictions.told_to_raters(facts)
            # Without a number of minutes, amounts per hour cannot be compared.
            has_minutes = facts.section("pay").get("minutes") or facts.workload
            points += readiness.numbers_stated.of_consent(facts) if has_minutes else ()
    else:
        points = readiness.points(page.facts)
        if not (page.is_whole or page.setup.is_stored):
            points = [point for point in points if not _is_estimated(point, reading)]
    return sorted((point for point in points if point.level < Level.NOTE), key=lambda point: point.level)


def _is_estimated(point: Point, reading: StudyReading) -> bool:
    """Return whether a point depends on the minutes that are estimated from all texts."""
    has_text = any(text.strip() for text in reading.document["consent"].values())
    return point.kind in {"minutes", "pay", readiness.sets.KIND} or (
        point.kind == readiness.numbers_stated.KIND and has_text
    )


def states_of(page: SetupPage) -> dict[str, State]:
    """Return the state of each step by its name: a step counts its own settings, not those that other steps need."""
    states = {step.slug: State.DONE for step in STEPS}
    for slug in _incomplete(page):
        states[slug] = State.INCOMPLETE
    for path in (*page.problems, *(point.path for point in page.points)):
        slug = step_of(page.fixed_by(path)) or "task"
        if states[slug] != State.PROBLEM:
            states[slug] = State.INCOMPLETE if _is_missing(page, path) else State.PROBLEM
    if page.problems_of_texts:
        states["texts"] = State.PROBLEM
    if not page.setup.is_stored and states["review"] == State.DONE:
        states["review"] = State.INCOMPLETE
    elif any(state != State.DONE for state in states.values()):
        states["review"] = State.PROBLEM
    return states


def _incomplete(page: SetupPage) -> Iterable[str]:
    """Yield the steps that lack something which no problem names."""
    if not page.entries("tasks"):
        yield from ("task", "questions", "raters")
    if page.reads_texts and not page.reading.document["items"]:
        yield "texts"
    if not _finds_careless_raters(page):
        yield "checks"


def _finds_careless_raters(page: SetupPage) -> bool:
    """Return whether anything is there to find raters who do not read, or they come from no platform for strangers."""
    named = page.value(("channels",))
    open_to = [channels.registry.get(str(name)) for name in (named if isinstance(named, Mapping) else ())]
    if not any(channel is not None and channel.needs_codes for channel in open_to):
        return True
    in_form = any(
        value_at(task, ("checks", name)) for task in page.entries("tasks") for name in ("repeats", "degraded")
    )
    return in_form or page.has_known_answers


def _is_missing(page: SetupPage, path: Path) -> bool:
    """Return whether nothing was given for a setting, or for the entry that it belongs to."""
    return page.value(path) in (None, "", [], {}, 0)


def advice_on(page: SetupPage, path: Path) -> Advice | None:
    """Return advice on a better value: nothing wrong, but a question that a careful reviewer would ask."""
    nearest = page.reading.nearest if page.is_checked and page.has_numbers else {}
    if path in nearest:
        words = {"value": nearest[path]}
        return Advice(
            _("No plan can be drawn with this value; %(value)s would work.") % words,
            nearest[path],
            _("Use %(value)s") % words,
        )
    if path == limits.PATH and page.is_checked and page.has_numbers and not page.problems:
        return _on_limit(limits.split(page.facts))
    if len(path) == 3 and path[0] == "criteria" and path[2] == "question":
        return _on_question(page, path)
    return _on_language(page.value(path)) if path == ("study", "language") else None


def _on_limit(sizes: Mapping[Path, int]) -> Advice | None:
    """Return the sizes of sets that keep to the limit of texts per rater."""
    if not sizes:
        return None
    words = {"sizes": _(" and ").join(map(str, sizes.values()))}
    return Advice(_("The limit can be split over the tasks."), button=_("Use sets of %(sizes)s") % words, values=sizes)


def _on_question(page: SetupPage, path: Path) -> Advice | None:
    """Return the reason why a question may lead raters, with a neutral wording (Schoch et al. 2020)."""
    question = page.value(path)
    language = page.value((*path[:2], "language")) or page.value(("study", "language")) or "en"
    framing = framing_of(question, str(language)) if isinstance(question, str) else None
    if framing is None:
        return None
    if not framing.neutral:
        return Advice(str(framing.reason))
    sentence = _("%(reason)s Neutral: “%(question)s”") % {"reason": framing.reason, "question": framing.neutral}
    return Advice(sentence, framing.neutral, _("Ask it this way"))


def _on_language(language: Json) -> Advice | None:
    """Return a note on the language of evalweb's own text for raters, unless somebody has checked it."""
    if not isinstance(language, str) or not language or languages.is_reviewed(code := languages.match(language)):
        return None
    if not code:
        return Advice(_("evalweb has no translation into this language, so raters see its own text in English."))
    sentence = _(
        "evalweb's own text in %(language)s is a machine translation that no speaker has checked yet. That includes "
        "questions and scale steps that evalweb provides. Read the preview before you open the study."
    )
    return Advice(sentence % {"language": languages.english_name(code)})
