"""The steps of setting up a study, and which parts of the study file each of them asks for."""

from __future__ import annotations

from dataclasses import dataclass

from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _


@dataclass(frozen=True, slots=True)
class Step:
    """A step: its name in addresses, its label, and one sentence about what is decided in it."""

    slug: str
    label: Promise
    lead: Promise


STEPS: tuple[Step, ...] = (
    Step("task", _("Task"), _("What raters do, and what the study is called.")),
    Step("texts", _("Texts"), _("The texts that are judged, and the systems that wrote them.")),
    Step("questions", _("Questions"), _("What raters are asked about a text, word for word.")),
    Step("raters", _("Raters"), _("How many people judge each text, and where they come from.")),
    Step("checks", _("Checks"), _("How you notice raters who do not read.")),
    Step("consent", _("Consent and pay"), _("What raters are told, what they agree to, and what they are paid.")),
    Step("analysis", _("Analysis plan"), _("What is computed, decided before the first answer.")),
    Step("review", _("Review"), _("Whether everything fits, and what opening the study would fix.")),
)
