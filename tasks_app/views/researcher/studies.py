"""The pages to upload a study file, and the tab Set up, the texts and the file of a study. Without permission: 404."""

import tempfile
from typing import Any, cast

from django import forms
from django.contrib import messages
from django.contrib.auth.models import User
from django.core.paginator import Paginator
from django.http import FileResponse, HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from django.shortcuts import redirect
from django.urls import reverse
from django.utils.http import urlencode
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from tasks_app import access, studyfile
from tasks_app.hooks import tabs
from tasks_app.models import Membership, Study
from tasks_app.selectors import demonstration, screens
from tasks_app.selectors import studies as reads
from tasks_app.services import events
from tasks_app.setup.frozen import current_version, setup_of
from tasks_app.setup.shared import shared_study
from tasks_app.studyfile.files.limits import largest_upload
from tasks_app.texts import richtext
from tasks_app.uploads.request_sizes import accepts_files
from tasks_app.views import pay_words
from tasks_app.views.researcher.frame import researcher_page, show, study_page
from tasks_app.views.researcher.importing.uploading import read_upload
from tasks_app.views.researcher.setup import facts
from tasks_app.views.researcher.setup.family import family
from tasks_app.views.researcher.setup.form_frame import step_links
from tasks_app.views.researcher.withdrawing import withdrawn_texts
from tasks_app.views.signing_in import FIRST_VISIT

# The longest words that the texts are searched for.
LONGEST_SEARCH = 200

# The most finished studies of the demonstration that the first page lists.
MOST_FINISHED = 5


class UploadForm(forms.Form):
    """The upload of a study file."""

    file = forms.FileField(
        label=gettext_lazy("Study file"),
        help_text=gettext_lazy(
            "A zip with study.yaml and, if raters judge texts, items.csv (or .tsv, .jsonl). It can also contain "
            "controls.csv, batches.csv, prefill.csv and media. For an example, download the study file of one of your "
            "studies."
        ),
        allow_empty_file=True,  # the reader refuses an empty file, with advice
    )
    replace = forms.BooleanField(
        required=False,
        label=gettext_lazy("Replace the draft with the same slug"),
        help_text=gettext_lazy("Only your own drafts can be replaced, never a study that was opened."),
    )


@researcher_page("GET")
def home(request: HttpRequest) -> HttpResponse:
    """Send researchers to their studies after they have signed in; at the first time, to where they can begin."""
    return redirect("researcher:welcome" if request.session.pop(FIRST_VISIT, False) else "researcher:studies")


@researcher_page("GET")
def welcome(request: HttpRequest) -> HttpResponse:
    """Show three ways to begin: a finished study to look at, an own study, and ratings that are there already."""
    finished = list(demonstration.finished(access.studies_for_researcher(request.user))[:MOST_FINISHED])
    results = next((tab for tab in tabs.all_tabs() if tab.slug == "results"), None)
    links = [(study, reverse(results.url_name, args=[study.slug])) for study in finished] if results else []
    return show(request, "welcome", _("Welcome to evalweb"), {"finished": links})


@accepts_files(largest_upload)
@researcher_page("GET", "POST")
def load(request: HttpRequest) -> HttpResponse:
    """Load a study from a zip: store all of it, or nothing and list every problem."""
    form = UploadForm(request.POST or None, request.FILES or None)
    owner = cast("User", request.user)
    result, refusal = read_upload(
        form,
        lambda form: studyfile.load_with_notes(
            form.cleaned_data["file"], owner=owner, replace=form.cleaned_data["replace"]
        ),
    )
    if result is None:
        status = 422 if refusal or form.errors else 200
        return show(request, "load", _("Load a study"), {"form": form, "refusal": refusal}, status=status)
    study, loaded = result
    messages.success(
        request, _("“%(title)s” is loaded as a draft. Look it over, then open it.") % {"title": study.title}
    )
    for note in (*loaded.notes, *filter(None, [loaded.load])):
        messages.info(request, note)
    return redirect("researcher:setup", study.slug)


@researcher_page("GET")
def setup(request: HttpRequest, slug: str) -> HttpResponse:
    """Show the study: its texts, tasks and criteria, and the steps to open it."""

    def context(study: Study) -> dict[str, Any]:
        frames = screens.read_frames(study.tasks.filter(until=None).order_by("order"))
        return {
            "about": facts.of_study(study),
            "tasks": [
                {
                    "frame": frame,
                    "facts": facts.of_task(frame),
                    "questions": any(criterion.question not in {"", criterion.name} for criterion in frame.criteria),
                }
                for frame in frames
            ],
            "contents": reads.contents(study),
            "pay_note": pay_words.offer_note(study.options),
            "steps": step_links(slug),
            "version": current_version(study) if study.is_frozen else None,
            **family(request.user, study),
            **({} if access.reaches(vars(study)["own_role"], Membership.Role.EDITOR) else _to_read(study)),
        }

    return study_page(request, slug, "setup", context)


def _to_read(study: Study) -> dict[str, Any]:
    """Return the instructions, consent texts and analysis plan of a study, for viewers, who cannot open its form."""
    shared = shared_study(setup_of(study), shows_systems=True)
    return {
        "shared": shared,
        "consent_texts": [(language, richtext.to_html(text)) for language, text in shared.consent.items()],
        "instructions": [(title, richtext.to_html(text)) for title, text in shared.instructions],
    }


@researcher_page("GET")
def items(request: HttpRequest, slug: str) -> HttpResponse:
    """Show the items with their outputs, in pages; ?q= names words that the name or a text of an item contains."""
    words = request.GET.get("q", "").replace("\0", "").strip()[:LONGEST_SEARCH]

    def context(study: Study) -> dict[str, Any]:
        contents = reads.contents(study)
        of_an_item = max(1, contents.outputs // max(1, contents.items))
        paginator = Paginator(reads.items_of(study, words), max(1, reads.OUTPUTS_ON_A_PAGE // of_an_item))
        return {
            "page": paginator.get_page(request.GET.get("page")),
            "words": words,
            "query": urlencode({"q": words}) if words else "",
            "contents": contents,
            **withdrawn_texts(study),
        }

    return study_page(request, slug, "items", context)


@researcher_page("GET")
def file(request: HttpRequest, slug: str) -> HttpResponseBase:
    """Send the study file as a zip, and log it, since the file contains the known answers and the plan."""
    study = access.study_for_researcher(request.user, slug, access.GOLD_READER)
    target = tempfile.TemporaryFile()  # noqa: SIM115  FileResponse closes it
    studyfile.export(study, target)
    target.seek(0)
    events.log(study, request.user, "exported", about="study file")
    return FileResponse(target, as_attachment=True, filename=f"{study.slug}.zip")
