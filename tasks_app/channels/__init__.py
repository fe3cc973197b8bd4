"""Channels: where raters come from. Each channel is a pure module, and the module's name is the channel's."""

from collections.abc import Mapping
from typing import Any

from tasks_app.channels.base import Channel
from tasks_app.registry import Registry
from tasks_app.study_settings import StudySettings

registry: Registry[type[Channel]] = Registry("channel")
registry.discover(__name__)

MINUTES_A_DAY = 24 * 60


def params_of(options: StudySettings, name: str) -> Mapping[str, Any] | None:
    """Return a study's parameters for a channel; None where the channel is not open."""
    if name not in options.channels or name not in registry:
        return None
    return registry[name].Params.read(options.channels[name])


def ignores_case(name: str) -> bool:
    """Return whether a channel's platform takes ids that differ in case for the same."""
    return name in registry and registry[name].ids_ignore_case


def canonical_id(name: str, external_id: str) -> str:
    """Return the form of a person's id that stands for all forms its platform takes for the same."""
    return registry[name].canonical_id(external_id) if name in registry else external_id


def lease_minutes(options: StudySettings, name: str) -> float:
    """Return how long sets are kept for a channel's raters: the channel's days, else the study's minutes."""
    if name not in registry or "lease_days" not in registry[name].Params.base_fields:
        return options.lease_minutes
    days = (params_of(options, name) or {}).get("lease_days")
    return float(days) * MINUTES_A_DAY if days else options.lease_minutes
