"""Settings that contradict each other, and settings that raters or a platform would miss."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import date
from decimal import Decimal
from typing import Any, Self

from django.utils import formats, timezone
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from tasks_app import channels, pay, task_types
from tasks_app.readiness.base import Facts, Level, Point, register
from tasks_app.settings.checks import CheckSettings, OnFailing, checks_of, copied_exam_in_words, has_limit
from tasks_app.settings.study import Codes

# Stated minutes are doubtful where the estimate is so many times as long.
MUCH_LONGER = 1.5

# Prolific requires at least 6 GBP or 8 USD per hour. In the other currencies the same number is worth less, so that pay
# below it is below Prolific's minimum at any rate of exchange of the last years. Where the study states no minimum of
# its own, pay below it is pointed out.
LEAST_HOURLY: Mapping[str, Decimal] = {
    "GBP": Decimal(6), "EUR": Decimal(6), "CHF": Decimal(6), "USD": Decimal(8), "CAD": Decimal(8), "AUD": Decimal(8),
}  # fmt: skip

# More per hour than this, in the currencies above, is an error of typing: experts are paid less.
MOST_HOURLY = Decimal(200)

_CONTACTS = (
    ("institution", gettext_lazy("Raters are not told who runs the study. Name the group and the institution.")),
    ("contact", gettext_lazy("Raters have no address to write to.")),
    ("complaints", gettext_lazy("Raters have nobody outside the team to complain to, such as the ethics board.")),
)


@register
def told_to_raters(facts: Facts) -> Iterator[Point]:
    """Yield the facts that raters are not told: consent, the people behind the study, and a contact."""
    if not any(text.strip() for text in facts.consent.values()):
        language = str(facts.section("study").get("language") or "en")
        sentence = _("There is no consent text, so raters would not know what they agree to.")
        yield Point("consent", sentence, ("consent", language))
    for name, missing in _CONTACTS:
        if not str(facts.section("about").get(name) or "").strip():
            yield Point("contact", str(missing), ("about", name))


@register
def options_that_move(facts: Facts) -> Iterator[Point]:
    """Yield the tasks with options in another order on each screen, for which raters have no digit keys."""
    for place, task in facts.tasks:
        if not task_types.kind_of(task["type"], task["params"]).has_digits:
            sentence = _(
                "The options stand in another order on every text, so raters have no digit keys, and those who answer "
                "quickly choose a wrong option. Let each rater keep one order, unless the study follows another."
            )
            yield Point("moving_options", sentence, ("tasks", place, "params", "order"), Level.NOTE)


@dataclass(frozen=True, slots=True)
class _Pay:
    """The pay of a set, the minimum per hour, and the minutes: stated, and the longer of stated and estimated."""

    amount: Decimal
    minimum: Decimal
    currency: str
    stated_minutes: float
    minutes: float

    @classmethod
    def of(cls, facts: Facts) -> Self:
        """Read the pay of a study."""
        settings, counted = facts.section("pay"), facts.workload
        amount, minimum = (Decimal(str(settings.get(name) or 0)) for name in ("amount", "minimum_hourly"))
        stated = float(settings["minutes"]) if settings.get("minutes") else 0.0
        longest = max(stated, counted.minutes if counted else 0.0)
        return cls(amount, minimum, str(settings.get("currency") or ""), stated, longest)

    @property
    def hourly(self) -> Decimal | None:
        """The pay per hour; None where nothing is known of the minutes."""
        return pay.hourly(self.amount, self.minutes)

    def words(self, **amounts: Decimal) -> dict[str, str]:
        """Return the amount, the minutes and further amounts as sentences name them."""
        named = {name: f"{amount:.2f} {self.currency}" for name, amount in ({"amount": self.amount} | amounts).items()}
        return {**named, "minutes": f"{self.minutes:g}"}


@register
def minutes_far_from_the_estimate(facts: Facts) -> Iterator[Point]:
    """Yield stated minutes that are far below the estimate from the texts and answers."""
    stated, counted = _Pay.of(facts).stated_minutes, facts.workload
    if stated and counted and counted.minutes > MUCH_LONGER * stated:
        sentence = _(
            "Raters are told %(told)s minutes, but reading the texts and answering takes about %(counted)s. Pay "
            "per hour is worked out from the minutes you state."
        )
        words = {"told": f"{stated:g}", "counted": f"{counted.minutes:g}"}
        yield Point("minutes", sentence % words, ("pay", "minutes"))


@register
def pay_below_a_minimum(facts: Facts) -> Iterator[Point]:
    """Yield pay per hour below the study's own minimum, or below any platform's where the study states none."""
    offer = _Pay.of(facts)
    amount, minimum, rate = offer.amount, offer.minimum, offer.hourly
    if amount and minimum and offer.minutes and amount < (needed := pay.needed(minimum, offer.minutes)):
        sentence = _(
            "%(amount)s for about %(minutes)s minutes is below this study's minimum of %(minimum)s per hour. Pay "
            "at least %(needed)s, or shorten the set."
        )
        yield Point("pay", sentence % offer.words(minimum=minimum, needed=needed), ("pay", "amount"))
    least = LEAST_HOURLY.get(offer.currency)
    if amount and not minimum and least is not None and rate is not None and rate < least:
        sentence = _(
            "%(amount)s for about %(minutes)s minutes is %(hourly)s per hour. Prolific requires at least 6 GBP or "
            "8 USD, and the legal minimum wage is often higher."
        )
        yield Point("pay", sentence % offer.words(hourly=rate), ("pay", "amount"))


@register
def pay_beyond_sense(facts: Facts) -> Iterator[Point]:
    """Yield pay per hour that nobody means: the decimal point is missing, or the minutes are those of one text."""
    offer = _Pay.of(facts)
    rate = offer.hourly
    if offer.currency in LEAST_HOURLY and rate is not None and rate > MOST_HOURLY:
        sentence = _(
            "%(amount)s for about %(minutes)s minutes is %(hourly)s per hour. Check the decimal point, and the minutes."
        )
        yield Point("pay", sentence % offer.words(hourly=rate), ("pay", "amount"))


@register
def unpaid(facts: Facts) -> Iterator[Point]:
    """Yield that nothing is paid, where the study states a minimum or raters come by a platform that requires pay."""
    offer = _Pay.of(facts)
    if offer.amount:
        return
    if offer.minimum:
        sentence = _("Taking part is not paid, although this study's minimum is %(minimum)s per hour.")
        yield Point("pay", sentence % offer.words(minimum=offer.minimum), ("pay", "amount"))
        return
    opened = facts.section("channels")
    paying = [channel for name, channel in channels.registry.items() if name in opened and channel.needs_codes]
    for channel in paying:
        sentence = _("Taking part is not paid, although %(platform)s requires pay.")
        yield Point("pay", sentence % {"platform": channel.label}, ("pay", "amount"))


@register
def days_that_have_passed(facts: Facts) -> Iterator[Point]:
    """Yield a last day to withdraw that has passed, although raters are promised that they can withdraw."""
    last = facts.section("about").get("withdraw_until")
    day = date.fromisoformat(last) if isinstance(last, str) and last else last
    if isinstance(day, date) and day < timezone.localdate():
        sentence = _("Raters are told that they can withdraw until %(day)s, but this day has passed.")
        words = {"day": formats.date_format(day, "j M Y")}
        yield Point("days", sentence % words, ("about", "withdraw_until"))


@register
def platforms_that_closed(facts: Facts) -> Iterator[Point]:
    """Yield the channels of platforms that take no new studies any more."""
    for name in facts.section("channels"):
        if name in channels.registry and (sentence := channels.registry[name].ended):
            yield Point("channels", str(sentence), ("channels", name))


@register
def codes_of_platforms(facts: Facts) -> Iterator[Point]:
    """Yield the completion codes that a platform needs and the study lacks, and codes that two outcomes share."""
    codes = {name: str(code) for name, code in facts.section("codes").items() if code}
    for name in facts.section("channels"):
        channel = channels.registry.get(name)
        if channel is None or not channel.needs_codes:
            continue
        missing = [outcome for outcome in outcomes_with_codes(facts) if outcome not in codes]
        if missing:
            labels = ", ".join(f"“{Codes.Settings.base_fields[outcome].label}”" for outcome in missing)
            sentence = _(
                "%(platform)s needs a completion code for %(outcomes)s. Without it, raters cannot finish there and "
                "are not paid."
            )
            words = {"platform": channel.label, "outcomes": labels}
            yield Point("codes", sentence % words, ("codes", missing[0]), Level.FINAL)
        yield from _shared(codes, str(channel.label))


def _shared(codes: Mapping[str, str], platform: str) -> Iterator[Point]:
    """Yield a code that raters who have completed the study share with raters who have not."""
    completed = codes.get("completed")
    for outcome, code in codes.items():
        if outcome != "completed" and code == completed:
            words = {"label": Codes.Settings.base_fields[outcome].label, "platform": platform}
            sentence = _(
                "“%(label)s” has the same code as “Completed”, so %(platform)s would pay both alike. Use another one."
            )
            yield Point("codes", sentence % words, ("codes", outcome), Level.FINAL)


def outcomes_with_codes(facts: Facts) -> list[str]:
    """Return the outcomes of raters who need a code to bring back: those that the tasks of the study can have."""
    tasks = [task for _place, task in facts.tasks]
    checks = [(task, checks_of(task["checks"])) for task in tasks]
    return [
        "completed",
        *(["screened_out"] if any(task["stage"] == "screening" for task in tasks) else []),
        *(["failed"] if any(_may_fail(facts, task, settings) for task, settings in checks) else []),
        "full",
        "withdrawn",
        *(["stopped"] if any(has_limit(settings) for _task, settings in checks) else []),
    ]


def _may_fail(facts: Facts, task: Mapping[str, Any], checks: CheckSettings) -> bool:
    """Return whether raters of a task can end as failed: in an exam, or by too many checks."""
    return checks.on_failing == OnFailing.END or (checks.exam != 0 and facts.counts(task, "exam") > 0)


@register
def known_answers_shown(facts: Facts) -> Iterator[Point]:
    """Yield known answers that no rater is ever shown, and numbers of checks for which there are none."""
    labels = {"control": _("units with known answers"), "attention": _("attention checks"), "exam": _("exam units")}
    names = {"control": "controls", "attention": "attention", "exam": "exam"}
    for place, task in facts.main_tasks:
        checks = checks_of(task["checks"])
        numbers = {"control": checks.controls, "attention": checks.attention, "exam": checks.exam}
        for purpose, label in labels.items():
            n_in_sets, n_available = numbers[purpose], facts.counts(task, purpose)
            path = ("tasks", place, "checks", names[purpose])
            if n_available and n_in_sets == 0:
                sentence = _("There are %(n)d %(what)s, but sets have none of them.") % {
                    "n": n_available,
                    "what": label,
                }
                yield Point("checks", sentence, path)
            elif n_in_sets and not n_available:
                sentence = _("Sets should have %(n)d %(what)s, but there are none.") % {"n": n_in_sets, "what": label}
                yield Point("checks", sentence, path)


@register
def exam_shown_again(facts: Facts) -> Iterator[Point]:
    """Yield the exams that raters can pass by copying: a later attempt has texts with answers that they were told."""
    for place, task in facts.main_tasks:
        if sentence := copied_exam_in_words(checks_of(task["checks"]), facts.counts(task, "exam")):
            yield Point("exam", sentence, ("tasks", place, "checks", "exam_feedback"), Level.NOTE)
