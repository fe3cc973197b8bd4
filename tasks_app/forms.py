"""Forms of rater pages. Each carries a signed token, bound to its purpose, instead of a cookie."""

import json
import uuid
from collections.abc import Mapping, Sequence
from typing import Any

from django import forms
from django.core import signing
from django.utils.translation import gettext_lazy as _

from tasks_app.links import credentials
from tasks_app.models import Judgment
from tasks_app.task_types.clock import TimeChoice
from tasks_app.texts import languages, plaintext

LONGEST_COMMENT = 5_000
LONGEST_LOG = 200_000  # characters; some 2,000 events
LONGEST_SITTING = 7 * 24 * 3600.0  # seconds; a unit left open over days is not a measurement


class SignedForm(forms.Form):
    """A form with a signed token, which must hold `bound_to`; otherwise the form is a forgery."""

    action = ""

    form_token = forms.CharField(widget=forms.HiddenInput, max_length=500)

    def __init__(self, *args: Any, bound_to: Mapping[str, Any], **kwargs: Any) -> None:
        self.bound_to = dict(bound_to)
        self.signed: Mapping[str, Any] = {}
        kwargs.setdefault("initial", {}).setdefault("form_token", credentials.sign(self.action, **bound_to))
        super().__init__(*args, **kwargs)

    def clean_form_token(self) -> str:
        """Refuse a token that was signed for somebody or something else."""
        token = str(self.cleaned_data["form_token"])
        try:
            self.signed = credentials.read_signed(self.action, token)
        except signing.BadSignature:
            raise forms.ValidationError(_("This form is not valid here. Reload the page."), code="forged") from None
        if any(self.signed.get(name) != value for name, value in self.bound_to.items()):
            raise forms.ValidationError(_("This form is not valid here. Reload the page."), code="forged")
        return token

    @property
    def is_forged(self) -> bool:
        """Whether the token was missing or not ours, rather than an answer incomplete."""
        return bool(self.errors.get("form_token"))


class ConsentForm(SignedForm):
    """Agreeing to take part, which the button says: no box is to be ticked beside it.

    The nonce makes a second press give the same rater.
    """

    action = "consent"

    # Longer than others: it carries what a platform said in its address.
    form_token = forms.CharField(widget=forms.HiddenInput, max_length=4_000)

    @staticmethod
    def new_nonce() -> str:
        """Return a random text that tells one visit from another."""
        return uuid.uuid4().hex


class StepForm(SignedForm):
    """A button without a question: begin, stop, another set, a new link."""

    action = "step"


class LanguageForm(SignedForm):
    """The language a rater would like to read our words in, and the page they were on."""

    action = "language"

    language = forms.ChoiceField(
        choices=lambda: [(language.code, language.name) for language in languages.to_choose_from()]
    )
    back = forms.CharField(required=False, max_length=300)


def text_prefix(number: int) -> str:
    """Return the prefix of the fields of the n-th text on a page: none for the first, then t2, t3 and so on."""
    return f"t{number}" if number > 1 else ""


class AnswerFields(SignedForm):
    """Fields that come with the answer to every text, for every task type.

    With `may_skip` it can be a reason for skipping the text: a page of several texts is not left for one of them.
    """

    action = "judge"

    submission = forms.UUIDField(widget=forms.HiddenInput)
    replaces = forms.IntegerField(widget=forms.HiddenInput, required=False)
    comment = forms.CharField(
        widget=forms.Textarea(attrs={"rows": 3}),
        required=False,
        max_length=LONGEST_COMMENT,
        label=_("Comment to the researchers (optional)"),
        validators=[plaintext.validate_storable],
    )
    skip_reason = forms.ChoiceField(
        choices=[("", _("I do not skip it")), *Judgment.Skip.to_choose()],
        required=False,
        label=_("Why are you skipping this?"),
        error_messages={"invalid_choice": _("Choose a reason.")},
    )

    def __init__(self, *args: Any, may_skip: bool = False, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        if not may_skip:
            del self.fields["skip_reason"]


class TimeForm(SignedForm):
    """The button that shows a text with a set time, and the time that the rater wants for it."""

    action = "set_time"

    time = forms.ChoiceField(choices=TimeChoice.choices, widget=forms.RadioSelect)

    def __init__(self, *args: Any, times: Sequence[tuple[str, str]] = (), **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        field = self.fields["time"]
        if times and isinstance(field, forms.ChoiceField):
            field.choices = times


class PageFields(forms.Form):
    """Fields that come once with a page of any number of texts: its times and its log.

    `seconds_shown` and `time_over` are of a page with a set time: the seconds since its text was shown, and whether
    the page was sent because the time was over. `finished` is of a page with a task on another site that the rater may
    call finished.
    """

    seconds_active = forms.FloatField(widget=forms.HiddenInput, required=False, min_value=0, max_value=LONGEST_SITTING)
    seconds_elapsed = forms.FloatField(widget=forms.HiddenInput, required=False, min_value=0, max_value=LONGEST_SITTING)
    log = forms.CharField(widget=forms.HiddenInput, required=False, max_length=LONGEST_LOG)
    seconds_shown = forms.FloatField(widget=forms.HiddenInput, required=False, min_value=0, max_value=LONGEST_SITTING)
    time_over = forms.BooleanField(widget=forms.HiddenInput, required=False)
    finished = forms.BooleanField(required=False, label=_("I have finished this task"))

    def __init__(self, *args: Any, is_timed: bool = False, asks_finished: bool = False, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        if not is_timed:
            del self.fields["seconds_shown"], self.fields["time_over"]
        if not asks_finished:
            del self.fields["finished"]

    def clean_log(self) -> list[Any]:
        """Read the interaction log; one that is not a list of small events is refused."""
        text = self.cleaned_data["log"]
        if not text:
            return []
        try:
            log = json.loads(text)
        except (ValueError, RecursionError):
            raise forms.ValidationError(_("The log could not be read."), code="log") from None
        if not isinstance(log, list) or next(plaintext.problems_in_json(log), None):
            raise forms.ValidationError(_("The log could not be read."), code="log")
        return log


class SkipForm(SignedForm):
    """Skipping a unit, and why."""

    action = "skip"

    submission = forms.UUIDField(widget=forms.HiddenInput)
    reason = forms.ChoiceField(
        choices=Judgment.Skip.to_choose(),
        widget=forms.RadioSelect,
        label=_("Why are you skipping this?"),
        error_messages={"required": _("Choose a reason.")},
    )
    comment = forms.CharField(
        widget=forms.Textarea(attrs={"rows": 2}),
        required=False,
        max_length=LONGEST_COMMENT,
        label=_("Anything we should know? (optional)"),
        validators=[plaintext.validate_storable],
    )
