"""The rows of pages of results."""

from collections.abc import Mapping
from typing import Any

from tests.analytics_app.views.test_runs import form as untouched
from tests.permissions.rows import Row, page, public
from tests.permissions.world import World

VIEWER, EDITOR, OWNER = "viewer", "editor", "owner"

PLOT_KINDS = ("", "_png", "_pdf")
LINK = {"token": "RESULTS_TOKEN"}
AGREEMENT_TABLE = {"number": "RUN", "section": "main--content", "key": "agreement-between-raters"}


def _run_form(world: World, row: Row) -> Mapping[str, Any]:
    """Return the fields that the untouched form of a new run sends."""
    return untouched(world.client("owner"), world.address(row).removesuffix("preview/"))


ROWS = [
    page("GET", "analytics:results", VIEWER),
    page("GET", "analytics:coverage", VIEWER),
    page("GET", "analytics:coverage", VIEWER, study="draft"),
    page("GET", "analytics:coverage_file", VIEWER),
    page("POST", "analytics:coverage", EDITOR, sent={"features": "length: words", "groups": "3"}),
    page("POST", "analytics:coverage_file", EDITOR, sent={"features": "length: words", "groups": "3"}),
    page("GET", "analytics:compare", VIEWER, study="closed"),
    page("GET", "analytics:compare_csv", VIEWER, study="closed", query={"a": "RUN", "b": "RUN"}),
    page("GET", "analytics:new_run", EDITOR),
    page("POST", "analytics:new_run", EDITOR, 302, sent=_run_form, changes=True),
    page("POST", "analytics:preview_run", EDITOR, sent=_run_form),
    page("POST", "analytics:start", EDITOR, 302, changes=True),
    page("POST", "analytics:lift", OWNER, 302, sent={"reason": "a talk", "sure": "yes"}, changes=True),
    page("GET", "analytics:run", VIEWER, path={"number": "RUN"}),
    page("GET", "analytics:run", VIEWER, path={"number": "RUN"}, query={"live": "1"}, note="live"),
    page("GET", "analytics:run_raters", VIEWER, path={"number": "RUN"}),
    page("GET", "analytics:excluded", VIEWER, path={"number": "RUN"}),
    page("POST", "analytics:cancel", EDITOR, 302, path={"number": "QUEUED"}, changes=True),
    page("POST", "analytics:start_without", EDITOR, 302, path={"number": "RUN"}, sent={"rule": "iqr"}, changes=True),
    page("POST", "analytics:main_study", EDITOR, 302, path={"number": "RUN"}),
    page("POST", "analytics:follow_up", EDITOR, 302, path={"number": "RUN"}),
    page("POST", "analytics:remove_pair", EDITOR, 302, path={"number": "RUN"}, sent={"undo": "1"}),
    page(
        "POST", "analytics:send", OWNER, 302, study="routed", path={"number": "RUN"}, sent={"task": "experts"},
        changes=True,
    ),
    *(page("GET", f"analytics:plot{kind}", VIEWER, path={"number": "RUN", "pk": "PLOT"}) for kind in PLOT_KINDS),
    *(page("GET", f"analytics:table_{kind}", VIEWER, path=AGREEMENT_TABLE) for kind in ("tex", "md", "csv")),
    *(page("GET", f"analytics:forest{kind}", VIEWER, study="closed", path={"number": "RUN"}) for kind in PLOT_KINDS),
    page("GET", "analytics:summary", VIEWER, path={"number": "RUN"}),
    page("GET", "analytics:share", EDITOR, path={"number": "RUN"}),
    page("POST", "analytics:share", EDITOR, path={"number": "RUN"}, sent={"name": "Kim", "days": "7"}, changes=True),
    page("POST", "analytics:end_link", EDITOR, 302, path={"link": "RESULTS_LINK"}, changes=True),
    public("GET", "shared:results", path=LINK, changes=True),
    public("GET", "shared:results", 404, path=LINK, study="draft", note="no such token"),
    public("GET", "shared:summary", path=LINK, changes=True),
    public("GET", "archive_keys:page"),
    public("GET", "archive_keys:file"),
    *(page("GET", f"analytics:methods{kind}", VIEWER, path={"number": "RUN"}) for kind in ("", "_md", "_tex", "_bib")),
    page("GET", "analytics:results_csv", VIEWER, path={"number": "RUN"}),
    page("GET", "analytics:results_json", VIEWER, path={"number": "RUN"}),
]  # fmt: skip
