"""Rows of pages of projects."""

from tests.permissions.rows import page

VIEWER, EDITOR, OWNER = "viewer", "editor", "owner"

PROJECT = {"slug": "PROJECT"}

ROWS = [
    page("GET", "projects:project", VIEWER, path=PROJECT),
    page("GET", "projects:add", VIEWER, path=PROJECT),
    page("POST", "projects:add", VIEWER, 422, path=PROJECT, sent={}, note="nothing chosen"),
    page("POST", "projects:rename", EDITOR, 302, path=PROJECT, sent={"name": "Another"}, changes=True),
    page("POST", "projects:act", EDITOR, path=PROJECT, sent={"action": "close"}, note="ask before closing"),
    page(
        "POST",
        "projects:act",
        EDITOR,
        302,
        path=PROJECT,
        changes=True,
        note="close",
        sent={"action": "close", "sure": "yes", "study": "SLUG"},
    ),
    page("GET", "projects:work", VIEWER, path={**PROJECT, "number": "WORK"}),
    page("GET", "projects:files", EDITOR, path=PROJECT, changes=True),
    page("GET", "analytics_projects:raters", VIEWER, path=PROJECT),
    page(
        "POST",
        "analytics_projects:write",
        EDITOR,
        302,
        path=PROJECT,
        sent={"rater": "IN_PROJECT", "text": "Hello"},
        changes=True,
    ),
    page(
        "POST",
        "analytics_projects:write",
        OWNER,
        422,
        path=PROJECT,
        others={"editor": 422},
        note="nobody chosen: owners read answers from there",
    ),
    page("GET", "analytics_projects:results", VIEWER, path=PROJECT),
    page("GET", "analytics_projects:data", VIEWER, path=PROJECT),
    page("GET", "analytics_projects:table", VIEWER, path={**PROJECT, "key": "agreement", "format": "csv"}),
    page("GET", "analytics_projects:ratings", OWNER, path={**PROJECT, "format": "csv"}, changes=True),
    page("GET", "researcher:project", EDITOR),
    page("POST", "researcher:project", EDITOR, 302, sent={"action": "put", "name": "Another"}, changes=True),
    page("POST", "researcher:project", EDITOR, 302, sent={"action": "out"}, changes=True, note="out"),
]
