"""The rater's screen of a set-up: made of its own first texts as a stored unit's would be, without storing anything."""

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import accumulate, islice

from tasks_app.hooks.sections import Document, Json
from tasks_app.models import Setup, Study, Task
from tasks_app.selectors.document_pages import Placed, places_of
from tasks_app.selectors.routing import ON_REQUEST
from tasks_app.settings.checks import checks_of
from tasks_app.settings.study import BLOCKS
from tasks_app.setup.entries import task_called
from tasks_app.setup.facts import known_answers
from tasks_app.setup.page import SetupPage
from tasks_app.studyfile.own_sections.criteria import criteria_asked
from tasks_app.studyfile.reading import StudyReading
from tasks_app.studyfile.screens import DraftTask, draft_tasks
from tasks_app.studyfile.workload import screen_of, workload_of
from tasks_app.task_types import TaskType, registry
from tasks_app.task_types.base import Criterion, Media, Screen, described
from tasks_app.task_types.errand import Errand
from tasks_app.task_types.samples import PERSONAL_TEXT, sample_kind, sample_screen
from tasks_app.task_types.texts import MOST_OF_A_DOCUMENT, TextType

# Number of units of a task that can be previewed.
MOST_UNITS = 20


@dataclass(frozen=True, slots=True)
class Preview:
    """A page as the first rater would see it: one screen, or several where the task shows several texts on a page.

    `number` counts the first of them from 1 among `of` units of the task that can be looked at, and `starts` has that
    number for each page. `places` are the rows and columns of a page that shows a document. A rater's set has
    `total` screens, checks included, of which `before` belong to earlier tasks. Questions stand in their `wording` of
    this number, counted from 0; `wordings` are the short names that the questions have for each number. `is_sample`
    says that the texts are made up, since the study has none that can be shown yet; `problems` are what keeps its own
    from being shown.
    """

    task: Mapping[str, Json]
    tasks: Sequence[Mapping[str, Json]]
    kind: TaskType
    screens: Sequence[Screen]
    number: int
    of: int
    is_sample: bool
    problems: Sequence[str]
    public_title: str
    language: str
    settings: Mapping[str, Json]
    total: int
    before: int
    starts: Sequence[int] = (1,)
    places: Sequence[Placed] = ()
    wording: int = 0
    wordings: Sequence[str] = ()

    @property
    def numbered_wordings(self) -> list[tuple[int, str]]:
        """The number of each wording from 0 with its short names; empty where raters all read the same."""
        return list(enumerate(self.wordings))

    @property
    def named_tasks(self) -> list[tuple[str, str]]:
        """The key and the name of each task."""
        return [(str(task["key"]), task_called(task, number)) for number, task in enumerate(self.tasks, start=1)]

    @property
    def previous_unit(self) -> int | None:
        """Number of the first unit on the page before this one; None for the first page."""
        return max((start for start in self.starts if start < self.number), default=None)

    @property
    def next_unit(self) -> int | None:
        """Number of the first unit on the page after this one; None for the last that can be looked at."""
        return min((start for start in self.starts if start > self.number), default=None)

    @property
    def last(self) -> int:
        """Number of the last unit on the page."""
        return self.number + len(self.screens) - 1

    @property
    def is_main(self) -> bool:
        """Whether the task is judged in sets."""
        return bool(self.task["stage"] == Task.Stage.MAIN)


def preview_of(setup: Setup, task_key: str = "", number: int = 1, wording: int = 0) -> Preview | None:
    """Return the page of a task that has a unit, by default the first page of the first task, in a wording.

    None where there is no task of a type that is known.
    """
    page = SetupPage(setup, "review", is_checked=True)
    reading = page.reading
    tasks = [task for task in reading.document["tasks"] if task["type"] in registry]
    if not tasks:
        return None
    task = next((task for task in tasks if task["key"] == task_key), tasks[0])
    draft = next((draft for draft in draft_tasks(reading) if draft.task is task), None)
    if draft is not None and draft.units:
        kind, pages = draft.kind, _pages(draft, reading.document)
        n_units, starts = sum(map(len, pages)), list(accumulate(map(len, pages), initial=1))[:-1]
        # Pages begin where a rater's do.
        place = max(at for at, start in enumerate(starts) if start <= min(max(number, 1), n_units))
        number, on_page = starts[place], pages[place]
        screens = [_without_address(screen_at(draft, reading.document, unit)) for unit in on_page]
        places = _places(draft, reading.document, on_page) if kind.shows_documents and len(on_page) > 1 else []
    else:
        kind, starts, places = _kind(task), [1], []
        screens, number, n_units = [_sample(kind, task, reading.document)], 1, 1
    wordings = _wordings(screens)
    wording = wording if wording < len(wordings) else 0
    screens = [replace(screen, criteria=_in_wording(screen.criteria, wording)) for screen in screens]
    study, screens_by_task = reading.document["study"], _screens_by_task(setup, reading)
    counts, keys = list(screens_by_task.values()), list(screens_by_task)
    is_judged = task["key"] in screens_by_task
    if kind.shows_personal_text():
        screens = [replace(screen, personal_text=str(PERSONAL_TEXT)) for screen in screens]
    return Preview(
        task=task, tasks=tasks, kind=kind, screens=screens, number=number, of=n_units,
        is_sample=draft is None or not draft.units, problems=_problems(page),
        public_title=study["public_title"] or "", language=study["language"] or "en", settings=reading.document["flow"],
        total=sum(counts) if is_judged else n_units,
        before=sum(counts[: keys.index(task["key"])]) if is_judged else 0,
        starts=starts, places=places, wording=wording, wordings=wordings,
    )  # fmt: skip


def _wordings(screens: Sequence[Screen]) -> list[str]:
    """Return the short names of each wording of the questions on a page, those of several questions together."""
    keys = [criterion.wording_keys for criterion in screens[0].criteria if criterion.wordings]
    most = max(map(len, keys), default=0)
    return [", ".join(dict.fromkeys(names[number] for names in keys if number < len(names))) for number in range(most)]


def _in_wording(criteria: Sequence[Criterion], number: int) -> tuple[Criterion, ...]:
    """Return questions in their wording of a number, in their own words if they have fewer."""
    return tuple(
        criterion.in_wording(criterion.wording_keys[number] if number < len(criterion.wording_keys) else None)
        for criterion in criteria
    )


def _pages(draft: DraftTask, document: Document) -> list[list[int]]:
    """Return the first units of a task by page, by their numbers from 0: a few on each, or those of a document.

    The page of a document has all systems only where the design gives all of them to one rater.
    """
    units = list(draft.units.values())
    if not draft.kind.shows_documents:
        size = draft.kind.texts_on_page
        numbers = range(min(len(units), MOST_UNITS))
        return [list(numbers[first : first + size]) for first in numbers[::size]]
    by_document: dict[object, list[int]] = {}
    items = {item["key"]: item["outputs"] for item in document["items"]}
    side_by_side = bool((draft.task["design_params"] or {}).get("all_systems"))
    for number, unit in enumerate(units):
        systems = [items[unit.item or ""][output]["system"] for part in unit.parts for output in part]
        page = (unit.document or (unit.item, unit.key), () if side_by_side else tuple(systems))
        by_document.setdefault(page, []).append(number)
    pages = list(islice(by_document.values(), MOST_UNITS))
    return [[page[place.number] for place in _places(draft, document, page)][:MOST_OF_A_DOCUMENT] for page in pages]


def _places(draft: DraftTask, document: Document, numbers: Sequence[int]) -> list[Placed]:
    """Return the rows and columns of units on the page of a document."""
    items = {item["key"]: item for item in document["items"]}
    units = list(draft.units.values())
    given: list[tuple[Hashable, int, Hashable]] = []
    for unit in (units[number] for number in numbers):
        item = items[unit.item or ""]
        outputs = [item["outputs"][output] for part in unit.parts for output in part]
        given.append((item["key"], int(item["position"]), tuple((one["system"], one["variant"]) for one in outputs)))
    return places_of(given)


def _screens_by_task(setup: Setup, reading: StudyReading) -> dict[str, int]:
    """Count the screens of each task in a rater's set, in the order of the tasks, checks included."""
    known = known_answers(setup, reading)
    all_read = setup.rows.filter(table="items").count() <= sum(
        len(item["outputs"]) for item in reading.document["items"]
    )
    screens = {}
    for draft in draft_tasks(reading) if reading.units_sound else ():
        task = draft.task
        if task["stage"] != Task.Stage.MAIN or task["design"] in ON_REQUEST:
            continue
        of_checks = known.get(task["key"], {})
        beside = {name: of_checks.get(name, 0) for name in ("control", "attention")}
        judged = len(draft.units) - sum(of_checks.values())
        units = min(task["set_size"], judged) if all_read else task["set_size"]
        screens[task["key"]] = checks_of(task["checks"]).screens_with(units, beside)
    return screens


def draft_study(page: SetupPage) -> Study:
    """Return the study that a set-up would make, unsaved: its public texts, and its settings as far as they are sound.

    Blocks of settings with a problem have their defaults.
    """
    reading = page.reading
    wrong = {path[0] for path in page.problems if path}
    blocks = [name for name in (*BLOCKS, "channels") if name not in wrong and name in reading.document]
    settings = {name: reading.document[name] for name in blocks}
    workload = workload_of(reading, draft_tasks(reading)) if reading.units_sound else None
    if workload is not None:
        settings["workload"] = workload.to_store()
    about = reading.document["study"]
    names = {name: about[name] or "" for name in ("public_title", "language", "timezone")}
    return Study(slug=page.study.slug, settings=settings, **{**names, "language": names["language"] or "en"})


def _problems(page: SetupPage) -> list[str]:
    # Those of the document as it was read, and those that were found when its units were made.
    in_form = [sentence for sentences in page.reading.sentences.values() for sentence in sentences]
    return [*in_form, *page.problems_of_texts][:5]


def _kind(task: Mapping[str, Json]) -> TaskType:
    """Return the type with the parameters of a task, or with those of its sample where they do not fit yet."""
    member = registry[task["type"]]
    try:
        return member(task["params"])
    except ValueError:
        return sample_kind(member)


def _sample(kind: TaskType, task: Mapping[str, Json], document: Document) -> Screen:
    """Return a screen with made-up texts, and the study's own questions where there are any."""
    own = criteria_asked(document["criteria"], task["criteria"])
    try:
        screen = sample_screen(kind)
    except (ValueError, LookupError):
        # Parameters that only fit other texts, such as a number of suggestions.
        kind = sample_kind(type(kind))
        screen = sample_screen(kind)
    return replace(screen, criteria=own) if own and not any(kind.problems(own)) else screen


def _without_address(screen: Screen) -> Screen:
    """Return a screen as raters see it where they do a task on another site: without the address."""
    return screen.sent_elsewhere(Errand()) if screen.kind.hosts_elsewhere else screen


def screen_at(draft: DraftTask, document: Document, number: int) -> Screen:
    """Return the screen of a unit, with the source, media and context beside its texts."""
    unit = list(draft.units.values())[number]
    screen = replace(screen_of(draft, unit, document["criteria"]), language=document["study"]["language"])
    items = {item["key"]: item for item in document["items"]}
    if unit.part_items:
        own = [_media(items[key]) for key in unit.part_items]
        screen = replace(screen, parts=tuple(replace(part, media=own[part.number]) for part in screen.parts))
    item = items.get(unit.item or "")
    if item is None:
        return screen
    n = draft.kind.context_before if isinstance(draft.kind, TextType) else 0
    before = [
        other
        for other in sorted(document["items"], key=lambda other: int(other["position"]))
        if item["document"] and other["document"] == item["document"] and other["position"] < item["position"]
        if other["source"]
    ][-n:]
    translations = isinstance(draft.kind, TextType) and draft.kind.shows_translations
    judged = item["outputs"][unit.parts[0][0]] if translations else {}
    return replace(
        screen,
        source_language=item["source_language"],
        format=item["format"],
        context=tuple(other["source"] for other in before) if n else (),
        context_texts=tuple(_made_by(judged, other) for other in before) if translations else (),
        media=() if unit.part_items else _media(item),
        paged=draft.task["criteria_mode"] == "page",
    )


def _made_by(judged: Mapping[str, Json], item: Mapping[str, Json]) -> str:
    """Return the text that the system of a judged output made of an item; empty where it made none."""
    same = (
        one["text"]
        for one in item["outputs"]
        if (one["system"], one["variant"]) == (judged["system"], judged["variant"])
    )
    return next(same, "")


def _media(item: Mapping[str, Json]) -> tuple[Media, ...]:
    """Return the media that are shown with an item of the document."""
    named = (Media(file["role"].removeprefix("context_"), file["sha256"], file["kind"]) for file in item["context"])
    return described(named, item["options"])
