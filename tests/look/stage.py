"""A small site that shows every rater page with a made-up context, and plays a server that is slow, busy or away."""

import json
import uuid
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from random import Random
from threading import Event, Thread
from typing import Any

from django.contrib.staticfiles.handlers import StaticFilesHandler
from django.core.handlers.wsgi import WSGIHandler
from django.core.servers.basehttp import ThreadedWSGIServer, WSGIRequestHandler
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect, JsonResponse
from django.shortcuts import render
from django.test import override_settings
from django.urls import include, path
from django.utils.safestring import mark_safe
from django.views.decorators.csrf import csrf_exempt

from tasks_app.channels.base import Ending
from tasks_app.forms import AnswerFields, ConsentForm, PageFields, SkipForm, StepForm
from tasks_app.task_types import registry
from tasks_app.task_types.base import Criterion, Media, Part, Quality, Screen
from tasks_app.task_types.highlights import Highlight
from tasks_app.task_types.samples import sample_kind, sample_screen
from tasks_app.texts import languages
from tasks_app.texts.languages import PageLanguage
from tasks_app.urls import public_urls
from tasks_app.views.rater import stages
from tasks_app.views.rater.pages import PageFrame, PublicStudy
from tasks_app.views.rater.text_block import ShownBlock, blocks_shown
from tests.look.chained import MARKED, chained
from tests.media import png, wav

LONG = (
    "The old railway bridge over the river will be closed to all traffic from next month. Engineers found cracks in "
    "two of its five pillars, and recommended that no train should cross it until the repairs are done.\n\n"
) * 3
WIDE = "|" + " a column with a long heading |" * 9
MARKDOWN = (
    f"# Bridge closed\n\nFrom *next month*, see [the plan](https://example.org/).\n\n{WIDE}\n{'|---' * 9}|\n{WIDE}\n"
)
TEXTS = {
    "en": (LONG, "The bridge is closing next month because engineers discovered cracks.", "Bridge shut."),
    "ar": ("سيُغلق جسر السكة الحديدية القديم (رقم 40) ابتداءً من الشهر المقبل.", "سيُغلق الجسر.", "جسر مغلق."),
    "he": ("גשר הרכבת הישן (bridge 40) ייסגר לתנועה החל מהחודש הבא.", "הגשר ייסגר.", "גשר סגור."),
    "ja": (
        "川に架かる古い鉄道橋を来月から全面通行止めにすると発表した。🚆👩🏽‍🔧" * 4,
        "来月、橋が閉鎖されます。",
        "橋、閉鎖。",
    ),
    "": ("https://example.org/" + "a" * 300 + " 🎉" * 30, "x" * 200, "y"),
    "md": (MARKDOWN, "1. **First** the bridge is closed,\n2. then it is repaired.", "> Bridge shut."),
}
ENDS = (
    Criterion(
        "fluency",
        "Fluency",
        question="How well does it read?",
        definition="Grammar and words.",
        low="Badly",
        high="Well",
    ),
    Criterion("content", "Content", question="How much of the meaning is kept?", low="Nothing", high="Everything"),
)
LABELS = (Criterion("fluency", "Fluency", question="How well?", labels=("Awful", "Poor", "Neither", "Good", "Great")),)
ANCHORS = (
    Criterion(
        "quality",
        "Quality",
        question="How good is it?",
        anchors={"0": "No meaning kept", "33": "Some meaning kept", "66": "Most meaning kept", "100": "Perfect"},
    ),
)
CRITERIA = {"ends": ENDS, "labels": LABELS, "anchors": ANCHORS}
MEDIA = (
    Media("image", "picture", "image/png"),
    Media("image", "other", "image/png"),
    Media("audio", "sound", "audio/wav"),
)
ABOUT = [("Contact", "lab@example.org"), ("What is stored", "Your answers, under a made-up name.")]
PROSE = mark_safe("<p>Read the text.</p><h2>Examples</h2><ul><li>A text with mistakes reads badly.</li></ul>")
LINK = "https://eval.example.org/r/8mD0-SxG7lYc2JkQb5nR0g/"
WORDS = ["Your 12 answers so far are kept.", "You are paid 0.90 EUR for them."]


@dataclass
class Stage:
    """What the played server got, and how it answers: a status, or "ok"."""

    url: str = ""
    drafts: list[dict[str, Any]] = field(default_factory=list)
    posts: list[dict[str, str]] = field(default_factory=list)
    draft_answers: str = "ok"
    post_answers: str = "ok"
    counter: int = 0
    drafted: Event = field(default_factory=Event)

    def reset(self) -> None:
        """Start again."""
        self.drafts.clear()
        self.posts.clear()
        self.draft_answers = self.post_answers = "ok"
        self.counter = 0
        self.drafted.clear()


stage = Stage()


def frame(request: HttpRequest, done: int = 12, screen: Screen | None = None) -> PageFrame:
    """Make the bars around a page."""
    language = request.GET.get("ui", languages.spoken())
    names = (PageLanguage("en", "English"), PageLanguage("de", "Deutsch"), PageLanguage("ar", "العربية"))
    return PageFrame(
        public_title="How do these texts read?",
        done=done,
        total=40,
        minutes_left="about 9 minutes left",
        help_url="/help/",
        stop_url="/stop/",
        lang=language,
        languages=names,
        study_lang="en",
        stage=stages.numbered(done + 1, 40, stages.counted_as(screen)) if screen is not None else "",
    )


def parts_of(asked: Mapping[str, str], language: str, n: int) -> Iterator[Part]:
    """Yield the texts: with chains, highlighted by words, or plain."""
    for number in range(n):
        if "chains" in asked:
            text, mentions = chained(MARKED[language][number])
            yield Part(number, text, language, highlights=mentions)
        else:
            text = TEXTS[language][number]
            marked = (Highlight(0, len(text.split(maxsplit=1)[0])),) if "highlight" in asked else ()
            yield Part(number, text, "en" if language == "md" else language, highlights=marked)


def screen_of(request: HttpRequest) -> Screen:
    """Make the screen that the address asks for: one with the given texts, or the sample of a type."""
    asked = request.GET
    member = registry[asked.get("type", "likert")]
    if "sample" in asked:
        screen = sample_screen(sample_kind(member), asked.get("text", "en"))
        long = (
            " ".join(f"{n}. {part}" for n in range(1, 101) for part in LONG.split("\n\n")[:1])
            if "long" in asked
            else ""
        )
        parts = tuple(replace(part, text=f"{part.text} {long}".strip()) for part in screen.parts)
        return replace(screen, parts=parts)
    given: dict[str, object] = {"show_numbers": "numbers" in asked}
    n = int(asked.get("n", "1"))
    if n > 1:
        given["layout"] = "together"
    if "points" in asked:
        given["points"] = int(asked["points"])
    language = asked.get("text", "en")
    context = {"": (), "short": TEXTS["en"][1:], "long": (LONG, LONG)}[asked.get("context", "")]
    return Screen(
        kind=member({name: value for name, value in given.items() if name in member.Settings.base_fields}),
        parts=tuple(parts_of(asked, language, n)),
        criteria=CRITERIA[asked.get("criteria", "ends")],
        source="Die alte Brücke wird gesperrt." if "source" in asked else "",
        highlights={"source": (Highlight(9, 15),)} if "highlight" in asked else {},
        source_language="de",
        language=asked.get("study", "en"),
        format="markdown" if language == "md" else "text",
        context=context,
        context_texts=tuple(TEXTS[language][: len(context)]) if "translations" in asked else (),
        media=MEDIA if "media" in asked else (),
        paged="paged" in asked,
    )


@csrf_exempt
def judge(request: HttpRequest) -> HttpResponse:
    """The judging page in the language that is asked for; posted to, it answers as the stage says."""
    with languages.speaking(request.GET.get("ui", "en")):
        return judging_page(request)


def judging_page(request: HttpRequest) -> HttpResponse:
    """The judging page in the active language."""
    screen = screen_of(request)
    data: dict[str, str] | None = None
    if request.method == "POST":
        stage.posts.append({name: str(value) for name, value in request.POST.items()})
        if stage.post_answers == "503":
            return HttpResponse(status=503, headers={"Retry-After": "1"})
        data = stage.posts[-1]
    elif "answered" in request.GET:
        data = screen.kind.simulate(screen, Quality.CAREFUL, Random(3))
    elif "errors" in request.GET:
        data = {}
    form = screen.kind.form(screen, data)
    if request.method == "POST" and form.is_valid():
        return HttpResponseRedirect("/done/")
    answer_fields = AnswerFields(bound_to={}, initial={"submission": uuid.uuid4()})
    context = {
        "frame": frame(request, screen=screen),
        **blocks_shown([ShownBlock(screen, form, answer_fields, counter=stage.counter, draft_key="r1-13")]),
        "unit_template": screen.kind.template_name,
        "unit_script": screen.kind.script,
        "unit_styles": screen.kind.styles,
        "media_base": "/media/",
        "page_fields": PageFields(),
        "instructions_html": PROSE,
        "skip_form": SkipForm(bound_to={}, initial={"submission": uuid.uuid4()}),
        "skip_url": "/done/",
        "draft_url": "/draft/",
        "can_go_back": True,
        "back_url": "/help/",
        "next_url": request.GET.get("then", "/done/"),
        "break_after_minutes": 20,
        "break_due": "break" in request.GET,
        "content_warning": "This text speaks of violence." if "warning" in request.GET else "",
        "revising": "revising" in request.GET,
    }
    return render(request, "rater/judge.html", context, status=422 if data == {} else 200)


@csrf_exempt
def draft(request: HttpRequest) -> HttpResponse:
    """Keep a draft as the stage says."""
    sent = json.loads(request.body)
    stage.drafts.append(sent)
    stage.drafted.set()
    if stage.draft_answers == "ok":
        stage.counter = sent["counter"]
        return JsonResponse({"saved": True, "counter": sent["counter"]})
    body = {"saved": False, "counter": 50, "newer": True} if stage.draft_answers == "409" else {"saved": False}
    return JsonResponse(body, status=int(stage.draft_answers))


def conflict(request: HttpRequest) -> HttpResponse:
    """Two answers to choose from."""
    context = {
        "frame": frame(request),
        "conflicts": [
            {
                "number": 1,
                "stored": [("How well does it read?", "4")],
                "given": [("How well does it read?", "1")],
            }
        ],
        "next_url": "/done/",
        "forms": [PageFields(), AnswerFields(bound_to={})],
        "form_action": "/judge/",
    }
    return render(request, "rater/conflict.html", context)


def join(request: HttpRequest) -> HttpResponse:
    """The open link."""
    study = PublicStudy(
        load="10 screens with 49 texts and 98 questions",
        public_title="How do these texts read?",
        language="en",
        in_short=ABOUT[:1],
        about=ABOUT,
        minutes="about 15 minutes",
        pay="3.00 EUR",
        hourly="12.00 EUR per hour",
        kept="It goes to others if you do nothing for 30 minutes.",
        promises=[("Otherwise", "1.00 EUR if you are screened out.")],
        content_warning="Some texts speak of violence.",
    )
    form = ConsentForm({} if "errors" in request.GET else None, bound_to={})
    context = {
        "study": study,
        "finds_nobody": True,
        "consent_html": PROSE,
        "form": form,
        "preview": "preview" in request.GET,
        "languages": languages.to_choose_from(),
        "spoken": languages.spoken(),
    }
    return render(request, "rater/join.html", context)


def plain(request: HttpRequest, name: str) -> HttpResponse:
    """Any other page of raters."""
    context = {
        "frame": frame(request, done=40 if name == "end" else 12),
        "title": "Thank you, you have finished",
        "outcome": "completed" if name == "end" else "",
        "sentences": WORDS,
        "instructions_html": PROSE,
        "consent_html": PROSE,
        "about": ABOUT,
        "keys": [("1", "chooses the first step")],
        "personal_link": LINK,
        "n_units": 40,
        "minutes": "about 15 minutes",
        "shorter": "This set is shorter than usual: 12 instead of 40.",
        "form": StepForm(bound_to={}),
        "link_form": StepForm(bound_to={}),
        "more_form": StepForm(bound_to={}),
        "ending": Ending("C7QK9TZW", "https://platform.example.org/complete", label="Back to the platform"),
        "action": ("Look again", "/message/"),
        "back_url": "/judge/",
    }
    return render(request, f"rater/{name}.html", context)


def error(request: HttpRequest, status: int) -> HttpResponse:
    """The page of a status, drawn as a failing server draws it: with nothing."""
    return HttpResponse(render(request, f"{status}.html").content)


def media(request: HttpRequest, name: str) -> HttpResponse:
    """A picture or a second of sound, made here."""
    return HttpResponse(
        wav(1) if name == "sound" else png(640, 400), content_type="audio/wav" if name == "sound" else "image/png"
    )


@csrf_exempt
def done(request: HttpRequest) -> HttpResponse:
    """Where an answer that was stored leads."""
    return HttpResponse("<!doctype html><html lang='en'><title>Next</title><h1>Next text</h1></html>")


PLAIN = ("instructions", "end", "help", "stop", "message")
urlpatterns = [
    path("", include((public_urls, "public"))),
    path("judge/", judge),
    path("draft/", draft),
    path("join/", join),
    path("conflict/", conflict),
    path("done/", done),
    path("media/<slug:name>", media),
    path("error/<int:status>/", error),
    *(path(f"{name}/", plain, {"name": name}) for name in PLAIN),
]


@contextmanager
def serving() -> Iterator[Stage]:
    """Serve the stage in this process, at any free port."""
    server = ThreadedWSGIServer(("127.0.0.1", 0), WSGIRequestHandler)
    server.set_app(StaticFilesHandler(WSGIHandler()))
    thread = Thread(target=server.serve_forever, daemon=True)
    with override_settings(ROOT_URLCONF="tests.look.stage", DEBUG=True):
        thread.start()
        stage.url = f"http://127.0.0.1:{server.server_port}"
        yield stage
        server.shutdown()
        server.server_close()
        thread.join()
