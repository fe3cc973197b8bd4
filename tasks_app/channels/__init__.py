"""Channels: where raters come from. Each channel is a pure module, and the module's name is the channel's."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from tasks_app.channels.base import Channel
from tasks_app.registry import Registry
from tasks_app.study_settings import StudySettings

registry: Registry[type[Channel]] = Registry("channel")
registry.discover(__name__)

MINUTES_A_DAY = 24 * 60

# The lease of a set before its rater's first answer, unless the study's own is shorter: whoever enrols many raters and
# answers nothing keeps nobody out for longer.
UNANSWERED_MINUTES = 10


def params_of(options: StudySettings, name: str) -> Mapping[str, Any] | None:
    """Return a study's parameters for a channel; None where the channel is not open."""
    if name not in options.channels or name not in registry:
        return None
    return registry[name].Settings.read(options.channels[name])


def ignores_case(name: str) -> bool:
    """Return whether a channel's platform takes ids that differ in case for the same."""
    return name in registry and registry[name].ids_ignore_case


def canonical_id(name: str, external_id: str) -> str:
    """Return the form of a person's id that stands for all forms its platform takes for the same."""
    return registry[name].canonical_id(external_id) if name in registry else external_id


@dataclass(frozen=True, slots=True)
class Lease:
    """How long a sign of life keeps a rater's sets, and how long as long as the rater has answered nothing.

    `unanswered_minutes` is None where that makes no difference.
    """

    minutes: float
    unanswered_minutes: float | None


def lease_of(options: StudySettings, name: str) -> Lease:
    """Return how long sets are kept for a channel's raters: the channel's days, else the study's minutes.

    Before their first answer, sets are kept for less time for raters of channels by which anybody can enrol, and enrol
    often. Somebody who was invited has one set, which the researcher meant for them.
    """
    has_days = name in registry and "lease_days" in registry[name].Settings.base_fields
    days = (params_of(options, name) or {}).get("lease_days") if has_days else None
    minutes = float(days) * MINUTES_A_DAY if days else options.lease_minutes
    invited = name in registry and registry[name].invited_only
    return Lease(minutes, None if invited else min(minutes, UNANSWERED_MINUTES))
