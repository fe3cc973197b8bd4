"""Numbers that consent text and instructions state: pay, minutes, texts on a screen. The form has to say the same.

Numbers of steps and ends of scales are checked with the words of scales, in wording.py.
"""

import re
from collections.abc import Iterator, Mapping
from decimal import Decimal
from typing import Any

from django.utils.translation import gettext as _

from tasks_app import pay
from tasks_app.readiness.base import Facts, Point, register
from tasks_app.settings.workload import TaskLoad

KIND = "consent"

_NUMBER = r"\d{1,6}(?:[.,]\d{1,2})?"
_SIGNS: Mapping[str, tuple[str, ...]] = {
    "€": ("EUR",),
    "£": ("GBP",),
    "¥": ("JPY", "CNY"),
    "₩": ("KRW",),
    "$": ("USD", "CAD", "AUD", "NZD", "SGD", "HKD"),
}
_CURRENCY = r"[€£¥₩$]|\b(?:EUR|GBP|USD|CHF|JPY|CNY|KRW|CAD|AUD|SEK|NOK|DKK|PLN|CZK|INR|BRL)\b|\beuros?\b"
_MONEY = re.compile(
    rf"(?P<before>{_CURRENCY})\s?(?P<a>{_NUMBER})|(?P<b>{_NUMBER})\s?(?P<behind>{_CURRENCY})", re.IGNORECASE
)

_MINUTES = re.compile(
    rf"({_NUMBER})(?:\s?(?:-|–|to|bis|à|a|~)\s?({_NUMBER}))?\s?(?:minutes?|mins?\b|Minuten?|minutos?|minuti|دقيقة|دقائق|分钟|分|분)",
    re.IGNORECASE,
)

# Words before a time that make it the time of taking part, and half an hour in words.
_TAKES = r"(?:takes?|lasts?|dauert|dure|dura)"
_DURATION = re.compile(rf"\b{_TAKES}\b[^.!?\n]{{0,20}}\Z", re.IGNORECASE)
_HALF_AN_HOUR = re.compile(
    rf"\b{_TAKES}\b[^.!?\n]{{0,20}}\b(?:half an hour|halbe stunde|demi-heure|media hora|meia hora)\b", re.IGNORECASE
)

# Words behind an amount that say that it is paid per hour.
_PER_HOUR = re.compile(
    r"\s?(?:per hour|an hour|/\s?h(?:our)?\b|(?:pro|je|die) Stunde|(?:par|de l['’])\s?heure|(?:por|a la) hora|à hora"
    r"|每小时|1時間|毎時|시간당|في الساعة)",
    re.IGNORECASE,
)

# Stated times and amounts per hour may be rounded.
_ABOUT, _ROUNDED = 1.25, 0.02

_WORDS = {
    word: number
    for number, words in enumerate(
        (
            ("one", "ein", "eine", "einen"), ("two", "zwei"), ("three", "drei"), ("four", "vier"), ("five", "fünf"),
            ("six", "sechs"), ("seven", "sieben"), ("eight", "acht"), ("nine", "neun"), ("ten", "zehn"),
        ),
        start=1,
    )
    for word in words
}  # fmt: skip
_COUNT = rf"(?P<n>\d{{1,3}}|{'|'.join(_WORDS)})"
_ON_A_SCREEN = re.compile(
    rf"\b{_COUNT}\b(?: [^\W\d]+){{0,4}} (?:at a time|at once|side by side|next to each other"
    r"|(?:on|per|to) (?:a|each|every|one) (?:screen|page)|per (?:screen|page)"
    r"|auf einmal|nebeneinander|(?:pro|je) (?:seite|bildschirm))\b",
    re.IGNORECASE,
)
_UNPAID = re.compile(
    r"\b(?:taking part is not paid|not (?:be )?paid for taking part|unpaid|no (?:payment|compensation|reimbursement)"
    r"|nicht bezahlt|nicht vergütet|unentgeltlich|keine vergütung)\b",
    re.IGNORECASE,
)


@register
def of_consent(facts: Facts) -> Iterator[Point]:
    """Yield every number of the consent text that contradicts the form."""
    for language, text in facts.consent.items():
        for sentence in (*_money(text, facts), *_minutes(text, facts), *_on_a_screen(text, facts)):
            yield Point(KIND, sentence, ("consent", language))


@register
def of_instructions(facts: Facts) -> Iterator[Point]:
    """Yield every number of texts on a screen in instructions that is not that of the task."""
    for place, task in facts.main_tasks:
        for sentence in _on_a_screen(str(task["instructions"]), facts, str(task["key"])):
            yield Point(KIND, sentence, ("tasks", place, "instructions"))


def _money(text: str, facts: Facts) -> Iterator[str]:
    settings = facts.section("pay")
    currency, amount = str(settings.get("currency") or ""), _decimal(settings.get("amount"))
    if amount and (unpaid := _UNPAID.search(text)):
        yield _("The consent text says “%(words)s”, but a set pays %(pay)s.") % {
            "words": unpaid[0],
            "pay": _amount(amount, currency),
        }
    stated = {_stated(match): bool(_PER_HOUR.match(text, match.end())) for match in _MONEY.finditer(text)}
    usual = _usual_amounts(facts)
    hourly = _hourly(facts)
    for (sign, number), is_hourly in stated.items():
        fits = currency in _SIGNS.get(sign, (sign,))
        if fits and (number in usual or any(abs(float(number / rate) - 1) <= _ROUNDED for rate in hourly if rate)):
            continue
        shown = _amount(number, sign if sign not in _SIGNS else "") or f"{number}"
        words = {"stated": shown.strip() if sign not in _SIGNS else f"{sign}{number}"}
        if amount and is_hourly and hourly and hourly[0]:
            words |= {"pay": _amount(amount, currency), "minutes": f"{_expected(facts)[0]:g}"}
            words["hourly"] = _amount(hourly[0], currency)
            yield (
                _(
                    "The consent text says %(stated)s per hour, but %(pay)s for about %(minutes)s minutes is "
                    "%(hourly)s per hour."
                )
                % words
            )
        elif amount:
            words["pay"] = _amount(amount, currency)
            yield _("The consent text names %(stated)s, which is nowhere in the form: a set pays %(pay)s.") % words
        else:
            yield _("The consent text names %(stated)s, but the form says that taking part is not paid.") % words


def _stated(match: re.Match[str]) -> tuple[str, Decimal]:
    """Return the currency, or its sign, and the amount that a text names."""
    sign = (match["before"] or match["behind"]).upper()
    return "EUR" if sign.startswith("EURO") else sign, _decimal((match["a"] or match["b"]).replace(",", "."))


def _usual_amounts(facts: Facts) -> set[Decimal]:
    """Return the amounts that the form names, also those within its sentences about bonus and payment."""
    settings = facts.section("pay")
    names = ("amount", "part_amount", "accepted_bonus", "minimum_hourly")
    written = " ".join(str(settings.get(name) or "") for name in ("bonus", "paid"))
    within = (_stated(match)[1] for match in _MONEY.finditer(written))
    rewards = (channel.get("reward") for channel in facts.section("channels").values())
    return {_decimal(settings.get(name)) for name in names} | set(within) | {_decimal(reward) for reward in rewards}


def _hourly(facts: Facts) -> list[Decimal]:
    """Return the pay per hour by the minutes that raters are told, and by those that are estimated."""
    amount = _decimal(facts.section("pay").get("amount"))
    return [rate for minutes in _expected(facts) if (rate := pay.hourly(amount, minutes))]


def _expected(facts: Facts) -> list[float]:
    stated_minutes, counted = facts.section("pay").get("minutes"), facts.workload
    return [float(minutes) for minutes in (stated_minutes, counted and counted.minutes) if minutes]


def _minutes(text: str, facts: Facts) -> Iterator[str]:
    """Yield a sentence where no time that the consent text names is the one that raters are told elsewhere.

    Nothing is said of studies on several days, whose consent may name the time of each part.
    """
    if any(task.get("opens_after_days") for _place, task in facts.tasks):
        return
    stated_minutes = facts.section("pay").get("minutes")
    expected = [float(stated_minutes)] if stated_minutes else _expected(facts)
    flow = facts.section("flow")
    beside = {float(flow.get(name) or 0) for name in ("lease_minutes", "break_after_minutes")}
    times: list[tuple[float, ...]] = [(30.0,)] if _HALF_AN_HOUR.search(text) else []
    for match in _MINUTES.finditer(text):
        span = tuple(float(part.replace(",", ".")) for part in match.groups() if part)
        if not set(span) <= beside or _DURATION.search(text, 0, match.start()):
            times.append(span)
    if not times or not expected:
        return
    if any(min(span) / _ABOUT <= minutes <= max(span) * _ABOUT for span in times for minutes in expected):
        return
    words = {"stated": "–".join(f"{part:g}" for part in times[0]), "minutes": f"{expected[0]:g}"}
    yield _("The consent text says %(stated)s minutes, but elsewhere raters read %(minutes)s minutes.") % words


def _on_a_screen(text: str, facts: Facts, task: str = "") -> Iterator[str]:
    """Yield a sentence where a text says how many texts come together, and no task shows so many."""
    # Whole documents of all systems side by side are judged text by text, so that loads do not count their columns.
    if any(row["params"].get("show_others") for _place, row in facts.tasks if task in ("", row["key"])):
        return
    loads: Mapping[str, TaskLoad] = facts.workload.tasks if facts.workload else {}
    shown = {load.most_texts for key, load in loads.items() if task in ("", key) and load.most_texts}
    shown |= {round(load.texts) for key, load in loads.items() if task in ("", key) and load.texts}
    for match in _ON_A_SCREEN.finditer(text) if shown else ():
        n = _WORDS.get(match["n"].lower()) or int(match["n"] if match["n"].isdecimal() else 0)
        if n not in shown:
            words = {"words": match[0], "n": " or ".join(map(str, sorted(shown)))}
            yield _("The text says “%(words)s”, but a screen shows %(n)s.") % words


def _decimal(value: Any) -> Decimal:
    return Decimal(str(value or 0))


def _amount(amount: Decimal, currency: str) -> str:
    return f"{amount:.2f} {currency}".strip()
