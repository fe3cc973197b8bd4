"""Parts of addresses that no log may hold: credentials, and every other part that identifies a person.

An address declares it by its converter, `path("r/<secret:token>/", …)`. evalweb.secret_paths reads it from there, so
that an address and the rule that hides its secret cannot come apart.
"""

from django.urls import register_converter
from django.urls.converters import StringConverter


class HiddenInLogs:
    """Mark a converter with values that are replaced in every line of a log."""


class Secret(HiddenInLogs, StringConverter):
    """A token or code that lets its holder in, as one segment of an address."""


def register_converters() -> None:
    """Make `<secret:…>` known to addresses."""
    register_converter(Secret, "secret")
