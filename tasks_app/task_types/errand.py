"""A task that a rater does on another site: the addresses that may lead there, and how far the rater has come.

An address is an output of a system, so that raters must not read it: it would name the system.
"""

from __future__ import annotations

import re
from collections.abc import Collection
from dataclasses import dataclass
from urllib.parse import parse_qsl, urlsplit, urlunsplit

from django.utils.translation import gettext as _

# The parameter of an address that tells the site which task of which rater it is, without naming either.
TOKEN = "evalweb_token"  # noqa: S105  a name
# The event by which the site says that the task is finished.
DONE = "done"

LONGEST_ADDRESS = 2_000
_LABEL = r"(?!-)[a-z0-9-]{1,63}(?<!-)"
# The last label of an internet domain has a letter, so that numbers of machines are no hosts.
HOST = re.compile(rf"(?:{_LABEL}\.)+(?=[0-9-]*[a-z]){_LABEL}(?::[1-9][0-9]{{0,4}})?")
# What an address is written with (RFC 3986); everything else is percent-encoded in it.
_WRITTEN_WITH = re.compile(r"[A-Za-z0-9\-._~:/?#\[\]@!$&'()*+,;=%]+")


@dataclass(frozen=True, slots=True)
class Errand:
    """How far a rater has come with a task on another site.

    `finished` says that the site has reported it; `needs_report` that nothing else counts, not even the rater's word.
    """

    opened: bool = False
    finished: bool = False
    needs_report: bool = False


def problem_in_address(address: str, hosts: Collection[str]) -> str | None:
    """Return the reason why a text is no address to which raters may be sent, or None.

    `hosts` are the allowed sites, such as search.example.org, each with its port unless that is the usual one.
    """
    if problem := _problem_in_writing(address):
        return problem
    try:
        parts = urlsplit(address)
    except ValueError:
        return _("is not an address")
    if "@" in parts.netloc:
        return _("has a user name or a password")
    if parts.netloc.lower() not in hosts:
        return _("leads to a site that is not among the allowed ones (elsewhere_hosts)")
    if TOKEN in dict(parse_qsl(parts.query, keep_blank_values=True)):
        return _("has a parameter “%(name)s”, which is added for each rater") % {"name": TOKEN}
    return None


def _problem_in_writing(address: str) -> str | None:
    """Return the reason why a text is not written as an address with https, or None."""
    if len(address) > LONGEST_ADDRESS:
        return _("is longer than %(most)d characters") % {"most": LONGEST_ADDRESS}
    if not _WRITTEN_WITH.fullmatch(address):
        return _("has characters that addresses do not have; encode them, a space as %20")
    if not address.startswith("https://"):
        return _("does not begin with https://")
    return None


def with_token(address: str, token: str) -> str:
    """Return the address with the token as the last parameter of its query."""
    parts = urlsplit(address)
    query = f"{parts.query}&{TOKEN}={token}" if parts.query else f"{TOKEN}={token}"
    return urlunsplit(parts._replace(query=query))
