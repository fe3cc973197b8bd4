"""The tables of this app: fields, constraints, small properties."""

from tasks_app.models.coding import Code, Codebook, CodedAnswer, Coder
from tasks_app.models.colleagues import ColleagueInvitation
from tasks_app.models.collected import CollectedText, OwnUnit
from tasks_app.models.comments import Comment, CommentLink
from tasks_app.models.deleted import DeletedLink, DeletedStudy, KeptPayment
from tasks_app.models.imports import ImportMapping
from tasks_app.models.items import (
    Document,
    Gold,
    Item,
    ItemMedia,
    Media,
    Output,
    OutputKind,
    Part,
    PartOutput,
    Prefill,
    System,
    Unit,
    output_in_words,
)
from tasks_app.models.judgments import Assignment, ControlResult, Draft, Erasure, Judgment, Rating, is_current
from tasks_app.models.personal import PersonalText
from tasks_app.models.plan import Booklet, Extension, GroupBlock, Place
from tasks_app.models.project import Project, ProjectStep, ProjectWork
from tasks_app.models.raters import (
    Consent,
    DailySalt,
    EnrolmentCount,
    Identity,
    Invitation,
    Outbox,
    Payment,
    Rater,
    RaterSet,
)
from tasks_app.models.setup import Setup, SetupChange, SetupRow, SetupWork
from tasks_app.models.study import (
    ConsentText,
    Criterion,
    Event,
    Group,
    Membership,
    Study,
    Task,
    TaskCriterion,
    TaskGroup,
    Version,
)
from tasks_app.models.tokens import ApiToken, Idempotency
from tasks_app.models.usual import UsualSettings

__all__ = [
    "ApiToken",
    "Assignment",
    "Booklet",
    "Code",
    "Codebook",
    "CodedAnswer",
    "Coder",
    "ColleagueInvitation",
    "CollectedText",
    "Comment",
    "CommentLink",
    "Consent",
    "ConsentText",
    "ControlResult",
    "Criterion",
    "DailySalt",
    "DeletedLink",
    "DeletedStudy",
    "Document",
    "Draft",
    "EnrolmentCount",
    "Erasure",
    "Event",
    "Extension",
    "Gold",
    "Group",
    "GroupBlock",
    "Idempotency",
    "Identity",
    "ImportMapping",
    "Invitation",
    "Item",
    "ItemMedia",
    "Judgment",
    "KeptPayment",
    "Media",
    "Membership",
    "Outbox",
    "Output",
    "OutputKind",
    "OwnUnit",
    "Part",
    "PartOutput",
    "Payment",
    "PersonalText",
    "Place",
    "Prefill",
    "Project",
    "ProjectStep",
    "ProjectWork",
    "Rater",
    "RaterSet",
    "Rating",
    "Setup",
    "SetupChange",
    "SetupRow",
    "SetupWork",
    "Study",
    "System",
    "Task",
    "TaskCriterion",
    "TaskGroup",
    "Unit",
    "UsualSettings",
    "Version",
    "is_current",
    "output_in_words",
]
