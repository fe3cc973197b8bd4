"""A draft of the consent text, made of what the set-up of a study holds.

It says what European data protection law asks to be told (GDPR, Articles 6, 7, 13 and 15 to 21) and what ethics boards
usually ask for. What the set-up does not say stands in square brackets, for the researcher to fill in. It is a draft:
an ethics board and a data protection officer decide whether it will do.
"""

from collections.abc import Iterator, Mapping
from decimal import Decimal, InvalidOperation

from tasks_app import pay, task_types
from tasks_app.sections import Json
from tasks_app.setup.paths import value_at

# Channels that tell who a rater is on a platform, and those that know raters by name.
PLATFORMS = {"prolific": "Prolific", "mturk": "Amazon Mechanical Turk"}
BY_NAME = frozenset({"invited", "account"})


def consent_draft(given: Mapping[str, Json], minutes: float | None) -> str:
    """Return a consent text in Markdown, in English.

    `given` is the content of study.yaml, which may have gaps and mistakes. `minutes` is how long a set takes where the
    study does not say it itself.
    """
    facts = _Facts(given, minutes)
    parts = (_about, _doing, _paying, _risks, _volunteering, _storing, _publishing, _rights, _contact, _agreeing)
    return "\n\n".join(" ".join(part(facts)) for part in parts) + "\n"


def missing_facts(text: str) -> list[str]:
    """Return the gaps that a draft leaves to be filled in: the contents of its square brackets."""
    return [part.partition("]")[0] for part in text.split("[")[1:]]


class _Facts:
    """What the set-up says; what it does not say is a fact in square brackets."""

    def __init__(self, given: Mapping[str, Json], minutes: float | None) -> None:
        self.given = given
        self.minutes = _number(self.value("pay", "minutes")) or (Decimal(str(minutes)) if minutes else None)

    def value(self, *path: str | int) -> Json:
        return value_at(self.given, path)

    def words(self, *path: str | int) -> str:
        """Return a text in one line, "" where there is none."""
        value = self.value(*path)
        return " ".join(value.split()) if isinstance(value, str) else ""

    def sentence(self, *path: str | int, missing: str) -> str:
        """Return a text with a full stop, or what is missing in brackets."""
        words = self.words(*path)
        return f"{words.rstrip('.')}." if words else f"[{missing}]."

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


def _about(facts: _Facts) -> Iterator[str]:
    title = facts.words("study", "public_title")
    yield f"**What this study is about.** {f'“{title}” is' if title else 'This is'} a study of"
    yield facts.words("about", "institution") or "[who runs the study: group and institution]"
    yield "on [what the study is for, in one sentence, without saying what is compared]."


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
    yield f"It takes about {_plain(facts.minutes)} minutes." if facts.minutes else "It takes about [how many] minutes."
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
    yield facts.sentence("pay", "paid", missing="when and how raters are paid")
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
        yield "We know of no risks beyond those of reading texts on a screen [change this if texts may upset people]."
    if facts.value("flow", "allow_skip") is not False:
        yield "You may skip any text that you would rather not read."
    yield "You will not benefit personally from the results."


def _volunteering(facts: _Facts) -> Iterator[str]:
    yield "**Taking part is voluntary.** You can stop at any time, without giving a reason and without a disadvantage."
    until = facts.words("about", "withdraw_until") or str(facts.value("about", "withdraw_until") or "")
    last = f"until {until}" if until else "at any time"
    yield f"With your personal link you can also withdraw {last}: your answers are then erased."


def _storing(facts: _Facts) -> Iterator[str]:
    yield "**Your data.** The institution responsible for your data is"
    yield facts.words("about", "institution") or "[the institution that is the controller]"
    yield "[name its data protection officer and an address]."
    stored = facts.words("about", "stored")
    if stored:
        yield f"We store: {stored.rstrip('.')}."
    else:
        yield "We store your answers and comments, how long you took, and a made-up name, but not your IP address."
    named = [PLATFORMS[name] for name in facts.channels if name in PLATFORMS]
    if named:
        days = _number(facts.value("about", "identities_days"))
        period = f"for {_plain(days)} days after you finish" if days else "[until when]"
        yield f"Your id on {' and '.join(named)} is kept apart from your answers, {period}, so that you can be paid."
    if BY_NAME & set(facts.channels):
        yield "The name or e-mail address that you were invited with is kept apart from your answers [until when]."
    if facts.tasks_without_texts():
        yield "[If you ask about health, opinions, origin or the like: say so, and that people agree to it expressly.]"
    yield "Your data are used because you agree to it (GDPR, Article 6(1)(a)) [or name another legal basis]."
    yield f"We keep them: {facts.sentence('about', 'kept', missing='how long')}"
    yield "We pass them on to others only as follows."


def _publishing(facts: _Facts) -> Iterator[str]:
    yield "**What is published.**"
    yield facts.sentence(
        "about", "published", missing="what is published, where, and whether it can lead back to a person"
    )


def _rights(_facts: _Facts) -> Iterator[str]:
    yield "**Your rights.** You can see what is stored of you and take it with you, have it corrected or erased, have"
    yield "its use restricted or object to it, and take back your consent; what was done before stays lawful. Your"
    yield "personal link leads to most of this without anybody knowing your name. You can also complain to a data"
    yield "protection authority [name yours]. Once answers are published without anything that leads to you, they"
    yield "can no longer be removed from what was published."


def _contact(facts: _Facts) -> Iterator[str]:
    yield "**Questions and complaints.** Write to"
    yield (facts.words("about", "contact") or "[an address that somebody reads]") + "."
    yield "If you would rather talk to somebody outside the team:"
    yield (facts.words("about", "complaints") or "[such as the ethics board]") + "."
    ethics = facts.words("about", "ethics")
    yield (
        f"An ethics board has approved the study ({ethics})."
        if ethics
        else "[Name of the ethics board and number of its approval.]"
    )


def _agreeing(_facts: _Facts) -> Iterator[str]:
    yield "**If you agree**, begin below. You thereby say that you are at least 18 years old [change this if others may"
    yield "take part], have read this text, and take part of your own free will."
