"""The clock of a text that is judged within a set time: the part that ends with it, and the time a rater has chosen.

Whatever depends on the clock is decided by the server, which knows when a rater pressed the button that shows the text.
Browsers only count along.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from django.utils.translation import gettext_lazy as _

from tasks_app.settings.choices import TextChoices

# A page that would be covered within this many seconds is shown covered at once: nobody could read anything.
TOO_LATE = 0.25
# An answer may take so many seconds on its way without counting as late. A browser's clock and the server's differ by
# less than the second number, so that an answer sent by a browser's clock is in time to be one.
ON_ITS_WAY, CLOCKS_DIFFER = 5.0, 1.0


class TimedPart(TextChoices):
    """The part of judging that has a set time."""

    READING = "reading", _("the text is covered; the questions stay")
    ANSWERING = "answering", _("the page is sent with the answers given so far")


class TimeChoice(TextChoices):
    """The time that a rater has chosen, without giving a reason."""

    USUAL = "usual", _("the usual time")
    DOUBLE = "double", _("twice the time")
    NONE = "none", _("no limit")


@dataclass(frozen=True, slots=True)
class SetTime:
    """The set time of a task: seconds for each text, and the part of judging that ends with them."""

    seconds: float
    part: TimedPart

    def allowed(self, choice: str) -> float | None:
        """Return the seconds for a rater who has made this choice; None for no limit."""
        if choice == TimeChoice.NONE:
            return None
        return 2 * self.seconds if choice == TimeChoice.DOUBLE else self.seconds


@dataclass(frozen=True, slots=True)
class Clock:
    """The clock of one text for one rater: `elapsed` seconds since the text was shown, None before.

    `allowed` are the seconds that the rater has, None for no limit; `choice` is the choice behind them.
    """

    time: SetTime
    allowed: float | None
    elapsed: float | None

    @property
    def has_started(self) -> bool:
        """Whether the rater has had the text shown."""
        return self.elapsed is not None

    @property
    def for_reading(self) -> bool:
        """Whether the time is for reading, so that only the text is covered."""
        return self.time.part == TimedPart.READING

    @property
    def left(self) -> float | None:
        """The seconds left, from 0; None for no limit or before the start."""
        return None if self.allowed is None or self.elapsed is None else max(0.0, self.allowed - self.elapsed)

    @property
    def is_over(self) -> bool:
        """Whether the time is over, or so nearly that there is nothing left to see."""
        return self.left is not None and self.left <= TOO_LATE

    @property
    def closes(self) -> bool:
        """Whether the time is for answering and is over, so that the page can only be sent as it is."""
        return self.is_over and not self.for_reading

    @property
    def choice(self) -> str:
        """The choice that gives these seconds."""
        if self.allowed is None:
            return TimeChoice.NONE
        return TimeChoice.USUAL if self.allowed == self.time.seconds else TimeChoice.DOUBLE

    def lapses(self, *, sent_by_clock: bool, shown: float | None) -> bool:
        """Return whether an answer that arrives now comes after the time for answering.

        `sent_by_clock` says that the page was sent because the time was over, which counts only where it can be.
        `shown` are the seconds since the text was shown that the browser measured, None without scripts: an answer
        that was sent in time and arrived late because of the connection is no lapse.
        """
        if self.allowed is None or self.elapsed is None or self.for_reading:
            return False
        if sent_by_clock and self.elapsed >= self.allowed - CLOCKS_DIFFER:
            return True
        taken = self.elapsed if shown is None else min(shown, self.elapsed)
        return taken > self.allowed + ON_ITS_WAY

    def record(self, *, sent_by_clock: bool, shown: float | None) -> dict[str, object]:
        """Return the record that is stored with an answer that arrives now; times are in seconds."""
        elapsed = self.elapsed or 0.0
        most = elapsed if self.allowed is None else min(elapsed, self.allowed)
        return {
            "for": str(self.time.part),
            "set": self.time.seconds,
            "choice": str(self.choice),
            "allowed": self.allowed,
            "shown": round(most if shown is None else min(shown, most), 1),
            "arrived": round(elapsed, 1),
            "lapsed": self.lapses(sent_by_clock=sent_by_clock, shown=shown),
        }


def choice_of(prefs: Mapping[str, Any], task: str) -> str:
    """Return the time that a rater has chosen for a task, as their preferences say."""
    chosen = (prefs.get("time") or {}).get(task)
    return chosen if chosen in TimeChoice.values else TimeChoice.USUAL
