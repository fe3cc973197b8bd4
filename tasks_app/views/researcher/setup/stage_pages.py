"""The pages before and after the texts, of a study that is being set up: consent, instructions, and the end."""

from collections.abc import Callable, Mapping
from typing import Any

from django import forms
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render

from tasks_app import channels
from tasks_app.channels.base import Arrival, Ending, NotArrived
from tasks_app.models import ConsentText, Gold, Rater, Setup, Study, Task
from tasks_app.selectors.pay import EarlyEnds
from tasks_app.services.arrival import endings
from tasks_app.services.plan.loads import load_in_words
from tasks_app.settings.checks import checks_of
from tasks_app.setup.facts import known_answers
from tasks_app.setup.page import SetupPage
from tasks_app.setup.preview import draft_study
from tasks_app.task_types import registry
from tasks_app.texts import languages, richtext
from tasks_app.views.rater import ending, pages

# Shown where each rater gets a code of their own, or none was given yet.
SAMPLE_CODE = "EXAMPLE8"


def show(request: HttpRequest, setup: Setup, name: str) -> HttpResponse:
    """Show one of the pages in the language that the address asks for, else in the study's."""
    page = SetupPage(setup, "review", is_checked=True)
    study = draft_study(page)
    with languages.speaking(request.GET.get("lang", "") or study.language):
        template, context = PAGES[name](page, study)
        theme = request.GET.get("theme", "")
        shown = {**context, "theme": theme if theme in {"light", "dark"} else ""}
        return render(request, template, shown)


def _consent(page: SetupPage, study: Study) -> tuple[str, dict[str, Any]]:
    texts: Mapping[str, str] = page.reading.document["consent"]
    tag = (
        languages.closest(languages.spoken(), texts)
        or languages.closest(study.language, texts)
        or next(iter(texts), "")
    )
    text = ConsentText(language=tag, body=texts[tag]) if tag else None
    return "rater/join.html", {
        "study": pages.public_study(
            study, next(iter(study.options.channels), "link"), _early_ends(page), _other_sites(page)
        ),
        **pages.consent_shown(study, text),
        "consent_language": tag or study.language,
        "trying": "shut",
    }


def _other_sites(page: SetupPage) -> list[str]:
    """Return the other sites on which raters do tasks, each once."""
    tasks = [task for task in page.reading.document["tasks"] if task["type"] in registry]
    kinds = [registry[task["type"]](task["params"]) for task in tasks]
    return list(dict.fromkeys(host for kind in kinds for host in kind.hosts_elsewhere))


def _early_ends(page: SetupPage) -> EarlyEnds:
    """Return whether raters may be screened out or fail an exam, by the known answers of the set-up."""
    known = known_answers(page.setup, page.reading)
    exams = [
        task
        for task in page.reading.document["tasks"]
        if known[str(task["key"])].get(Gold.Purpose.EXAM) and checks_of(task["checks"]).exam != 0
    ]
    return EarlyEnds(any(of_task.get(Gold.Purpose.SCREENING) for of_task in known.values()), bool(exams))


def _instructions(page: SetupPage, study: Study) -> tuple[str, dict[str, Any]]:
    tasks = [task for task in page.reading.document["tasks"] if task["type"] in registry]
    main = [task for task in tasks if task["stage"] == Task.Stage.MAIN] or tasks
    texts = [task["instructions"] or str(registry[task["type"]]().instructions()) for task in main]
    load = study.options.workload
    return "rater/instructions.html", {
        "frame": _frame(study),
        "instructions_html": richtext.to_html("\n\n".join(dict.fromkeys(texts))),
        "amount": load_in_words(load.screens, load.texts, load.answers) if load else "…",
        "minutes": pages.minutes_in_words(pages.expected_minutes(study)),
        "before": [],
        "form": forms.Form(),
    }


def _end(page: SetupPage, study: Study) -> tuple[str, dict[str, Any]]:
    load, outcome = study.options.workload, str(Rater.Outcome.COMPLETED)
    title, sentences = ending.words(outcome, load.screens if load else 12, [])
    return "rater/end.html", {
        "frame": _frame(study),
        "outcome": outcome,
        "title": title,
        "sentences": sentences,
        "ending": _last_step(study, outcome),
    }


def _last_step(study: Study, outcome: str) -> Ending:
    """Return the last step of raters of the first channel; a study without a channel has only a code."""
    code = study.options.codes.of(outcome) or SAMPLE_CODE
    for name in sorted(study.options.channels):
        kind = channels.channel_of(study.options, name)
        arrival = Arrival(name)
        for example in channels.registry[name].examples():
            try:
                arrival = Arrival(name) if kind.invited_only else kind.arrival(example.query)
            except NotArrived:
                continue
            if not arrival.preview:
                break
        if endings.is_to_keep(study.options, name, outcome):
            return Ending(code, is_to_keep=True)
        return kind.ending(
            outcome, code, {**arrival.details, "session_id": arrival.session_id, "pseudonym": "r-example"}
        )
    return Ending(code)


def _frame(study: Study) -> pages.PageFrame:
    return pages.PageFrame(
        public_title=study.public_title, done=0, total=0, minutes_left="", help_url="", stop_url="",
        lang=languages.spoken(), study_lang=study.language,
    )  # fmt: skip


# The pages by their names in addresses.
PAGES: Mapping[str, Callable[[SetupPage, Study], tuple[str, dict[str, Any]]]] = {
    "consent": _consent,
    "instructions": _instructions,
    "end": _end,
}
