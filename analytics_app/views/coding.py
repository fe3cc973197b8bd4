"""Code free-text answers: questions, codebook, one answer at a time, agreement of two coders, and a file."""

from collections import Counter
from collections.abc import Mapping
from typing import Any

from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from django.shortcuts import redirect
from django.urls import reverse
from django.utils.translation import gettext as _

from analytics_app.exports import codes as codes_file
from analytics_app.selectors.coder_agreement import agreement_of, overall_of
from analytics_app.selectors.codes_by_verdict import counts_of
from tasks_app import access
from tasks_app.models import Codebook, Membership, Rating, Study
from tasks_app.selectors import coding as selectors
from tasks_app.selectors.coding import Coding
from tasks_app.services import coding, events
from tasks_app.texts.plaintext import problem_in
from tasks_app.views.downloads import csv_file
from tasks_app.views.researcher.frame import refusals_shown, researcher_page, study_page

EDITOR, OWNER = Membership.Role.EDITOR, Membership.Role.OWNER

# The most decided and undecided disagreements on one page; the file has all.
MOST_SHOWN = 20


@researcher_page("GET")
def questions(request: HttpRequest, slug: str) -> HttpResponse:
    """Show the questions that raters answered in words, and the progress of coding."""

    def context(study: Study) -> dict[str, Any]:
        progress = selectors.progress_of(study)
        n_codes = {book.criterion: len(book.codes.all()) for book in study.codebooks.prefetch_related("codes")}
        rows = [
            {
                "question": question,
                "codes": n_codes.get(question.key, 0),
                "coded": [progress.get(question.key, Counter())[n] for n in (1, 2)],
            }
            for question in selectors.questions_of(study)
        ]
        return {"rows": rows, "may_begin": coding.may_begin(study)}

    return study_page(request, slug, "data", context, template="coding_questions", title=_("Code answers"))


@researcher_page("GET", "POST")
def codebook_page(request: HttpRequest, slug: str, criterion: str) -> HttpResponseBase:
    """Show the codes of a question and, once both coders have finished, their agreement."""
    fetched = access.study_and_role(request.user, slug, EDITOR if request.method == "POST" else Membership.Role.VIEWER)
    study = fetched[0]
    question = _question(study, criterion)
    typed, status = None, 200
    if request.method == "POST":
        typed = request.POST.get("codes", "")
        try:
            coding.save_codes(study=study, criterion=criterion, codes=_read_codes(typed), by=request.user)
        except coding.Refused as refused:
            messages.error(request, str(refused))
            status = 422
        else:
            messages.success(request, _("The codes are saved."))
            return redirect("analytics:codebook", slug, criterion)

    def context(_study: Study) -> dict[str, Any]:
        own = Codebook.objects.filter(study=study, criterion=criterion).select_related("study").first()
        shared = {"question": question, "criterion": criterion, "may_begin": coding.may_begin(study)}
        if own is None:
            return {**shared, "typed": typed or ""}
        of_question = selectors.coding_of(own)
        codes = of_question.codes
        lines = "\n".join(f"{code.name}: {code.definition}" if code.definition else code.name for code in codes)
        return {
            **shared, "codebook": own, "codes": codes, "typed": lines if typed is None else typed,
            "coding": of_question, "coders": _coders(of_question, request.user.pk),
            "may_code": _may_code(of_question, request.user.pk),
            **_compared(of_question),
        }  # fmt: skip

    title = _("Codes: %(question)s") % {"question": question.words}
    return study_page(request, slug, "data", context, template="codebook", title=title, status=status, fetched=fetched)


def _coders(of_question: Coding, user_id: int | None) -> list[dict[str, Any]]:
    """Return the coders with their progress."""
    coded = zip(of_question.coders, of_question.by_coder, strict=True)
    answer_ids = {answer.pk for answer in of_question.answers}
    return [
        {
            "coder": coder,
            "n": len(answer_ids & codes.keys()),
            "is_you": coder.user_id is not None and coder.user_id == user_id,
            "has_finished": answer_ids <= codes.keys(),
        }
        for coder, codes in coded
    ]


def _may_code(of_question: Coding, user_id: int | None) -> bool:
    """Return whether a user has answers left to code: as a coder who has not finished, or as one more coder."""
    coder = of_question.coder_of(user_id)
    if coder is None:
        return len(of_question.coders) < 2
    coded = of_question.by_coder[of_question.coders.index(coder)]
    return not {answer.pk for answer in of_question.answers} <= coded.keys()


def _compared(of_question: Coding) -> dict[str, Any]:
    """Return the comparison of both coders' codes; empty before both have finished."""
    if not of_question.is_complete or not coding.may_begin(of_question.codebook.study):
        return {}
    first, second = of_question.by_coder
    waiting = of_question.open_disagreements
    decided = [
        {"answer": answer, "one": first[answer.pk], "other": second[answer.pk], "codes": of_question.agreed[answer.pk]}
        for answer in of_question.disagreements
        if answer.pk in of_question.agreed
    ]
    return {
        "agreement": agreement_of(of_question),
        "overall": overall_of(of_question),
        "counts": counts_of(of_question),
        "n_disagreements": len(of_question.disagreements),
        "waiting": [
            {"answer": answer, "one": first[answer.pk], "other": second[answer.pk]} for answer in waiting[:MOST_SHOWN]
        ],
        "n_waiting": len(waiting),
        "decided": decided[:MOST_SHOWN],
    }


@researcher_page("GET", "POST")
def answer_page(request: HttpRequest, slug: str, criterion: str) -> HttpResponseBase:
    """Show one answer and the codes, without system, rater, the other coder's codes and the verdict on the choice."""
    fetched = access.study_and_role(request.user, slug, EDITOR)
    own = _codebook(fetched[0], criterion)
    status, chosen, none = 200, None, False
    if request.method == "POST":
        chosen, none = tuple(request.POST.getlist("codes")), "none" in request.POST
        try:
            if bool(chosen) == none:
                raise coding.Refused(_("Tick at least one code, or “None of these codes fits”."))
            answer = _answer(own, request.POST.get("answer", ""))
            coding.code_answer(codebook=own, rating=answer, codes=chosen, by=request.user)
        except coding.Refused as refused:
            messages.error(request, str(refused))
            status = 422
        else:
            # The keyboard focus continues at the codes of the next answer, not at the top of the page.
            return redirect(f"{reverse('analytics:code_answers', args=[slug, criterion])}#codes")
    of_question = selectors.coding_of(own)
    coder = of_question.coder_of(request.user.pk)
    own_codes = of_question.by_coder[of_question.coders.index(coder)] if coder is not None else {}
    in_order = selectors.in_order_of(request.user.pk or 0, of_question.answers)
    shown = _shown(request, own, in_order, own_codes)
    is_third = coder is None and len(of_question.coders) == 2
    if shown is None or is_third or of_question.is_complete or not (of_question.names and coding.may_begin(fetched[0])):
        return redirect("analytics:codebook", slug, criterion)

    def context(study: Study) -> dict[str, Any]:
        place = in_order.index(shown)
        stored = own_codes.get(shown.pk)
        return {
            "question": _question(study, criterion), "criterion": criterion, "answer": shown,
            "codes": of_question.codes, "number": place + 1, "before": in_order[place - 1] if place else None,
            "chosen": stored or () if chosen is None else chosen, "none": stored == () if chosen is None else none,
            "done": sum(answer.pk in own_codes for answer in in_order), "of": len(in_order),
        }  # fmt: skip

    title = _("Code answers")
    return study_page(
        request, slug, "data", context, template="code_answer", title=title, status=status, fetched=fetched
    )


def _shown(
    request: HttpRequest, own: Codebook, in_order: list[Rating], own_codes: Mapping[int, tuple[str, ...]]
) -> Rating | None:
    """Return the requested answer, or else the first that this person has not coded."""
    number = request.POST.get("answer") or request.GET.get("answer")
    if number:
        requested = _answer(own, number)
        return next((answer for answer in in_order if answer.pk == requested.pk), None)
    return next((answer for answer in in_order if answer.pk not in own_codes), None)


@researcher_page("POST")
def decide(request: HttpRequest, slug: str, criterion: str) -> HttpResponse:
    """Store the decision about an answer to which the coders gave different codes."""
    own = _codebook(access.study_for_researcher(request.user, slug, EDITOR), criterion)
    with refusals_shown(request, coding.Refused):
        coding.decide(
            codebook=own, rating=_answer(own, request.POST.get("answer", "")), codes=request.POST.getlist("codes"),
            by=request.user,
        )  # fmt: skip
        messages.success(request, _("The decision is saved."))
    return redirect("analytics:codebook", slug, criterion)


@researcher_page("POST")
def remove_coder(request: HttpRequest, slug: str, criterion: str) -> HttpResponse:
    """Remove a coder who has not finished, with their codes."""
    own = _codebook(access.study_for_researcher(request.user, slug, OWNER), criterion)
    number = request.POST.get("coder", "")
    if number not in {"1", "2"}:
        raise Http404
    with refusals_shown(request, coding.Refused):
        if "sure" not in request.POST:
            raise coding.Refused(_("Nobody was removed. Tick the box to confirm."))
        n = coding.remove_coder(codebook=own, number=int(number), by=request.user)
        message = _("Coder %(number)s was removed, with the codes of %(n)d answers. Somebody else can code now.")
        messages.success(request, message % {"number": number, "n": n})
    return redirect("analytics:codebook", slug, criterion)


@researcher_page("POST")
def start_again(request: HttpRequest, slug: str, criterion: str) -> HttpResponse:
    """Delete the codes of both coders, so that the codebook can be changed."""
    own = _codebook(access.study_for_researcher(request.user, slug, OWNER), criterion)
    if "sure" not in request.POST:
        messages.error(request, _("Nothing was deleted. Tick the box to confirm."))
    else:
        n = coding.start_again(codebook=own, by=request.user)
        messages.success(
            request, _("All codes were deleted (%(n)d entries). You can change the codebook again.") % {"n": n}
        )
    return redirect("analytics:codebook", slug, criterion)


@researcher_page("GET")
def file(request: HttpRequest, slug: str, criterion: str) -> HttpResponse:
    """Return a file of every answer with the codes of both coders, once both have finished."""
    study = access.study_for_researcher(request.user, slug)
    of_question = selectors.coding_of(_codebook(study, criterion))
    if not of_question.is_complete or not coding.may_begin(study):
        raise Http404
    events.log(study, request.user, "exported", about=f"codes of {criterion}", after={"state": study.state})
    return csv_file(f"{study.slug}-codes-{criterion}.csv", codes_file.lines_of(of_question))


def _question(study: Study, criterion: str) -> selectors.Question:
    """Return a question of a study. Raises Http404 if nobody answered it in words."""
    question = next((question for question in selectors.questions_of(study) if question.key == criterion), None)
    if question is None:
        raise Http404
    return question


def _codebook(study: Study, criterion: str) -> Codebook:
    """Return the codebook of a question. Raises Http404 if there is none, or for keys that a database cannot hold."""
    if problem_in(criterion):
        raise Http404
    codebook = Codebook.objects.filter(study=study, criterion=criterion).select_related("study").first()
    if codebook is None:
        raise Http404
    return codebook


def _answer(own: Codebook, pk: str) -> Rating:
    """Return an answer by its number. Raises Http404 if the question has no such answer."""
    if not (pk.isascii() and pk.isdecimal() and len(pk) < 19):
        raise Http404
    answer = selectors.answers_in_words(own.study).filter(criterion__key=own.criterion, pk=int(pk)).first()
    if answer is None:
        raise Http404
    return answer


def _read_codes(text: str) -> list[tuple[str, str]]:
    """Return names and definitions from lines with a colon between them; empty lines are ignored."""
    lines = (line.partition(":") for line in text.splitlines() if line.strip())
    return [(name.strip(), definition.strip()) for name, _colon, definition in lines]
