"""The addresses of Monitor, runs, results and exports."""

from django.urls import URLPattern, URLResolver, include, path, register_converter

from analytics_app.api import datasheet as api_datasheet
from analytics_app.api import ratings as api_ratings
from analytics_app.api import results as api_results
from analytics_app.api import runs as api_runs
from analytics_app.views import (
    archive_keys,
    coding,
    collected,
    comparing,
    coverage,
    data,
    datasheet,
    excluded,
    exclusions,
    files,
    following,
    hiding,
    methods,
    monitor,
    new_run,
    next_version,
    planning,
    projects,
    raters,
    reannotation,
    reductions,
    results,
    routing,
    runs,
    sharing,
    uploads,
)
from analytics_app.views.uploads import outcomes, personal_texts, scores
from tasks_app.api import site
from tasks_app.links.converters import HiddenInLogs


class Pseudonym(HiddenInLogs):
    """Write a pseudonym with any characters as one segment of an address.

    An imported pseudonym may hold a slash, which would end the segment, or be "." or "..", which browsers resolve.
    Those are written as ~2F and ~2E, and ~ itself as ~7E; all other pseudonyms stand in the address as they are. An
    imported pseudonym may be the id that a platform gave a person.
    """

    regex = "[^/]+"

    def to_python(self, value: str) -> str:
        """Return the pseudonym of a segment."""
        return value.replace("~2F", "/").replace("~2E", ".").replace("~7E", "~")

    def to_url(self, value: str) -> str:
        """Return the segment of a pseudonym."""
        if value in {".", ".."}:
            return value.replace(".", "~2E")
        return value.replace("~", "~7E").replace("/", "~2F")


register_converter(Pseudonym, "pseudonym")

TABLE = "<slug:slug>/results/<int:number>/tables/<str:section>/<str:key>"

researcher_urls: list[URLPattern] = [
    path("<slug:slug>/items/features/", coverage.coverage, name="coverage"),
    path("<slug:slug>/items/features.csv", coverage.file, name="coverage_file"),
    path("<slug:slug>/monitor/", monitor.monitor, name="monitor"),
    path("<slug:slug>/raters/", raters.raters, name="raters"),
    path("<slug:slug>/people/act/", raters.act, name="act"),
    path("<slug:slug>/people/message/", raters.write, name="write"),
    path("<slug:slug>/people/link/", raters.new_link, name="new_link"),
    path("<slug:slug>/raters/exclude/", exclusions.exclude, name="exclude"),
    path("<slug:slug>/raters/include/<int:pk>/", exclusions.include, name="include"),
    path("<slug:slug>/raters/<pseudonym:pseudonym>/timeline/", raters.timeline, name="rater"),
    path("<slug:slug>/raters/<pseudonym:pseudonym>/answers/", raters.answers, name="first_answer"),
    path("<slug:slug>/raters/<pseudonym:pseudonym>/answers/<int:order>/", raters.answers, name="answers"),
    path(
        "<slug:slug>/raters/<pseudonym:pseudonym>/answers/media/<slug:name>", raters.answers_media, name="answers_media"
    ),
    path("<slug:slug>/raters/<pseudonym:pseudonym>/labels/", raters.labels, name="labels"),
    path("<slug:slug>/raters/<pseudonym:pseudonym>/judgments/", exclusions.judgments, name="judgments"),
    path("<slug:slug>/results/", results.results, name="results"),
    path("<slug:slug>/results/compare/", comparing.compare, name="compare"),
    path("<slug:slug>/results/compare.csv", comparing.compare_csv, name="compare_csv"),
    path("<slug:slug>/results/new/", new_run.new_run, name="new_run"),
    path("<slug:slug>/results/new/preview/", new_run.preview, name="preview_run"),
    path("<slug:slug>/results/start/", runs.start, name="start"),
    path("<slug:slug>/results/lift/", hiding.lift, name="lift"),
    path("<slug:slug>/results/<int:number>/", results.run, name="run"),
    path("<slug:slug>/results/<int:number>/raters/", results.raters, name="run_raters"),
    path("<slug:slug>/results/<int:number>/excluded/", excluded.excluded, name="excluded"),
    path("<slug:slug>/results/<int:number>/share/", sharing.share, name="share"),
    path("<slug:slug>/results/links/<int:link>/end/", sharing.end, name="end_link"),
    path("<slug:slug>/results/<int:number>/cancel/", runs.cancel, name="cancel"),
    path("<slug:slug>/results/<int:number>/without/", runs.start_without, name="start_without"),
    path("<slug:slug>/results/<int:number>/main-study/", following.begin, name="main_study"),
    path("<slug:slug>/results/<int:number>/follow-up/", following.follow, name="follow_up"),
    path("<slug:slug>/results/<int:number>/pairs/", reductions.remove_pair, name="remove_pair"),
    path("<slug:slug>/results/<int:number>/send/", routing.send, name="send"),
    path("<slug:slug>/results/<int:number>/plots/<int:pk>.svg", files.plot, {"format": "svg"}, name="plot"),
    path("<slug:slug>/results/<int:number>/plots/<int:pk>.png", files.plot, {"format": "png"}, name="plot_png"),
    path("<slug:slug>/results/<int:number>/plots/<int:pk>.pdf", files.plot, {"format": "pdf"}, name="plot_pdf"),
    path("<slug:slug>/results/<int:number>/forest.svg", files.forest, {"format": "svg"}, name="forest"),
    path("<slug:slug>/results/<int:number>/forest.png", files.forest, {"format": "png"}, name="forest_png"),
    path("<slug:slug>/results/<int:number>/forest.pdf", files.forest, {"format": "pdf"}, name="forest_pdf"),
    path("<slug:slug>/results/<int:number>/summary.pdf", files.summary, name="summary"),
    path(f"{TABLE}.tex", files.table, {"format": "tex"}, name="table_tex"),
    path(f"{TABLE}.md", files.table, {"format": "md"}, name="table_md"),
    path(f"{TABLE}.csv", files.table, {"format": "csv"}, name="table_csv"),
    path("<slug:slug>/results/<int:number>/results.csv", files.download, {"format": "csv"}, name="results_csv"),
    path("<slug:slug>/results/<int:number>/results.json", files.download, {"format": "json"}, name="results_json"),
    path("<slug:slug>/results/<int:number>/methods/", methods.methods, name="methods"),
    path("<slug:slug>/results/<int:number>/methods.md", methods.file, {"format": "md"}, name="methods_md"),
    path("<slug:slug>/results/<int:number>/methods.tex", methods.file, {"format": "tex"}, name="methods_tex"),
    path("<slug:slug>/results/<int:number>/methods.bib", methods.file, {"format": "bib"}, name="methods_bib"),
    path("<slug:slug>/datasheet/", datasheet.datasheet, name="datasheet"),
    path("<slug:slug>/datasheet/take-back/", datasheet.take_back, name="datasheet_take_back"),
    path("<slug:slug>/datasheet/import/", datasheet.import_file, name="datasheet_import"),
    path("<slug:slug>/datasheet/heds.<str:format>", datasheet.download, name="datasheet_file"),
    path("<slug:slug>/data/", data.data, name="data"),
    path("<slug:slug>/data/archive.zip", data.archive, name="archive"),
    path("<slug:slug>/data/scores/", uploads.upload, {"pages": scores.Pages}, name="scores"),
    path("<slug:slug>/data/scores/computing/", scores.computing, name="computing_scores"),
    path("<slug:slug>/data/scores/delete/", uploads.delete, {"pages": scores.Pages}, name="delete_scores"),
    path("<slug:slug>/data/outcomes/", uploads.upload, {"pages": outcomes.Pages}, name="outcomes"),
    path("<slug:slug>/data/outcomes/delete/", uploads.delete, {"pages": outcomes.Pages}, name="delete_outcome"),
    path("<slug:slug>/data/outcomes.csv", uploads.file, {"stored": outcomes.FILE}, name="outcomes_file"),
    path("<slug:slug>/data/personal-texts/", uploads.upload, {"pages": personal_texts.Pages}, name="personal_texts"),
    path(
        "<slug:slug>/data/personal-texts/delete/",
        uploads.delete,
        {"pages": personal_texts.Pages},
        name="delete_personal_texts",
    ),
    path(
        "<slug:slug>/data/personal-texts.csv", uploads.file, {"stored": personal_texts.FILE}, name="personal_texts_file"
    ),
    path("<slug:slug>/data/codes/", coding.questions, name="coding"),
    path("<slug:slug>/data/codes/<str:criterion>/", coding.codebook_page, name="codebook"),
    path("<slug:slug>/data/codes/<str:criterion>/answers/", coding.answer_page, name="code_answers"),
    path("<slug:slug>/data/codes/<str:criterion>/decide/", coding.decide, name="decide_codes"),
    path("<slug:slug>/data/codes/<str:criterion>/remove-coder/", coding.remove_coder, name="remove_coder"),
    path("<slug:slug>/data/codes/<str:criterion>/again/", coding.start_again, name="code_again"),
    path("<slug:slug>/data/codes/<str:criterion>/codes.csv", coding.file, name="codes_file"),
    path("<slug:slug>/data/texts/", collected.texts, name="collected"),
    path("<slug:slug>/data/texts/verify/", collected.verify, name="verify_texts"),
    path("<slug:slug>/data/texts/bonuses/", collected.add_bonuses, name="text_bonuses"),
    path("<slug:slug>/data/next-version/", next_version.take_over, name="next_version"),
    path("<slug:slug>/data/marks/", reannotation.marks, name="marks"),
    path("<slug:slug>/data/marks/reannotate/", reannotation.begin, name="reannotate"),
    path("<slug:slug>/data/texts/pairs.<str:format>", collected.file, name="pairs"),
    path("<slug:slug>/data/ratings.<str:format>", data.ratings, name="ratings"),
    path("<slug:slug>/data/as/<str:format>/", data.as_format, name="as_format"),
]

project_urls: list[URLPattern] = [
    path("<slug:slug>/results/", projects.results, name="results"),
    path("<slug:slug>/data/", projects.data, name="data"),
    path("<slug:slug>/ratings.<str:format>", projects.ratings, name="ratings"),
    path("<slug:slug>/tables/<str:key>.<str:format>", projects.table, name="table"),
    path("<slug:slug>/raters/", projects.raters, name="raters"),
    path("<slug:slug>/raters/message/", projects.write, name="write"),
]

planning_urls: list[URLPattern] = [
    path("", planning.planning, name="planning"),
    path("<slug:what>/", planning.page, name="plan_ahead"),
]

# Addresses of the API's own pages, studies and judgments are those of tasks_app.
api_urls: list[URLPattern] = [
    path("studies/<slug:slug>/ratings/", api_ratings.Ratings.as_view(), name="ratings"),
    path("studies/<slug:slug>/ratings.csv", api_ratings.RatingsCsv.as_view(), name="ratings_csv"),
    path("studies/<slug:slug>/ratings.jsonl", api_ratings.RatingsJsonLines.as_view(), name="ratings_jsonl"),
    path("studies/<slug:slug>/runs/", api_runs.Runs.as_view(), name="runs"),
    path("studies/<slug:slug>/runs/<int:number>/", api_runs.OneRun.as_view(), name="run"),
    path("studies/<slug:slug>/runs/<int:number>/cancel/", api_runs.CancelRun.as_view(), name="cancel"),
    path("studies/<slug:slug>/runs/<int:number>/results/", api_results.RunResults.as_view(), name="run_results"),
    path("studies/<slug:slug>/runs/<int:number>/results.csv", api_results.RunResultsCsv.as_view(), name="run_csv"),
    path("studies/<slug:slug>/runs/<int:number>/tables/", api_results.RunTables.as_view(), name="run_tables"),
    path("studies/<slug:slug>/runs/<int:number>/methods/", api_results.RunMethods.as_view(), name="run_methods"),
    path("studies/<slug:slug>/results/", api_results.Results.as_view(), name="results"),
    path("studies/<slug:slug>/results.csv", api_results.ResultsCsv.as_view(), name="results_csv"),
    path("studies/<slug:slug>/datasheet/", api_datasheet.DatasheetView.as_view(), name="datasheet"),
    path("<path:rest>", site.Nothing.as_view(), name="nothing"),
]

# For people without an account, who were given a link.
shared_urls: list[URLPattern] = [
    path("<secret:token>/", sharing.results, name="results"),
    path("<secret:token>/summary.pdf", sharing.summary, name="summary"),
]

# For whoever verifies an archive.
key_urls: list[URLPattern] = [
    path("", archive_keys.page, name="page"),
    path("keys.json", archive_keys.file, name="file"),
]

urlpatterns: list[URLPattern | URLResolver] = [
    path("admin/studies/", include((researcher_urls, "analytics"))),
    path("admin/projects/", include((project_urls, "analytics_projects"))),
    path("admin/planning/", include((planning_urls, "planning"))),
    path("results/", include((shared_urls, "shared"))),
    path("archive-keys/", include((key_urls, "archive_keys"))),
    path("api/v1/", include((api_urls, "api_results"))),
]
