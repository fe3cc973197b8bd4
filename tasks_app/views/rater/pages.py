"""Parts of several rater pages: the frame, words about time and pay, answers in words."""

import ipaddress
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from decimal import Decimal
from typing import Any

from django import forms
from django.conf import settings
from django.http import HttpRequest
from django.urls import reverse
from django.utils import formats
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from tasks_app import channels, pay
from tasks_app.forms import LanguageForm
from tasks_app.links.credentials import handle_of_rater
from tasks_app.models import ConsentText, Rater, Study
from tasks_app.selectors.durations import measured
from tasks_app.selectors.elsewhere import hosts_elsewhere
from tasks_app.selectors.pay import EarlyEnds, early_ends_of
from tasks_app.selectors.progress import RaterProgress
from tasks_app.services.arrival import remembering
from tasks_app.services.plan.loads import load_in_words
from tasks_app.services.study import correcting
from tasks_app.settings.study import StudySettings
from tasks_app.texts import languages, richtext
from tasks_app.texts.languages import PageLanguage
from tasks_app.views import pay_words
from tasks_app.views.rater import continuing, stages
from tasks_app.views.rater.visit import Visit


def minutes_in_words(minutes: float) -> str:
    """Word a duration for people: about 1 minute, about 12 minutes."""
    rounded = max(1, round(minutes))
    return ngettext("about %(n)s minute", "about %(n)s minutes", rounded) % {"n": formats.number_format(rounded)}


def expected_minutes(study: Study) -> float:
    """Return the minutes that a set takes: as the researcher states, else as raters took, else as estimated."""
    options = study.options
    if options.minutes is not None or not study.is_frozen:
        return options.expected_minutes
    time = measured(study)
    return time.minutes if time and time.is_enough else options.expected_minutes


def money(amount: Decimal, currency: str) -> str:
    """Word an amount: 3.50 EUR; nothing for zero."""
    return f"{formats.number_format(amount, 2, force_grouping=True)} {currency}" if amount else ""


def in_browser() -> str:
    """Describe the purpose of the one cookie of raters' pages."""
    return _(
        "A cookie remembers for %(days)s days at most that you have begun, so that you can go on if you lose the page. "
        "It is deleted at the end and used for nothing else. You can take part without it."
    ) % {"days": remembering.DAYS}


def stored_in_words(options: StudySettings, channel: str) -> str:
    """Describe the data stored about a rater: in the researcher's words, and the data that the channel brings."""
    own_words = options.stored or _(
        "Your answers and comments, how long you took and which buttons and fields you used, under a made-up name. "
        "Your IP address and the kind of your device are not stored."
    )
    brings = channels.registry[channel].stores if channel in channels.registry else ""
    return f"{own_words} {brings}".strip()


def other_sites_in_words(hosts: Collection[str]) -> str:
    """Name the other sites on which raters do tasks, and the data that they get; empty without other sites."""
    if not hosts:
        return ""
    return _(
        "You do some tasks on another site: %(sites)s. Those who run it see what you do in a task and your IP "
        "address; from us they get a random code for each task, and neither your name nor your answers. They tell us "
        "what you do in a task, and it is stored with your answers."
    ) % {"sites": ", ".join(hosts)}


def about_pairs(options: StudySettings, channel: str, hosts: Collection[str]) -> list[tuple[str, str]]:
    """Return the people who run the study and the use of the answers, as far as the researcher gave them.

    `hosts` are the other sites on which raters do tasks.
    """
    last_day = options.withdraw_until
    pairs = [
        (_("Who runs this study"), options.institution),
        (_("Contact"), options.contact),
        (_("Complaints"), options.complaints),
        (_("Ethics reference"), options.ethics),
        (_("What is stored"), stored_in_words(options, channel)),
        (_("Another site"), other_sites_in_words(hosts)),
        (_("In your browser"), in_browser() if continuing.has_memory(channel) else ""),
        (_("How long it is kept"), options.kept),
        (_("What is published"), options.published),
        (_("Last day to withdraw"), formats.date_format(last_day, "DATE_FORMAT") if last_day else ""),
    ]
    return [(label, text) for label, text in pairs if text]


def kept_in_words(options: StudySettings, channel: str) -> str:
    """Describe the time without a sign of life after which a rater's place goes to others."""
    lease = channels.lease_of(options, channel)
    words, first = {"time": _time_in_words(lease.minutes)}, lease.unanswered_minutes
    if first is None or first >= lease.minutes:
        return _("It goes to others if you do nothing for %(time)s.") % words
    words["first"] = _time_in_words(first)
    sentence = _(
        "It goes to others if you do nothing for %(time)s, or for %(first)s while you have not given an answer yet."
    )
    return sentence % words


def _time_in_words(minutes: float) -> str:
    """Word a duration in days where it is whole days, else in minutes."""
    days = minutes / channels.MINUTES_A_DAY
    if days.is_integer():
        return ngettext("%(n)s day", "%(n)s days", int(days)) % {"n": int(days)}
    rounded = max(1, round(minutes))
    return ngettext("%(n)s minute", "%(n)s minutes", rounded) % {"n": formats.number_format(rounded)}


@dataclass(frozen=True, slots=True)
class PublicStudy:
    """Facts of a study for a stranger: without names of systems and without the researcher's own title."""

    public_title: str
    language: str
    # What stands above the consent button where the consent text has no summary of its own.
    in_short: list[tuple[str, str]]
    about: list[tuple[str, str]]
    minutes: str
    load: str
    pay: str
    hourly: str
    kept: str
    promises: list[tuple[str, str]]
    content_warning: str


def public_study(
    study: Study, channel: str, ends: EarlyEnds | None = None, hosts: Collection[str] | None = None
) -> PublicStudy:
    """Collect the texts above and below the consent button for a person who comes by a channel.

    `ends` says whether raters may be screened out or fail an exam, `hosts` on which other sites they do tasks; both are
    read from the study unless they are given.
    """
    options = study.options
    hosts = hosts_elsewhere(study) if hosts is None else hosts
    other_site = [(_("Another site"), other_sites_in_words(hosts))] if hosts else []
    minutes = expected_minutes(study)
    return PublicStudy(
        public_title=study.public_title,
        language=study.language,
        in_short=[
            (_("Who runs this study"), options.institution),
            (_("What is stored"), stored_in_words(options, channel)),
            *other_site,
        ],
        about=about_pairs(options, channel, hosts),
        minutes=minutes_in_words(minutes),
        load=load_in_words(load.screens, load.texts, load.answers) if (load := options.workload) else "",
        pay=money(options.amount, options.currency),
        hourly=pay_words.hourly(pay.hourly(options.amount, minutes), options.currency) if options.amount else "",
        kept=kept_in_words(options, channel),
        promises=pay_words.promises(options, early_ends_of(study) if ends is None else ends),
        content_warning=options.content_warning,
    )


def consent_text(study: Study, language: str = "") -> ConsentText | None:
    """Return the consent text of the study's current version: for readers of a language, of the study's, or any.

    A text tagged zh-CN is read by those whose pages are in zh-hans; see `languages.closest`.
    """
    texts = ConsentText.objects.filter(study=study, version__lte=max(1, study.current_version))
    newest: dict[str, ConsentText] = {}
    for text in texts.order_by("-version", "language"):
        newest.setdefault(text.language, text)
    tags = (languages.closest(wanted, newest) for wanted in (language, study.language) if wanted)
    return newest.get(next(filter(None, tags), next(iter(newest), "")))


def agreed_text(rater: Rater) -> ConsentText | None:
    """Return the consent text that a rater has agreed to, or else the one of the study."""
    consent = rater.consents.select_related("consent_text").order_by("-at").first()
    return consent.consent_text if consent is not None else consent_text(rater.study)


def consent_shown(study: Study, text: ConsentText | None) -> dict[str, str]:
    """Return the parts of a consent text as HTML: a summary, which it may begin with above a rule, and the rest."""
    if text is None:
        return {"consent_summary": "", "consent_html": ""}
    summary, details = richtext.split_at_rule(correcting.with_contacts(text.body, study))
    return {"consent_summary": richtext.to_html(summary), "consent_html": richtext.to_html(details)}


def consent_html(study: Study, text: ConsentText | None) -> str:
    """Return a consent text of a study as HTML, with corrected contacts; empty where the study has none."""
    return richtext.to_html(correcting.with_contacts(text.body, study)) if text else ""


def client_address(request: HttpRequest) -> str:
    """Return the address of a request; of X-Forwarded-For only the entries of our own proxies are believed.

    Of an IPv6 address the network of 64 bits: whoever has one address of it has all.
    """
    proxies: int = settings.EVALWEB_PROXIES
    forwarded = [part.strip() for part in request.headers.get("X-Forwarded-For", "").split(",") if part.strip()]
    if proxies and len(forwarded) >= proxies:
        return _network(forwarded[-proxies])
    return _network(str(request.META.get("REMOTE_ADDR", "")))


def _network(address: str) -> str:
    """Return the network that an address is counted for; any other text stays as it is."""
    try:
        network = ipaddress.ip_address(address.strip("[]").partition("%")[0])
    except ValueError:
        return address
    if network.version == 4:
        return str(network)
    if network.ipv4_mapped is not None:
        return str(network.ipv4_mapped)
    return str(ipaddress.ip_network((network, 64), strict=False))


@dataclass(frozen=True, slots=True)
class PageFrame:
    """The bars around a rater's page."""

    public_title: str
    done: int
    total: int
    minutes_left: str
    help_url: str
    stop_url: str
    lang: str
    # The languages the page can be read in, and the form that asks for another.
    languages: tuple[PageLanguage, ...] = ()
    language_url: str = ""
    language_form: forms.Form | None = None
    # Of the study's own texts.
    study_lang: str = ""
    overview_url: str = ""
    # Names the sequence that is counted, where it is not what is judged.
    stage: str = ""

    @property
    def dir(self) -> str:
        """The direction of the page, as its own words run; texts of the study each say their own."""
        return languages.direction(self.lang)

    @property
    def study_dir(self) -> str:
        """The direction of scales, which is the same for all raters of a study."""
        return languages.direction(self.study_lang or self.lang)


def frame_for(
    visit: Visit, progress: RaterProgress, *, lists_set: bool = False, counted_as: stages.Counted = "text"
) -> PageFrame:
    """Make the bars around a rater's page; `lists_set` adds the link to the list of all texts in the set.

    `counted_as` says what the page shows: a text, several, none, or pictures, sounds or films.
    """
    study, language = visit.rater.study, languages.spoken()
    return PageFrame(
        public_title=study.public_title,
        done=progress.done,
        total=progress.total,
        minutes_left=_("%(minutes)s left") % {"minutes": minutes_in_words(progress.minutes_left)},
        help_url=visit.url("help"),
        stop_url=visit.url("stop"),
        lang=language,
        languages=languages.to_choose_from(),
        language_url=visit.url("language"),
        language_form=LanguageForm(bound_to={"rater": handle_of_rater(visit.rater.pk)}),
        study_lang=study.language,
        overview_url=visit.url("overview") if lists_set else "",
        stage=stages.label(progress, counted_as=counted_as),
    )


def personal_link(request: HttpRequest, token: str) -> str:
    """Return the address that brings a rater back."""
    return request.build_absolute_uri(reverse("rater:next", args=[token]))


def in_words(form: forms.Form, answer: Mapping[str, Any], leaving_out: Collection[str] = ()) -> list[tuple[str, str]]:
    """Describe an answer, question by question, without the fields named in `leaving_out`.

    A field whose values are no words says them itself, by a method `in_words`.
    """
    return [
        (str(field.label or name), _value_in_words(field, answer.get(name)) or _("no answer"))
        for name, field in form.fields.items()
        if name not in leaving_out
    ]


def answer_in_words(form: forms.Form, name: str, value: Any) -> str:
    """Describe one value with the words of the field of that name."""
    return _value_in_words(form.fields[name], value)


def _value_in_words(field: forms.Field, value: Any) -> str:
    own_wording = getattr(field, "in_words", None)
    if value is None or value == "":
        return ""
    if callable(own_wording):
        return str(own_wording(value))
    if isinstance(value, bool):
        return _("yes") if value else _("no")
    text = str(value)
    words = next((str(label) for choice, label in getattr(field, "choices", ()) if str(choice) == text and label), "")
    return f"{text} ({words})" if words and words != text else text
