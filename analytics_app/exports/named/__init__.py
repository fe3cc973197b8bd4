"""Exports in the formats of other tools, one module for each; a new one is found by being here."""

from analytics_app.exports.named.base import Writer, Written, registry, writer_called

registry.discover(__name__)

__all__ = ["Writer", "Written", "registry", "writer_called"]
