"""The addresses of this app."""

from django.urls import URLPattern, URLResolver, include, path

from tasks_app.api import site
from tasks_app.api import views as api
from tasks_app.views import waves
from tasks_app.views.public import catalogue, commenting, home, patterns
from tasks_app.views.rater import (
    arriving,
    elsewhere,
    ending,
    journey,
    judging,
    media,
    messages,
    overview,
    people,
    rights,
    steps,
)
from tasks_app.views.researcher import (
    checking,
    correcting,
    deleting,
    designing,
    extending,
    inviting,
    joining,
    listing,
    log,
    manual,
    recruiting,
    rehearsing,
    sharing,
    starting,
    studies,
    tokens,
    trying,
    usual,
    withdrawing,
)
from tasks_app.views.researcher.importing import of_format, one_table, progress
from tasks_app.views.researcher.importing import pages as importing
from tasks_app.views.researcher.pay import pages as paying
from tasks_app.views.researcher.projects import acting as project_acting
from tasks_app.views.researcher.projects import adding as project_adding
from tasks_app.views.researcher.projects import belonging as project_belonging
from tasks_app.views.researcher.projects import files as project_files
from tasks_app.views.researcher.projects import pages as project_pages
from tasks_app.views.researcher.setup import choosing as setup_choosing
from tasks_app.views.researcher.setup import comments as setup_comments
from tasks_app.views.researcher.setup import consenting as setup_consent
from tasks_app.views.researcher.setup import family as setup_family
from tasks_app.views.researcher.setup import file as setup_file
from tasks_app.views.researcher.setup import library as setup_library
from tasks_app.views.researcher.setup import moving
from tasks_app.views.researcher.setup import preview as setup_preview
from tasks_app.views.researcher.setup import review as setup_review
from tasks_app.views.researcher.setup import steps as setup_steps
from tasks_app.views.researcher.setup.texts import degrading as text_degrading
from tasks_app.views.researcher.setup.texts import pages as text_pages
from tasks_app.views.researcher.setup.texts import parts as text_parts
from tasks_app.views.researcher.setup.texts import splitting as text_splitting
from tasks_app.views.researcher.setup.unit_tables import pages as unit_pages

public_urls: list[URLPattern] = [
    path("", home.home, name="home"),
    path("patterns/", patterns.patterns, name="patterns"),
    path("comment/<secret:token>/", commenting.comment, name="comment"),
    path("comment/<secret:token>/preview/", commenting.preview, name="comment_preview"),
    path("comment/<secret:token>/media/<slug:name>", commenting.media, name="comment_media"),
    path("task-types/", catalogue.catalogue, name="catalogue"),
    path("task-types/<slug:name>/", catalogue.task_type, name="task_type"),
]

rater_urls: list[URLPattern] = [
    path("join/<secret:code>/", arriving.join, name="join"),
    path("join/<secret:code>/<slug:channel>/", arriving.join, name="arrive"),
    path("studies/", people.studies, name="studies"),
    path("sign-in/", people.sign_in, name="sign_in"),
    path("sign-out/", people.sign_out, name="sign_out"),
    path("r/<secret:token>/", journey.next_step, name="next"),
    path("r/<secret:token>/instructions/", journey.instructions, name="instructions"),
    path("r/<secret:token>/judge/", judging.judge, name="judge"),
    path("r/<secret:token>/judge/<int:order>/", judging.unit, name="unit"),
    path("r/<secret:token>/draft/", judging.draft, name="draft"),
    path("r/<secret:token>/media/<slug:name>", media.media, name="media"),
    path("r/<secret:token>/texts/", overview.overview, name="overview"),
    path("r/<secret:token>/texts/summary.csv", overview.summary, name="summary"),
    path("r/<secret:token>/show/", judging.show_text, name="show_text"),
    path("r/<secret:token>/elsewhere/<int:order>/", elsewhere.go, name="elsewhere"),
    path("elsewhere/<secret:token>/", elsewhere.report, name="report"),
    path("r/<secret:token>/skip/", judging.skip, name="skip"),
    path("r/<secret:token>/feedback/<int:order>/", steps.feedback, name="feedback"),
    path("r/<secret:token>/exam/<int:number>/", steps.exam, name="exam"),
    path("r/<secret:token>/notice/", steps.notice, name="notice"),
    path("r/<secret:token>/messages/", messages.messages, name="messages"),
    path("r/<secret:token>/waiting/", waves.waiting, name="waiting"),
    path("r/<secret:token>/calendar.ics", waves.calendar, name="calendar"),
    path("r/<secret:token>/mail/", waves.mail, name="mail"),
    path("r/<secret:token>/help/", journey.help_page, name="help"),
    path("r/<secret:token>/stop/", journey.stop, name="stop"),
    path("r/<secret:token>/end/", ending.end, name="end"),
    path("r/<secret:token>/more/", journey.more, name="more"),
    path("r/<secret:token>/link/", journey.link, name="link"),
    path("r/<secret:token>/stored/", rights.stored, name="stored"),
    path("r/<secret:token>/stored/mine.json", rights.mine, name="mine"),
    path("r/<secret:token>/withdraw/", rights.withdraw, name="withdraw"),
    path("r/<secret:token>/language/", journey.choose_language, name="language"),
]

researcher_urls: list[URLPattern] = [
    path("", listing.studies, name="studies"),
    path("load/", studies.load, name="load"),
    path("new/", starting.new, name="new"),
    path("welcome/", studies.welcome, name="welcome"),
    path("<slug:slug>/", studies.setup, name="setup"),
    path("<slug:slug>/set-up/task-type/", setup_choosing.choose_type, name="choose_type"),
    path("<slug:slug>/set-up/preview/", setup_preview.preview, name="preview"),
    path("<slug:slug>/set-up/questions/library/", setup_library.library, name="library"),
    path("<slug:slug>/set-up/consent/draft/", setup_consent.draft, name="consent_draft"),
    path("<slug:slug>/set-up/review/", setup_review.review, name="review"),
    path("<slug:slug>/set-up/review/rehearsal/", rehearsing.rehearse, name="rehearse"),
    path("<slug:slug>/set-up/file/", setup_file.study_file, name="setup_file"),
    path("<slug:slug>/set-up/preregistration.zip", setup_review.preregistration, name="preregistration"),
    path("<slug:slug>/set-up/study.zip", setup_file.study_zip, name="setup_zip"),
    path("<slug:slug>/set-up/media/<slug:name>", setup_preview.media, name="setup_media"),
    path("<slug:slug>/set-up/texts/", text_pages.texts_step, name="texts"),
    path("<slug:slug>/set-up/texts/new/", text_parts.text_row, name="text_new"),
    path("<slug:slug>/set-up/texts/rows/<int:number>/", text_parts.text_row, name="text_row"),
    path("<slug:slug>/set-up/texts/systems/", text_parts.systems, name="text_systems"),
    path("<slug:slug>/set-up/texts/sample/", text_parts.sample, name="text_sample"),
    path("<slug:slug>/set-up/texts/media/", text_parts.text_media, name="text_media"),
    path("<slug:slug>/set-up/texts/degrade/", text_degrading.degrade, name="degrade"),
    path("<slug:slug>/set-up/texts/split/", text_splitting.split, name="split"),
    path("<slug:slug>/set-up/tables/<slug:table>/", unit_pages.unit_table, name="unit_table"),
    path("<slug:slug>/set-up/tables/<slug:table>/new/", unit_pages.unit_row, name="unit_new"),
    path("<slug:slug>/set-up/tables/<slug:table>/rows/<int:number>/", unit_pages.unit_row, name="unit_row"),
    path("<slug:slug>/set-up/tables/<slug:table>/to-fill-in.csv", unit_pages.unit_template, name="unit_template"),
    path("<slug:slug>/set-up/<slug:step>/", setup_steps.step, name="step"),
    path("<slug:slug>/comments/", setup_comments.comments, name="comments"),
    path("<slug:slug>/comments/<int:comment>/", setup_comments.mark, name="mark_comment"),
    path("<slug:slug>/comments/links/", setup_comments.share, name="share_comment"),
    path("<slug:slug>/comments/links/<int:link>/", setup_comments.change_link, name="comment_link"),
    path("<slug:slug>/corrections/", correcting.corrections, name="corrections"),
    path("<slug:slug>/corrections/corrections.csv", correcting.corrections_csv, name="corrections_csv"),
    path("<slug:slug>/changed-version/", setup_family.prepare, name="changed_version"),
    path("<slug:slug>/template/", starting.template, name="template"),
    path("<slug:slug>/project/", project_belonging.project_of_study, name="project"),
    path("<slug:slug>/members/", sharing.members, name="members"),
    path("<slug:slug>/members/remove/", sharing.unshare, name="unshare"),
    path("<slug:slug>/members/invite/", sharing.invite, name="invite_colleague"),
    path("<slug:slug>/members/invitations/<int:invitation>/", sharing.revoke, name="colleague_invitation"),
    path("<slug:slug>/items/", studies.items, name="items"),
    path("<slug:slug>/items/withdraw/", withdrawing.withdraw, name="withdraw"),
    path("<slug:slug>/items/take-back/", withdrawing.take_back, name="take_back"),
    path("<slug:slug>/design/", designing.design, name="design"),
    path("<slug:slug>/design/fix/", designing.fix, name="fix_plan"),
    path("<slug:slug>/design/plan.csv", designing.plan_csv, name="plan"),
    path("<slug:slug>/design/pairs.csv", designing.pairs_csv, name="pairs"),
    path("<slug:slug>/design/more/", extending.extend, name="extend"),
    path("<slug:slug>/checks/", checking.checks, name="checks"),
    path("<slug:slug>/checks/<slug:table>.csv", checking.table, name="checks_csv"),
    path("<slug:slug>/recruit/", recruiting.recruit, name="recruit"),
    path("<slug:slug>/recruit/try/", trying.try_out, name="try"),
    path("<slug:slug>/recruit/people/", inviting.invited, name="invited"),
    path("<slug:slug>/recruit/people/<int:invitation>/", inviting.change, name="invitation"),
    path("<slug:slug>/recruit/statuses/<slug:channel>/", recruiting.statuses, name="statuses"),
    path("<slug:slug>/due/", waves.due, name="due"),
    path("<slug:slug>/due/link/", waves.due_link, name="due_link"),
    path("<slug:slug>/due/<int:wave>/ids/", waves.due_ids, name="due_ids"),
    path("<slug:slug>/due/<int:wave>/ids.csv", waves.due_csv, name="due_csv"),
    path("<slug:slug>/import/", importing.import_ratings, name="import"),
    path("<slug:slug>/import/progress/", progress.import_progress, name="import_progress"),
    path("<slug:slug>/one-table/", one_table.one_table, name="one_table"),
    path("<slug:slug>/of-format/", of_format.of_format, name="of_format"),
    path("<slug:slug>/file/", studies.file, name="file"),
    path("<slug:slug>/log/", log.of_study, name="log"),
    path("<slug:slug>/move/", moving.move, name="move"),
    path("<slug:slug>/delete/", deleting.delete, name="delete"),
    path("<slug:slug>/pay/", paying.overview, name="pay"),
    path("<slug:slug>/pay/raters.csv", paying.table, name="pay_table"),
    path("<slug:slug>/pay/files/<slug:channel>/<slug:name>.csv", paying.file, name="pay_file"),
    path("<slug:slug>/pay/bonus/", paying.bonus, name="pay_bonus"),
    path("<slug:slug>/pay/withhold/", paying.withhold, name="pay_withhold"),
    path("<slug:slug>/pay/undo/<int:pk>/", paying.undo, name="pay_undo"),
    path("<slug:slug>/pay/settle/", paying.settle, name="pay_settle"),
    path("<slug:slug>/pay/mend/", paying.add_missing, name="pay_mend"),
    path("<slug:slug>/pay/absent/", paying.end_absent, name="pay_absent"),
    path("<slug:slug>/api/", tokens.api, name="api"),
    path("<slug:slug>/api/<int:token>/revoke/", tokens.revoke, name="revoke"),
]

deleted_urls: list[URLPattern] = [
    path("", deleting.studies, name="studies"),
    path("<int:number>/<slug:table>.csv", deleting.kept, name="kept"),
]

project_urls: list[URLPattern] = [
    path("", project_pages.listing, name="projects"),
    path("<slug:slug>/", project_pages.overview, name="project"),
    path("<slug:slug>/name/", project_pages.rename, name="rename"),
    path("<slug:slug>/add/", project_adding.add, name="add"),
    path("<slug:slug>/act/", project_acting.act, name="act"),
    path("<slug:slug>/work/<int:number>/", project_acting.progress, name="work"),
    path("<slug:slug>/studies.zip", project_files.studies_zip, name="files"),
]

colleague_urls: list[URLPattern] = [path("<secret:token>/", joining.join, name="join")]

help_urls: list[URLPattern] = [
    path("", manual.index, name="index"),
    path("pictures/<str:name>", manual.picture, name="picture"),
    path("<path:name>/", manual.page, name="page"),
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
    path("admin/", studies.home, name="researchers"),
    path("admin/studies/", include((researcher_urls, "researcher"))),
    path("admin/deleted-studies/", include((deleted_urls, "deleted"))),
    path("admin/projects/", include((project_urls, "projects"))),
    path("admin/usual/", include(([path("", usual.settings, name="settings")], "usual"))),
    path("admin/join/", include((colleague_urls, "colleagues"))),
    path("admin/help/", include((help_urls, "help"))),
    path("admin/log/", include(([path("", log.log, name="log")], "log"))),
    path("api/v1/", include((api_urls, "api"))),
]
