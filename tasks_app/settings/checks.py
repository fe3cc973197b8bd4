"""Settings of training, exam and checks: one block for each task, declared once."""

import json
from collections.abc import Mapping
from functools import lru_cache
from typing import Any

from django.db import models
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _

from tasks_app.settings.fields import YesNoField, choice_field, number_field, whole_field
from tasks_app.settings.study import SettingsBlock

# Units of a set for each control, if the researcher names no number.
UNITS_A_CONTROL = 10
# Attention checks in a set, if the researcher names no number.
ATTENTION_CHECKS = 2

# Checks that a rater answers before the limit on failed checks applies, if the researcher names no number.
CHECKS_BEFORE_THE_LIMIT = 3

# The key of the system whose outputs are degraded copies. No study file can have it: keys begin with a letter or digit.
COPIES = "_degraded"

# The beginnings of the keys of items and systems of attention checks that are added in one click.
CHECK_ITEM, CHECK_SYSTEM = "attention", "attention-check"


class OnFailing(models.TextChoices):
    """The consequence of too few right answers to control units."""

    MARK = "mark", _("Mark the rater for the researcher")
    WARN = "warn", _("Warn the rater at the next break")
    END = "end", _("End the study for the rater, with part pay")
    STOP = "stop", _("Give the rater no further sets")


class StopWhen(models.TextChoices):
    """The time at which a rater who is too fast or skips too much is stopped."""

    SETS = "sets", _("After the sets that they have; they get no further ones")
    NOW = "now", _("At once; the rest of their sets goes to others")


class CheckSettings(SettingsBlock):
    """Training, exam, controls and repeats of a task; known answers are in the table Known answers (controls.csv).

    A number is None where the researcher names none.
    """

    training = whole_field(
        _("Training units"), _("Leave empty for all training units, if there are any."), within=(0, 1000)
    )
    exam = whole_field(_("Exam units"), _("Leave empty for all exam units, if there are any."), within=(0, 1000))
    exam_pass = number_field(_("Pass mark"), _("Share of exam units, 0 to 1."), within=(0, 1), initial=0.8)
    exam_attempts = whole_field(_("Attempts at the exam"), within=(1, 5), initial=2)
    exam_feedback = YesNoField(
        label=_("Show which exam texts were right, and why"),
        help_text=_(
            "After an attempt that was not passed. The next attempt may show the same texts if there are not enough."
        ),
    )
    controls = whole_field(
        _("Control units in a set"),
        _("Leave empty for one to ten units, depending on how many there are."),
        within=(0, 1000),
    )
    attention = whole_field(
        _("Attention checks in a set"),
        _("Leave empty to show two, or all of them if there are fewer."),
        within=(0, 100),
    )
    repeats = whole_field(_("Units of a set that are shown twice"), within=(0, 1000), initial=0)
    warm_up = whole_field(
        _("Warm-up units"), _("Judged first and left out of every result."), within=(0, 1000), initial=0
    )
    degraded = whole_field(
        _("Degraded copies in a set"),
        _("Made by the tool from the texts of a set; they should be judged worse than the originals."),
        within=(0, 1000),
        initial=0,
    )
    on_failing = choice_field(_("When a rater fails too many checks"), OnFailing.choices, initial=OnFailing.MARK)
    fail_below = number_field(
        _("Minimum share of checks passed"), _("Share of checks, 0 to 1."), within=(0, 1), initial=0.7
    )
    fail_after = whole_field(
        _("Minimum number of checks answered"),
        _("Leave empty for three, or for all checks that a rater is shown if there are fewer."),
        within=(1, 1000),
    )
    fast_seconds = number_field(
        _("Screens are too fast below (seconds)"),
        _(
            "Raters with many such screens get no further sets. They are paid, and their answers are kept. "
            "Leave empty to switch it off."
        ),
        within=(0.1, 3600),
    )
    fast_share = number_field(
        _("Stop at this share of fast screens"),
        _("Share of answered screens, 0 to 1."),
        within=(0.01, 1),
        initial=0.5,
    )
    skip_share = number_field(
        _("Stop at this share of skips"),
        _(
            "Share of screens, 0 to 1. Skips because a text is upsetting or something does not work do not count. "
            "Leave empty to switch it off."
        ),
        within=(0.01, 1),
    )
    stop_after = whole_field(
        _("Minimum number of screens before stopping"),
        _("Of a task, skips that count included."),
        within=(1, 1000),
        initial=10,
    )
    stop_when = choice_field(_("When too fast or too many skips"), StopWhen.choices, initial=StopWhen.SETS)

    @property
    def limit_after(self) -> int:
        """The number of answered checks from which the limit on failed checks applies."""
        return CHECKS_BEFORE_THE_LIMIT if self.fail_after is None else self.fail_after

    def controls_among(self, units: int, available: int) -> int:
        """Return the number of control units in a set of so many units to judge."""
        number = -(-units // UNITS_A_CONTROL) if self.controls is None else self.controls
        return min(number, available)

    def attention_among(self, available: int) -> int:
        """Return the number of attention checks in a set."""
        return min(ATTENTION_CHECKS if self.attention is None else self.attention, available)

    def watched_among(self, units: int, known: Mapping[str, int]) -> int:
        """Count the checks of a set to which the limit on failed checks applies; `known` is as for `screens_with`."""
        controls = self.controls_among(units, known.get("control", 0))
        return controls + self.attention_among(known.get("attention", 0)) + self.degraded

    def screens_with(self, units: int, known: Mapping[str, int]) -> int:
        """Count the screens of a first set of so many units to judge; `known` counts known answers by purpose."""
        before = sum(
            available if number is None else min(number, available)
            for available, number in ((known.get("training", 0), self.training), (known.get("exam", 0), self.exam))
        )
        beside = self.controls_among(units, known.get("control", 0)) + self.attention_among(known.get("attention", 0))
        return before + self.warm_up + units + beside + self.repeats + self.degraded


@lru_cache(maxsize=256)
def _parsed(serialised: str) -> CheckSettings:
    return CheckSettings(json.loads(serialised))


def checks_of(contents: Mapping[str, Any]) -> CheckSettings:
    """Read the checks of a task as they are stored, parsing equal ones only once. Raises ValueError."""
    return _parsed(json.dumps(contents, sort_keys=True))


def has_limit(checks: CheckSettings) -> bool:
    """Return whether a task has a limit that stops raters while the study collects."""
    return checks.fast_seconds is not None or checks.skip_share is not None or checks.on_failing == OnFailing.STOP


def copied_exam_in_words(checks: CheckSettings, n_units: int) -> str:
    """Return why the exam of a task with so many exam units can be passed by copying; "" where it cannot."""
    asked = n_units if checks.exam is None else min(checks.exam, n_units)
    needed = asked * checks.exam_attempts
    if not checks.exam_feedback or needed <= n_units:
        return ""
    sentence = gettext(
        "Raters are shown which exam texts were right, and a later attempt has some of these texts again, so the exam "
        "can be passed by copying. %(attempts)d attempts at %(asked)d units need %(needed)d units, and there are "
        "%(n)d. Add exam units, ask for fewer, or do not show which were right."
    )
    return sentence % {"attempts": checks.exam_attempts, "asked": asked, "needed": needed, "n": n_units}


def failing_in_words(*, left_out: bool, one_attention_check: bool = True, one_is_enough: bool = False) -> str:
    """Return the meaning of failed checks for the results, in the words of every page that explains it.

    `left_out` says that a quality rule of the plan excludes such raters, and `one_attention_check` that a rater meets
    one check in all, which is an attention check. Of several checks, `one_is_enough` says that a rater who fails one of
    them is excluded.
    """
    if one_attention_check:
        excluded = gettext("Raters who fail the attention check are left out of the results.")
        counted = gettext("Raters who fail the attention check count in the results like all others.")
    elif one_is_enough:
        excluded = gettext("Raters who fail one of their checks are left out of the results.")
        counted = gettext("Raters who fail checks count in the results like all others.")
    else:
        excluded = gettext("Raters who fail too many checks are left out of the results.")
        counted = gettext("Raters who fail checks count in the results like all others.")
    return excluded if left_out else counted
