"""Channels: where raters come from. Each channel is a pure module, and the module's name is the channel's.

Whatever a channel of your own is written with can be imported from here (docs/extending.md).
"""

import json
from dataclasses import dataclass
from functools import lru_cache

from tasks_app.channels.base import Arrival as Arrival
from tasks_app.channels.base import Channel as Channel
from tasks_app.channels.base import Ending as Ending
from tasks_app.channels.base import Example as Example
from tasks_app.channels.base import NotArrived as NotArrived
from tasks_app.channels.base import Paste as Paste
from tasks_app.hooks.registry import Registry
from tasks_app.settings.fields import YesNoField as YesNoField
from tasks_app.settings.fields import choice_field as choice_field
from tasks_app.settings.fields import line_field as line_field
from tasks_app.settings.fields import number_field as number_field
from tasks_app.settings.fields import whole_field as whole_field
from tasks_app.settings.study import StudySettings

registry: Registry[type[Channel]] = Registry("channel")
register = registry.register
registry.discover(__name__)

MINUTES_A_DAY = 24 * 60

# The lease of a set before its rater's first answer, unless the study's own is shorter: whoever enrols many raters and
# answers nothing keeps nobody out for longer.
UNANSWERED_MINUTES = 10


def opened(options: StudySettings, name: str) -> Channel | None:
    """Return a channel with the settings of a study; None where the study has not opened it."""
    if name not in options.channels or name not in registry:
        return None
    return _made(registry[name], json.dumps(dict(options.channels[name]), sort_keys=True, default=str))


@lru_cache(maxsize=256)
def _made(channel: type[Channel], settings: str) -> Channel:
    """Make a channel, of equal settings only once: every page of every rater asks for it."""
    return channel(json.loads(settings))


def channel_of(options: StudySettings, name: str) -> Channel:
    """Return a channel with the settings of a study, or with its defaults where the study has not opened it."""
    return opened(options, name) or registry[name]()


def fee_of(options: StudySettings) -> float:
    """Return the highest fee that the platforms of a study charge on top of the pay, in per cent of it."""
    each = (opened(options, name) for name in options.channels)
    return max((channel.fee_in_percent() for channel in each if channel is not None), default=0.0)


def ignores_case(name: str) -> bool:
    """Return whether a channel's platform takes ids that differ in case for the same."""
    return name in registry and registry[name].ids_ignore_case


def canonical_id(name: str, external_id: str) -> str:
    """Return the form of a person's id that stands for all forms its platform takes for the same."""
    return registry[name].canonical_id(external_id) if name in registry else external_id


@dataclass(frozen=True, slots=True)
class Lease:
    """The time that a sign of life keeps a rater's sets, and the shorter time before the first answer.

    `unanswered_minutes` is None where that makes no difference.
    """

    minutes: float
    unanswered_minutes: float | None


def lease_of(options: StudySettings, name: str) -> Lease:
    """Return the time that sets are kept for a channel's raters: the channel's days, else the study's minutes.

    Before their first answer, sets are kept for less time for raters of channels by which anybody can enrol, and enrol
    often. Somebody who was invited has one set, which the researcher meant for them.
    """
    channel = opened(options, name)
    days = channel.days_kept() if channel is not None else None
    minutes = days * MINUTES_A_DAY if days else options.lease_minutes
    invited = name in registry and registry[name].invited_only
    return Lease(minutes, None if invited else min(minutes, UNANSWERED_MINUTES))
