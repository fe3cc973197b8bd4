"""Find and remove the pseudonym of a rater in texts that researchers have written: comments, reasons, notes.

Every app declares its columns of such texts when it is loaded. The log and messages to other raters are searched in any
case (services/erasure.py).
"""

import json
from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import regex
from django.db.models import BooleanField, Case, CharField, JSONField, Model, Q, QuerySet, TextField, Value, When
from django.db.models.functions import Cast
from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _

from tasks_app.models import Code, Comment, Correction, Payment, PersonalText, Rater, Withdrawal
from tasks_app.services.database import erasing
from tasks_app.texts.patterns import any_of

# Replaces the pseudonym. These pages are English.
ERASED_RATER = "[erased rater]"

# Characters of the text shown on either side of a mention.
AROUND = 60

# Prefix of pseudonyms, which people leave out when they write.
PREFIX = "r-"


@dataclass(frozen=True, slots=True)
class FreeText:
    """A column of free text by researchers: its label on pages, and the way from a row to its study.

    Rows that `among` leaves out are written by nobody and are not searched. Rows that belong to the rater by one of the
    ways in `own` are erased with the rater. Rows for which `stays` is true are never changed, for the reason `because`.
    """

    model: type[Model]
    field: str
    study: str
    label: str | Promise
    among: Q | None = None
    own: tuple[str, ...] = ()
    stays: Q | None = None
    because: str | Promise = ""

    @property
    def key(self) -> str:
        """The name of the column in forms."""
        return f"{self.model._meta.label_lower}.{self.field}"

    def naming(self, rater: Rater, code: str) -> "QuerySet[Model, tuple[Any, ...]]":
        """Return rows that may name a rater, as column, id, text and whether the row stays as it is."""
        stays = Case(When(self.stays, then=True), default=False) if self.stays else Value(value=False)
        candidates = self.model._default_manager.filter(**{self.study: rater.study_id})
        if self.among is not None:
            candidates = candidates.filter(self.among)
        for way in self.own:
            candidates = candidates.exclude(**{way: rater})
        rows: QuerySet[Model, tuple[Any, ...]] = (
            candidates.order_by()
            .annotate(
                mention_text=Cast(self.field, TextField()),
                mention_column=Value(self.key, CharField()),
                mention_stays=Cast(stays, BooleanField()),
            )
            .filter(mention_text__icontains=code)
            .values_list("mention_column", "pk", "mention_text", "mention_stays")
        )
        return rows

    @property
    def is_json(self) -> bool:
        """Whether the texts are within JSON."""
        return isinstance(self.model._meta.get_field(self.field), JSONField)

    def replace(self, pk: int, change: Callable[[str], str]) -> None:
        """Change the text of one row under a lock of the row."""
        rows = self.model._default_manager.filter(pk=pk)
        stored = rows.select_for_update().values_list(self.field, flat=True).get()
        longest = getattr(self.model._meta.get_field(self.field), "max_length", None)
        changed = _changed(stored, change)
        rows.update(**{self.field: changed[:longest] if isinstance(changed, str) else changed})


_registry: dict[str, FreeText] = {}


def register(*texts: FreeText) -> None:
    """Have texts searched when a rater is erased."""
    _registry.update({text.key: text for text in texts})


def registered() -> Sequence[FreeText]:
    """Return the columns that are searched."""
    return tuple(_registry.values())


register(
    FreeText(Comment, "text", "study", _("Comment")),
    FreeText(Correction, "reason", "study", _("Reason of a correction")),
    FreeText(Withdrawal, "reason", "study", _("Reason of a withdrawal")),
    FreeText(Payment, "reason", "rater__study", _("Reason of a payment"), own=("rater",)),
    FreeText(
        PersonalText,
        "text",
        "study",
        _("Personal text of another rater"),
        own=("rater",),
        stays=Q(shown_at__isnull=False),
        because=_("It has been shown, and is stored as it was shown."),
    ),
    FreeText(Code, "definition", "codebook__study", _("Definition of a code")),
    FreeText(
        Code,
        "name",
        "codebook__study",
        _("Name of a code"),
        stays=Q(pk__isnull=False),
        because=_("Coded answers name it: rename it in the codebook."),
    ),
)


@dataclass(frozen=True, slots=True)
class Mention:
    """A text that names a rater: its place, the words around the first mention, and the reason why it stays, if any."""

    key: str
    label: str | Promise
    before: str
    name: str
    after: str
    stays: str | Promise = ""


@dataclass(frozen=True, slots=True)
class Removed:
    """The number of texts that no longer name a rater, and the number that still do."""

    removed: int
    remaining: int


def mentions_of(rater: Rater) -> list[Mention]:
    """Return the texts of a study that name a rater, with or without the prefix, in one query."""
    code = rater.pseudonym.removeprefix(PREFIX)
    first, *others = [text.naming(rater, code) for text in _registry.values()]
    pattern = _pattern(rater.pseudonym)
    mentions = []
    for column, pk, text, stays in first.union(*others, all=True):
        about = _registry[column]
        match = next((name_found for words in _strings(about, text) if (name_found := pattern.search(words))), None)
        if match is not None:
            mentions.append(_mention(about, pk, match, stays=stays))
    return sorted(mentions, key=lambda mention: (str(mention.label), mention.key))


def remove(*, rater: Rater, keys: Collection[str] | None) -> Removed:
    """Replace the pseudonym in the texts with these keys, in all with None; the transaction erases the rater."""
    pattern, mentions = _pattern(rater.pseudonym), mentions_of(rater)
    chosen = [mention for mention in mentions if not mention.stays and (keys is None or mention.key in keys)]
    with erasing():
        for mention in chosen:
            column, _colon, pk = mention.key.rpartition(":")
            _registry[column].replace(int(pk), lambda words: pattern.sub(ERASED_RATER, words))
    return Removed(len(chosen), len(mentions) - len(chosen))


def _pattern(pseudonym: str) -> "regex.Pattern[str]":
    return any_of(dict.fromkeys((pseudonym, pseudonym.removeprefix(PREFIX))), ignore_case=True, not_beside=r"\w")


def _mention(about: FreeText, pk: int, match: "regex.Match[str]", *, stays: bool) -> Mention:
    start, end, words = match.start(), match.end(), match.string
    before, after = words[max(0, start - AROUND) : start], words[end : end + AROUND]
    return Mention(
        key=f"{about.key}:{pk}",
        label=about.label,
        before=before if start <= AROUND else f"…{before}",
        name=match.group(),
        after=after if len(words) <= end + AROUND else f"{after}…",
        stays=about.because if stays else "",
    )


def _strings(about: FreeText, text: str) -> Iterator[str]:
    """Yield the texts of a stored value."""
    if not about.is_json:
        yield text
        return
    waiting = [json.loads(text)]
    while waiting:
        value = waiting.pop()
        if isinstance(value, str):
            yield value
        elif isinstance(value, dict):
            waiting += value.values()
        elif isinstance(value, list):
            waiting += value


def _changed(value: Any, change: Callable[[str], str]) -> Any:
    """Return a value with every text in it changed; keys of objects are ours and stay."""
    if isinstance(value, str):
        return change(value)
    if isinstance(value, dict):
        return {name: _changed(part, change) for name, part in value.items()}
    return [_changed(part, change) for part in value] if isinstance(value, list) else value
