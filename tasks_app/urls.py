"""Every address of this app."""

from django.urls import URLPattern, URLResolver, include, path

from tasks_app.api import site
from tasks_app.api import views as api
from tasks_app.views import catalogue, importing, judging, media, overview, patterns, public, rater, researcher, tokens

public_urls: list[URLPattern] = [
    path("", public.home, name="home"),
    path("patterns/", patterns.patterns, name="patterns"),
    path("task-types/", catalogue.catalogue, name="catalogue"),
    path("task-types/<slug:name>/", catalogue.task_type, name="task_type"),
]

rater_urls: list[URLPattern] = [
    path("join/<str:code>/", rater.join, name="join"),
    path("r/<str:token>/", rater.next_step, name="next"),
    path("r/<str:token>/instructions/", rater.instructions, name="instructions"),
    path("r/<str:token>/judge/", judging.judge, name="judge"),
    path("r/<str:token>/judge/<int:order>/", judging.unit, name="unit"),
    path("r/<str:token>/draft/", judging.draft, name="draft"),
    path("r/<str:token>/media/<slug:name>", media.media, name="media"),
    path("r/<str:token>/texts/", overview.overview, name="overview"),
    path("r/<str:token>/texts/summary.csv", overview.summary, name="summary"),
    path("r/<str:token>/skip/", judging.skip, name="skip"),
    path("r/<str:token>/help/", rater.help_page, name="help"),
    path("r/<str:token>/stop/", rater.stop, name="stop"),
    path("r/<str:token>/end/", rater.end, name="end"),
    path("r/<str:token>/more/", rater.more, name="more"),
    path("r/<str:token>/link/", rater.link, name="link"),
]

researcher_urls: list[URLPattern] = [
    path("", researcher.studies, name="studies"),
    path("load/", researcher.load, name="load"),
    path("<slug:slug>/", researcher.setup, name="setup"),
    path("<slug:slug>/items/", researcher.items, name="items"),
    path("<slug:slug>/design/", researcher.design, name="design"),
    path("<slug:slug>/recruit/", researcher.recruit, name="recruit"),
    path("<slug:slug>/import/", importing.import_ratings, name="import"),
    path("<slug:slug>/file/", researcher.file, name="file"),
    path("<slug:slug>/move/", researcher.move, name="move"),
    path("<slug:slug>/api/", tokens.api, name="api"),
    path("<slug:slug>/api/<int:token>/revoke/", tokens.revoke, name="revoke"),
]

api_urls: list[URLPattern] = [
    path("", site.try_it, name="try"),
    path("schema/", site.Schema.as_view(), name="schema"),
    path("studies/", api.Studies.as_view(), name="studies"),
    path("studies/<slug:slug>/", api.OneStudy.as_view(), name="study"),
    path("studies/<slug:slug>/judgments/", api.Judgments.as_view(), name="judgments"),
]

urlpatterns: list[URLPattern | URLResolver] = [
    path("", include((public_urls, "public"))),
    path("", include((rater_urls, "rater"))),
    path("admin/studies/", include((researcher_urls, "researcher"))),
    path("api/v1/", include((api_urls, "api"))),
]
