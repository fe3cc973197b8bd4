"""A text with a set time on a rater's page: the page before it is shown, and the clock beside it."""

from dataclasses import dataclass

from django.http import HttpResponse
from django.utils.translation import gettext as _

from tasks_app.forms import TimeForm
from tasks_app.models import Judgment, Rater
from tasks_app.task_types.clock import Clock, SetTime, TimedPart, choice_of
from tasks_app.views.rater.journey import instructions_html
from tasks_app.views.rater.pages import PageFrame
from tasks_app.views.rater.set_time_words import about, choices, seconds_in_words
from tasks_app.views.rater.text_block import TextBlock


def before_text(
    text: TextBlock, time: SetTime, page_frame: PageFrame, *, new_task: str, in_place: bool
) -> HttpResponse:
    """Show the page before a text with a set time: how long it is shown, a choice of more time, and the button."""
    visit, frame = text.visit, text.screen.frame
    chosen = choice_of(visit.rater.prefs, frame.task.key)
    heading, sentences = about(time, chosen)
    form = TimeForm(bound_to=text.bound, times=choices(time), initial={"time": chosen})
    context = {
        "frame": page_frame,
        "form": form,
        "heading": heading,
        "sentences": sentences,
        "has_chosen": frame.task.key in (visit.rater.prefs.get("time") or {}),
        "lapsed": time.part == TimedPart.ANSWERING and _has_just_lapsed(visit.rater),
        "show_url": visit.url("show_text"),
        "unit_script": frame.kind.script,
        "unit_styles": frame.kind.styles,
        "instructions_html": instructions_html([frame.task]),
        "new_task": new_task,
        "in_place": in_place,
    }
    return visit.render("rater/before_text.html", context)


def _has_just_lapsed(rater: Rater) -> bool:
    """Return whether the time was over before the rater's last answer, which the next page says."""
    last = Judgment.objects.filter(assignment__rater=rater).order_by("-id").values_list("timing", flat=True).first()
    return bool(last and last.get("lapsed"))


@dataclass(frozen=True, slots=True)
class ShownClock:
    """The clock of a page: seconds left for scripts, and the sentences that it says."""

    clock: Clock

    @property
    def runs(self) -> bool:
        """Whether there is a time to run out."""
        return self.clock.left is not None and not self.clock.is_over

    @property
    def left(self) -> str:
        """The seconds left, for scripts."""
        return f"{self.clock.left or 0:.1f}"

    @property
    def elapsed(self) -> str:
        """The seconds since the text was shown, for scripts."""
        return f"{self.clock.elapsed or 0:.1f}"

    @property
    def whole_seconds(self) -> int:
        """The seconds after which a page without scripts is asked for again."""
        return max(1, round(self.clock.left or 0))

    @property
    def label(self) -> str:
        """The label of the clock: the purpose of the time."""
        return _("Time for the text") if self.clock.for_reading else _("Time to answer")

    @property
    def over(self) -> str:
        """The sentence that the page says when the time is over."""
        if self.clock.for_reading:
            return _("The text is covered now. Please answer the questions.")
        return _("The time is over. Your answers up to now are being sent.")

    @property
    def without_scripts(self) -> str:
        """The sentence for raters with browsers that run no scripts."""
        if self.clock.for_reading:
            return _("The questions come when the time is over.")
        words = {"time": seconds_in_words(self.clock.allowed or 0)}
        return _("Please send your answers within %(time)s. Later answers are stored, and marked as late.") % words


def clock_of(text: TextBlock) -> ShownClock | None:
    """Return the clock of a text; None where no time is set for it."""
    clock = text.screen.clock
    return None if clock is None else ShownClock(clock)
