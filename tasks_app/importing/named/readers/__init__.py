"""The readers, one module for each format; a new one is found by being here."""

from tasks_app.importing.named.registry import registry

registry.discover(__name__)
