"""Sections 1, 2 and 5: the report, the systems, and ethics."""

from collections.abc import Iterator, Sequence

from analytics_app.heds.filling.facts import STUDY, TEXTS, Facts, Proposal, proposal
from analytics_app.heds.questions import language_options, questions
from tasks_app.models import Task

# The places of these options in questions 2.1 and 2.2.
SPEECH, VISUAL = 10, 11
YES, NO = 1, 2
PERSONAL_DATA = 2


def proposals(facts: Facts) -> dict[str, Proposal]:
    """Return proposals for the questions about the report, the systems and ethics."""
    return dict([*_people(facts), *_systems(facts), *_ethics(facts)])


def _people(facts: Facts) -> Iterator[tuple[str, Proposal]]:
    source = "from the owner of the study"
    if facts.owner is not None:
        name = facts.owner.get_full_name() if hasattr(facts.owner, "get_full_name") else ""
        if name or facts.owner.get_username():
            yield "1.3.1.1", proposal(source, name or facts.owner.get_username())
        if email := getattr(facts.owner, "email", ""):
            yield "1.3.1.3", proposal(source, email)
    options = facts.study.options
    if options.institution:
        yield "1.3.1.2", proposal(STUDY, options.institution)
        yield "1.3.2.2", proposal(STUDY, options.institution)
    if options.contact:
        yield "1.3.2.3", proposal(STUDY, options.contact)


def _systems(facts: Facts) -> Iterator[tuple[str, Proposal]]:
    for number, kinds in (("2.1", {kind.partition("/")[0] for kind in facts.media}), ("2.2", set(facts.output_kinds))):
        ticked = [*([SPEECH] if "audio" in kinds else []), *([VISUAL] if {"image", "video"} & kinds else [])]
        if ticked:
            yield number, proposal(TEXTS, "", *ticked)
    for number, languages in (("2.4", facts.source_languages), ("2.5", facts.output_languages)):
        if languages:
            yield number, _languages(number, languages)


def _languages(number: str, languages: Sequence[str]) -> Proposal:
    """Return a proposal that ticks the languages of ISO 639-1 and names any others."""
    known = language_options()
    codes = {language: language.partition("-")[0].lower() for language in languages}
    others = sorted(language for language, code in codes.items() if code not in known)
    ticked = {known[code] for code in codes.values() if code in known}
    if others:
        ticked.add(len(questions()[number].options))
    return proposal(TEXTS, ", ".join(others), *ticked)


def _ethics(facts: Facts) -> Iterator[tuple[str, Proposal]]:
    options = facts.study.options
    if options.ethics:
        yield "5.1", proposal(STUDY, options.ethics)
    questions = [
        criterion.wording
        for frame in facts.frames
        if frame.task.stage != Task.Stage.MAIN
        for criterion in frame.criteria
    ]
    ids = any(name in {"prolific", "mturk", "account"} for name in options.channels)
    collected = [
        *([f"Asked of evaluators: {' · '.join(questions)}"] if questions else []),
        *(["Ids of the platform or account by which evaluators came."] if ids else []),
        *([f"Stored: {options.stored}"] if options.stored else []),
        *([f"Kept: {options.kept}"] if options.kept else []),
    ]
    if questions or ids:
        yield "5.2", proposal("from the questionnaires and channels", "\n".join(collected), PERSONAL_DATA)
