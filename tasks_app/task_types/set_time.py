"""Task types of which texts can be judged within a set time, as two of their parameters say."""

from collections.abc import Iterator, Sequence

from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _

from tasks_app.settings.fields import added_later, choice_field, whole_field
from tasks_app.task_types.base import Criterion, ParameterProblem
from tasks_app.task_types.clock import SetTime, TimedPart
from tasks_app.task_types.texts import TextType

SHORTEST, LONGEST = 1, 3600


class TimedTexts(TextType):
    """A type of which texts can be judged within a set time, since its questions do not work on the text itself."""

    set_seconds = added_later(
        whole_field(
            _("Set time for each text (seconds)"),
            _(
                "Raters press a button to see a text, and then have this time. Leave empty for no limit, unless the "
                "question is how people judge at a glance or under pressure. Every rater can take twice the time, or "
                "no limit, without giving a reason; results say how many did. Practice and tests have no limit."
            ),
            within=(SHORTEST, LONGEST),
        )
    )
    set_time_for = added_later(
        choice_field(
            _("When the set time is over"),
            TimedPart.choices,
            _("Only with a set time. An incomplete answer is kept, and the text goes to another rater."),
            initial=TimedPart.READING,
        )
    )

    @property
    def set_time(self) -> SetTime | None:
        """The set time for each text; None for no limit."""
        return SetTime(float(self.set_seconds), TimedPart(self.set_time_for)) if self.set_seconds else None

    def problems(self, criteria: Sequence[Criterion]) -> Iterator[str]:
        """Yield a sentence where a page has several texts, or where a part is chosen and no time is set."""
        yield from super().problems(criteria)
        if self.set_seconds and self.shows_documents:
            sentence = gettext("The page of a document has many texts. Set page to screen, or leave set_seconds empty.")
            yield ParameterProblem("set_seconds", sentence)
        elif self.set_seconds and self.texts_on_page > 1:
            sentence = gettext("A set time is for one text at a time. Set texts_per_page to 1.")
            yield ParameterProblem("set_seconds", sentence)
        if not self.set_seconds and self.set_time_for != TimedPart.READING:
            yield ParameterProblem("set_time_for", gettext("Set the seconds for each text as well (set_seconds)."))
