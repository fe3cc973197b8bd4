"""The whole permission table: a row for each address, method, state of the study and thing that is asked for."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from tests.permissions import changes, members, projects, raters, researchers, results, scripts
from tests.permissions.rows import Row

TABLE: list[Row] = [
    *raters.ROWS,
    *researchers.ROWS,
    *members.ROWS,
    *changes.ROWS,
    *projects.ROWS,
    *results.ROWS,
    *scripts.ROWS,
]

# A token is the credential of a rater's pages.
TOKEN_ROWS = [row for row in TABLE if row.path.get("token") == "TOKEN"]


@dataclass(frozen=True)
class Shown:
    """Something on a page that is there for a role and those above it only."""

    name: str
    least: str
    words: str
    query: Mapping[str, str] = field(default_factory=dict)
    study_in_path: bool = True
    path: Mapping[str, str] = field(default_factory=dict)

    def __str__(self) -> str:
        """Name it in a report."""
        return f"{self.name} {self.words}"


SHOWN = [
    Shown("researcher:studies", "editor", "/new/?study=the-open", study_in_path=False),
    Shown("researcher:studies", "owner", "/the-open/template/", study_in_path=False),
    Shown("analytics_projects:data", "owner", "ratings.csv", path={"slug": "PROJECT"}),
    Shown("analytics_projects:data", "editor", "studies.zip", path={"slug": "PROJECT"}),
    Shown("projects:work", "editor", "Open all that are ready", path={"slug": "PROJECT", "number": "WORK"}),
    Shown("projects:project", "editor", "Rename the project", path={"slug": "PROJECT"}),
    Shown("analytics:monitor", "editor", "/the-open/checks/"),  # beside the tab
    Shown("researcher:setup", "editor", "/the-open/file/"),
    Shown("researcher:preview", "editor", "Invitation to a study", query={"page": "consent"}),
    Shown("researcher:setup", "editor", 'name="action" value="close"'),
    Shown("researcher:design", "editor", "/the-open/design/plan.csv"),
    Shown("researcher:members", "owner", "Share the study"),
    Shown("analytics:data", "owner", "/the-open/data/ratings.csv"),
    Shown("analytics:data", "editor", "/the-open/file/"),
    Shown("analytics:collected", "owner", "Raters of this study write no texts"),
    Shown("analytics_projects:raters", "editor", 'name="text"', path={"slug": "PROJECT"}),
    Shown("analytics_projects:raters", "owner", "/labels/", path={"slug": "PROJECT"}),
    Shown("analytics:rater", "owner", "/labels/", path={"pseudonym": "PAYEE"}),
    Shown("analytics:rater", "owner", "/answers/", path={"pseudonym": "PAYEE"}),
    Shown("analytics:rater", "editor", "/the-open/people/message/", path={"pseudonym": "PAYEE"}),
    Shown("analytics:monitor", "editor", "/cancel/"),
    Shown("analytics:monitor", "editor", "/cancel/", {"live": "1"}),
]
