"""What study.yaml may contain beside the settings in study_settings.py: declared once, as forms.

The JSON Schema, the checks, the defaults and the tables of docs/study-file.md all come from here.
"""

from __future__ import annotations

from typing import Any

from django import forms
from django.db import models
from django.utils.translation import gettext_lazy as _

from tasks_app import designs, task_types
from tasks_app.models import Criterion, Group, Study, System, Task
from tasks_app.plaintext import validate_storable
from tasks_app.study_settings import Block
from tasks_app.studyfile.fields import (
    ItemSetField,
    KeyField,
    LanguageField,
    ListField,
    MapField,
    ObjectField,
    WordsField,
)
from tasks_app.yes_no import YesNoField

# PostgreSQL's integer.
MOST = 2_147_483_647


def _default(model: type[models.Model], name: str) -> Any:
    """Return the default that the table declares, so that it is said once."""
    field = model._meta.get_field(name)
    assert isinstance(field, models.Field)
    return field.get_default()


def _line(length: int, **options: Any) -> forms.CharField:
    return forms.CharField(max_length=length, validators=[validate_storable], **options)


class StudyBlock(Block):
    """What a study is called."""

    slug = forms.RegexField(
        r"^[a-zA-Z0-9][-a-zA-Z0-9_]*$",
        max_length=80,
        label=_("Short name in addresses and commands"),
        help_text=_("Letters, digits, hyphens and underscores; no two studies share one."),
        error_messages={"invalid": _("Use letters, digits, hyphens and underscores only.")},
    )
    title = _line(200, label=_("Title"), help_text=_("For researchers."))
    public_title = _line(200, label=_("Public title"), help_text=_("For raters. It should not say what is compared."))
    language = LanguageField(
        initial=_default(Study, "language"), label=_("Language"), help_text=_("Of the study's own texts.")
    )
    timezone = _line(
        64, initial=_default(Study, "timezone"), label=_("Time zone"), help_text=_("Such as Europe/Berlin.")
    )
    seed = forms.IntegerField(
        min_value=1,
        max_value=2**53 - 1,
        required=False,
        label=_("Seed"),
        help_text=_("Determines all random choices. Empty: chosen at random."),
    )


class SystemBlock(Block):
    """What produced outputs."""

    key = KeyField(label=_("Key"), help_text=_("As in the column “system” of the items."))
    name = _line(200, required=False, initial="", label=_("Name"), help_text=_("For results."))
    kind = forms.ChoiceField(choices=System.Kind.choices, initial=_default(System, "kind"), label=_("Kind of system"))


class CriterionBlock(Block):
    """What raters are asked about a text."""

    key = KeyField(label=_("Key"))
    name = _line(200, label=_("Name"))
    kind = forms.ChoiceField(
        choices=Criterion.Kind.choices, initial=_default(Criterion, "kind"), label=_("Kind of criterion")
    )
    definition = WordsField(required=False, initial="", label=_("Definition"), help_text=_("Can be opened by raters."))
    question = WordsField(required=False, initial="", label=_("Question"), help_text=_("Word for word as it is asked."))
    low = _line(200, required=False, initial="", label=_("Low end"), help_text=_("Words at the low end of the scale."))
    high = _line(200, required=False, initial="", label=_("High end"), help_text=_("Words at the high end."))
    labels = ListField(label=_("Steps"), help_text=_("Words for every step, from low to high."))
    anchors = MapField(label=_("Anchors"), help_text=_("Words at single points of the scale, such as 50: acceptable."))
    language = LanguageField(
        required=False, initial="", label=_("Language"), help_text=_("Where it is not the study's.")
    )
    heds = ObjectField(label=_("Datasheet"), help_text=_("Answers about this criterion for the HEDS datasheet."))


class GroupBlock(Block):
    """Raters that are treated alike."""

    key = KeyField(label=_("Key"))
    name = _line(200, required=False, initial="", label=_("Name"))
    share = forms.IntegerField(
        min_value=1,
        max_value=100,
        initial=_default(Group, "share"),
        label=_("Share"),
        help_text=_("Raters of this group in every block of the random allocation."),
    )


class TaskBlock(Block):
    """A part of the study with one task type."""

    key = KeyField(label=_("Key"))
    title = _line(200, required=False, initial="", label=_("Title"), help_text=_("For raters."))
    type = forms.ChoiceField(
        choices=lambda: [(name, str(kind.label)) for name, kind in task_types.registry.items()], label=_("Task type")
    )
    stage = forms.ChoiceField(
        choices=Task.Stage.choices,
        initial=_default(Task, "stage"),
        label=_("Stage"),
        help_text=_(
            "Screening and exit tasks are asked of everybody, so the number of judgments does not apply to them."
        ),
    )
    instructions = WordsField(
        required=False, initial="", label=_("Instructions"), help_text=_("Markdown. Empty: the type's own.")
    )
    criteria = ListField(
        keys=True, label=_("Criteria"), help_text=_("The criteria this task asks about, in this order.")
    )
    params = ObjectField(label=_("Parameters"), help_text=_("Of the task type."))
    items = ItemSetField(
        label=_("Items of this task"),
        help_text=_(
            "By columns of the items table: item, document or feature_…, each with one value or several, such as "
            "feature_domain: news. An item must have one of the values in every column. Empty: all items."
        ),
    )
    k = forms.IntegerField(
        min_value=1, max_value=10_000, initial=_default(Task, "k"), label=_("Judgments of every unit")
    )
    k_more = forms.IntegerField(
        min_value=1,
        max_value=10_000,
        required=False,
        label=_("Judgments of some units"),
        help_text=_("More than for the other units, to measure agreement on a random share of them."),
    )
    k_more_share = forms.FloatField(
        min_value=0,
        max_value=1,
        required=False,
        label=_("Share of units with that many judgments"),
        help_text=_("0 to 1."),
    )
    set_size = forms.IntegerField(
        min_value=1, max_value=10_000, initial=_default(Task, "set_size"), label=_("Units in a rater's set")
    )
    spacing = forms.IntegerField(
        min_value=0,
        max_value=10_000,
        initial=_default(Task, "spacing"),
        label=_("Spacing"),
        help_text=_("Units of one item are at least this many places apart; 0 and 1 mean no spacing."),
    )
    design = forms.ChoiceField(
        choices=lambda: [(name, str(kind.label)) for name, kind in designs.registry.items()],
        initial=_default(Task, "design"),
        label=_("Design"),
        help_text=_("Who rates what, in which order."),
    )
    design_params = ObjectField(label=_("Parameters of the design"))
    checks = ObjectField(label=_("Checks"), help_text=_("Training, exam, controls and repeats."))
    criteria_mode = forms.ChoiceField(
        choices=[
            ("together", _("all on one screen")),
            ("page", _("one after the other, with the text")),
            ("block", _("all units on one, then the next")),
            ("rater", _("one per rater")),
        ],
        initial=_default(Task, "criteria_mode"),
        label=_("How several criteria are asked"),
    )
    keep_identical = YesNoField(
        initial=_default(Task, "keep_identical"),
        label=_("Keep identical outputs apart"),
        help_text=_("Otherwise identical outputs of an item are shown once and share the rating."),
    )
    groups = ListField(keys=True, label=_("Groups"), help_text=_("The groups that get this task. None: all groups."))
    opens_after_days = forms.IntegerField(
        min_value=0, max_value=3650, required=False, label=_("Opens"), help_text=_("Days after a rater enrolled.")
    )
    closes_after_days = forms.IntegerField(
        min_value=0, max_value=3650, required=False, label=_("Closes"), help_text=_("Days after a rater enrolled.")
    )

    def clean(self) -> dict[str, Any]:
        """Refuse a task that closes before it opens."""
        cleaned = super().clean() or self.cleaned_data
        opens, closes = cleaned.get("opens_after_days"), cleaned.get("closes_after_days")
        if opens is not None and closes is not None and closes < opens:
            self.add_error("closes_after_days", _("The task would close before it opens."))
        k, k_more, share = (cleaned.get(name) for name in ("k", "k_more", "k_more_share"))
        if (k_more is None) != (share is None):
            self.add_error(
                "k_more",
                _("Give both k_more (judgments of some units) and k_more_share (their share), or neither."),
            )
        elif k_more is not None and k is not None and k_more <= k:
            self.add_error("k_more", _("k_more must be larger than k."))
        return cleaned


# The lists of study.yaml, by the section that holds them.
LISTS: dict[str, type[Block]] = {
    "systems": SystemBlock,
    "criteria": CriterionBlock,
    "groups": GroupBlock,
    "tasks": TaskBlock,
}
