"""What every channel says: how its raters arrive, what they are shown at the end, and how they are paid."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, ClassVar

from tasks_app.study_settings import Block

if TYPE_CHECKING:
    from django_stubs_ext import StrOrPromise


@dataclass(frozen=True, slots=True)
class Arrival:
    """Somebody at the door, as a channel understood their address.

    `external_id` is who they are to the platform and `session_id` which visit of theirs this is: only both together
    bring somebody back to work that was begun. Without an external id nobody is recognised. `details` is what the end
    needs, such as where to post to. In a `preview` nothing is stored and nobody is enrolled.
    """

    channel: str
    external_id: str = ""
    session_id: str = ""
    email: str = ""
    group: str = ""
    details: Mapping[str, str] = field(default_factory=dict)
    preview: bool = False


class NotArrived(ValueError):
    """The address is not one that this channel's platform makes; the message says so to the person at the door."""


@dataclass(frozen=True, slots=True)
class Ending:
    """What a rater does at the end: take a code along, go to an address, or send a form to one."""

    code: str = ""
    address: str = ""
    fields: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Example:
    """An arrival to try out: what it shows, and the query of its address."""

    label: StrOrPromise
    query: Mapping[str, str]


class Channel(ABC):
    """A way in. A subclass is registered under its module's name and has no state."""

    label: ClassVar[StrOrPromise]
    # What to do on the platform, in a few plain sentences for the Recruit page.
    doc: ClassVar[StrOrPromise] = ""
    # Whether only those who were invited may come in, by a link of their own or by signing in.
    invited_only: ClassVar[bool] = False
    needs_account: ClassVar[bool] = False
    # Origins that may show raters' pages in a frame, and that the last page may send a form to.
    frame_ancestors: ClassVar[tuple[str, ...]] = ()
    form_targets: ClassVar[tuple[str, ...]] = ()

    class Params(Block):
        """What a researcher settles for this channel alone; nothing by default."""

    @classmethod
    @abstractmethod
    def arrival(cls, query: Mapping[str, str], params: Mapping[str, Any]) -> Arrival:
        """Read the query of an address. Raises NotArrived where it is not one of the platform's."""

    @classmethod
    def ending(cls, outcome: str, code: str, details: Mapping[str, str], params: Mapping[str, Any]) -> Ending:
        """What somebody with this outcome does at the end; `details` are those of the arrival. A code by default."""
        return Ending(code=code)

    @classmethod
    def examples(cls) -> tuple[Example, ...]:
        """Arrivals to try out, made-up ids in them."""
        return (Example(cls.label, {}),)
