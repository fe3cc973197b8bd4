"""The preview beside the form: the pages of raters, with the study's first texts. Nothing is stored."""

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

from csp.constants import SELF
from django.http import HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from django.shortcuts import get_object_or_404, render
from django.utils.translation import gettext as _
from django.views.decorators.csrf import csrf_exempt

from tasks_app import access
from tasks_app.forms import TimeForm, text_prefix
from tasks_app.models import Media, Membership, Setup
from tasks_app.setup import frozen
from tasks_app.setup.preview import Preview, preview_of
from tasks_app.task_types.clock import SetTime, TimeChoice
from tasks_app.texts import languages, richtext
from tasks_app.views.public.catalogue import stored_rows
from tasks_app.views.rater import document_view, set_time_words, stages
from tasks_app.views.rater import media as rater_media
from tasks_app.views.rater.pages import PageFrame
from tasks_app.views.rater.text_block import ShownBlock, blocks_shown
from tasks_app.views.researcher.frame import researcher_page
from tasks_app.views.researcher.setup import stage_pages
from tasks_app.views.researcher.setup.form_frame import step_url

THEMES = ("light", "dark")

# The page on which a unit is judged.
UNIT = "unit"


# Nothing is stored, so there is nothing that another site could do in somebody's name.
@csrf_exempt
@researcher_page("GET", "POST")
def preview(request: HttpRequest, slug: str) -> HttpResponse:
    """Show a unit as raters would see it, or to editors the page of another step.

    An answer to a unit says what would be stored.
    """
    study, role = access.study_and_role(request.user, slug)
    may_edit = access.reaches(role, Membership.Role.EDITOR)
    setup, shown = frozen.setup_of(study), request.GET.get("page", UNIT)
    # The other pages show completion codes, which viewers do not see.
    if may_edit and shown in stage_pages.PAGES and request.method != "POST":
        return _in_frame(stage_pages.show(request, setup, shown))
    return show_unit(request, setup, step_url(slug, "media"), names_problems=may_edit)


def show_unit(request: HttpRequest, setup: Setup, media_base: str, *, names_problems: bool = True) -> HttpResponse:
    """Answer with the unit of a set-up that the address asks for, for a frame on a page of this site.

    `names_problems` says whether to name what keeps the study's own texts from being shown: it may name systems.
    """
    unit, wording = (_number(request, name, least) for name, least in (("unit", 1), ("wording", 0)))
    shown = preview_of(setup, request.GET.get("task", ""), unit, wording)
    if shown is not None and not names_problems:
        shown = replace(shown, problems=())
    language = request.GET.get("lang", "") or (shown.language if shown else setup.study.language)
    with languages.speaking(language):
        if shown is None:
            sentences = [_("Choose a task type to see its screen here.")]
            response = render(request, "rater/message.html", {"title": _("No task yet"), "sentences": sentences})
        else:
            response = _unit(request, media_base, shown)
    return _in_frame(response)


def _number(request: HttpRequest, name: str, least: int) -> int:
    """Return a number of the address, or the least one where there is none that can be meant."""
    given = request.GET.get(name, "")
    return int(given) if given.isdecimal() and len(given) < 6 else least


def _in_frame(response: HttpResponse) -> HttpResponse:
    """Let a page of this site show a response in a frame."""
    response._csp_replace = {"frame-ancestors": [SELF]}  # type: ignore[attr-defined]  # read by django-csp
    response.xframe_options_exempt = True  # read by Django's middleware
    return response


def _unit(request: HttpRequest, media_base: str, shown: Preview) -> HttpResponse:
    blocks = list(_blocks(request, shown))
    kind, first = shown.screens[0].kind, blocks[0].form
    tried = all(block.form.is_valid() for block in blocks)
    theme = request.GET.get("theme", "")
    context: dict[str, Any] = {
        "frame": PageFrame(
            public_title=shown.public_title,
            done=shown.before + shown.number - 1,
            total=shown.total,
            minutes_left="",
            help_url="",
            stop_url="",
            lang=languages.spoken(),
            study_lang=shown.language,
            stage=_stage(shown),
        ),
        **blocks_shown(blocks),
        "document": document_view.document_of(blocks, shown.places) if shown.places else None,
        "unit_template": kind.template_name,
        "unit_script": kind.script,
        "unit_styles": kind.styles,
        "media_base": media_base,
        "instructions_html": richtext.to_html(shown.task["instructions"] or str(kind.instructions())),
        "next_url": "",
        "new_task": "",
        "trying": shown,
        "before_text": _before_text(kind.set_time),
        "tried": tried,
        "stored": [row for block in blocks for row in _rows_of(block)] if tried else [],
        "content_warning": shown.settings.get("content_warning", ""),
        "theme": theme if theme in THEMES else "",
    }
    return render(request, "rater/judge.html", context, status=422 if first.is_bound and not tried else 200)


def _before_text(time: SetTime | None) -> dict[str, object] | None:
    """Return the values for the page before a text with a set time; None where no time is set."""
    if time is None:
        return None
    heading, sentences = set_time_words.about(time, TimeChoice.USUAL)
    form = TimeForm(bound_to={}, times=set_time_words.choices(time), initial={"time": TimeChoice.USUAL})
    return {"heading": heading, "sentences": sentences, "form": form}


def _stage(shown: Preview) -> str:
    """Return the stage of the units that are shown, in words."""
    counted_as = stages.counted(shown.screens)
    first, last = shown.before + shown.number, shown.before + shown.last
    if len(shown.screens) == 1:
        return stages.numbered(first, shown.total, counted_as)
    return stages.texts_numbers(first, last, shown.total, counted_as)


def _blocks(request: HttpRequest, shown: Preview) -> Iterator[ShownBlock]:
    """Yield the texts on the page, with the posted values."""
    posted = request.POST if request.method == "POST" else None
    several = len(shown.screens) > 1
    of_document = document_view.headings(shown.places, shown.screens) if shown.places else []
    for number, screen in enumerate(shown.screens, start=1):
        numbers = (shown.before + shown.number + number - 1, shown.total)
        heading = stages.heading(*numbers, stages.counted_as(screen)) if several else ""
        heading = of_document[number - 1] if of_document else heading
        form = screen.kind.form(screen, posted, prefix=text_prefix(number))
        yield ShownBlock(screen, form, number=number, heading=heading)


def _rows_of(block: ShownBlock) -> Iterator[dict[str, object]]:
    """Yield the ratings that a text would get; on a page of several each says which text it is."""
    for row in stored_rows(block.screen.kind, block.screen, block.form.cleaned_data):
        yield {**row, "text": str(block.number)} if block.heading else row


@researcher_page("GET")
def media(request: HttpRequest, slug: str, name: str) -> HttpResponseBase:
    """Send a picture, sound or film of a study, or its captions, to people who may see its texts."""
    study = access.study_for_researcher(request.user, slug)
    return rater_media.send(request, get_object_or_404(Media, study=study, sha256=name))
