"""The rows of the API, which knows people by their tokens: no cookie signs anybody in there."""

from tests.permissions.rows import RESEARCHER, public, script

VIEWER, EDITOR, OWNER = "viewer", "editor", "owner"
RUN = {"number": "RUN"}

OPEN = [
    public("GET", "api:try"),
    public("GET", "api:schema"),
    *(
        public(method, "api_results:nothing", 404, path={"rest": "nowhere/"})
        for method in ("GET", "POST", "PUT", "PATCH", "DELETE", "OPTIONS")
    ),
]

STUDIES = [
    script("GET", "api:studies", RESEARCHER),
    script("GET", "api:study", VIEWER),
    # Whoever reads answers while raters work could steer them; afterwards every member takes them out.
    script("GET", "api:judgments", OWNER, changes=True),
    script("GET", "api:judgments", VIEWER, study="closed"),
    *(script("GET", f"api_results:ratings{kind}", OWNER, changes=True) for kind in ("", "_csv", "_jsonl")),
    *(script("GET", f"api_results:ratings{kind}", VIEWER, study="closed") for kind in ("", "_csv", "_jsonl")),
]

RUNS = [
    script("GET", "api_results:runs", VIEWER),
    script("POST", "api_results:runs", EDITOR, 202, changes=True),
    script("GET", "api_results:run", VIEWER, path=RUN),
    script("POST", "api_results:cancel", EDITOR, path={"number": "QUEUED"}, changes=True),
    script("GET", "api_results:run_results", VIEWER, path=RUN),
    script("GET", "api_results:run_csv", VIEWER, path=RUN),
    script("GET", "api_results:run_tables", VIEWER, path=RUN),
    script("GET", "api_results:run_methods", VIEWER, path=RUN),
    script("GET", "api_results:datasheet", VIEWER),
    script("GET", "api_results:results", VIEWER),
    script("GET", "api_results:results_csv", VIEWER),
]

ROWS = [*OPEN, *STUDIES, *RUNS]
