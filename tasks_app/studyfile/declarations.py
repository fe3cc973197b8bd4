"""The contents of study.yaml beside the settings in study_settings.py: declared once, as forms.

The JSON Schema, the checks, the defaults and the tables of docs/study-file.md all come from here.
"""

from typing import Any

from django import forms
from django.db import models
from django.utils.translation import gettext_lazy as _

from tasks_app import designs, task_types
from tasks_app.models import Criterion, Group, Study, System, Task
from tasks_app.settings.fields import (
    YesNoField,
    added_later,
    choice_field,
    line_field,
    naming,
    number_field,
    whole_field,
)
from tasks_app.settings.study import Block
from tasks_app.studyfile.fields import (
    AttributesField,
    ItemSetField,
    KeyField,
    LanguageField,
    ListField,
    MapField,
    NameField,
    ObjectField,
    WordsField,
)
from tasks_app.task_types.data import FIRST_WORDING
from tasks_app.task_types.list_fields import EntriesField, Entry, LabelField

# The most wordings of a question that are added to its own words.
MOST_WORDINGS = 3


def _default(model: type[models.Model], name: str) -> Any:
    """Return the default that the table declares, so that it is said once."""
    field = model._meta.get_field(name)
    assert isinstance(field, models.Field)
    return field.get_default()


class StudyBlock(Block):
    """The names of a study."""

    slug = forms.RegexField(
        r"^[a-zA-Z0-9][-a-zA-Z0-9_]*$",
        max_length=80,
        label=_("Short name in addresses and commands"),
        help_text=_("Letters, digits, hyphens and underscores; no two studies share one."),
        error_messages={"invalid": _("Use letters, digits, hyphens and underscores only.")},
    )
    title = line_field(_("Title"), _("For researchers."), length=200, required=True)
    public_title = line_field(
        _("Public title"), _("Shown to raters. Do not say what is compared."), length=200, required=True
    )
    language = LanguageField(
        initial=_default(Study, "language"), label=_("Language"), help_text=_("Language of the texts of this study.")
    )
    timezone = line_field(
        _("Time zone"), _("Such as Europe/Berlin."), length=64, required=True, initial=_default(Study, "timezone")
    )
    seed = whole_field(
        _("Seed"), _("Determines all random choices. Leave empty to have it chosen at random."), within=(1, 2**53 - 1)
    )


class SystemBlock(Block):
    """The producer of outputs."""

    key = NameField(label=_("Key"), help_text=_("As in the column “system” of the items."))
    name = line_field(_("Name"), _("For results. Leave empty to use the key."), length=200)
    kind = choice_field(_("Kind of system"), System.Kind.choices, initial=_default(System, "kind"))
    attributes = AttributesField(
        label=_("Attributes"),
        help_text=_(
            "What is known of the system, such as size: 7B. Results can be split by system_size, and by system_kind."
        ),
    )


class WordingEntry(Entry):
    """Other words for a question, which a random share of the raters reads."""

    key = LabelField(
        label=_("Short name"),
        help_text=_("For results, such as negative. Raters never see it. The question's own words are called first."),
    )
    question = line_field(_("Question"), _("Leave empty to ask the same question."), length=2_000)
    definition = line_field(_("Definition"), _("Leave empty for that of the question."), length=2_000)
    low = line_field(_("Low end"), _("Words at the low end of the scale: for the worst texts."), length=200)
    high = line_field(_("High end"), _("Words at the high end: for the best texts."), length=200)
    labels = ListField(label=_("Steps"), help_text=_("Words for every step, from low to high."))
    anchors = MapField(label=_("Anchors"), help_text=_("Words at single points of the scale, such as 50: acceptable."))
    reversed = YesNoField(
        label=_("Reverse the scale on the screen"),
        help_text=_(
            "The high end stands first. Answers are stored and analysed on the scale of the question, from low to high."
        ),
    )
    shown_first = line_field(
        _("Shown above the question"), _("Such as an anchor: “A text like this one got 4 of 7.”"), length=2_000
    )
    example = line_field(_("Example below the question"), _("Such as a text and the step that fits it."), length=2_000)

    class Settings(Block):
        def clean_key(self) -> str:
            """Refuse the name of the question's own words."""
            key: str = self.cleaned_data["key"]
            if key == FIRST_WORDING:
                raise forms.ValidationError(
                    _("“%(key)s” is the name of the question's own words. Choose another.") % {"key": key}
                )
            return key


class WordingsField(EntriesField[WordingEntry]):
    """The wordings of a question beside its own words."""

    def __init__(self) -> None:
        super().__init__(
            WordingEntry,
            label=_("Wordings"),
            help_text=_(
                "For an experiment with the wording: each rater reads the question in one of its wordings, drawn at "
                "random and balanced. Up to three beside the question's own words. What you leave empty is as in the "
                "question."
            ),
        )

    def to_python(self, value: Any) -> Any:
        """Return the wordings; more than an experiment has room for are refused."""
        wordings = super().to_python(value)
        if len(wordings) > MOST_WORDINGS:
            raise forms.ValidationError(
                _("A question has at most %(n)d wordings beside its own words.") % {"n": MOST_WORDINGS}
            )
        return wordings


class CriterionBlock(Block):
    """A question to raters about a text."""

    key = KeyField(label=_("Key"))
    name = line_field(_("Name"), length=200, required=True)
    kind = choice_field(_("Kind of criterion"), Criterion.Kind.choices, initial=_default(Criterion, "kind"))
    definition = WordsField(
        required=False,
        initial="",
        label=_("Definition"),
        help_text=_("Raters read it below the question. Leave empty to show none."),
    )
    question = WordsField(
        required=False,
        initial="",
        label=_("Question"),
        help_text=_("Word for word as it is asked. If it is empty, raters read the name instead."),
    )
    low = line_field(_("Low end"), _("Words at the low end of the scale. Leave empty to show none."), length=200)
    high = line_field(_("High end"), _("Words at the high end. Leave empty to show none."), length=200)
    labels = ListField(label=_("Steps"), help_text=_("Words for every step, from low to high."))
    anchors = MapField(
        label=_("Anchors"),
        help_text=_("Words at single points of the scale, such as 50: acceptable. Leave empty to show none."),
    )
    wordings = added_later(WordingsField())
    language = LanguageField(
        required=False, initial="", label=_("Language"), help_text=_("Leave empty if it is the study's.")
    )
    heds = ObjectField(label=_("Datasheet"), help_text=_("Answers about this criterion for the HEDS datasheet."))


class GroupBlock(Block):
    """Raters that are treated alike."""

    key = KeyField(label=_("Key"))
    name = line_field(_("Name"), length=200)
    share = whole_field(
        _("Share"),
        _("Raters of this group in every block of the random allocation."),
        within=(1, 100),
        initial=_default(Group, "share"),
    )


class TaskBlock(Block):
    """A part of the study with one task type."""

    key = KeyField(label=_("Key"))
    title = line_field(_("Title"), _("For raters."), length=200)
    type = forms.ChoiceField(
        choices=lambda: [(name, str(kind.label)) for name, kind in task_types.registry.items()], label=_("Task type")
    )
    stage = choice_field(
        _("Stage"),
        Task.Stage.choices,
        _("Screening and exit tasks are asked of everybody, so the number of judgments does not apply to them."),
        initial=_default(Task, "stage"),
    )
    instructions = WordsField(
        required=False,
        initial="",
        label=_("Instructions"),
        help_text=_("Written in Markdown. Leave empty for those of the task type."),
    )
    criteria = naming(
        ListField(keys=True, label=_("Questions"), help_text=_("The questions that this task asks, in this order.")),
        "criteria",
    )
    params = ObjectField(label=_("Parameters"), help_text=_("Of the task type."))
    items = ItemSetField(
        label=_("Items of this task"),
        help_text=_(
            "By columns of the items table: item, document or feature_…, each with one value or several, such as "
            "feature_domain: news. An item must have one of the values in every column. Leave empty for all items."
        ),
    )
    k = whole_field(_("Judgments of every unit"), within=(1, 10_000), initial=_default(Task, "k"))
    k_more = whole_field(
        _("Judgments of some units"),
        _(
            "More than for the other units, to measure agreement on a random share of them. Leave empty to judge all "
            "units equally often."
        ),
        within=(1, 10_000),
    )
    k_more_share = number_field(
        _("Share of units with that many judgments"),
        _("0 to 1. Leave empty if all units are judged equally often."),
        within=(0, 1),
    )
    set_size = whole_field(_("Units in a rater's set"), within=(1, 10_000), initial=_default(Task, "set_size"))
    spacing = whole_field(
        _("Spacing"),
        _("Units of one item are at least this many places apart; 0 and 1 mean no spacing."),
        within=(0, 10_000),
        initial=_default(Task, "spacing"),
    )
    design = choice_field(
        _("Design"),
        lambda: [(name, str(kind.label)) for name, kind in designs.registry.items()],
        _("Who rates what, in which order."),
        initial=_default(Task, "design"),
    )
    design_params = ObjectField(label=_("Parameters of the design"))
    checks = ObjectField(label=_("Checks"), help_text=_("Training, exam, controls and repeats."))
    criteria_mode = choice_field(
        _("How several criteria are asked"),
        [
            ("together", _("all on one screen")),
            ("page", _("one after the other, with the text")),
            ("block", _("all units on one, then the next")),
            ("rater", _("one per rater")),
        ],
        initial=_default(Task, "criteria_mode"),
    )
    keep_identical = YesNoField(
        initial=_default(Task, "keep_identical"),
        label=_("Keep identical outputs apart"),
        help_text=_("Otherwise identical outputs of an item are shown once and share the rating."),
    )
    groups = naming(
        ListField(
            keys=True,
            label=_("Groups"),
            help_text=_("The groups that get this task. Leave empty to give it to all groups."),
        ),
        "groups",
    )
    opens_after_days = whole_field(
        _("Opens"), _("Days after a rater enrolled. Leave empty to open it at once."), within=(0, 3650)
    )
    closes_after_days = whole_field(
        _("Closes"), _("Days after a rater enrolled. Leave empty to keep it open."), within=(0, 3650)
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
