"""Channels: where raters come from. One pure module a channel; the module's name is the channel's."""

from tasks_app.channels.base import Channel
from tasks_app.registry import Registry

registry: Registry[type[Channel]] = Registry("channel")
registry.discover(__name__)
