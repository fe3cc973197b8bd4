"""The parameters of a triangle test, and the criteria it brings along."""

from collections.abc import Sequence

from django.utils.translation import gettext_lazy as _

from tasks_app.settings.fields import YesNoField, choice_field, number_field, whole_field
from tasks_app.task_types.base import Criterion, Parameters
from tasks_app.task_types.text_pairs import ComparedTexts
from tasks_app.texts.languages import spoken

CHOICE, CORRECT, SURENESS, MOTIVE = "odd-one-out", "correct", "sureness", "motive"

SURE_STEPS = 4

# The risks of the test, of its plan and of the planning tool.
ALPHA, BETA = (
    number_field(label, help_text, within=(0.0001, 0.5), initial=0.05)
    for label, help_text in (
        (_("Alpha"), _("Risk of finding a difference that is not there.")),
        (_("Beta"), _("Risk of missing a difference that is there.")),
    )
)


class TriangleParameters(ComparedTexts):
    """A type with the parameters of a triangle test."""

    show_source = YesNoField(label=_("Show the source"), help_text=_("Above the three texts."))
    goal = choice_field(
        _("Goal"),
        (("difference", _("show a difference")), ("similarity", _("show similarity"))),
        _("At least 18 judges for a difference, 30 for similarity."),
        initial="difference",
    )
    variant = choice_field(
        _("Texts of a triad"),
        (("one", _("one item for all three texts")), ("three", _("three items, a text of each"))),
        _(
            "With three items, either both systems have texts for all of them and the item of the odd text rotates, "
            "or each item has one text, by one of the systems."
        ),
        initial="one",
    )
    triads_per_judge = whole_field(
        _("Triads per judge"),
        _("Set the size of a set to this, and let a rater take one set. More than 1 for a difference only."),
        within=(1, 1000),
        initial=1,
    )
    sureness = YesNoField(label=_("Ask how sure the rater is"))
    motive = YesNoField(
        label=_("Ask what made the text different"), help_text=_("After the choice; raters may leave it out.")
    )
    alpha, beta = ALPHA, BETA
    pd = number_field(
        _("Discriminators"),
        _("Share of people who can tell the systems apart that matters to you, such as 0.3."),
        within=(0.01, 0.99),
        initial=0.3,
    )

    class Settings(Parameters):
        """Parameters of a triangle test; the values for its statistics are fixed here, before the first answer."""

        def clean(self) -> dict[str, object]:
            """Refuse several triads per judge for similarity, and texts that three items do not have in common."""
            cleaned = super().clean() or self.cleaned_data
            if cleaned.get("goal") == "similarity" and int(cleaned.get("triads_per_judge") or 1) > 1:
                self.add_error(
                    "triads_per_judge",
                    _(
                        "For similarity every judge judges one triad: several answers of one person are not "
                        "independent and would make systems seem more alike than was shown."
                    ),
                )
            if cleaned.get("variant") == "three":
                for name in ("show_source", "show_reference", "context_before"):
                    if cleaned.get(name):
                        self.add_error(name, _("Three items have no source, reference or context in common."))
            return cleaned


def brought(variant: str, *, sureness: bool, motive: bool) -> tuple[Criterion, ...]:
    """Return the criteria of a triangle test: those it asks, and right or wrong, which the server adds."""
    question = (
        _("Two of these texts are by one author, one is by another. Which one is by the other author?")
        if variant == "three"
        else _("Two of these texts are the same. Which one is different?")
    )
    criteria = [
        Criterion(CHOICE, str(_("Odd one out")), question=str(question), language=spoken()),
        Criterion(CORRECT, str(_("Odd one found")), definition=str(_("Whether the text chosen is the odd one."))),
    ]
    if sureness:
        criteria.append(
            Criterion(
                SURENESS,
                str(_("Sureness")),
                question=str(_("How sure are you?")),
                labels=tuple(map(str, (_("I guessed"), _("Not very sure"), _("Fairly sure"), _("Certain")))),
                language=spoken(),
            )
        )
    if motive:
        motive_question = str(_("What made it different?"))
        criteria.append(Criterion(MOTIVE, str(_("Motive")), question=motive_question, language=spoken()))
    return tuple(criteria)


def steps_of(criterion: Criterion) -> Sequence[str]:
    """Return the words of the steps of sureness: as many as the study words, else four with its words at the ends."""
    if criterion.labels:
        return criterion.labels
    return (criterion.low or "1", *map(str, range(2, SURE_STEPS)), criterion.high or str(SURE_STEPS))
