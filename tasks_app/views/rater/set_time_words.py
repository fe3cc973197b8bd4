"""The words about a set time on raters' pages."""

from django.utils import formats
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from tasks_app.task_types.clock import SetTime, TimeChoice, TimedPart


def seconds_in_words(seconds: float) -> str:
    """Word a number of seconds: 20 seconds; whole minutes as minutes."""
    if seconds >= 60 and seconds % 60 == 0:
        minutes = int(seconds // 60)
        return ngettext("%(n)s minute", "%(n)s minutes", minutes) % {"n": formats.number_format(minutes)}
    whole = int(seconds)
    return ngettext("%(n)s second", "%(n)s seconds", whole) % {"n": formats.number_format(whole)}


def in_instructions(time: SetTime) -> list[str]:
    """Announce the set time of a task before it begins, and that everybody can have more."""
    words = {"time": seconds_in_words(time.seconds)}
    if time.part == TimedPart.READING:
        first = _("Each text is shown for %(time)s and then covered. The questions have no time limit.") % words
    else:
        first = _("You have %(time)s for each text and its questions.") % words
    return [first, _("Before each text you can choose twice the time or no limit, without giving a reason.")]


def about(time: SetTime, choice: str) -> tuple[str, list[str]]:
    """Return the heading and the sentences that prepare a rater for the next text."""
    allowed = time.allowed(choice)
    if allowed is None:
        return _("There is no time limit for this text"), []
    words = {"time": seconds_in_words(allowed)}
    goes_on = _("The time begins when you press the button. It goes on if you reload or leave the page.")
    if time.part == TimedPart.READING:
        sentence = _("Then it is covered, and you answer the questions without it, for as long as you like.")
        return _("The text is shown for %(time)s") % words, [sentence, goes_on]
    sentence = _(
        "When the time is over, your answers up to then are sent. If some are missing, that does not count against you."
    )
    return _("You have %(time)s for the text and its questions") % words, [sentence, goes_on]


def choices(time: SetTime) -> list[tuple[str, str]]:
    """Return the times that a rater can choose from, in words."""
    words = {"usual": seconds_in_words(time.seconds), "double": seconds_in_words(2 * time.seconds)}
    return [
        (TimeChoice.USUAL, _("The usual time: %(usual)s") % words),
        (TimeChoice.DOUBLE, _("Twice the time: %(double)s") % words),
        (TimeChoice.NONE, _("No time limit")),
    ]
