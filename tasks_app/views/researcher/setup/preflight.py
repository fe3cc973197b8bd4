"""The points that a researcher checks before a study opens: the facts that will be frozen, and missing parts."""

from collections.abc import Sequence
from dataclasses import dataclass

from django.urls import reverse
from django.utils import formats
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from tasks_app import pay
from tasks_app.models import Study, Task
from tasks_app.selectors.durations import MeasuredMinutes, measured
from tasks_app.selectors.opening import OpeningFacts
from tasks_app.selectors.pay import offer_of
from tasks_app.settings.checks import checks_of
from tasks_app.setup.names import language_name
from tasks_app.views import pay_words
from tasks_app.views.researcher.setup import plan_words


@dataclass(frozen=True, slots=True)
class Finding:
    """One point to check: its name, whether it is in order, a sentence, and the page where to settle it."""

    label: str
    is_ready: bool
    sentence: str
    url: str = ""
    link: str = ""


def frozen(study: Study, facts: OpeningFacts) -> list[tuple[str, str]]:
    """Return the facts that nobody can change once the study is open, in names and numbers."""
    task_names = [
        _("%(task)s (%(type)s)") % {"task": task, "type": task.kind.label} if task.title else str(task)
        for task in facts.tasks
    ]
    named = [(_("Tasks"), ", ".join(task_names)), (_("Criteria and questions"), ", ".join(facts.criteria) or "–")]
    if facts.items:
        named.append((_("Texts"), _texts(facts)))
    consent = ", ".join(dict.fromkeys(map(language_name, facts.consent_languages))) or _("none")
    return [
        *named,
        (_("Consent text"), consent),
        (_("Pay"), pay_words.promised(study.options) if offer_of(study.options).pays else _("none")),
        (_("Also"), _("instructions, parameters, checks, known answers, design, seed, and the analysis plan")),
    ]


def _texts(facts: OpeningFacts) -> str:
    number = formats.number_format
    counts = [
        ngettext("%(n)s item", "%(n)s items", facts.items) % {"n": number(facts.items)},
        ngettext("%(n)s output", "%(n)s outputs", facts.outputs) % {"n": number(facts.outputs)},
    ]
    systems = facts.systems
    return ", ".join([*counts, ngettext("%(n)s system", "%(n)s systems", systems) % {"n": number(systems)}])


def rows(study: Study, facts: OpeningFacts) -> list[Finding]:
    """Return the facts to look at before raters come: trials, pay per hour, checks, screens."""
    return [
        _tried(study, facts),
        _pay(study, measured(study) if facts.completed else None),
        _checks(study, facts),
        *_crowded(study, facts.tasks),
    ]


def _crowded(study: Study, tasks: Sequence[Task]) -> list[Finding]:
    """Return a row for every task with screens that ask for too much at once."""
    warned = [plan_words.crowded(task, study) for task in tasks]
    url = reverse("researcher:design", args=[study.slug])
    return [Finding(_("Screens"), False, sentence, url, _("Design")) for sentence in warned if sentence]


def _tried(study: Study, facts: OpeningFacts) -> Finding:
    label = _("Tried out")
    if study.is_frozen:
        url, link = reverse("researcher:try", args=[study.slug]), _("Try it out")
    else:
        url, link = f"{reverse('researcher:review', args=[study.slug])}#rehearse", _("Rate it yourself")
    finished = facts.completed_trials
    if finished:
        sentence = ngettext(
            "%(n)d person tried it out to the end.", "%(n)d people tried it out to the end.", finished
        ) % {"n": finished}
        return Finding(label, True, sentence)
    if facts.finished_at is not None:
        day = formats.date_format(facts.finished_at, "j M Y")
        return Finding(label, True, _("The draft was rated on trial to the end on %(day)s.") % {"day": day})
    if facts.rehearsed_at is not None:
        begun = _("%(name)s began to rate it on trial on %(day)s.") % {
            "name": facts.rehearsed_by or "–",
            "day": formats.date_format(facts.rehearsed_at, "j M Y"),
        }
        return Finding(label, True, begun)
    advice = _("Try it yourself before you send the link.")
    if facts.viewed_at is None:
        return Finding(label, False, f"{_('Nobody has viewed this study as a rater yet.')} {advice}", url, link)
    sentence = _("%(name)s viewed the arrival page on %(day)s.") % {
        "name": facts.viewed_by or "–",
        "day": formats.date_format(facts.viewed_at, "j M Y"),
    }
    return Finding(label, True, f"{sentence} {advice}", url, link)


def _pay(study: Study, time: MeasuredMinutes | None) -> Finding:
    options, offer, label = study.options, offer_of(study.options), _("Pay per hour")
    if not offer.pays:
        return Finding(label, True, _("Taking part is not paid."))
    sentences = [_("Promised: %(offer)s.") % {"offer": pay_words.promised(options)}]
    hourly, minutes = offer.hourly, offer.minutes
    if time is None and options.workload is not None and options.minutes is not None:
        minutes = options.workload.minutes
        hourly = pay.hourly(offer.amount, minutes) or pay.NOTHING
        words = {"minutes": formats.number_format(minutes), "hourly": pay_words.hourly(hourly, options.currency)}
        sentences.append(
            _("The screens, texts and answers suggest about %(minutes)s minutes, which comes to %(hourly)s.") % words
        )
    elif time is None:
        sentences.append(_("No time has been measured yet: compare when the first raters are done."))
    else:
        minutes = time.minutes
        hourly = pay.hourly(offer.amount, minutes) or pay.NOTHING
        words = {"minutes": formats.number_format(minutes, 1), "hourly": pay_words.hourly(hourly, options.currency)}
        sentences.append(
            _("Measured: half of the raters took at least %(minutes)s minutes, which comes to %(hourly)s.") % words
        )
    enough = offer.amount >= pay.needed(offer.minimum_hourly, minutes)
    if not enough:
        least = pay_words.hourly(offer.minimum_hourly, options.currency)
        sentences.append(_("That is below this study's minimum of %(least)s.") % {"least": least})
    elif not offer.minimum_hourly:
        sentences.append(_("The study sets no minimum."))
    return Finding(label, enough, " ".join(sentences), reverse("researcher:pay", args=[study.slug]), _("Pay"))


def _checks(study: Study, facts: OpeningFacts) -> Finding:
    n_known = facts.known
    settings = [checks_of(task.checks) for task in facts.tasks if task.stage == Task.Stage.MAIN]
    repeats, copies = sum(setting.repeats for setting in settings), sum(setting.degraded for setting in settings)
    counts = [
        ngettext("%(n)d unit with a known answer", "%(n)d units with known answers", n_known) % {"n": n_known},
        ngettext("%(n)d repeat in a set", "%(n)d repeats in a set", repeats) % {"n": repeats},
        ngettext("%(n)d degraded copy in a set", "%(n)d degraded copies in a set", copies) % {"n": copies},
    ]
    nonzero = [words for words, n in zip(counts, (n_known, repeats, copies), strict=True) if n]
    url, link = reverse("researcher:checks", args=[study.slug]), _("Checks")
    if nonzero:
        return Finding(_("Checks"), True, ", ".join(nonzero) + ".", url, link)
    none = _("There are no known answers and no repeats, so you cannot tell whether raters were paying attention.")
    return Finding(_("Checks"), False, none, url, link)
