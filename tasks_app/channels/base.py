"""The interface of a channel: arrival of raters, the end that they see, and their payment."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from decimal import Decimal
from typing import TYPE_CHECKING, ClassVar

from django.utils.translation import gettext_lazy

from tasks_app.channels.payment import Payee, PaymentFile, named_list
from tasks_app.settings.study import Block, Declared

if TYPE_CHECKING:
    from django_stubs_ext import StrOrPromise


@dataclass(frozen=True, slots=True)
class Arrival:
    """An arriving person, as a channel understood their address.

    `external_id` is who they are to the platform and `session_id` which visit of theirs this is: only both together
    bring somebody back to work that was begun. Without an external id nobody is recognised. `details` is what the end
    needs, such as where to post to. In a `preview` nothing is stored and nobody is enrolled. Who was invited comes with
    the number of the `invitation` and the `language` to begin in, "" for that of the study.
    """

    channel: str
    external_id: str = ""
    session_id: str = ""
    email: str = ""
    group: str = ""
    details: Mapping[str, str] = field(default_factory=dict)
    preview: bool = False
    invitation: int | None = None
    language: str = ""


class NotArrived(ValueError):
    """The address is not one that this channel's platform makes; the message says so to the person at the door."""


@dataclass(frozen=True, slots=True)
class Ending:
    """The last step of a rater: take a code along, go to an address, or send a form to an address."""

    code: str = ""
    address: str = ""
    fields: Mapping[str, str] = field(default_factory=dict)
    # Label of the button; if it is empty, the page uses its own.
    label: StrOrPromise = ""
    # Whether the code is entered nowhere: the rater keeps it to ask about their answers.
    is_to_keep: bool = False


@dataclass(frozen=True, slots=True)
class Example:
    """An arrival to try out: its label, and the query of its address."""

    label: StrOrPromise
    query: Mapping[str, str]


@dataclass(frozen=True, slots=True)
class Paste:
    """Something to copy from the Recruit page: where it goes on the platform, and the text."""

    label: StrOrPromise
    text: str
    long: bool = False


class OwnSettings(Block):
    """Settings for this channel alone; none by default."""


class Channel(Declared, ABC):
    """A way in, registered under its module's name. The channel's settings are fields of its class.

    An instance has the values of a study. What is the same in every study is asked of the class.
    """

    label: ClassVar[StrOrPromise]
    # Instructions for the researcher on the platform, in a few plain sentences for the Recruit page.
    doc: ClassVar[StrOrPromise] = ""
    # True if only invited people may come in, by a personal link or by signing in.
    invited_only: ClassVar[bool] = False
    needs_account: ClassVar[bool] = False
    # True if a rater can be paid only with the ids that came with the arrival.
    needs_ids: ClassVar[bool] = False
    # True if raters end with a code that the platform must know, so that the study has one for every outcome.
    needs_codes: ClassVar[bool] = False
    # Why nobody can come by it any more, for platforms that have closed; studies that have the channel keep it.
    ended: ClassVar[StrOrPromise] = ""
    # True if a cookie may remember in a rater's browser that they began there, since their address does not bring them
    # back, or not always. Never where a platform shows the pages in a frame.
    remembers_browser: ClassVar[bool] = False
    # What is stored about a rater of this channel beside the study's answers, for the raters to read.
    stores: ClassVar[StrOrPromise] = ""
    # True if ids that differ only in case belong to the same person: raters can edit the address they come by.
    ids_ignore_case: ClassVar[bool] = False
    # What a rater who gets neither a code nor a form does on the platform, such as giving their place back.
    way_out: ClassVar[StrOrPromise] = ""
    # What a visitor of the preview does in order to take part.
    way_in: ClassVar[StrOrPromise] = ""
    # The platform's statuses of a rater's work, entered by hand or read from its file, and the ending each means.
    statuses: ClassVar[Mapping[str, str | None]] = {}

    Settings: ClassVar[type[Block]] = OwnSettings

    @abstractmethod
    def arrival(self, query: Mapping[str, str]) -> Arrival:
        """Read the query of an address. Raises NotArrived where it is not one of the platform's."""

    @classmethod
    def canonical_id(cls, external_id: str) -> str:
        """Return an id as the platform writes it, however an address wrote it."""
        return external_id

    def ending(self, outcome: str, code: str, details: Mapping[str, str]) -> Ending:
        """Return the ending for a rater with this outcome.

        `details` are those of the arrival, with its `session_id` and, of a rater, the `pseudonym`. A code by default.
        """
        return Ending(code=code)

    def fee_in_percent(self) -> float:
        """Return the fee of the platform in per cent of the pay; zero by default."""
        return 0.0

    @classmethod
    def frame_ancestors(cls) -> Sequence[str]:
        """Origins that may show raters' pages in a frame; none by default."""
        return ()

    @classmethod
    def form_targets(cls) -> Sequence[str]:
        """Origins that a rater's last page may send a form to; none by default."""
        return ()

    def days_kept(self) -> int | None:
        """Return for how many days a set is kept for a rater; None where it is the minutes of the study's lease."""
        return None

    def pastes(self, address: str) -> Sequence[Paste]:
        """Return the texts that a researcher copies to the platform; `address` is where raters arrive."""
        return (Paste(gettext_lazy("Address"), address),)

    def paid_by_platform(self, outcome: str, amount: Decimal, part_amount: Decimal) -> Decimal:
        """Return the pay by the platform itself for this outcome, so that nobody is paid twice; nothing by default.

        `amount` is the study's pay for a full set, `part_amount` that for the screened-out and failed.
        """
        return Decimal("0.00")

    @classmethod
    def payment_files(cls, payees: Sequence[Payee]) -> Sequence[PaymentFile]:
        """Return the open payments in the platform's own form. By default, one list for people with all of them."""
        return (named_list(payees),)

    @classmethod
    def examples(cls) -> tuple[Example, ...]:
        """Arrivals to try out, with made-up ids that are drawn anew each time."""
        return (Example(cls.label, {}),)
