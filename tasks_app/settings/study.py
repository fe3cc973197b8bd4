"""The settings of a study, declared once.

Each class below is one block of `Study.settings`, one section of the study file (its JSON Schema comes from the
fields) and one part of the set-up page. `StudySettings` has the checked values of all blocks.
"""

import json
from collections.abc import Mapping
from functools import lru_cache
from types import MappingProxyType, new_class
from typing import Any, ClassVar, Self, TypeVar, cast

from django import forms
from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _

from tasks_app.settings.fields import (
    DayField,
    PatternField,
    YesNoField,
    line_field,
    money_field,
    number_field,
    whole_field,
)
from tasks_app.settings.workload import Workload
from tasks_app.texts.findings import TextFinding

# Blocks that no study file holds: the counted work of a rater, what was noticed in the texts, the mark of a template,
# and the texts corrected while raters read them (services/study/correcting.py).
TEMPLATE, CORRECTED = "template", "corrected"
BESIDE_THE_FILE = frozenset({"workload", "texts", TEMPLATE, CORRECTED})

# The settings that say to whom raters can write; they can be corrected while a study is open.
CONTACTS = ("contact", "complaints")

AnyForm = TypeVar("AnyForm", bound=forms.Form)


class _Shared(dict[str, forms.Field]):
    """Fields that every instance of a form uses as they are, where Django would copy each of them."""

    def __deepcopy__(self, _memo: object) -> Self:
        return self


@lru_cache(maxsize=1000)
def _sharing(form: type[forms.Form], fields: tuple[tuple[str, forms.Field], ...]) -> type[forms.Form]:
    """Return a subclass of a form, with fields that all of its instances share.

    Copying the fields takes more time than reading the values.
    """
    about = {"__module__": form.__module__, "__doc__": form.__doc__}
    sharing: type[forms.Form] = new_class(form.__name__, (form,), exec_body=lambda namespace: namespace.update(about))
    sharing.base_fields = _Shared(fields)
    return sharing


def with_defaults(form: type[AnyForm], given: Mapping[str, object]) -> AnyForm:
    """Return a form bound to the given values, and to the initial value of every other field.

    It is for reading values: its fields are those of all such forms, so nothing of them may be changed.
    """
    values = {**{name: field.initial for name, field in form.base_fields.items()}, **given}
    return cast("AnyForm", _sharing(form, tuple(form.base_fields.items()))(values))


class Block(forms.Form):
    """A block of settings; unknown names are refused, defaults are the fields' own."""

    # The noun by which messages call one of the block's fields.
    called: ClassVar[str] = "setting"

    @classmethod
    def read(cls, given: Mapping[str, object]) -> dict[str, Any]:
        """Fill in defaults and check values.

        Raises
        ------
        ValueError
            With every problem, one a line, as `name: what is wrong`.
        """
        form = with_defaults(cls, given)
        problems = [f"{name}: unknown {cls.called}" for name in given if name not in cls.base_fields]
        if not form.is_valid():
            problems += [f"{name}: {' '.join(map(str, errors))}" for name, errors in form.errors.items()]
        if problems:
            raise ValueError("\n".join(problems))
        return dict(form.cleaned_data)


class Declared:
    """Something that is made with settings: its class declares each of them once, as a form field.

    `class Iqr(Declared): factor = number_field("Width", within=(0.1, 100), initial=1.5)` declares a setting. From the
    field follow the form `Iqr.Settings` with its label, help, limits and default, the JSON Schema of the study file,
    the messages about values that are refused, and the tables of the docs. `Iqr({"factor": 2}).factor` is the checked
    value, and mypy knows that it is a float. Inherited settings come first. A class that gives an inherited setting a
    value of its own instead of a field fixes it: it is no setting there. What one field cannot say of another, a nested
    form `Settings(Block)` with nothing but `clean` methods says; its docstring describes the settings in the schema.
    """

    # The form of the settings; made from the fields that the class and its bases declare.
    Settings: ClassVar[type[Block]] = Block

    # Django's templates call what can be called: a page that lists classes would make one of each, without settings.
    do_not_call_in_templates: ClassVar[bool] = True

    def __init_subclass__(cls, **options: Any) -> None:
        """Make the form of the settings, unless the class says no more about them than its only base does.

        Raises TypeError where two bases declare different settings of one name.
        """
        super().__init_subclass__(**options)
        for base in cls.__bases__:
            for name, value in base.Settings.base_fields.items() if issubclass(base, Declared) else ():
                if name not in vars(cls) and getattr(cls, name) is not value:
                    raise TypeError(f"{cls.__name__} inherits two settings {name!r}: one would take the other's place.")
        forms_of_bases = dict.fromkeys(base.Settings for base in cls.__bases__ if issubclass(base, Declared))
        bases = [form for form in forms_of_bases if sum(issubclass(other, form) for other in forms_of_bases) == 1]
        own = vars(cls).get("Settings")
        inherited = {name for base in bases for name in base.base_fields}
        declared: dict[str, object] = {
            # None is Django's way to take an inherited field out of a form.
            name: value if isinstance(value, forms.Field) else None
            for name, value in vars(cls).items()
            if isinstance(value, forms.Field) or name in inherited
        }
        if declared or own is not None or len(bases) > 1:
            described = {"__module__": cls.__module__, "__qualname__": f"{cls.__qualname__}.Settings"}
            # Of several bases, each with settings of its own, the form inherits from all.
            parents = (*([own] if own is not None else ()), *bases)
            cls.Settings = type("Settings", parents, {**declared, **described, "__doc__": own and own.__doc__})

    def __init__(self, given: Mapping[str, object] | None = None) -> None:
        """Fill in defaults and check the settings.

        Raises
        ------
        ValueError
            With every problem, one a line, where a value is refused or a name unknown.
        """
        self._hold(self.Settings.read(given or {}))

    @classmethod
    def of_checked(cls, values: Mapping[str, Any]) -> Self:
        """Return an instance with values that its form has checked."""
        made = cls.__new__(cls)
        made._hold(values)
        return made

    def _hold(self, values: Mapping[str, Any]) -> None:
        for name, value in values.items():
            entry = getattr(self.Settings.base_fields.get(name), "made_of", None)
            self.__dict__[name] = value if entry is None else [entry.of_checked(inner) for inner in value]

    def by_name(self) -> dict[str, Any]:
        """Return the checked settings by their names, as they are stored: entries of lists by names, too."""
        values = {name: getattr(self, name) for name in self.Settings.base_fields}
        lists = {name for name, field in self.Settings.base_fields.items() if hasattr(field, "made_of")}
        return values | {name: [entry.by_name() for entry in values[name]] for name in lists}

    def __setattr__(self, name: str, value: object) -> None:
        raise AttributeError(f"Settings are given when {type(self).__name__} is made; {name} cannot be changed.")


class SettingsBlock(Declared):
    """A block of settings that is a section of the study file, which the first line of its docstring describes."""

    def __init_subclass__(cls, **options: Any) -> None:
        super().__init_subclass__(**options)
        if cls.Settings.__qualname__ == f"{cls.__qualname__}.Settings":
            cls.Settings.__doc__ = cls.__doc__


class About(SettingsBlock):
    """The people who run the study, and the use of the answers: shown with the consent and under help."""

    institution = line_field(_("Who runs this study"), _("Name of the group and the institution."))
    contact = line_field(_("Contact"), _("An address raters can write to."))
    complaints = line_field(_("Complaints"), _("An address outside the team, such as that of the ethics board."))
    ethics = line_field(_("Ethics reference"), _("Number of the approval. Leave empty to show none."))
    stored = line_field(
        _("What is stored"), _("Leave empty to name answers and the time they took, under a made-up name."), length=1000
    )
    kept = line_field(_("How long it is kept"), length=300)
    published = line_field(_("What is published"), length=1000)
    withdraw_until = DayField(
        required=False, label=_("Last day to withdraw"), help_text=_("Leave empty to set no last day.")
    )
    identities_days = whole_field(
        _("Days for which platform ids are kept"),
        _(
            "Counted from the end of a rater's participation. Pay raters first: the payment files need the ids. "
            "Leave empty to keep them until somebody removes them."
        ),
        within=(0, 3650),
    )


class Pay(SettingsBlock):
    """The pay of a rater for a set, and the time it should take."""

    minutes = number_field(
        _("Expected minutes for a set"),
        _("Leave empty to have it estimated from the screens, texts and answers of a set."),
        within=(0.1, 10_000),
    )
    amount = money_field(
        _("Pay for a full set"), _("For all tasks, including later waves; a shorter set is paid in proportion.")
    )
    currency = PatternField(r"^[A-Z]{3}$", initial="EUR", label=_("Currency"), help_text=_("Such as EUR or GBP."))
    part_amount = money_field(_("Pay for raters who are screened out or fail the exam"))
    part_by_time = YesNoField(
        label=_("Pay raters who are screened out or fail the exam for their time if that is more"),
        help_text=_("In proportion to the expected minutes, at most the pay for a full set."),
    )
    minimum_hourly = money_field(
        _("Minimum pay per hour"), _("Pages warn if the pay per hour is lower. 0: no minimum.")
    )
    bonus = line_field(
        _("Bonus"),
        _(
            "Who gets a bonus, and for what. Raters see it above the consent, so it is a promise. Leave empty for "
            "no bonus."
        ),
        length=500,
    )
    accepted_bonus = money_field(
        _("Bonus for each accepted text"),
        _(
            "For texts that raters write here and others verify in another study. Raters see it above the consent. "
            "0: none."
        ),
    )
    paid = line_field(_("When and how raters are paid"), _("Such as: within a week, through Prolific."))


class Flow(SettingsBlock):
    """The path of raters through the study."""

    lease_minutes = number_field(
        _("Lease in minutes"),
        _(
            "After this time without activity, other raters may take the rater's units. Until a rater's first answer "
            "the lease is at most 10 minutes, except for invited people."
        ),
        within=(0.05, 43_200),
        initial=30,
    )
    sets_per_rater = whole_field(_("Maximum sets per rater"), within=(1, 1000), initial=1)
    texts_per_rater = whole_field(
        _("Maximum texts per rater"),
        _("In all tasks together, checks left aside. Leave empty for no limit."),
        within=(1, 100_000),
    )
    enrolments_per_address = whole_field(
        _("Raters per address and day"),
        _("Raise it for a laboratory whose computers share an address."),
        within=(1, 1_000_000),
        initial=50,
    )
    break_after_minutes = whole_field(_("Suggest a break after minutes"), within=(1, 600), initial=20)
    opens_hour = whole_field(
        _("Hour at which later tasks open"),
        _("In the study's time zone, on the day the task opens."),
        within=(0, 23),
        initial=8,
    )
    wave_lease_days = number_field(
        _("Days that later tasks are kept for a rater"),
        _("From their opening, for tasks without a closing day."),
        within=(0.01, 3650),
        initial=7,
    )
    wave_codes = line_field(
        _("Codes of the waves"),
        _(
            "For platforms that pay each wave as a study of its own: a code for every wave but the last, "
            "separated by commas."
        ),
    )
    block_factor = whole_field(
        _("Size of the blocks in which groups are drawn"),
        _("Each block contains every group this many times its share, in random order."),
        within=(1, 100),
        initial=2,
    )
    allow_skip = YesNoField(initial=True, label=_("Raters may skip a unit"))
    allow_back = YesNoField(initial=True, label=_("Raters may go back and change an answer"))
    show_comparison = YesNoField(
        label=_("Show raters how their answers compare with those of others"),
        help_text=_(
            "On their last page, once the study is closed: their average beside that of the others on the same texts. "
            "For volunteers who come back; without systems, and without anybody's single answers."
        ),
    )
    content_warning = line_field(
        _("Content warning"), _("Covers every text until it is opened. Leave empty to cover none.")
    )
    imported = YesNoField(
        label=_("Ratings come from elsewhere"),
        help_text=_("They are imported, so loading draws no plan and requires nothing that only raters need."),
    )


def code(label: str | Promise, help_text: str | Promise = "") -> PatternField:
    """Return an optional field for a completion code, of characters that fit in an address and can be typed."""
    return PatternField(
        r"^[A-Za-z0-9_-]*$",
        required=False,
        initial="",
        max_length=40,
        label=cast("str", label),
        help_text=cast("str", help_text),
        error_messages={"invalid": _("Use letters, digits, hyphens and underscores only.")},
    )


class Codes(SettingsBlock):
    """Completion codes, one an outcome. Where there is none, each rater gets a code of their own."""

    completed = code(_("Completed"), _("Such as the code that Prolific gives a study."))
    screened_out = code(_("Screened out"))
    failed = code(_("Failed the exam"))
    full = code(_("Study full"), _("Also for those who come when nothing is left; they get no code of their own."))
    withdrawn = code(_("Stopped early"))
    stopped = code(
        _("Stopped by a limit"), _("For raters who were too fast, skipped too much or missed too many checks.")
    )
    closed = code(_("Study closed"), _("For those who come before or after; they get no code of their own."))

    def of(self, outcome: str) -> str:
        """Return the code of an outcome; "" where the study has none."""
        return str(vars(self).get(outcome, ""))


class Acceptance(SettingsBlock):
    """Conditions under which raters accept a text that raters of another study wrote."""

    answers = line_field(
        _("Answers that accept a text"),
        _(
            "For each question that counts, such as: meaning=yes, toxic=no. Several answers to one question are "
            "separated by |, numbers are given as quality>=4 or errors<=1."
        ),
        length=1000,
    )
    share = number_field(
        _("More than this share of the answers"), _("For each of these questions. 0.5: the majority."),
        within=(0, 0.99), initial=0.5,
    )  # fmt: skip


# The open channels of a study that declares none.
LINK_ALONE: Mapping[str, Mapping[str, Any]] = MappingProxyType({"link": MappingProxyType({})})

# Expected minutes for a set whose words were not counted, as in studies from before words were counted.
USUAL_MINUTES = 10.0

# The blocks by the names of their sections. `channels` is none: the channels declare their parameters themselves.
BLOCKS: Mapping[str, type[SettingsBlock]] = {
    "about": About, "pay": Pay, "flow": Flow, "codes": Codes, "acceptance": Acceptance,
}  # fmt: skip


class StudySettings(About, Pay, Flow):
    """The settings of a study with every default filled in. `contents` of a study in the database always parse.

    Values of the blocks that it inherits from are its own, as in `study.options.amount`; another block is an attribute
    under its name, as in `study.options.codes.completed`.
    """

    codes: Codes
    acceptance: Acceptance
    channels: Mapping[str, Mapping[str, Any]]
    workload: Workload | None
    text_findings: tuple[TextFinding, ...]

    # Corrected texts by their kind and the key of their task or question; values of CONTACTS are corrected already.
    corrected: Mapping[tuple[str, str], str]

    # What `Pay.minutes` says, or else an estimate.
    expected_minutes: float

    def __init__(self, contents: Mapping[str, Any]) -> None:
        """Read the settings of a study as they are stored.

        Raises
        ------
        ValueError
            With every problem, one a line, as `block.name: what is wrong`.
        """
        known = {*BLOCKS, "channels", *BESIDE_THE_FILE}
        problems = [f"{name}: unknown block of settings" for name in contents if name not in known]
        values: dict[str, Any] = {}
        for name, block in BLOCKS.items():
            try:
                read = block(contents.get(name, {}))
            except ValueError as error:
                problems += [f"{name}.{problem}" for problem in str(error).splitlines()]
            else:
                values |= vars(read) if issubclass(type(self), block) else {name: read}
        if problems:
            raise ValueError("\n".join(problems))
        counted = Workload.stored(contents["workload"]) if contents.get("workload") else None
        corrected = {
            (kind, key): text for kind, texts in contents.get(CORRECTED, {}).items() for key, text in texts.items()
        }
        values |= {kind: corrected[kind, ""] for kind in CONTACTS if (kind, "") in corrected}
        stated, estimated = values["minutes"], counted.minutes if counted else USUAL_MINUTES
        self.__dict__.update(
            values,
            channels=contents.get("channels") or LINK_ALONE,
            workload=counted,
            corrected=MappingProxyType(corrected),
            text_findings=TextFinding.stored(contents.get("texts", {}).get("findings", ())),
            expected_minutes=estimated if stated is None else stated,
        )


@lru_cache(maxsize=256)
def _parsed(serialised: str) -> StudySettings:
    return StudySettings(json.loads(serialised))


def settings_of(contents: Mapping[str, Any]) -> StudySettings:
    """Read stored settings, parsing equal ones only once: every page of every rater asks for them."""
    # Not sorted, which takes twice as long: the database returns equal settings in one order.
    return _parsed(json.dumps(contents))
