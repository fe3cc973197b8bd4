"""One text with its questions on a rater's page, which has one such block or several."""

import json
import uuid
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, NamedTuple

from django import forms
from django.http import QueryDict
from django.utils.crypto import salted_hmac

from tasks_app.forms import AnswerFields, text_prefix
from tasks_app.links import credentials
from tasks_app.models import Judgment
from tasks_app.selectors.screens import RaterScreen
from tasks_app.services.judging.judgments import Answered, Submission
from tasks_app.task_types.base import Screen, ScreenForm
from tasks_app.views.rater.visit import Visit

# What a draft holds beside the answer to the questions of the task type.
BESIDE_ANSWER = ("comment", "skip_reason")


class BlockError(NamedTuple):
    """The problem of a block, the id of its field, if any, and the heading of the block."""

    id: str
    words: str
    heading: str = ""


@dataclass(frozen=True, slots=True)
class ShownBlock:
    """A text as a page shows it: its screen, the form of its task type and the fields beside it.

    `number` counts the texts of the page from 1. `heading` says which text it is; empty where it is the only one. On
    the page of a document `column` is that of its system, from 1, with its name.
    """

    screen: Screen
    form: ScreenForm
    fields: AnswerFields | None = None
    number: int = 1
    heading: str = ""
    comment: str = ""
    counter: int = 0
    draft_key: str = ""
    column: int = 0
    column_name: str = ""

    @property
    def prefix(self) -> str:
        """The beginning of the names of its fields."""
        prefix = text_prefix(self.number)
        return f"{prefix}-" if prefix else ""

    @property
    def heading_id(self) -> str:
        """The id of its heading."""
        return f"{self.prefix}heading"

    @property
    def comment_id(self) -> str:
        """The id of the comment's field."""
        return f"{self.prefix}answer-comment"

    @property
    def first_field(self) -> str:
        """The id of the first field that is asked."""
        return next((bound.auto_id for bound in self.form.visible_fields()), f"{self.prefix}text")

    @property
    def skip(self) -> forms.BoundField | None:
        """The field for skipping this text alone; None where the text is skipped by a button of the page, or never."""
        return self.fields["skip_reason"] if self.fields is not None and "skip_reason" in self.fields.fields else None

    def errors(self) -> Iterator[BlockError]:
        """Yield the problems, in the order of the block; a text that is skipped needs no answer."""
        if self.form.is_bound and not (self.skip and self.skip.value()):
            yield from (BlockError("", str(error), self.heading) for error in self.form.non_field_errors())
            yield from self._errors_of(self.form.visible_fields())
        yield from self._errors_of(self.fields.visible_fields() if self.fields is not None else ())

    def _errors_of(self, fields: Iterable[forms.BoundField]) -> Iterator[BlockError]:
        for bound in fields:
            named = self.comment_id if bound.name == "comment" else bound.auto_id
            yield from (BlockError(named, str(error), self.heading) for error in bound.errors)


def blocks_shown(blocks: Sequence[ShownBlock]) -> dict[str, object]:
    """Return the values for the template of the page about its texts."""
    return {"texts": blocks, "errors": [error for block in blocks for error in block.errors()]}


@dataclass(frozen=True)
class PageTime:
    """The time that a page of `texts` texts took, and the log of its events; each text has an equal share."""

    texts: int
    active: float | None
    elapsed: float | None
    log: list[Any]
    # Of a page with a set time.
    shown: float | None = None
    time_over: bool = False

    def log_of(self, number: int) -> list[Any]:
        """Return the events of the n-th text, with the names of its own fields, and those of the page."""
        if self.texts == 1:
            return self.log
        return [_own_names(row, number) for row, about in self._numbered if about in {None, number}]

    @cached_property
    def _numbered(self) -> list[tuple[Any, int | None]]:
        """The rows of the log with the numbers of the texts that they are about; None if it is the page."""
        by_prefix = {text_prefix(number): number for number in range(2, self.texts + 1)}
        return [(row, _number_of(row, by_prefix)) for row in self.log]


def _number_of(row: object, by_prefix: Mapping[str, int]) -> int | None:
    """Return the number of the text that a row of the log is about, by its field; None if it is about the page."""
    if not (isinstance(row, list) and len(row) > 2 and isinstance(row[2], str)):
        return None
    return by_prefix.get(row[2].partition("-")[0], 1)


def _own_names(row: Any, number: int) -> Any:
    """Return a row of the log with the name of its field as it is on a page of one text."""
    if number == 1 or not (isinstance(row, list) and len(row) > 2):
        return row
    return [*row[:2], row[2].removeprefix(f"{text_prefix(number)}-"), *row[3:]]


@dataclass(frozen=True)
class TextBlock:
    """A text on a rater's page, the n-th of so many: its visit, its screen, and the answer so far.

    The answer so far is what was `posted`, else `initial` values with a `comment` and perhaps a `skip_reason`: of the
    draft whose `counter` is given, or of the `stored` answer that is to be changed.
    """

    visit: Visit
    screen: RaterScreen
    number: int = 1
    of: int = 1
    posted: QueryDict | None = None
    initial: Mapping[str, Any] = field(default_factory=dict)
    comment: str = ""
    skip_reason: str = ""
    counter: int = 0
    stored: Judgment | None = None

    @property
    def prefix(self) -> str:
        """The prefix of its fields."""
        return text_prefix(self.number)

    @cached_property
    def form(self) -> ScreenForm:
        """The form of the task type."""
        return self.screen.form(self.posted, self.initial, self.prefix)

    @cached_property
    def fields(self) -> AnswerFields:
        """The fields that come with every answer."""
        may_skip = self.of > 1 and self.visit.options.allow_skip
        prefix = self.prefix or None
        if self.posted is not None:
            return AnswerFields(self.posted, bound_to=self.bound, prefix=prefix, may_skip=may_skip)
        initial = {
            "submission": uuid.uuid4(),
            "replaces": self.stored.pk if self.stored else None,
            "skip_reason": self.skip_reason,
        }
        return AnswerFields(bound_to=self.bound, initial=initial, prefix=prefix, may_skip=may_skip)

    @cached_property
    def bound(self) -> dict[str, Any]:
        """Return the contents of a form's token: the rater, the unit, and the arrangement that was on the screen.

        Whoever has a token can read it, so it holds no row id: those of repeats are higher than their neighbours'.
        And there are few arrangements, so their digests are made with the server's key.
        """
        assignment = self.screen.assignment
        drawn = json.dumps(assignment.arrangement, sort_keys=True)
        screen = salted_hmac("tasks_app.screen", f"{assignment.pk}:{drawn}", algorithm="sha256").hexdigest()
        rater = credentials.handle_of_rater(self.visit.rater.pk)
        return {"rater": rater, "unit": assignment.order, "screen": screen[:16]}

    @property
    def names(self) -> set[str]:
        """The names in a draft of an answer, without the prefix of the page."""
        return {*self.form.fields, *BESIDE_ANSWER}

    @property
    def filled_in(self) -> dict[str, str]:
        """The posted part of an answer so far, by the names of its draft, without empty fields."""
        posted: Mapping[str, Any] = self.posted or {}
        sent = {name: str(posted.get(self.form.add_prefix(name), "")) for name in self.names}
        return {name: value for name, value in sent.items() if value}

    def is_valid(self) -> bool:
        """Return whether the post can be stored: an answer, or a reason for skipping the text."""
        # Both are checked, so that all that is wrong is said at once.
        fields_ok, form_ok = self.fields.is_valid(), self.form.is_valid()
        return fields_ok and (form_ok or bool(self.fields.cleaned_data.get("skip_reason")))

    def lapses(self, time: PageTime) -> bool:
        """Return whether the post comes after the time for answering, so that the answers given so far are stored."""
        clock = self.screen.clock
        return clock is not None and clock.lapses(sent_by_clock=time.time_over, shown=time.shown)

    def answered(self, time: PageTime) -> Answered:
        """Return the posted fields as an answer to store.

        An answer that is not complete when the time for answering is over is stored as a skip, beside what is there.
        """
        given = self.fields.cleaned_data
        skip_reason = given.get("skip_reason", "")
        if skip_reason:
            skipped = Submission(given["submission"], {}, skip_reason=skip_reason, comment=given["comment"])
            return Answered(self.screen, replace(skipped, timing=self.timing(time)))
        is_complete = self.form.is_valid()
        submission = Submission(
            uuid=given["submission"],
            answer=self.form.cleaned_data if is_complete else {},
            skip_reason="" if is_complete else Judgment.Skip.TIME_OVER,
            timing=self.timing(time, {} if is_complete else self._unfinished),
            comment=given["comment"],
            seconds_active=None if time.active is None else time.active / time.texts,
            seconds_elapsed=None if time.elapsed is None else time.elapsed / time.texts,
            log=time.log_of(self.number),
            replaces=given["replaces"],
        )
        return Answered(self.screen, submission)

    @property
    def _unfinished(self) -> dict[str, object]:
        """The answers of a form that are there and sound, while others are missing."""
        return {name: value for name, value in self.form.cleaned_data.items() if value not in (None, "", [])}

    def timing(
        self, time: PageTime | None = None, unfinished: Mapping[str, object] | None = None
    ) -> dict[str, object] | None:
        """Return the record of the set time; None where no time is set. `time` has the times that a page has sent."""
        clock = self.screen.clock
        if clock is None:
            return None
        if time is None:
            return clock.record(sent_by_clock=False, shown=None)
        record = clock.record(sent_by_clock=time.time_over, shown=time.shown)
        return {**record, "unfinished": unfinished} if unfinished else record

    def shown(self, heading: str = "") -> ShownBlock:
        """Return the block as the page shows it."""
        comment = self.comment if self.posted is None else self.posted.get(self.fields.add_prefix("comment"), "")
        return ShownBlock(
            screen=self.screen.shown,
            form=self.form,
            fields=self.fields,
            number=self.number,
            heading=heading,
            comment=comment,
            counter=self.counter,
            draft_key=f"{self.visit.rater.pseudonym}-{self.screen.assignment.order}",
        )
