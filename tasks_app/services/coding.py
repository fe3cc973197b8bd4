"""Code free-text answers: make a codebook, code an answer, decide a disagreement, start again."""

from collections.abc import Collection, Sequence

from django.contrib.auth.models import AbstractBaseUser, AnonymousUser
from django.db.models.functions import Now
from django.utils.translation import gettext as _

from tasks_app.models import Code, Codebook, CodedAnswer, Coder, Rating, Study
from tasks_app.selectors import coding as selectors
from tasks_app.services import events
from tasks_app.services.database import atomically
from tasks_app.texts.plaintext import problem_in

Person = AbstractBaseUser | AnonymousUser

MOST_CODES = 50
LONGEST_NAME, LONGEST_DEFINITION = 100, 1000


class Refused(Exception):
    """The request cannot be carried out; the sentence says why."""


def may_begin(study: Study) -> bool:
    """Return whether the answers of a study can be coded: not while raters answer, since there would be new ones."""
    return study.state not in {Study.State.OPEN, Study.State.PAUSED}


def about_decision(rating_id: int) -> str:
    """Return the subject of the log event of a decision about an answer; erasure finds the event by it."""
    return f"codes of answer {rating_id}"


@atomically
def save_codes(*, study: Study, criterion: str, codes: Sequence[tuple[str, str]], by: Person) -> Codebook:
    """Store the codes of a question, each a name and a definition, in place of those there are.

    Raises
    ------
    Refused
        Once coding has begun, and where names are missing, too long or given twice, or cannot be stored.
    """
    codebook, _new = Codebook.objects.get_or_create(study=study, criterion=criterion)
    codebook = Codebook.objects.select_for_update().get(pk=codebook.pk)
    if codebook.begun_at is not None:
        raise Refused(_("Coding has begun, so the codes cannot be changed. Start again to change them."))
    _check_codes(codes)
    before = _listed(codebook)
    codebook.codes.all().delete()
    Code.objects.bulk_create(
        Code(codebook=codebook, name=name, definition=definition, order=order)
        for order, (name, definition) in enumerate(codes, start=1)
    )
    if (after := _listed(codebook)) != before:
        events.log(study, by, "changed", about=f"codebook of {criterion}", before=before, after=after)
    return codebook


def _check_codes(codes: Sequence[tuple[str, str]]) -> None:
    if not codes:
        raise Refused(_("Enter at least one code."))
    if len(codes) > MOST_CODES:
        raise Refused(_("A codebook has at most %(n)d codes.") % {"n": MOST_CODES})
    names: set[str] = set()
    for number, (name, definition) in enumerate(codes, start=1):
        if problem := problem_in(f"{name}: {definition}"):
            raise Refused(_("Code %(n)d: %(problem)s") % {"n": number, "problem": problem})
        if not name:
            raise Refused(
                _("“%(definition)s” has no name: write the name first, then a colon.") % {"definition": definition}
            )
        if len(name) > LONGEST_NAME or len(definition) > LONGEST_DEFINITION:
            words = {"name": name[:40], "most": LONGEST_NAME, "longest": LONGEST_DEFINITION}
            raise Refused(
                _("“%(name)s” is too long: a name has at most %(most)d characters, a definition %(longest)d.") % words
            )
        if name.casefold() in names:
            raise Refused(_("There are two codes named “%(name)s”.") % {"name": name})
        names.add(name.casefold())


def _listed(codebook: Codebook) -> list[list[str]]:
    return [[name, definition] for name, definition in codebook.codes.values_list("name", "definition")]


@atomically
def code_answer(*, codebook: Codebook, rating: Rating, codes: Collection[str], by: Person) -> Coder:
    """Store the codes that somebody gives to an answer, and return this person as a coder.

    The first two people who code the answers to a question are its coders. Codes can be changed until both have coded
    every answer, since only then they see each other's codes.

    Raises
    ------
    Refused
        Where there are two coders already, the study takes answers, codes are unknown, or everything is coded.
    """
    codebook = Codebook.objects.select_for_update().select_related("study").get(pk=codebook.pk)
    _check_closed(codebook.study)
    coding = selectors.coding_of(codebook)
    known = _known(coding, rating, codes)
    if coding.is_complete:
        raise Refused(
            _(
                "Both coders have finished. Only answers on which they disagree can still be changed, under "
                "Disagreements."
            )
        )
    coder = coding.coder_of(by.pk)
    if coder is None:
        if len(coding.coders) == 2:
            raise Refused(_("The answers to this question have two coders already."))
        numbers = {coder.number for coder in coding.coders}
        coder = Coder.objects.create(codebook=codebook, user_id=by.pk, number=1 if 1 not in numbers else 2)
        events.log(codebook.study, by, "began to code", about=codebook.criterion, after={"coder": coder.number})
    if codebook.begun_at is None:
        Codebook.objects.filter(pk=codebook.pk).update(begun_at=Now())
    _store(codebook, rating, coder, known)
    return coder


@atomically
def decide(*, codebook: Codebook, rating: Rating, codes: Collection[str], by: Person) -> None:
    """Store the codes of an answer about which the coders disagree.

    Raises
    ------
    Refused
        While the study takes answers, before both coders have finished, and where they agree.
    """
    codebook = Codebook.objects.select_for_update().select_related("study").get(pk=codebook.pk)
    _check_closed(codebook.study)
    coding = selectors.coding_of(codebook)
    known = _known(coding, rating, codes)
    if not coding.is_complete:
        raise Refused(_("Disagreements are decided when both coders have finished."))
    if rating.pk not in {answer.pk for answer in coding.disagreements}:
        raise Refused(_("Both coders gave this answer the same codes."))
    before = coding.agreed.get(rating.pk)
    _store(codebook, rating, None, known)
    events.log(
        codebook.study, by, "decided", about=about_decision(rating.pk),
        before=None if before is None else list(before), after=list(known),
    )  # fmt: skip


@atomically
def remove_coder(*, codebook: Codebook, number: int, by: Person) -> int:
    """Remove a coder who has not finished, so that somebody else can take their place; return how many codes went.

    Raises
    ------
    Refused
        Where there is no such coder, and where the coder has coded every answer.
    """
    codebook = Codebook.objects.select_for_update().select_related("study").get(pk=codebook.pk)
    coding = selectors.coding_of(codebook)
    place = next((place for place, coder in enumerate(coding.coders) if coder.number == number), None)
    if place is None:
        raise Refused(_("There is no such coder any more."))
    if {answer.pk for answer in coding.answers} <= coding.by_coder[place].keys():
        raise Refused(_("Coder %(n)d has coded every answer and cannot be removed.") % {"n": number})
    own = codebook.coded.filter(coder=coding.coders[place])
    n = own.count()
    own.delete()
    # Decisions rested on the codes of both.
    codebook.coded.filter(coder=None).delete()
    coding.coders[place].delete()
    if len(coding.coders) == 1:
        Codebook.objects.filter(pk=codebook.pk).update(begun_at=None)
    events.log(
        codebook.study, by, "removed a coder", about=f"coding of {codebook.criterion}",
        before={"coder": number, "coded": n},
    )  # fmt: skip
    return n


@atomically
def start_again(*, codebook: Codebook, by: Person) -> int:
    """Delete the coders of a question with all codings, so that the codes can be changed; return how many went."""
    codebook = Codebook.objects.select_for_update().select_related("study").get(pk=codebook.pk)
    n = codebook.coded.count()
    codebook.coded.all().delete()
    codebook.coders.all().delete()
    Codebook.objects.filter(pk=codebook.pk).update(begun_at=None)
    events.log(codebook.study, by, "started again", about=f"coding of {codebook.criterion}", before={"coded": n})
    return n


def _check_closed(study: Study) -> None:
    if not may_begin(study):
        raise Refused(_("Close the study first: while it is open, there can be new answers."))


def _known(coding: selectors.Coding, rating: Rating, codes: Collection[str]) -> list[str]:
    """Return codes in the order of the codebook. Raises Refused for codes that it does not have."""
    if rating.pk not in {answer.pk for answer in coding.answers}:
        raise Refused(_("This answer is not there any more."))
    if not coding.names:
        raise Refused(_("Enter the codes first."))
    if unknown := sorted(set(codes) - set(coding.names)):
        raise Refused(_("The codebook has no code “%(name)s”.") % {"name": unknown[0]})
    return [name for name in coding.names if name in codes]


def _store(codebook: Codebook, rating: Rating, coder: Coder | None, codes: list[str]) -> None:
    CodedAnswer.objects.update_or_create(
        rating=rating, coder=coder, defaults={"codebook": codebook, "codes": codes, "at": Now()}
    )
