"""A draft of the consent text, made of what the set-up of a study holds.

It says what European data protection law asks to be told (GDPR, Articles 6, 7, 13 and 15 to 21) and what ethics boards
usually ask for. What the set-up does not say is asked: `questions_for` lists what. It is a draft: an ethics board and a
data protection officer decide whether it will do.
"""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from decimal import Decimal, InvalidOperation

from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _

from tasks_app import pay, task_types
from tasks_app.channels import registry
from tasks_app.readiness.leftovers import found_in
from tasks_app.sections import Json, Path
from tasks_app.setup.paths import value_at

# Channels that tell who a rater is on a platform, and those that know raters by name.
PLATFORMS = {"prolific": "Prolific", "mturk": "Amazon Mechanical Turk"}
BY_NAME = frozenset({"invited", "account"})


@dataclass(frozen=True, slots=True)
class Question:
    """One thing that the text needs and the set-up does not say.

    The answer is kept at the `path` of a setting where there is one; else only the text has it. Where an answer is not
    required and not given, the text leaves its sentence out.
    """

    name: str
    label: Promise
    help: Promise | str = ""
    path: Path = ()
    required: bool = True
    is_number: bool = False


def consent_draft(given: Mapping[str, Json], minutes: float | None, answers: Mapping[str, str] | None = None) -> str:
    """Return a consent text in Markdown, in English.

    `given` is the content of study.yaml, which may have gaps and mistakes. `minutes` is how long a set takes where the
    study does not say it itself. `answers` are those to `questions_for`, by name; a required one that is not there
    leaves the label of its question in square brackets.
    """
    facts = _Facts(given, minutes, answers or {})
    parts = (_about, _doing, _paying, _risks, _volunteering, _storing, _publishing, _rights, _contact, _agreeing)
    return "\n\n".join(" ".join(part(facts)) for part in (_in_short, *parts)) + "\n"


def questions_for(given: Mapping[str, Json], minutes: float | None) -> list[Question]:
    """Return what has to be asked before the text is whole: what the set-up says already is not asked."""
    facts = _Facts(given, minutes, {})
    return [question for question, is_asked in QUESTIONS if is_asked(facts) and not facts.has(question)]


class _Facts:
    """What the set-up and the answers say."""

    def __init__(self, given: Mapping[str, Json], minutes: float | None, answers: Mapping[str, str]) -> None:
        self.given, self.answers = given, {name: " ".join(text.split()) for name, text in answers.items()}
        told = _number(self.value("pay", "minutes")) or _number(self.answers.get("minutes"))
        self.minutes = told or (Decimal(str(minutes)) if minutes else None)

    def has(self, question: Question) -> bool:
        """Return whether the set-up answers a question."""
        if question.is_number:
            return bool(self.minutes if question.name == "minutes" else _number(self.value(*question.path)))
        return bool(question.path and self.said(question))

    def said(self, question: Question) -> str:
        """Return what the set-up says to a question; "" where that is itself to be replaced."""
        words = self.words(*question.path) if question.path else ""
        return "" if found_in(words, any_bracket=True) else words

    def answer(self, name: str) -> str:
        """Return what the set-up or an answer says, else the label of the question in brackets; "" if optional."""
        question = _QUESTION[name]
        said = self.said(question)
        if question.is_number and (number := _number(self.value(*question.path))):
            said = _plain(number)
        said = said or self.answers.get(name, "")
        return said or (f"[{question.label}]" if question.required else "")

    def value(self, *path: str | int) -> Json:
        return value_at(self.given, path)

    def words(self, *path: str | int) -> str:
        """Return a text in one line, "" where there is none."""
        value = self.value(*path)
        return " ".join(value.split()) if isinstance(value, str) else ""

    def sentence(self, name: str) -> str:
        """Return an answer with one full stop; "" where there is none."""
        words = self.answer(name)
        return f"{words.rstrip('.')}." if words else ""

    @property
    def tasks(self) -> list[Json]:
        tasks = self.value("tasks")
        return [task for task in tasks if isinstance(task, Mapping)] if isinstance(tasks, list) else []

    def tasks_without_texts(self) -> bool:
        """Return whether raters are asked about themselves."""
        members = (task_types.registry.get(str(task.get("type"))) for task in self.tasks)
        return any(member is not None and not member.needs_items for member in members)

    def judges_texts(self) -> bool:
        members = [task_types.registry.get(str(task.get("type"))) for task in self.tasks]
        return not members or any(member is None or member.needs_items for member in members)

    def screens(self) -> bool:
        return any(task.get("stage") == "screening" for task in self.tasks)

    @property
    def channels(self) -> list[str]:
        channels = self.value("channels")
        return list(channels) if isinstance(channels, Mapping) and channels else ["link"]

    def money(self, *path: str | int) -> str:
        """Return an amount with its currency, "" for none."""
        amount = _number(self.value(*path))
        return f"{amount:.2f} {self.words('pay', 'currency') or 'EUR'}" if amount else ""


def _number(value: Json) -> Decimal | None:
    """Return a number that is more than zero."""
    if isinstance(value, bool) or not isinstance(value, int | float | str):
        return None
    try:
        number = Decimal(str(value))
    except InvalidOperation:
        return None
    return number if number.is_finite() and Decimal("1e-6") < number < Decimal("1e9") else None


def _plain(number: Decimal) -> str:
    return f"{number:.1f}".removesuffix(".0")


def _in_short(facts: _Facts) -> Iterator[str]:
    """Sum the text up; what stands above the rule is read above the button, the rest below it."""
    works = "You read texts and answer questions about them" if facts.judges_texts() else "You answer questions"
    minutes = f"for about {_plain(facts.minutes) if facts.minutes else facts.answer('minutes')} minutes"
    amount = facts.money("pay", "amount")
    yield f"**In short.** {works}, {minutes}, {f'for {amount}' if amount else 'without pay'}."
    yield "Taking part is voluntary, and you can stop at any time."
    yield "Your answers are stored under a made-up name.\n\n---"


def _about(facts: _Facts) -> Iterator[str]:
    title = facts.words("study", "public_title")
    yield f"**What this study is about.** {f'“{title}” is' if title else 'This is'} a study of"
    yield facts.answer("institution")
    yield f"on {facts.sentence('purpose')}"


def _doing(facts: _Facts) -> Iterator[str]:
    yield "**What you will do.**"
    if facts.judges_texts():
        yield "You read texts and answer questions about them."
    if facts.tasks_without_texts():
        yield (
            "You also answer questions about yourself."
            if facts.judges_texts()
            else "You answer questions about yourself."
        )
    yield f"It takes about {_plain(facts.minutes) if facts.minutes else facts.answer('minutes')} minutes."
    if any(_number(task.get("opens_after_days")) for task in facts.tasks):
        yield "There are several parts on different days, and you are told when the next one opens."
    if facts.screens():
        yield "First you are asked a few questions that decide whether the study fits you."
    if any(value_at(task, ("checks", "exam_pass")) for task in facts.tasks):
        yield "You practise and take a short test; if you don't pass, the study ends there."


# Settings of checks that stop raters who are too fast or skip too much.
LIMITS = ("fast_seconds", "skip_share")


def _paying(facts: _Facts) -> Iterator[str]:
    yield "**Pay.**"
    amount, part = facts.money("pay", "amount"), facts.money("pay", "part_amount")
    if not amount:
        yield "You are not paid for taking part."
        return
    hourly = pay.hourly(_number(facts.value("pay", "amount")) or pay.NOTHING, float(facts.minutes or 0))
    per_hour = f", which is {hourly:.2f} {facts.words('pay', 'currency') or 'EUR'} per hour" if hourly else ""
    yield f"You get {amount} for a full set{per_hour}."
    yield "If you stop early, you are paid for the part you have done."
    if part:
        yield f"If the study doesn't fit you, or you don't pass the test, you get {part}."
    if bonus := facts.words("pay", "bonus"):
        yield f"Bonus: {bonus.rstrip('.')}."
    if accepted := facts.money("pay", "accepted_bonus"):
        yield f"Bonus: {accepted} for each of your texts that other raters accept."
    if paid := facts.sentence("paid"):
        # The setting is what follows "paid", such as "within a week, through Prolific", or a sentence of its own.
        yield paid if paid[0].isupper() else f"You are paid {paid}"
    if any(value_at(task, ("checks", "on_failing")) == "end" for task in facts.tasks):
        yield "If you answer too many of the checks of careful reading wrongly, the study ends early, with part pay."
    elif any(
        any(value_at(task, ("checks", name)) for name in LIMITS) or value_at(task, ("checks", "on_failing")) == "stop"
        for task in facts.tasks
    ):
        yield (
            "If you answer faster than the texts can be read, skip many texts or answer too many checks wrongly, you "
            "get no further texts. You are paid for what you have done."
        )
    else:
        yield "Checks of careful reading never change your pay; their results only decide which answers are analysed."


def _risks(facts: _Facts) -> Iterator[str]:
    yield "**Risks and benefits.**"
    if warning := facts.words("flow", "content_warning"):
        yield f"Before you decide: {warning.rstrip('.')}."
    else:
        yield "We know of no risks beyond those of reading texts on a screen."
    if facts.value("flow", "allow_skip") is not False:
        yield "You may skip any text that you would rather not read."
    yield "You will not benefit personally from the results."


def _volunteering(facts: _Facts) -> Iterator[str]:
    yield "**Taking part is voluntary.** You can stop at any time, without giving a reason and without a disadvantage."
    until = facts.words("about", "withdraw_until") or str(facts.value("about", "withdraw_until") or "")
    last = f"until {until}" if until else "at any time"
    yield f"With your personal link you can also withdraw {last}: your answers are then erased."


def _storing(facts: _Facts) -> Iterator[str]:
    officer = facts.answer("officer")
    whom = f" (data protection officer: {officer})" if officer else ""
    institution = facts.answer("institution").rstrip(".")
    yield f"**Your data.** The institution responsible for your data is {institution}{whom}."
    stored = facts.words("about", "stored")
    if stored:
        yield f"We store: {stored.rstrip('.')}."
    else:
        yield "We store your answers and comments, how long you took and which controls you used, under a made-up name,"
        yield "but neither your IP address nor the kind of your device."
    named = [PLATFORMS[name] for name in facts.channels if name in PLATFORMS]
    if named:
        period = f"for {facts.answer('identities_days')} days after you finish"
        yield f"Your id on {' and '.join(named)} is kept apart from your answers, {period}, so that you can be paid."
    if any(name in registry and registry[name].remembers_browser for name in facts.channels):
        yield "A cookie in your browser remembers for seven days at most that you have begun, so that you can go on if"
        yield "you lose the page; it is deleted at the end and used for nothing else."
    if BY_NAME & set(facts.channels):
        until = facts.sentence("names_until")
        yield f"The name or e-mail address that you were invited with is kept apart from your answers, until {until}"
    if sensitive := facts.answer("sensitive"):
        yield f"We also ask about {sensitive.rstrip('.')}."
        yield "By agreeing you expressly consent to that (GDPR, Article 9(2)(a))."
    yield "Your data are used because you agree to it (GDPR, Article 6(1)(a))."
    yield f"We keep them: {facts.sentence('kept')}"
    yield "We pass them on to others only as follows."


def _publishing(facts: _Facts) -> Iterator[str]:
    yield "**What is published.**"
    yield facts.sentence("published")


def _rights(facts: _Facts) -> Iterator[str]:
    yield "**Your rights.** You can see what is stored of you and take it with you, have it corrected or erased, have"
    yield "its use restricted or object to it, and take back your consent; what was done before stays lawful. Your"
    authority = facts.answer("authority")
    yield "personal link leads to most of this without anybody knowing your name. You can also complain to a data"
    yield f"protection authority{f' ({authority})' if authority else ''}."
    yield "Once answers are published without anything that leads to you, they can no longer be removed from what was"
    yield "published."


def _contact(facts: _Facts) -> Iterator[str]:
    yield f"**Questions and complaints.** Write to {facts.sentence('contact')}"
    yield f"If you would rather talk to somebody outside the team: {facts.sentence('complaints')}"
    if ethics := facts.answer("ethics"):
        yield f"An ethics board has approved the study ({ethics})."


def _agreeing(facts: _Facts) -> Iterator[str]:
    years = facts.answer("age") or "18"
    yield f"**If you agree**, begin below. You thereby say that you are at least {years} years old, have read this"
    yield "text, and take part of your own free will."


def _always(_facts: _Facts) -> bool:
    return True


# What the text needs, and when: in the order in which it is asked.
QUESTIONS: tuple[tuple[Question, Callable[[_Facts], bool]], ...] = (
    (
        Question(
            "purpose",
            _("What the study is for"),
            _("Finish “This is a study on …” without saying what is compared."),
        ),
        _always,
    ),
    (Question("institution", _("Who runs it: group and institution"), path=("about", "institution")), _always),
    (Question("minutes", _("Minutes that a set takes"), path=("pay", "minutes"), is_number=True), _always),
    (
        Question(
            "paid", _("When and how raters are paid"), _("Such as: within a week, through Prolific."), ("pay", "paid")
        ),
        lambda facts: bool(facts.money("pay", "amount")),
    ),
    (
        Question(
            "identities_days",
            _("Days after which ids of the platform are deleted"),
            _("Counted from the end of a rater's participation."),
            ("about", "identities_days"),
            is_number=True,
        ),
        lambda facts: bool(set(PLATFORMS) & set(facts.channels)),
    ),
    (
        Question("names_until", _("How long names and addresses are kept"), _("Finish “until …”.")),
        lambda facts: bool(BY_NAME & set(facts.channels)),
    ),
    (Question("kept", _("How long answers are kept"), path=("about", "kept")), _always),
    (
        Question("published", _("What is published, and where"), path=("about", "published")),
        _always,
    ),
    (Question("contact", _("An address that somebody reads"), path=("about", "contact")), _always),
    (
        Question(
            "complaints",
            _("Whom raters can complain to outside the team"),
            _("Such as the ethics board."),
            ("about", "complaints"),
        ),
        _always,
    ),
    (
        Question(
            "ethics",
            _("Approval of the ethics board"),
            _("Name of the board and number of its approval. Leave empty if there is none."),
            ("about", "ethics"),
            required=False,
        ),
        _always,
    ),
    (
        Question("officer", _("Data protection officer"), _("Name and address, if there is one."), required=False),
        _always,
    ),
    (Question("authority", _("Data protection authority"), required=False), _always),
    (
        Question(
            "sensitive",
            _("Sensitive things that you ask about"),
            _("Such as health, opinions or origin. Leave empty if there are none."),
            required=False,
        ),
        _Facts.tasks_without_texts,
    ),
    (
        Question("age", _("Minimum age of raters"), _("18 if you leave it empty."), required=False, is_number=True),
        _always,
    ),
)

_QUESTION = {question.name: question for question, _is_asked in QUESTIONS}
