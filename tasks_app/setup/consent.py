"""A draft of the consent text, made from the set-up of a study.

It says what European data protection law asks to be told (GDPR, Articles 6, 7, 13 and 15 to 21) and what ethics boards
usually ask for. What the set-up does not say is asked (`tasks_app/setup/consent_answers.py`). It is a draft: an ethics
board and a data protection officer decide whether it will do.
"""

from collections.abc import Iterator, Mapping

from tasks_app import pay
from tasks_app.channels import registry
from tasks_app.hooks.sections import Json
from tasks_app.models.setup_document import value_at
from tasks_app.setup.consent_answers import BY_NAME, PLATFORMS, Facts, number_of, plain


def consent_draft(given: Mapping[str, Json], minutes: float | None, answers: Mapping[str, str] | None = None) -> str:
    """Return a consent text in Markdown, in English.

    `given` is the content of study.yaml, which may have gaps and mistakes. `minutes` is how long a set takes where the
    study does not say it itself. `answers` are those to `questions_for`, by name; a required one that is not there
    leaves the label of its question in square brackets.
    """
    facts = Facts(given, minutes, answers or {})
    parts = (_about, _doing, _paying, _risks, _volunteering, _storing, _publishing, _rights, _contact, _agreeing)
    return "\n\n".join(" ".join(part(facts)) for part in (_in_short, *parts)) + "\n"


def _in_short(facts: Facts) -> Iterator[str]:
    """Sum up the text: the part above the rule is read above the button, the rest below it."""
    works = "You read texts and answer questions about them" if facts.judges_texts() else "You answer questions"
    minutes = f"for about {plain(facts.minutes) if facts.minutes else facts.answer('minutes')} minutes"
    amount = facts.answer("amount") if facts.is_pay_open else facts.money("pay", "amount")
    yield f"**In short.** {works}, {minutes}, {f'for {amount}' if amount else 'without pay'}."
    yield "Taking part is voluntary, and you can stop at any time."
    yield "Your answers are stored under a made-up name.\n\n---"


def _about(facts: Facts) -> Iterator[str]:
    title = facts.words("study", "public_title")
    yield f"**What this study is about.** {f'“{title}” is' if title else 'This is'} a study of"
    yield facts.answer("institution")
    yield f"on {facts.sentence('purpose')}"


def _doing(facts: Facts) -> Iterator[str]:
    yield "**What you will do.**"
    if facts.judges_texts():
        yield "You read texts and answer questions about them."
    if facts.tasks_without_texts():
        yield (
            "You also answer questions about yourself."
            if facts.judges_texts()
            else "You answer questions about yourself."
        )
    yield f"It takes about {plain(facts.minutes) if facts.minutes else facts.answer('minutes')} minutes."
    if any(number_of(task.get("opens_after_days")) for task in facts.tasks):
        yield "There are several parts on different days, and you are told when the next one opens."
    if facts.screens():
        yield "First you are asked a few questions that decide whether the study fits you."
    if any(value_at(task, ("checks", "exam_pass")) for task in facts.tasks):
        yield "You practise and take a short test; if you don't pass, the study ends there."


# Settings of checks that stop raters who are too fast or skip too much.
LIMITS = ("fast_seconds", "skip_share")


def _paying(facts: Facts) -> Iterator[str]:
    yield "**Pay.**"
    amount, part = facts.money("pay", "amount"), facts.money("pay", "part_amount")
    if facts.is_pay_open:
        yield f"You get {facts.answer('amount')} for a full set."
        return
    if not amount:
        yield "You are not paid for taking part."
        return
    hourly = pay.hourly(number_of(facts.pay) or pay.NOTHING, float(facts.minutes or 0))
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


def _risks(facts: Facts) -> Iterator[str]:
    yield "**Risks and benefits.**"
    if warning := facts.words("flow", "content_warning"):
        yield f"Before you decide: {warning.rstrip('.')}."
    else:
        yield "We know of no risks beyond those of reading texts on a screen."
    if facts.value("flow", "allow_skip") is not False:
        yield "You may skip any text that you would rather not read."
    yield "You will not benefit personally from the results."


def _volunteering(facts: Facts) -> Iterator[str]:
    yield "**Taking part is voluntary.** You can stop at any time, without giving a reason and without a disadvantage."
    until = facts.words("about", "withdraw_until") or str(facts.value("about", "withdraw_until") or "")
    last = f"until {until}" if until else "at any time"
    yield f"With your personal link you can also withdraw {last}: your answers are then erased."


def _storing(facts: Facts) -> Iterator[str]:
    officer = facts.answer("officer")
    whom = f" (data protection officer: {officer})" if officer else ""
    institution = facts.answer("institution").rstrip(".")
    yield f"**Your data.** The institution responsible for your data is {institution}{whom}."
    stored = facts.words("about", "stored")
    if stored:
        yield f"We store: {stored.rstrip('.')}."
    else:
        yield "We store your answers and comments, how long you took and which buttons and fields you used,"
        yield "under a made-up name, but neither your IP address nor the kind of your device."
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
    yield "We pass them on to others only as “What is published” says."


def _publishing(facts: Facts) -> Iterator[str]:
    yield "**What is published.**"
    yield facts.sentence("published")


def _rights(facts: Facts) -> Iterator[str]:
    yield "**Your rights.** You can see what is stored of you and take it with you, have it corrected or erased, have"
    yield "its use restricted or object to it, and take back your consent; what was done before stays lawful. Your"
    authority = facts.answer("authority")
    yield "personal link leads to most of this without anybody knowing your name. You can also complain to a data"
    yield f"protection authority{f' ({authority})' if authority else ''}."
    yield "Once answers are published without anything that leads to you, they can no longer be removed from what was"
    yield "published."


def _contact(facts: Facts) -> Iterator[str]:
    yield f"**Questions and complaints.** Write to {facts.sentence('contact')}"
    yield f"If you would rather talk to somebody outside the team: {facts.sentence('complaints')}"
    if ethics := facts.answer("ethics"):
        yield f"An ethics board has approved the study ({ethics})."


def _agreeing(facts: Facts) -> Iterator[str]:
    years = facts.answer("age") or "18"
    yield f"**If you agree**, begin below. You thereby say that you are at least {years} years old, have read this"
    yield "text, and take part of your own free will."
