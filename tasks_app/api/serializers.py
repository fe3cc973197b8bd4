"""The answers about studies and judgments: a serializer renders each, and the schema and its examples follow from it.

`initial` is the value of a field in the example of an answer. Fields stand in the order of the answer.
"""

from datetime import UTC, datetime
from operator import attrgetter
from typing import Any

from drf_spectacular.utils import extend_schema_field
from rest_framework import serializers
from rest_framework.reverse import reverse
from rest_framework.serializers import CharField, ChoiceField, DateTimeField, DictField, FloatField, IntegerField

from tasks_app.api.pages import Page, PageParams
from tasks_app.models import Assignment, Correction, Judgment, Membership, Study, System
from tasks_app.selectors import progress
from tasks_app.selectors import studies as reads
from tasks_app.services.study.correcting import corrections_of
from tasks_app.services.study.withdrawing import withdrawals_of

Fields = serializers.Serializer[Any]

EXAMPLES = "https://eval.example.org/api/v1/"


def example_of(entry: Fields | type[Fields]) -> dict[str, Any]:
    """Return the example of an answer."""
    fields = (entry() if isinstance(entry, type) else entry).fields
    return {name: _example_of_field(field) for name, field in fields.items()}


def _example_of_field(field: Any) -> Any:
    if isinstance(field, serializers.ListSerializer):
        return [_example_of_field(field.child)]
    if isinstance(field, serializers.Serializer):
        return example_of(field)
    return field.to_representation(field.initial) if isinstance(field.initial, datetime) else field.initial


class AddressField(serializers.URLField):
    """The address of a view with arguments that are attributes of the answer."""

    def __init__(self, view: str, *arguments: str, **about: Any) -> None:
        super().__init__(source="*", **about)
        self.view, self.arguments = view, arguments

    def to_representation(self, value: object) -> str:
        """Return the address."""
        arguments = [attrgetter(name)(value) for name in self.arguments]
        return reverse(self.view, args=arguments, request=self.context["request"])


class RoleField(ChoiceField):
    """The role in a study, by its id, of the person who asks."""

    def to_representation(self, value: Any) -> Any:
        """Return the role; None for a superuser from outside."""
        return self.context["roles"].get(value.pk)


class SkipField(ChoiceField):
    """The reason why a judgment was skipped."""

    def to_representation(self, value: Any) -> Any:
        """Return the reason; None for an answer."""
        return value or None


class CriterionKeyField(CharField):
    """The key of a criterion that a task asks."""

    def to_representation(self, value: Any) -> str:
        """Return the key."""
        return str(value.criterion.key)


class NameParams(Fields):
    """Tasks and raters to choose from a listing."""

    task = serializers.ListField(
        child=CharField(), required=False, help_text="Key of a task; may be given several times."
    )
    rater = serializers.ListField(
        child=CharField(), required=False, help_text="Pseudonym of a rater; may be given several times."
    )


class JudgmentParams(PageParams, NameParams):
    """Parameters of the listing of judgments."""

    since = DateTimeField(required=False, help_text="Only what was stored at this time or later.")


class StudyParams(PageParams):
    """Parameters of the listing of studies."""

    state = ChoiceField(Study.State.choices, required=False, help_text="Only studies in this state.")
    project = CharField(required=False, help_text="Only studies of the project with this slug.")


class StudyEntry(Fields):
    """A study in a listing."""

    slug = CharField(initial="summaries-2026", help_text="Its name in addresses.")
    title = CharField(initial="Summaries, three systems", help_text="What its researchers call it.")
    public_title = CharField(initial="Reading short texts", help_text="What raters read.")
    state = ChoiceField(Study.State.choices, initial="closed", help_text="draft, open, paused or closed.")
    project = CharField(
        source="project.slug",
        initial="summaries",
        allow_null=True,
        help_text="Slug of the project that it belongs to; null for none.",
    )
    language = CharField(initial="en", help_text="Language tag of its texts.")
    timezone = CharField(initial="Europe/Madrid", help_text="Time zone it takes place in.")
    created_at = DateTimeField(initial=datetime(2026, 3, 2, 8, 0, tzinfo=UTC), help_text="When it was made.")
    opened_at = DateTimeField(
        initial=datetime(2026, 3, 9, 8, 0, tzinfo=UTC), allow_null=True, help_text="When it was first opened."
    )
    closed_at = DateTimeField(
        initial=datetime(2026, 3, 20, 17, 30, tzinfo=UTC), allow_null=True, help_text="When it was last closed."
    )
    version = IntegerField(
        source="current_version", initial=1, help_text="Its current version; 0 before it was opened."
    )
    role = RoleField(
        Membership.Role.choices,
        source="*",
        initial="owner",
        allow_null=True,
        help_text="What you may do in it; null for a superuser from outside.",
    )
    url = AddressField("api:study", "slug", initial=f"{EXAMPLES}studies/summaries-2026/", help_text="Its own address.")


class TaskEntry(Fields):
    """A task."""

    key = CharField(initial="main", help_text="Its name in files.")
    title = CharField(initial="Fluency", help_text="What raters read as its title.")
    instructions = CharField(
        source="current_instructions",
        initial="Read each text once.",
        help_text="Its instructions in Markdown, as raters read them now; empty where they are those of the task type.",
    )
    type = CharField(initial="likert", help_text="Its task type, such as likert.")
    params = DictField(initial={"points": 5}, help_text="Parameters of the task type that differ from its defaults.")
    design = CharField(initial="independent", help_text="How booklets are drawn.")
    k = IntegerField(initial=3, help_text="Judgments wanted for each unit.")
    set_size = IntegerField(initial=20, help_text="Units one rater takes at a time.")
    criteria = serializers.ListField(
        source="task_criteria.all",
        child=CriterionKeyField(),
        initial=["fluency"],
        help_text="Keys of its criteria, in order.",
    )


class CriterionEntry(Fields):
    """A criterion, adjective pair or question."""

    key = CharField(initial="fluency", help_text="Its name in files.")
    kind = CharField(initial="criterion", help_text="criterion, pair or question.")
    name = CharField(initial="Fluency", help_text="What raters read as its name.")
    definition = CharField(
        source="current_definition",
        initial="Grammar and choice of words.",
        help_text="What it means, as raters read it now.",
    )
    question = CharField(initial="How well does it read?", help_text="The question as it is asked.")
    ends = DictField(
        initial={"low": "Badly", "high": "Well"},
        help_text="Words at the ends and steps of the scale: low, high, labels, anchors.",
    )


class CorrectionEntry(Fields):
    """A typo that was corrected while the study was open."""

    kind = ChoiceField(
        Correction.Kind.choices, initial="help", help_text="What it is: instructions, help, contact or complaints."
    )
    keys = serializers.ListField(
        child=CharField(), initial=["fluency"], help_text="Key of its task, or of the criteria that have the text."
    )
    before = CharField(initial="Grammer and choice of words.", help_text="The text before.")
    after = CharField(initial="Grammar and choice of words.", help_text="The text that raters have read since.")
    reason = CharField(initial="A misspelt word.", help_text="Why it was corrected.")
    by = CharField(initial="rosa", help_text="User name of the person who corrected it; empty for a deleted account.")
    at = DateTimeField(initial=datetime(2026, 3, 10, 9, 30, tzinfo=UTC), help_text="When it was corrected.")


class WithdrawalEntry(Fields):
    """A text that is withdrawn, or was for some time."""

    item = CharField(source="item.key", initial="i7", help_text="Key of the item.")
    system = CharField(
        source="output.system.key",
        initial="north",
        allow_null=True,
        default=None,
        help_text="Key of the system of the output; null where the item is withdrawn with all its outputs.",
    )
    variant = CharField(
        source="output.variant",
        initial="",
        allow_null=True,
        default=None,
        help_text="Variant of the output; null where the item is withdrawn with all its outputs.",
    )
    reason = CharField(initial="The output is of another item.", help_text="Why it was withdrawn.")
    by = CharField(
        source="by.username",
        initial="rosa",
        allow_null=True,
        default=None,
        help_text="User name of the person who withdrew it; null for a deleted account.",
    )
    at = DateTimeField(initial=datetime(2026, 3, 10, 9, 30, tzinfo=UTC), help_text="When it was withdrawn.")
    taken_back_at = DateTimeField(initial=None, allow_null=True, help_text="When this was taken back; null if not.")


class SystemEntry(Fields):
    """A system."""

    key = CharField(initial="north", help_text="Its name in files.")
    name = CharField(initial="", help_text="What people call it; may be empty.")
    kind = ChoiceField(
        System.Kind.choices, initial="machine", help_text="machine, human, reference, source or degraded."
    )
    attributes = DictField(
        child=CharField(),
        initial={"size": "7B"},
        help_text="What is known of it, as words by name; results can be split by them, as by system_size.",
    )


class Counts(Fields):
    """The numbers of a study's items, texts, raters and judgments."""

    items = IntegerField(initial=100, help_text="Items that are evaluated; those with known answers check raters.")
    outputs = IntegerField(initial=200, help_text="Outputs of these items.")
    units = IntegerField(initial=200, help_text="Units of all tasks.")
    places = IntegerField(initial=600, help_text="Judgments that are wanted.")
    answered = IntegerField(initial=600, help_text="Places with an answer.")
    raters = IntegerField(initial=31, help_text="Raters, whatever became of them.")
    judgments = IntegerField(initial=604, help_text="Judgments stored, revised ones included.")

    def to_representation(self, study: Study) -> dict[str, Any]:
        """Count the items, outputs and units of a study, and its progress."""
        contents = reads.contents(study)
        done: Any = reads.with_progress(Study.objects.filter(pk=study.pk)).get()  # columns that the query adds
        return super().to_representation(
            {
                "items": contents.items,
                "outputs": contents.outputs,
                "units": contents.units,
                "places": done.places,
                "answered": done.answered,
                "raters": done.n_raters,
                "judgments": progress.count_judgments(study),
            }
        )


class ExtensionEntry(Fields):
    """Places that were added to the plan of a task while the study was open."""

    number = IntegerField(initial=1, help_text="How-manieth extension of the study this is.")
    task = CharField(source="task.key", initial="main", help_text="Key of the task.")
    judgments = IntegerField(initial=1, help_text="Judgments asked for more for each unit.")
    raters = IntegerField(initial=0, help_text="Raters asked for on top.")
    sets = IntegerField(initial=10, help_text="Sets that were added.")
    places = IntegerField(initial=200, help_text="Places that were added; they count among the places of the study.")
    at = DateTimeField(initial=datetime(2026, 3, 12, 9, 0, tzinfo=UTC), help_text="When they were added.")


class StudyDetail(StudyEntry):
    """A study with its tasks, criteria, systems and corrections."""

    tasks = TaskEntry(many=True, help_text="Its tasks, in order.")
    criteria = CriterionEntry(many=True, help_text="What raters are asked.")
    systems = SystemEntry(many=True, help_text="What produced the outputs; systems of checks are left out.")
    corrections = serializers.SerializerMethodField(help_text="Texts that were corrected while the study was open.")
    withdrawals = serializers.SerializerMethodField(help_text="Texts that are withdrawn, or were for some time.")
    counts = Counts(source="*", help_text="How much there is of everything.")
    extensions = ExtensionEntry(many=True, help_text="What was added to the plan while the study was open.")

    @extend_schema_field(WithdrawalEntry(many=True))
    def get_withdrawals(self, study: Study) -> list[dict[str, Any]]:
        """Return the withdrawals of the study, the first one first."""
        return list(WithdrawalEntry(withdrawals_of(study), many=True).data)

    @extend_schema_field(CorrectionEntry(many=True))
    def get_corrections(self, study: Study) -> list[dict[str, Any]]:
        """Return the corrections of the study, the first one first."""
        return list(CorrectionEntry(corrections_of(study), many=True).data)


class JudgmentEntry(Fields):
    """A judgment: the answer to one assignment, as given."""

    judgment = IntegerField(source="pk", initial=1204, help_text="Its number.")
    task = CharField(source="assignment.unit.task.key", initial="main", help_text="Key of the task.")
    unit = CharField(source="assignment.unit.key", initial="i7/north", help_text="Key of the unit.")
    rater = CharField(source="assignment.rater.pseudonym", initial="r-k3m9xq2", help_text="Pseudonym of the rater.")
    purpose = ChoiceField(
        Assignment.Purpose.choices,
        source="assignment.purpose",
        initial="main",
        help_text="Only main judgments enter results.",
    )
    state = ChoiceField(
        Assignment.State.choices,
        source="assignment.state",
        initial="submitted",
        help_text="submitted, surplus or skipped.",
    )
    wave = IntegerField(source="assignment.wave", initial=1, help_text="Wave of a study with several.")
    arrangement = DictField(
        source="assignment.arrangement",
        initial={"parts": [0], "criteria": ["fluency"]},
        help_text="What was drawn for the screen: order of texts and of criteria.",
    )
    position = IntegerField(
        source="assignment.order", initial=12, help_text="Position of the unit in the rater's sequence, from 1."
    )
    skip_reason = SkipField(
        Judgment.Skip.choices, initial=None, allow_null=True, help_text="Why it was skipped; null for an answer."
    )
    answer = DictField(
        initial={"p1-fluency": 4}, help_text="What the form held, by the names of its fields on the screen."
    )
    comment = CharField(initial="", help_text="What the rater wrote in the comment box.")
    seconds_active = FloatField(initial=8.4, allow_null=True, help_text="Seconds the page was in use.")
    seconds_elapsed = FloatField(initial=9.1, allow_null=True, help_text="Seconds from showing to sending.")
    timing = DictField(
        initial=None, allow_null=True, help_text="What became of the set time of the text; null where none was set."
    )
    elsewhere = DictField(
        initial=None, allow_null=True, help_text="What another site reported of the task; null where none was opened."
    )
    version = IntegerField(initial=1, help_text="Version of the study that was judged.")
    submitted_at = DateTimeField(
        initial=datetime(2026, 3, 10, 9, 14, 3, 120000, tzinfo=UTC), help_text="When it was stored."
    )


class StudyPage(Page):
    """A page of studies."""

    results = StudyEntry(many=True, help_text="Studies, the newest first.")


class JudgmentPage(Page):
    """A page of judgments."""

    results = JudgmentEntry(many=True, help_text="Judgments, the oldest first.")
