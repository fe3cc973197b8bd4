"""Contacts that raters cannot use, and places of the consent text that name other people or platforms than the form."""

import re
from collections.abc import Iterator

from django.utils.translation import gettext as _

from tasks_app import channels
from tasks_app.readiness.base import Facts, Point, register

KIND = "contact"

# An address of mail or of a page, or a number of telephone, of which one has to be in a contact.
_REACHABLE = re.compile(r"[^\s@]@[\w-]+(?:\.[\w-]+)+|https?://|\bwww\.|(?:\d[\s/().-]{0,2}){6}")
_MAIL = re.compile(r"(?<![\w.+-])[\w.+-]{1,64}@(?:[\w-]+\.)+[\w-]+")

_OFFICER = re.compile(r"data protection|privacy|datenschutz|protection des données|ethic|ethik", re.IGNORECASE)

# The platforms that a text may name; Amazon's closed, so no text of a new study names it.
_PLATFORMS = {
    "prolific": re.compile(r"\bProlific\b", re.IGNORECASE),
    "mturk": re.compile(r"\b(?:Amazon )?Mechanical Turk\b|\bM-?Turk\b", re.IGNORECASE),
}


@register
def contacts_out_of_reach(facts: Facts) -> Iterator[Point]:
    """Yield contacts without an address, and complaints that go to the contact itself."""
    about = facts.section("about")
    contact, complaints = (str(about.get(name) or "").strip() for name in ("contact", "complaints"))
    for name, value in (("contact", contact), ("complaints", complaints)):
        if value and not _REACHABLE.search(value):
            sentence = _("Raters cannot write to “%(value)s”. Give an e-mail address or a web page.")
            yield Point(KIND, sentence % {"value": value}, ("about", name))
    if contact and contact.casefold() == complaints.casefold():
        sentence = _("Complaints go to the contact itself. Name somebody outside the team, such as the ethics board.")
        yield Point(KIND, sentence, ("about", "complaints"))


@register
def others_in_consent(facts: Facts) -> Iterator[Point]:
    """Yield mail addresses that only the consent text names, and platforms that raters do not come from."""
    about = " ".join(map(str, facts.section("about").values())).casefold()
    opened = facts.section("channels")
    for language, text in facts.consent.items():
        for address in dict.fromkeys(_MAIL.findall(str(text))):
            if "@" in about and address.rstrip(".").casefold() not in about and not _is_officer(str(text), address):
                sentence = _("The consent text names %(address)s, but the form names other contacts.")
                yield Point(KIND, sentence % {"address": address}, ("consent", language))
        for name, pattern in _PLATFORMS.items():
            match = pattern.search(str(text))
            if match and name in channels.registry and name not in opened:
                sentence = _("The consent text names %(platform)s, but raters do not come from there.")
                yield Point(KIND, sentence % {"platform": match[0]}, ("consent", language))


def _is_officer(text: str, address: str) -> bool:
    """Return whether the sentence with an address is about data protection: only the text names that officer."""
    before = text[: text.find(address)]
    sentence = re.split(r"[.!?]\s|\n", before)[-1]
    return _OFFICER.search(sentence) is not None
