"""Rows of pages about the people who work on studies, and about studies that are deleted."""

from tests.permissions.rows import RESEARCHER, page

VIEWER, OWNER = "viewer", "owner"

ROWS = [
    page("GET", "usual:settings", RESEARCHER),
    page(
        "POST",
        "usual:settings",
        RESEARCHER,
        302,
        sent={"institution": "Example University", "currency": "EUR", "minimum_hourly": "9"},
        changes=True,
    ),
    page("GET", "researcher:members", VIEWER),
    page("POST", "researcher:members", OWNER, 302, sent={"name": "stranger", "role": "viewer"}, changes=True),
    page("POST", "researcher:unshare", OWNER, 302, sent={"name": "GUEST"}, changes=True),
    page("POST", "researcher:invite_colleague", OWNER, sent={"whom": "Emil", "role": "viewer"}, changes=True),
    page("POST", "researcher:colleague_invitation", OWNER, 302, path={"invitation": "COLLEAGUE"}, changes=True),
    page("GET", "researcher:delete", OWNER, study="draft"),
    page("POST", "researcher:delete", OWNER, 302, study="draft", changes=True),
    page("POST", "researcher:delete", OWNER, 422, note="open"),
    page("GET", "deleted:studies", RESEARCHER),
    page("GET", "deleted:kept", OWNER, path={"number": "DELETED", "table": "log"}, study_in_path=False),
]
