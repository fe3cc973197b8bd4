"""Every address of researchers and scripts, sorted by its promised cost at size; a new address needs a row here.

Names in capitals are replaced by a study's values: its slug, a run, a rater.
"""

from collections.abc import Iterator
from typing import NamedTuple
from urllib.parse import urlencode

from django.contrib import admin
from django.urls import URLPattern, URLResolver, get_resolver, reverse


class Address(NamedTuple):
    """A named address with its arguments, and the query after it."""

    name: str
    takes: dict[str, str] = {}
    query: dict[str, str] = {}

    def path(self, words: dict[str, str]) -> str:
        """Return the path, with `words` in place of the names in capitals."""
        path = reverse(self.name, kwargs={key: words.get(value, value) for key, value in self.takes.items()})
        query = {key: words.get(value, value) for key, value in self.query.items()}
        return f"{path}?{urlencode(query)}" if query else path

    def __str__(self) -> str:
        return " ".join(filter(None, (self.name, self.takes.get("table", ""), urlencode(self.query))))


STUDY = {"slug": "SLUG"}
RUN = {"slug": "SLUG", "number": "RUN"}
PROJECT = {"slug": "PROJECT"}

# What a browser shows, and what a script reads page by page: design section 9 promises 15 queries, 300 CPU ms, 150 kB.
PAGES = (
    Address("researcher:studies"),
    Address("researcher:studies", query={"page": "4"}),
    Address("researcher:load"),
    Address("researcher:welcome"),
    Address("usual:settings"),
    Address("help:index"),
    Address("help:index", query={"q": "known answers"}),
    Address("help:page", {"name": "study-file"}),
    Address("researcher:new"),
    Address("researcher:new", query={"task_type": "likert"}),
    Address("researcher:new", query={"study": "SLUG"}),
    Address("projects:projects"),
    Address("projects:project", PROJECT),
    Address("projects:add", PROJECT),
    Address("projects:work", {**PROJECT, "number": "WORK"}),
    Address("analytics_projects:raters", PROJECT),
    Address("analytics_projects:results", PROJECT),
    Address("analytics_projects:data", PROJECT),
    Address("researcher:project", STUDY),
    Address("researcher:setup", STUDY),
    Address("researcher:step", {"slug": "SLUG", "step": "raters"}),
    Address("researcher:texts", STUDY),
    Address("researcher:unit_table", {"slug": "SLUG", "table": "controls"}),
    Address("researcher:review", STUDY),
    Address("researcher:members", STUDY),
    Address("researcher:comments", STUDY),
    Address("researcher:corrections", STUDY),
    Address("researcher:items", STUDY),
    Address("researcher:withdraw", STUDY, {"item": "ITEM"}),
    Address("researcher:items", STUDY, {"page": "last"}),
    Address("analytics:coverage", STUDY),
    Address("researcher:design", STUDY),
    Address("researcher:extend", STUDY),
    Address("researcher:extend", STUDY, {"judgments": "1"}),
    Address("researcher:delete", STUDY),
    Address("deleted:studies"),
    Address("researcher:checks", STUDY),
    Address("researcher:recruit", STUDY),
    Address("researcher:try", STUDY),
    Address("researcher:invited", STUDY),
    Address("researcher:invited", STUDY, {"page": "last"}),
    Address("researcher:statuses", {"slug": "SLUG", "channel": "prolific"}),
    Address("researcher:due", STUDY),
    Address("researcher:due_ids", {"slug": "SLUG", "wave": "1"}),
    Address("researcher:import", STUDY),
    Address("researcher:one_table", STUDY),
    Address("researcher:pay", STUDY),
    Address("researcher:pay", STUDY, {"page": "last", "simulated": "on"}),
    Address("researcher:api", STUDY),
    Address("analytics:monitor", STUDY),
    Address("analytics:monitor", STUDY, {"live": "1"}),
    Address("analytics:raters", STUDY),
    Address("analytics:raters", STUDY, {"page": "last"}),
    Address("analytics:raters", STUDY, {"q": "7", "show": "finished", "order": "known"}),
    Address("analytics:raters", STUDY, {"live": "1"}),
    Address("analytics:rater", {"slug": "SLUG", "pseudonym": "RATER"}),
    Address("analytics:first_answer", {"slug": "SLUG", "pseudonym": "RATER"}),
    Address("analytics:labels", {"slug": "SLUG", "pseudonym": "RATER"}),
    Address("analytics:judgments", {"slug": "SLUG", "pseudonym": "RATER"}),
    Address("analytics:results", STUDY),
    Address("analytics:compare", STUDY, {"a": "RUN", "b": "RUN"}),
    Address("analytics:new_run", STUDY),
    Address("analytics:run", RUN),
    Address("analytics:run", RUN, {"live": "1"}),
    Address("analytics:run_raters", RUN),
    Address("analytics:run_raters", RUN, {"page": "last"}),
    Address("analytics:methods", RUN),
    Address("analytics:share", RUN),
    Address("analytics:excluded", RUN),
    Address("analytics:excluded", RUN, {"page": "last"}),
    Address("analytics:datasheet", STUDY),
    Address("analytics:datasheet", STUDY, {"section": "4", "version": "2.0"}),
    Address("analytics:datasheet_import", STUDY),
    Address("analytics:data", STUDY),
    Address("analytics:scores", STUDY),
    Address("analytics:outcomes", STUDY),
    Address("analytics:personal_texts", STUDY),
    Address("analytics:coding", STUDY),
    Address("analytics:collected", STUDY),
    Address("analytics:marks", STUDY),
    Address("analytics:next_version", STUDY),
    Address("planning:planning"),
    Address("planning:planning", query={"study": "SLUG"}),
    Address("planning:plan_ahead", {"what": "cost"}),
    Address("api:try"),
    Address("api:studies"),
    Address("api:study", STUDY),
    Address("api:judgments", STUDY),
    Address("api_results:ratings", STUDY),
    Address("api_results:runs", STUDY),
    Address("api_results:run", RUN),
    Address("log:log"),
    Address("log:log", query={"study": "SLUG", "words": "opened"}),
)

# What is streamed, or written whole as a file: its size is the study's, so that only its queries are counted.
FILES = (
    Address("help:picture", {"name": "rater.png"}),
    Address("projects:files", PROJECT),
    Address("analytics_projects:ratings", {**PROJECT, "format": "csv"}),
    *(
        Address("analytics_projects:table", {**PROJECT, "key": key, "format": "csv"})
        for key in ("systems", "agreement")
    ),
    Address("analytics:coverage_file", STUDY),
    Address("researcher:plan", STUDY),
    Address("researcher:checks_csv", {"slug": "SLUG", "table": "raters"}),
    Address("researcher:due_csv", {"slug": "SLUG", "wave": "1"}),
    Address("researcher:file", STUDY),
    Address("researcher:pairs", STUDY),
    Address("deleted:kept", {"number": "DELETED", "table": "payments"}),
    Address("researcher:corrections_csv", STUDY),
    Address("researcher:pay_table", STUDY),
    Address("researcher:pay_file", {"slug": "SLUG", "channel": "prolific", "name": "bonuses"}),
    *(
        Address(f"analytics:plot{kind}", {"slug": "SLUG", "number": "RUN", "pk": "PLOT"})
        for kind in ("", "_png", "_pdf")
    ),
    *(Address(f"analytics:table_{kind}", {**RUN, "section": "run", "key": "raters"}) for kind in ("tex", "md", "csv")),
    *(Address(f"analytics:methods_{kind}", RUN) for kind in ("md", "tex", "bib")),
    *(Address(f"analytics:{name}", RUN) for name in ("forest", "forest_png", "forest_pdf", "summary")),
    Address("analytics:compare_csv", STUDY, {"a": "RUN", "b": "RUN"}),
    Address("analytics:results_csv", RUN),
    Address("analytics:results_json", RUN),
    Address("analytics:ratings", {"slug": "SLUG", "format": "csv"}),
    Address("analytics:as_format", {"slug": "SLUG", "format": "parquet"}),
    Address("analytics:datasheet_file", {"slug": "SLUG", "format": "json"}),
    Address("api:schema"),
    Address("api_results:ratings_csv", STUDY),
    Address("api_results:ratings_jsonl", STUDY),
    Address("api_results:run_results", RUN),
    Address("api_results:run_tables", RUN),
    Address("api_results:run_methods", RUN),
    Address("api_results:datasheet", STUDY),
    Address("api_results:results", STUDY),
    Address("api_results:run_csv", RUN),
    Address("api_results:results_csv", STUDY),
)

# The pages on which a draft is set up; those of a study that was opened are among the pages above.
DRAFTS = (
    *(
        Address("researcher:step", {"slug": "DRAFT", "step": step})
        for step in ("task", "questions", "raters", "checks", "consent", "analysis")
    ),
    Address("researcher:review", {"slug": "DRAFT"}),
    Address("researcher:review", {"slug": "DRAFT"}, {"opening": "1"}),
    Address("researcher:review", {"slug": "DRAFT"}, {"settle": "1"}),
    Address("researcher:consent_draft", {"slug": "DRAFT"}),
    Address("researcher:library", {"slug": "DRAFT"}),
    Address("researcher:preview", {"slug": "DRAFT"}),
    Address("researcher:setup_file", {"slug": "DRAFT"}),
    Address("researcher:texts", {"slug": "DRAFT"}),
    Address("researcher:texts", {"slug": "DRAFT"}, {"q": "a"}),
    Address("researcher:text_new", {"slug": "DRAFT"}),
    Address("researcher:text_row", {"slug": "DRAFT", "number": "1"}),
    Address("researcher:text_sample", {"slug": "DRAFT"}),
    Address("researcher:text_media", {"slug": "DRAFT"}),
    Address("researcher:degrade", {"slug": "DRAFT"}),
    Address("researcher:split", {"slug": "DRAFT"}),
    *(
        Address(name, {"slug": "DRAFT", "table": table})
        for name in ("researcher:unit_table", "researcher:unit_new")
        for table in ("controls", "batches", "prefill")
    ),
)

# Addresses that only change something and redirect to a page above, and the answer to unknown addresses.
ACTIONS = frozenset(
    {
        "researchers",
        "researcher:log",
        "researcher:take_back",
        "analytics:archive",
        # Of a study with a task it leads to that; tests/tasks_app/views/test_starting.py counts its queries.
        "researcher:choose_type",
        # Without a trial that is under way it leads back to Review; tests/tasks_app/views/test_looking.py opens it.
        "researcher:rehearse",
        # Without an upload it leads to that of a table; tests/analytics_app/views/test_of_format.py opens it.
        "researcher:of_format",
        # Without an import by a worker it leads to the upload; tests/tasks_app/importing/test_background.py opens it.
        "researcher:import_progress",
        # Without a computation it leads to the scores; tests/analytics_app/views/test_computing.py opens it.
        "analytics:computing_scores",
        # Makes a draft of a study with marks; tests/analytics_app/views/test_reannotation.py posts to it.
        "analytics:reannotate",
        # The study has no answers in words; tests/analytics_app/views/test_coding.py counts the queries of these pages.
        "analytics:pairs",
        "analytics:verify_texts",
        "analytics:text_bonuses",
        "analytics:codebook",
        "analytics:code_answers",
        "analytics:code_again",
        "analytics:codes_file",
        "analytics:decide_codes",
        "analytics:remove_coder",
        # The study has no outcomes; tests/analytics_app/views/test_outcomes.py downloads them.
        "analytics:outcomes_file",
        "analytics:delete_outcome",
        "analytics:delete_scores",
        # The study has no such texts; tests/analytics_app/views/test_personal_texts.py downloads them.
        "analytics:personal_texts_file",
        "analytics:delete_personal_texts",
        "analytics:datasheet_take_back",
        "researcher:fix_plan",
        "researcher:unshare",
        "researcher:invite_colleague",
        "researcher:colleague_invitation",
        "colleagues:join",
        "analytics:act",
        "analytics:write",
        "analytics:answers",
        "analytics:answers_media",
        "analytics:new_link",
        "researcher:invitation",
        "researcher:due_link",
        "researcher:move",
        "researcher:setup_zip",
        "researcher:preregistration",
        "researcher:setup_media",
        "researcher:unit_row",
        "researcher:unit_template",
        "researcher:template",
        "projects:rename",
        "projects:act",
        "analytics_projects:write",
        "researcher:changed_version",
        "researcher:mark_comment",
        "researcher:share_comment",
        "researcher:comment_link",
        "analytics:end_link",
        "researcher:pay_bonus",
        "researcher:pay_withhold",
        "researcher:pay_undo",
        "researcher:pay_settle",
        "researcher:pay_mend",
        "researcher:pay_absent",
        "researcher:revoke",
        "analytics:exclude",
        "analytics:include",
        "analytics:preview_run",
        "analytics:start",
        "analytics:lift",
        "analytics:cancel",
        "analytics:start_without",
        "analytics:main_study",
        "analytics:follow_up",
        "analytics:remove_pair",
        "analytics:send",
        "api_results:cancel",
        "api_results:nothing",
        "researcher:text_systems",
    }
)

# Namespaces of pages that no researcher works on.
ELSEWHERE = frozenset({"public", "rater", "shared", "archive_keys"})


def of_researchers() -> Iterator[str]:
    """Yield the name of every address of researchers and scripts, and of the admin's own lists that researchers see."""
    for model in admin.site._registry:
        if model._meta.app_label in {"tasks_app", "analytics_app"}:
            yield f"admin:{model._meta.app_label}_{model._meta.model_name}_changelist"
    yield from _named(get_resolver().url_patterns, "")


def _named(patterns: list[URLPattern | URLResolver], space: str) -> Iterator[str]:
    for pattern in patterns:
        if isinstance(pattern, URLPattern):
            yield f"{space}{pattern.name}"
        elif pattern.app_name != "admin" and pattern.namespace not in ELSEWHERE:
            yield from _named(pattern.url_patterns, f"{pattern.namespace}:" if pattern.namespace else space)
