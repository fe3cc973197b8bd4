"""Texts that raters wrote and others verify: store their origins, forget authors, pay bonuses for accepted texts."""

from collections.abc import Iterable, Mapping, Sequence
from decimal import Decimal

from django.db.models import F
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from tasks_app.hooks import sections
from tasks_app.models import CollectedText, Payment, Rater, Setup, SetupRow, Study
from tasks_app.selectors.collected_texts import Chosen, Judged, accepted_rows, judged_rows
from tasks_app.selectors.ledger import raters_of
from tasks_app.services import events, pay
from tasks_app.services.arrival.own_texts import persons_of
from tasks_app.services.database import atomically
from tasks_app.texts.plaintext import digest

ITEMS = "items"


def store_origins(*, study: Study, origin: Study, chosen: Iterable[Chosen]) -> None:
    """Store the authors of the texts of a draft, in the transaction that makes the draft."""
    listed = list(chosen)
    authors = Rater.objects.in_bulk({text.author for chosen_text in listed for text in chosen_text.texts})
    persons = {pk: persons_of(author) for pk, author in authors.items()}
    CollectedText.objects.bulk_create(
        CollectedText(
            study=study,
            item=chosen_text.item,
            digest=digest(chosen_text.text),
            origin=origin,
            origin_slug=origin.slug,
            origin_item=text.item,
            author=authors[text.author],
            author_name=authors[text.author].pseudonym,
            judgment=text.judgment,
            rating=text.rating,
            persons=persons[text.author],
        )
        for chosen_text in listed
        for text in chosen_text.texts
    )


def forget_author(rater: Rater) -> None:
    """Delete the authorship of texts, in the transaction that erases their author.

    Texts that nobody has verified yet are removed from drafts, unless somebody else wrote the same. In a study that was
    opened they stay without an author: its frozen design holds them, and other raters have judged them.
    """
    own = CollectedText.objects.filter(author=rater)
    drafts = Study.objects.select_for_update().filter(pk__in=own.values("study"), current_version=0).order_by("pk")
    for draft in list(drafts):
        in_draft = own.filter(study=draft)
        others = CollectedText.objects.filter(study=draft).exclude(author=rater)
        items = set(in_draft.values_list("item", flat=True)) - set(others.values_list("item", flat=True))
        in_draft.delete()
        SetupRow.objects.filter(setup__study=draft, table=ITEMS, cells__item__in=sorted(items)).delete()
        Setup.objects.filter(study=draft).update(revision=F("revision") + 1, stored_revision=None)
        # Nobody can have worked in a draft: raters come to open studies only, an import freezes the draft, and who
        # tries a draft out does so in a copy of it. So nothing keeps the texts from being removed.
        sections.erase(draft)
    own.update(author=None, author_name="", judgment=None, rating=None)


def bonuses_due(study: Study, judged: Sequence[Judged]) -> dict[int, list[CollectedText]]:
    """Return the accepted texts of each rater of a study for which no bonus was promised yet, an answer once."""
    if not study.options.accepted_bonus:
        return {}
    # A text is paid once, whichever round its bonus was promised for.
    paid = {row.rating for row, _round, _verdict in judged if row.bonus_id is not None}
    due: dict[int, dict[int, CollectedText]] = {}
    for row in accepted_rows(judged):
        if row.author_id is not None and row.rating is not None and row.rating not in paid:
            due.setdefault(row.author_id, {}).setdefault(row.rating, row)
    return {author: list(texts.values()) for author, texts in due.items()}


@atomically
def add_bonuses(
    *, study: Study, verified: Sequence[Study], by: events.Actor, form: str, simulated: bool = False
) -> int:
    """Promise each author the announced bonus for every accepted text, once a text; return how many authors get one.

    Base pay does not change. The rows go into the payment files like any other bonus.

    Raises
    ------
    tasks_app.services.pay.NotPossible
        Where the study announced no such bonus.
    """
    if not study.options.accepted_bonus:
        raise pay.NotPossible(_("This study announced no bonus for accepted texts, so there is none to add."))
    # Two who press at once: the second waits here, and then finds the bonuses of the first.
    authors = CollectedText.objects.filter(origin=study, author__isnull=False).values("author")
    payable = raters_of(study, simulated=simulated).filter(pk__in=authors, erased_at=None)
    locked = list(payable.select_for_update().order_by("pk"))
    due = bonuses_due(study, judged_rows(study, verified))
    groups: dict[int, list[Rater]] = {}
    for rater in locked:
        groups.setdefault(len(due.get(rater.pk, ())), []).append(rater)
    groups.pop(0, None)
    for n, raters in sorted(groups.items()):
        _promise(study, by, raters, due, n, f"{form}:{n}", simulated=simulated)
    return sum(map(len, groups.values()))


def _promise(
    study: Study,
    by: events.Actor,
    raters: Sequence[Rater],
    due: Mapping[int, Sequence[CollectedText]],
    n: int,
    form: str,
    *,
    simulated: bool,
) -> None:
    """Add the bonuses of all raters with the same number of accepted texts, and mark the texts as paid."""
    amount = study.options.accepted_bonus * n
    amounts: dict[str, Decimal] = {rater.pseudonym: amount for rater in raters}
    reason = ngettext("%(n)d accepted text", "%(n)d accepted texts", n) % {"n": n}
    if not pay.add_bonuses(study=study, by=by, amounts=amounts, reason=reason, form=form, simulated=simulated):
        return
    for rater in raters:
        payment = Payment.objects.filter(rater=rater, kind=Payment.Kind.BONUS).latest("pk")
        CollectedText.objects.filter(pk__in=[row.pk for row in due[rater.pk]]).update(bonus=payment)
