"""What a row of the permission table says, in short for the ways in which addresses let people in."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

# By link, a rater is as anonymous as any stranger; `rater` has an account, which lets nobody see studies from inside.
PEOPLE = ("anonymous", "rater", "stranger", "viewer", "editor", "owner", "superuser")

# A superuser needs no role. The least role of a row is the first of these that is let in.
RANKED = ("viewer", "editor", "owner", "superuser")
ANYBODY, RESEARCHER = "anybody", "researcher"

SIGN_IN = 302  # redirected to the sign-in page

Sent = Mapping[str, Any] | Callable[..., Mapping[str, Any]]


@dataclass(frozen=True)
class Row:
    """What an address answers each person for a method, asked with things that are there in the study.

    Words in capitals in `path`, `sent` and `query` stand for what the study has (`World.words`).
    """

    method: str
    name: str
    least: str
    statuses: Mapping[str, int]
    path: Mapping[str, str] = field(default_factory=dict)
    sent: Sent = field(default_factory=dict)
    query: Mapping[str, str] = field(default_factory=dict)
    study: str = "open"
    # Whether the people who are let in change something, which shows that the row asks for something real.
    changes: bool = False
    note: str = ""
    is_json: bool = False

    def __str__(self) -> str:
        """Name the row in a report."""
        about = (self.method, self.name, "" if self.study == "open" else self.study, self.note)
        return " ".join(filter(None, about))

    @property
    def refused(self) -> tuple[str, ...]:
        """Return the people who are refused; where nobody needs a role, nobody is."""
        if self.least == ANYBODY:
            return ()
        if self.least == RESEARCHER:
            return PEOPLE[:2]
        return PEOPLE[: 3 + RANKED.index(self.least)]


def public(method: str, name: str, status: int = 200, **rest: Any) -> Row:
    """Return the row of an address that answers everybody alike."""
    return Row(method, name, ANYBODY, dict.fromkeys(PEOPLE, status), **rest)


def page(method: str, name: str, least: str, status: int = 200, **rest: Any) -> Row:
    """Return the row of a researcher's page: a study is not there for those who may not see it."""
    return _row(method, name, least, status, dict.fromkeys(PEOPLE, 404) | {"anonymous": SIGN_IN}, rest)


def script(method: str, name: str, least: str, status: int = 200, **rest: Any) -> Row:
    """Return the row of an address of the API: members learn that their role is too low."""
    refusals = dict.fromkeys(PEOPLE, 403) | {"anonymous": 401, "rater": 401, "stranger": 404}
    return _row(method, name, least, status, refusals, rest)


def _row(
    method: str,
    name: str,
    least: str,
    status: int,
    refusals: dict[str, int],
    rest: dict[str, Any],
) -> Row:
    """Return a row; `others` says what some people get that does not follow from their role."""
    let_in = PEOPLE[2:] if least == RESEARCHER else RANKED[RANKED.index(least) :]
    statuses = refusals | dict.fromkeys(let_in, status) | rest.pop("others", {})
    if rest.pop("study_in_path", least != RESEARCHER):
        rest["path"] = {"slug": "SLUG", **rest.get("path", {})}
    return Row(method, name, least, statuses, **rest)
