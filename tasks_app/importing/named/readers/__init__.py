"""The readers, one module for each format; a new one is found by being here.

All that a reader of your own is written with can be imported from here (docs/extending.md).
"""

from tasks_app.importing.named.base import CERTAIN, LIKELY, NamedFormat, Option, Sign
from tasks_app.importing.named.collected import Collected, Text
from tasks_app.importing.named.files import Files, refused
from tasks_app.importing.named.registry import register, registry
from tasks_app.importing.named.scales import Labels, Marks, Preferences, Scores

registry.discover(__name__)

__all__ = [
    "CERTAIN",
    "LIKELY",
    "Collected",
    "Files",
    "Labels",
    "Marks",
    "NamedFormat",
    "Option",
    "Preferences",
    "Scores",
    "Sign",
    "Text",
    "refused",
    "register",
    "registry",
]
