"""A rater's page of units: the form to judge them with, or the reason why answers are not stored, with advice."""

import uuid
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

from django import forms
from django.http import HttpResponse, QueryDict
from django.utils.translation import gettext as _

from tasks_app.forms import AnswerFields, PageFields, SkipForm, text_prefix
from tasks_app.models import Assignment, Judgment
from tasks_app.selectors.document_pages import Placed, places_on_page
from tasks_app.selectors.progress import RaterProgress, progress_of
from tasks_app.selectors.screens import RaterScreen
from tasks_app.services.judging import assignments, judgments
from tasks_app.services.judging import elsewhere as tasks_elsewhere
from tasks_app.views.rater import document_view, elsewhere, pages, set_time, stages
from tasks_app.views.rater.journey import instructions_html
from tasks_app.views.rater.text_block import PageTime, TextBlock, blocks_shown
from tasks_app.views.rater.visit import Visit


@dataclass(frozen=True)
class UnitPage:
    """The units on a rater's page, mostly one, made once for each request: its visit, its texts, and the post."""

    visit: Visit
    texts: Sequence[TextBlock]
    posted: QueryDict | None = None

    @classmethod
    def sent(cls, visit: Visit, units: Sequence[Assignment], posted: QueryDict | None) -> "UnitPage":
        """Make the page that a rater has sent, of units in the order of the page."""
        of = len(units)
        blocks = [
            TextBlock(visit, RaterScreen(visit.rater, unit), number, of, posted=posted)
            for number, unit in enumerate(units, start=1)
        ]
        return cls(visit, blocks, posted)

    @property
    def first(self) -> TextBlock:
        """The first text."""
        return self.texts[0]

    @cached_property
    def fields(self) -> PageFields:
        """The fields that come once with the page."""
        screen = self.first.screen
        asks_finished = screen.errand is not None and not screen.errand.needs_report
        return PageFields(self.posted, is_timed=screen.clock is not None, asks_finished=asks_finished)

    @property
    def belongs_together(self) -> bool:
        """Whether these units may stand on one page."""
        units = [text.screen.assignment for text in self.texts]
        return len(assignments.page_of(units, self.visit.rater.study)) == len(units)

    def is_valid(self) -> bool:
        """Return whether everything on the page can be stored: as a whole, or as it is when the time is over."""
        are_valid = [text.is_valid() for text in self.texts]
        if self.fields.is_valid() and (sentence := self._unfinished_elsewhere()):
            self.first.form.add_error(None, sentence)
            return False
        return self.fields.is_valid() and (all(are_valid) or self._lapses)

    def _unfinished_elsewhere(self) -> str:
        """Name the task on another site that is not finished; empty where there is none. Its page has one text."""
        screen = self.first.screen
        if screen.errand is None or screen.assignment.state in Assignment.State.RATED:
            return ""
        progress = progress_of(self.visit.rater, screen.frame.task.set_size, screen.assignment)
        said = bool(self.fields.cleaned_data.get("finished"))
        return elsewhere.unfinished(screen.errand, progress.number_of(screen.assignment.order), said=said)

    @property
    def _lapses(self) -> bool:
        """Whether the time for answering is over, so that answers may be missing. Such a page has one text."""
        return self.first.fields.is_valid() and self.first.lapses(self.time)

    @cached_property
    def time(self) -> PageTime:
        """The time that the page took, at most the time since the server first showed it, and its log."""
        known = self.fields.cleaned_data
        active, elapsed = (self._bounded(known[name]) for name in ("seconds_active", "seconds_elapsed"))
        shown, time_over = known.get("seconds_shown"), bool(known.get("time_over"))
        return PageTime(len(self.texts), active, elapsed, known["log"], shown, time_over)

    def _bounded(self, seconds: float | None) -> float | None:
        """Return a time that a browser measured, at most the time since the server first showed a text.

        Where the server's clock was set back meanwhile, what has passed is not known and bounds nothing.
        """
        shown = [getattr(text.screen.assignment, "seconds_shown", None) for text in self.texts]
        known = [float(since) for since in shown if since is not None and since >= 0]
        return seconds if seconds is None or not known else min(seconds, max(known))

    def render(self, status: int = 200, *, in_place: bool = False) -> HttpResponse:
        """Show the units with the form to judge them, or first the button that shows a text with a set time.

        A page that a script shows in place of the one before goes out without the sentences that the script has.
        """
        visit, first, frame, assignment = self.visit, self.first, self.first.screen.frame, self.first.screen.assignment
        options = visit.options
        progress = progress_of(visit.rater, frame.task.set_size, assignment)
        if (clock := first.screen.clock) is not None and not clock.has_started:
            new_task, page_frame = stages.new_task(assignment, progress), self._frame(progress)
            return set_time.before_text(first, clock.time, page_frame, new_task=new_task, in_place=in_place)
        back = progress.answered_before(assignment.order) if first.screen.may_change else None
        blocks = [text.shown(heading) for text, heading in zip(self.texts, self._headings(progress), strict=True)]
        context = {
            "frame": self._frame(progress),
            **blocks_shown(blocks),
            "document": document_view.document_of(blocks, self.places) if self.places else None,
            "unit_template": frame.kind.template_name,
            "unit_script": frame.kind.script,
            "unit_styles": frame.kind.styles,
            "media_base": f"{visit.url('next')}media/",
            "page_fields": self.fields,
            "instructions_html": instructions_html([frame.task]),
            "clock": set_time.clock_of(first),
            "elsewhere": self._elsewhere(),
            "skip_form": self._skip_form() if self._may_skip else None,
            "skip_url": visit.url("skip"),
            "draft_url": visit.url("draft") if first.stored is None else "",
            "can_go_back": back is not None,
            "back_url": visit.url("unit", back) if back is not None else "",
            "next_url": visit.url("judge"),
            "break_after_minutes": options.break_after_minutes,
            "content_warning": options.content_warning,
            "new_task": stages.new_task(assignment, progress) if first.stored is None else "",
            "stage_hint": stages.hint(assignment, progress),
            "personal_link": self._link_before_instructions(),
            "skip_note": stages.about_skipping(assignment),
            "revising": first.stored is not None,
            "in_place": in_place,
        }
        return visit.render("rater/judge.html", context, status)

    def _elsewhere(self) -> dict[str, object] | None:
        """Return the link to a task on another site, and the box by which a rater calls it finished; None without."""
        screen = self.first.screen
        if screen.errand is None:
            return None
        return {
            "url": self.visit.url("elsewhere", screen.assignment.order) if tasks_elsewhere.is_open(screen) else "",
            "box": self.fields["finished"] if "finished" in self.fields.fields else None,
        }

    @property
    def _may_skip(self) -> bool:
        """Whether the page has a button that skips its text: not when the time for answering is over."""
        clock = self.first.screen.clock
        return self.visit.options.allow_skip and len(self.texts) == 1 and not (clock is not None and clock.closes)

    @cached_property
    def places(self) -> list[Placed]:
        """The rows and columns of the texts, where the page shows them as a document; else none."""
        if len(self.texts) == 1 or not self.first.screen.kind.shows_documents:
            return []
        return places_on_page([(text.screen.assignment, text.screen.material) for text in self.texts])

    def _numbers(self, progress: RaterProgress) -> list[int]:
        """Return the places of the texts in the rater's sequence, from 1."""
        return [progress.number_of(text.screen.assignment.order) for text in self.texts]

    def _headings(self, progress: RaterProgress) -> list[str]:
        """Return the heading of each text, by its number; empty for the only one, which the bar on top names."""
        if len(self.texts) == 1:
            return [""]
        if self.places:
            return document_view.headings(self.places, [text.screen.shown for text in self.texts])
        return [
            stages.heading(number, progress.total, stages.counted_as(text.screen.shown))
            for number, text in zip(self._numbers(progress), self.texts, strict=True)
        ]

    def _frame(self, progress: RaterProgress) -> pages.PageFrame:
        """Return the bars around the page, which name all texts on it."""
        counted_as = stages.counted(text.screen.shown for text in self.texts)
        lists_set = self.first.screen.kind.set_overview
        frame = pages.frame_for(self.visit, progress, lists_set=lists_set, counted_as=counted_as)
        if len(self.texts) == 1:
            return frame
        if self.places:
            # Checks that stand among the texts of a document come after it.
            done = progress.done
            stage = stages.texts_numbers(done + 1, done + len(self.texts), progress.total, counted_as)
            return replace(frame, stage=stage)
        numbers = self._numbers(progress)
        stage = stages.texts_numbers(numbers[0], numbers[-1], progress.total, counted_as)
        return replace(frame, stage=stage)

    def _link_before_instructions(self) -> str:
        """Return the personal link for questions that come before the instructions, which show it; else empty."""
        is_first = self.first.screen.assignment.purpose == Assignment.Purpose.SCREENING
        return pages.personal_link(self.visit.request, self.visit.token) if is_first else ""

    def _skip_form(self) -> SkipForm:
        return SkipForm(bound_to=self.first.bound, initial={"submission": uuid.uuid4()})


def refused(page: UnitPage, results: Sequence[judgments.Result]) -> HttpResponse:
    """Answer a posted page of which something was not stored."""
    of_texts = list(zip(page.texts, results, strict=True))
    conflicts = [(text, result.stored) for text, result in of_texts if isinstance(result, judgments.Conflict)]
    # Who skips what they have answered in another window keeps the answer.
    answered = [(text, stored) for text, stored in conflicts if "skip_reason" not in _given(text)]
    if answered:
        return _conflict(page, answered)
    if conflicts:
        return page.visit.go_to("unit", conflicts[0][0].screen.assignment.order)
    for text, result in of_texts:
        if isinstance(result, judgments.TooManyChanges):
            return unchanged(text, result.stored)
    return over(page.visit, but_for_some=any(isinstance(result, judgments.Receipt) for result in results))


def _given(text: TextBlock) -> dict[str, Any]:
    """Return the fields sent beside an answer, without empty ones."""
    return {name: value for name, value in text.fields.cleaned_data.items() if value not in ("", None)}


def over(visit: Visit, *, but_for_some: bool = False) -> HttpResponse:
    """Answer a posted answer to a unit that the rater gave back; others of its page may have been stored."""
    if but_for_some:
        sentences = [
            _("Some texts on that page are no longer yours, so your answers to them were not stored."),
            _("All other answers are saved."),
        ]
        context = {
            "title": _("Some texts are no longer yours"),
            "sentences": sentences,
            "action": (_("Go on"), visit.url("next")),
        }
        return visit.render("rater/message.html", context, status=410)
    context = {
        "title": _("Your answer was not stored"),
        "sentences": [_("Your part in this study ended before it arrived."), _("Your earlier answers are safe.")],
        "action": (_("Go to the last page"), visit.url("end")),
    }
    return visit.render("rater/message.html", context, status=410)


def unchanged(text: TextBlock, stored: Judgment) -> HttpResponse:
    """Say that an answer cannot be changed any more, and show which one counts, beside a posted one."""
    is_posted = text.posted is not None
    context = {
        "frame": pages.frame_for(text.visit, progress_of(text.visit.rater, 1)),
        "most": judgments.MOST_CHANGES,
        "stored": _stored_in_words(text.form, stored),
        "given": pages.in_words(text.form, text.form.cleaned_data) if is_posted else [],
        "next_url": text.visit.url("next"),
        "ended": text.visit.has_ended,
    }
    return text.visit.render("rater/unchanged.html", context, status=409 if is_posted else 200)


def _conflict(page: UnitPage, conflicts: Sequence[tuple[TextBlock, Judgment]]) -> HttpResponse:
    """Show stored answers beside the posted ones, and let the rater say which hold."""
    may_change = page.first.screen.may_change and not page.visit.has_ended
    progress = progress_of(page.visit.rater, 1)
    context = {
        "frame": pages.frame_for(page.visit, progress),
        "conflicts": [
            {
                "number": number,
                "heading": stages.heading(
                    progress.number_of(text.screen.assignment.order),
                    progress.total,
                    stages.counted_as(text.screen.shown),
                )
                if len(page.texts) > 1
                else "",
                "stored": _stored_in_words(text.form, stored),
                "given": pages.in_words(text.form, text.form.cleaned_data),
            }
            for number, (text, stored) in enumerate(conflicts, start=1)
        ],
        "next_url": page.visit.url("next"),
        "forms": _change_forms(page, conflicts) if may_change else [],
        "form_action": page.visit.url("judge"),
    }
    return page.visit.render("rater/conflict.html", context, status=409)


def _stored_in_words(form: forms.Form, stored: Judgment) -> list[tuple[str, str]]:
    if stored.skip_reason:
        return [(_("Skipped"), stored.get_skip_reason_display())]
    return pages.in_words(form, stored.answer)


def _change_forms(page: UnitPage, conflicts: Sequence[tuple[TextBlock, Judgment]]) -> list[forms.Form]:
    """Return forms of hidden fields that send posted answers again, as changes of the stored ones: a page of them."""
    posted = page.visit.request.POST
    times = {name: posted.get(name, "") for name in PageFields.base_fields}
    if len(conflicts) < len(page.texts):
        # The other texts have taken their shares of the time, and events are stored with them.
        share = len(conflicts) / len(page.texts)
        taken = {"seconds_active": page.time.active, "seconds_elapsed": page.time.elapsed}
        times = {name: f"{seconds * share:.1f}" for name, seconds in taken.items() if seconds is not None}
    return [
        PageFields(initial=times),
        *(_change_form(number, text, stored) for number, (text, stored) in enumerate(conflicts, start=1)),
    ]


def _change_form(number: int, text: TextBlock, stored: Judgment) -> AnswerFields:
    """Return the form of a text that is the n-th on the page of changes."""
    posted = text.visit.request.POST
    names = [*text.form.fields, "comment"]
    initial: dict[str, object] = {name: posted.get(text.form.add_prefix(name), "") for name in names}
    initial |= {"submission": uuid.uuid4(), "replaces": stored.pk}
    change = AnswerFields(bound_to=text.bound, initial=initial, prefix=text_prefix(number) or None)
    for name in names:
        change.fields[name] = forms.CharField(widget=forms.HiddenInput, required=False)
    return change
