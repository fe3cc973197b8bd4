"""Every example, set up by its forms alone: the study is the one that its study file makes."""

import re
from collections.abc import Iterator, Mapping

from django.contrib.auth.models import User
from django.test import Client
from django.urls import reverse

from tasks_app import studyfile
from tasks_app.hooks import sections
from tasks_app.hooks.sections import Json
from tasks_app.hooks.sections import Path as Place
from tasks_app.models import Media, Setup, Study
from tasks_app.models.setup_document import value_at
from tasks_app.services.study import drafts, items
from tasks_app.setup import changes
from tasks_app.setup.controls import Group, Node, controls_of, in_control, name_of, path_of
from tasks_app.setup.page import SetupPage
from tasks_app.setup.steps import STEPS
from tests.house.examples import FOLDERS, examples_in_every_run
from tests.pages import fields_of

FORMS = [one.slug for one in STEPS if one.slug not in {"texts", "review"}]


@examples_in_every_run(frozenset({"checked", "panas_groups"}))
def test_an_example_is_set_up_by_its_forms(rosas_browser: Client, rosa: User, name: str) -> None:
    example = studyfile.load(FOLDERS[name], owner=rosa)
    pattern = changes.begin(example)
    about = {"slug": "by-hand", "title": "x", "public_title": "x"}
    setup = changes.begin(drafts.create_draft(owner=rosa, **about))
    copy_tables(pattern, setup, rosa)
    setup = changes.change(
        setup=setup, values={("systems",): pattern.given.get("systems")}, base=setup.revision, by=rosa
    ).setup
    wanted = {**pattern.given, "study": {**pattern.given["study"], "slug": "by-hand"}}
    for step in FORMS:
        fill(rosas_browser, step, wanted)
    page = rosas_browser.post(reverse("researcher:review", args=["by-hand"]), follow=True)
    assert page.status_code == 200, re.findall(r'<td class="ew-wrap"[^>]*>(.*?)</td>', page.content.decode())
    made = sections.snapshot(Study.objects.get(slug="by-hand"))
    expected = sections.snapshot(example)
    # What followed while the form was filled in: codes of a platform, and the rules that use checks.
    made["codes"] |= {outcome: "" for outcome, code in expected["codes"].items() if not code}
    planned = expected["analysis"]["rules"]
    made["analysis"]["rules"] = [rule for rule in made["analysis"]["rules"] if rule in planned]
    assert made == {**expected, "study": {**expected["study"], "slug": "by-hand"}}


def copy_tables(pattern: Setup, setup: Setup, owner: User) -> None:
    """Give a set-up the tables and media of another."""
    for table in ("items", "controls", "prefill", "batches"):
        rows = list(pattern.rows.filter(table=table).order_by("number").values_list("cells", flat=True))
        changes.replace_table(setup=setup, table=table, rows=rows, by=owner)
    for medium in Media.objects.filter(study=pattern.study):
        with medium.file.open("rb") as stream:
            items.store_media(study=setup.study, sha256=medium.sha256, kind=medium.kind, content=stream.read())


def fill(browser: Client, step: str, wanted: Mapping[str, Json]) -> None:
    """Fill in every field of a step, as somebody would, until it asks for nothing else.

    Some fields come only with others: parameters with the task type, and those of a channel once it is open.
    """
    url = reverse("researcher:step", args=["by-hand", step])
    for _round in range(20):
        added = add_entries(step, wanted)
        before = Setup.objects.get(study__slug="by-hand")
        entered = answers(step, wanted)
        shown = {control.name: control.value for group in groups_of(step, before) for control in controls_of(group)}
        if all(_plain(shown[name]) == _plain(texts) for name, texts in entered.items()):
            return
        page = browser.get(url).content.decode()
        assert all(f'value="add:{name_of(path)}"' in page for path in added)
        browser.post(url, fields_of(page, "setup-form") | entered)
        if Setup.objects.get(pk=before.pk).revision == before.revision:
            return


def _plain(texts: str | list[str]) -> set[str]:
    """Return a value as it was entered, with line feeds at the ends of lines."""
    return {text.replace("\r\n", "\n").strip() for text in ([texts] if isinstance(texts, str) else texts)} - {""}


def add_entries(step: str, wanted: Mapping[str, Json]) -> list[Place]:
    """Add the entries that the lists of a step lack, without its buttons (test_steps presses one); return the lists."""
    added: list[Place] = []
    while True:
        setup = Setup.objects.get(study__slug="by-hand")
        offered = {path for group in groups_of(step, setup) for path in lists_in(group)}
        missing: dict[Place, Json] = {
            path: [*(setup.document.value(path) or ()), *({} for _entry in range(n))][:n]
            for path, n in lists_of(wanted)
            if len(setup.document.value(path) or ()) < n and path in offered
        }
        if not missing:
            return added
        changes.change(setup=setup, values=missing, base=setup.revision, by=None)
        added += missing


def groups_of(step: str, setup: Setup) -> list[Group]:
    """Return the fields that a step has now."""
    return SetupPage(setup, step).groups


def lists_in(node: Node) -> Iterator[Place]:
    """Yield the lists to which entries can be added."""
    if isinstance(node, Group):
        if node.adds:
            yield node.path
        for member in node.members:
            yield from lists_in(member)


def lists_of(value: Json, path: Place = ()) -> Iterator[tuple[Place, int]]:
    """Yield every list of entries of a document, with how many it has."""
    if isinstance(value, Mapping):
        for name, inner in value.items():
            yield from lists_of(inner, (*path, name))
    elif isinstance(value, list) and value and all(isinstance(entry, Mapping) for entry in value):
        yield path, len(value)
        for number, entry in enumerate(value):
            yield from lists_of(entry, (*path, number))


def answers(step: str, wanted: Mapping[str, Json]) -> dict[str, list[str]]:
    """Return values to enter into the fields that the step has now."""
    entered: dict[str, list[str]] = {}
    for group in groups_of(step, Setup.objects.get(study__slug="by-hand")):
        for control in controls_of(group):
            path = path_of(control.name.removesuffix(".")) if control.path[-1] == "" else control.path
            value = value_at(wanted, path)
            if control.path[-1] == "":
                entered[control.name] = ["", "1"] if value is not None else [""]
            elif value is not None:
                shown = in_control(control.kind, value)
                several = [shown] if isinstance(shown, str) else list(shown)
                entered[control.name] = ["", *several] if control.kind == "keys" else several
            elif control.kind == "tick":
                entered[control.name] = [control.value]
    return entered
