"""The page of the datasheet: one section at a time, criteria one after the other. Works without scripts."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from django.contrib import messages
from django.http import HttpRequest, HttpResponse, QueryDict
from django.shortcuts import redirect
from django.urls import reverse
from django.utils.http import urlencode
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from analytics_app.heds.answers import Answer, BadAnswer, checked
from analytics_app.heds.formats.parts import Part, parts_of
from analytics_app.heds.questions import Version
from analytics_app.heds.sheet import Entry, Sheet, frozen_sheet, is_untouched, sheet_of
from analytics_app.services import datasheet as services
from tasks_app import access
from tasks_app.models import Membership, Study
from tasks_app.views.researcher.correcting import history
from tasks_app.views.researcher.frame import researcher_page, study_page

EDITOR = Membership.Role.EDITOR
# The most options of an answer in a form: a request with more is not from the page.
MOST_OPTIONS = 400


@dataclass
class Row:
    """An entry on the page, with the answer that was sent for it but not stored."""

    entry: Entry
    number: str
    sent: Answer | None = None
    problem: str = ""

    @property
    def answer(self) -> Answer:
        """Return the answer that the fields show."""
        return self.sent if self.sent is not None else self.entry.answer

    @property
    def is_long_list(self) -> bool:
        """Return whether there are too many options for tick boxes."""
        return len(self.entry.question.options) > 30

    @property
    def lines(self) -> int:
        """Return the number of lines of the field for the text."""
        return min(12, max(2, len(self.answer.text) // 90 + self.answer.text.count("\n") + 1))

    @property
    def is_one(self) -> bool:
        """Return whether only one option can be chosen."""
        return self.entry.question.kind == "one"

    @property
    def type(self) -> str:
        """Return the type of a box."""
        return "radio" if self.is_one else "checkbox"


@dataclass(frozen=True)
class Page:
    """A part of the datasheet in a version, and the list of all parts with their missing answers."""

    sheet: Sheet
    version: Version
    part: Part
    rows: Sequence[Row]
    parts: Sequence[Mapping[str, Any]] = field(default_factory=list)

    @classmethod
    def of(cls, sheet: Sheet, query: Mapping[str, str]) -> Page:
        """Return the part that an address names, by default the first."""
        version = _version(query.get("version", ""))
        parts = list(parts_of(sheet, version))
        requested = (query.get("section", ""), query.get("criterion", ""))
        part = next((part for part in parts if (part.section, part.criterion) == requested), None)
        part = part or next((part for part in parts if part.section == requested[0]), parts[0])
        rows = [Row(entry, entry.question.number_in(version)) for entry in part.entries]
        index = [
            {
                "part": listed_part,
                "is_current": listed_part is part,
                "url": _address(sheet.study, version, listed_part),
                "missing": [entry for entry in listed_part.entries if not entry.is_complete],
                "n": len(listed_part.entries),
            }
            for listed_part in parts
        ]
        return cls(sheet, version, part, rows, index)

    @property
    def query(self) -> str:
        """Return the part and the version as a query of an address."""
        return _address(self.sheet.study, self.version, self.part).partition("?")[2]

    @property
    def context(self) -> dict[str, Any]:
        """Return the context of the template."""
        place = next(number for number, entry in enumerate(self.parts) if entry["is_current"])
        total = sum(entry["n"] for entry in self.parts)
        return {
            "page": self,
            "versions": [
                (version, _address(self.sheet.study, version, self.part), version == self.version)
                for version in (Version.TWO, Version.THREE)
            ],
            "total": total,
            "answered": total - sum(len(entry["missing"]) for entry in self.parts),
            "problems": [row for row in self.rows if row.problem],
            "before": self.parts[place - 1] if place else None,
            "after": self.parts[place + 1] if place + 1 < len(self.parts) else None,
            "address": _address(self.sheet.study, self.version, self.part),
            "frozen": frozen_sheet(self.sheet),
            "history": history(self.sheet.corrections),
        }


def _version(name: str) -> Version:
    return Version(name) if name in list(Version) else Version.THREE


def _address(study: Study, version: Version, part: Part) -> str:
    place = {"version": version.value, "section": part.section}
    if part.criterion:
        place["criterion"] = part.criterion
    return f"{reverse('analytics:datasheet', args=[study.slug])}?{urlencode(place)}"


@researcher_page("GET", "POST")
def datasheet(request: HttpRequest, slug: str) -> HttpResponse:
    """Show a part of the datasheet, or store the answers of an editor."""
    if request.method != "POST":
        return study_page(
            request, slug, "datasheet", lambda study: Page.of(sheet_of(study), request.GET.dict()).context
        )
    study = access.study_for_researcher(request.user, slug, EDITOR)
    page = Page.of(sheet_of(study), request.GET.dict())
    given = _given(page, request.POST)
    if not any(row.problem for row in page.rows):
        try:
            n = services.answer(study=study, given=given, displayed=_seen(request.POST), by=request.user)
        except services.Changed as changed:
            _show_changes(page, given, _seen(request.POST), changed)
        else:
            message = ngettext("%(n)d answer stored.", "%(n)d answers stored.", n) % {"n": n}
            messages.success(request, message if n else _("Nothing changed."))
            return redirect(page.context["address"])
    return study_page(request, slug, "datasheet", lambda _study: page.context, role=EDITOR, status=422)


@researcher_page("POST")
def take_back(request: HttpRequest, slug: str) -> HttpResponse:
    """Let the study answer a question again."""
    study = access.study_for_researcher(request.user, slug, EDITOR)
    if services.take_back(study=study, key=request.POST.get("question", ""), by=request.user):
        messages.success(request, _("The study's own answer is used again."))
    else:
        messages.info(request, _("The study's own answer is used already: nothing was changed."))
    return redirect(Page.of(sheet_of(study), request.GET.dict()).context["address"])


def _given(page: Page, sent: QueryDict) -> dict[str, Answer]:
    """Return the answers of a form; problems are recorded in the rows of the page."""
    given: dict[str, Answer] = {}
    for row in page.rows:
        key = row.entry.key
        if f"seen-{key}" not in sent:
            continue
        numbers = [int(number) for number in sent.getlist(f"option-{key}")[:MOST_OPTIONS] if number.isdecimal()]
        text = sent.get(f"text-{key}", "")
        try:
            given[key] = checked(row.entry.question, text, numbers)
        except BadAnswer as error:
            row.problem = str(error)
            row.sent = Answer(text, tuple(numbers))
    if any(row.problem for row in page.rows):
        _keep(page, given, _seen(sent))
    return given


def _keep(page: Page, given: Mapping[str, Answer], displayed: Mapping[str, str]) -> None:
    """Put the sent answers into the rows, so that nothing is typed twice; untouched ones show their current state."""
    for row in page.rows:
        key = row.entry.key
        if key in given and not is_untouched(given[key], displayed[key]):
            row.sent = given[key]


def _seen(sent: QueryDict) -> dict[str, str]:
    return {name.removeprefix("seen-"): sent.get(name, "") for name in sent if name.startswith("seen-")}


def _show_changes(
    page: Page, given: Mapping[str, Answer], displayed: Mapping[str, str], changed: services.Changed
) -> None:
    """Show the answers that others wrote meanwhile with those that were sent; sending again replaces them."""
    fresh = {entry.key: entry for entry in changed.entries}
    for row in page.rows:
        if row.entry.key in fresh:
            row.entry = fresh[row.entry.key]
            about = {"by": row.entry.own.by if row.entry.own else _("the study"), "words": row.entry.words or "–"}
            row.problem = (
                _("Changed meanwhile by %(by)s: “%(words)s”. Your answer is below; save to replace it.") % about
            )
    _keep(page, given, displayed)
