"""Correct typos in the texts of an open study: instructions, help texts, and the contacts beside the consent.

The rows that opening froze, the study file that it stored and the digest of that file stay as they are. A correction is
a row of its own; `Study.settings` has the newest text of each kind and key, so that no page needs a further query.
docs/decisions/0097 says what can be corrected, and what needs a changed version.
"""

import hashlib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from itertools import groupby

from django.core.exceptions import ValidationError
from django.utils.translation import gettext as _

from tasks_app.hooks.sections import Json
from tasks_app.models import Correction, Criterion, Study, Task
from tasks_app.readiness.leftovers import found_in
from tasks_app.services import events
from tasks_app.services.database import atomically
from tasks_app.settings.study import CONTACTS, CORRECTED, About
from tasks_app.texts.patterns import any_of
from tasks_app.texts.plaintext import problem_in

LONGEST_REASON = 500
LONGEST_TEXT = 100_000

Kind = Correction.Kind


class NotCorrected(ValueError):
    """The text was not corrected; the message gives the reason and the way to fix it."""


@dataclass(frozen=True, slots=True)
class Correctable:
    """A text that raters read: its present words, its subject, its language, and the keys under which it is stored.

    Questions with the same help text have it in common.
    """

    kind: str
    keys: tuple[str, ...]
    names: tuple[str, ...]
    text: str
    language: str

    @property
    def name(self) -> str:
        """The name of the text in forms and addresses."""
        return f"{self.kind}:{self.keys[0]}"

    @property
    def title(self) -> str:
        """The title of the text, in words."""
        return title_of(self.kind, self.names)

    @property
    def shown(self) -> str:
        """A short digest of the text, by which a form tells which text its sender saw."""
        return hashlib.sha256(self.text.encode()).hexdigest()[:16]


def texts_of(study: Study) -> list[Correctable]:
    """Return the texts of a study that can be corrected, as they are now: instructions, help texts, contacts."""
    corrected = study.options.corrected
    texts = [
        Correctable(
            Kind.INSTRUCTIONS,
            (task.key,),
            (str(task),),
            corrected.get((Kind.INSTRUCTIONS, task.key), task.instructions),
            study.language,
        )
        for task in Task.objects.filter(study=study, until=None).order_by("order", "id")
    ]
    alike: dict[tuple[str, str], list[Criterion]] = {}
    for row in Criterion.objects.filter(study=study, until=None).order_by("id"):
        text = corrected.get((Kind.HELP, row.key), row.definition)
        alike.setdefault((text, row.language or study.language), []).append(row)
    texts += [
        Correctable(Kind.HELP, tuple(row.key for row in rows), tuple(row.name for row in rows), text, language)
        for (text, language), rows in alike.items()
    ]
    texts += [Correctable(kind, ("",), (), getattr(study.options, kind), study.language) for kind in CONTACTS]
    return [correctable for correctable in texts if correctable.text.strip()]


@atomically
def correct(*, study_id: int, name: str, shown: str, text: str, reason: str, by: events.Actor) -> Sequence[Correction]:
    """Lay a corrected text over one of an open or paused study; raters read it from now on.

    `name` and `shown` are those of the `Correctable` that somebody saw when they wrote. Several rows are stored where
    several questions have the same help text.

    Raises
    ------
    NotCorrected
        Where the study is neither open nor paused, has no such text, or another one by now; where text or reason is
        missing, too long or cannot be stored; where the text stays the same, or something in it is to be filled in.
    """
    study = Study.objects.select_for_update(no_key=True).get(pk=study_id)
    if study.state not in Study.State.UNDER_WAY:
        raise NotCorrected(_("Texts are corrected while a study is open or paused. This study is neither."))
    correctable = next((candidate for candidate in texts_of(study) if candidate.name == name), None)
    if correctable is None:
        raise NotCorrected(_("There is no such text in this study. Reload the page."))
    if correctable.shown != shown:
        raise NotCorrected(_("Somebody has corrected this text meanwhile. Below is the text as it is now."))
    text, reason = checked_text(correctable, text), checked_reason(reason)
    rows = Correction.objects.bulk_create(
        Correction(
            study=study,
            kind=correctable.kind,
            key=key,
            before=correctable.text,
            after=text,
            reason=reason,
            by_id=getattr(by, "pk", None),
        )
        for key in correctable.keys
    )
    overlay = study.settings.get(CORRECTED, {})
    of_kind = {**overlay.get(correctable.kind, {}), **dict.fromkeys(correctable.keys, text)}
    study.settings = {**study.settings, CORRECTED: {**overlay, correctable.kind: of_kind}}
    study.save(update_fields=["settings"])
    about = " ".join(filter(None, (correctable.kind, *correctable.keys)))
    before, after = {"text": correctable.text}, {"text": text, "reason": reason}
    events.log(study, by, "corrected", about=about[:200], before=before, after=after)
    return rows


def checked_text(correctable: Correctable, text: str) -> str:
    """Return the text that takes the place of another. Raises NotCorrected where it cannot."""
    text = text.replace("\r\n", "\n").strip()
    if not text:
        raise NotCorrected(_("Enter the corrected text. To leave a text out, prepare a changed version."))
    if fault := problem_in(text):
        raise NotCorrected(fault)
    if text == correctable.text.strip():
        raise NotCorrected(_("The text is the same as before. Change it, or leave it as it is."))
    if len(text) > LONGEST_TEXT:
        raise NotCorrected(_("A text has at most %(n)s characters.") % {"n": f"{LONGEST_TEXT:,}"})
    if correctable.kind in CONTACTS:
        try:
            text = About.Settings.base_fields[correctable.kind].clean(text)
        except ValidationError as error:
            raise NotCorrected(" ".join(error.messages)) from None
    if words := found_in(text, any_bracket=correctable.kind in CONTACTS):
        raise NotCorrected(_("Raters would read “%(words)s” here. Write what belongs there.") % {"words": words})
    return text


def checked_reason(reason: str) -> str:
    """Return the reason as it is stored. Raises NotCorrected where there is none, or one that cannot be stored."""
    reason = " ".join(reason.split())
    if not reason:
        raise NotCorrected(_("Enter a reason: the log and the datasheet have to say why the text was corrected."))
    if len(reason) > LONGEST_REASON:
        raise NotCorrected(_("A reason has at most %(n)s characters.") % {"n": LONGEST_REASON})
    if fault := problem_in(reason):
        raise NotCorrected(fault)
    return reason


@dataclass(frozen=True, slots=True)
class Corrected:
    """A correction as pages show it: its texts, its author (a user name, "" for a deleted account), date and reason."""

    kind: str
    keys: tuple[str, ...]
    names: tuple[str, ...]
    before: str
    after: str
    reason: str
    by: str
    at: datetime

    @property
    def title(self) -> str:
        """The title of the corrected text, in words."""
        return title_of(self.kind, self.names)


def title_of(kind: str, names: Iterable[str]) -> str:
    """Return the name of a text: its kind, and the tasks or questions to which it belongs."""
    listed = ", ".join(f"“{name}”" for name in names)
    return f"{Kind(kind).label}: {listed}" if listed else str(Kind(kind).label)


def corrections_of(study: Study) -> list[Corrected]:
    """Return the corrections of a study, the first one first. One of a text that questions share is one correction."""
    if not study.options.corrected:
        return []
    rows = Correction.objects.filter(study=study).select_related("by").order_by("id")
    tasks = {task.key: str(task) for task in Task.objects.filter(study=study, until=None)}
    criteria = dict(Criterion.objects.filter(study=study, until=None).values_list("key", "name"))
    corrections = []
    for (kind, before, after, at), group in groupby(rows, key=lambda row: (row.kind, row.before, row.after, row.at)):
        same = list(group)
        keys = tuple(row.key for row in same if row.key)
        names = tuple((tasks if kind == Kind.INSTRUCTIONS else criteria).get(key) or key for key in keys)
        by = same[0].by.get_username() if same[0].by is not None else ""
        corrections.append(Corrected(kind, keys, names, before, after, same[0].reason, by, at))
    return corrections


def laid_over(document: Mapping[str, Json], study: Study) -> dict[str, Json]:
    """Return a document of a study, complete or as a form holds it, with its corrected texts in their places."""
    corrected = study.options.corrected
    if not corrected:
        return dict(document)
    contacts = {kind: corrected[kind, ""] for kind in CONTACTS if (kind, "") in corrected}
    laid = {**document, "about": {**document.get("about", {}), **contacts}}
    for section, setting, kind in (("tasks", "instructions", Kind.INSTRUCTIONS), ("criteria", "definition", Kind.HELP)):
        if section in document:
            laid[section] = [
                {**entry, setting: corrected[kind, entry["key"]]} if (kind, entry["key"]) in corrected else entry
                for entry in document[section]
            ]
    consent = document.get("consent")
    if isinstance(consent, str):
        laid["consent"] = with_contacts(consent, study)
    elif consent:
        laid["consent"] = {language: with_contacts(body, study) for language, body in consent.items()}
    return laid


def with_contacts(body: str, study: Study) -> str:
    """Return a consent text with the corrected contacts instead of those that were frozen, wherever it names them."""
    corrected, frozen = study.options.corrected, study.settings.get("about", {})
    replaced = {frozen[kind]: corrected[kind, ""] for kind in CONTACTS if (kind, "") in corrected and frozen.get(kind)}
    if not replaced:
        return body
    # The longest first, should one contain the other.
    pattern = any_of(sorted(replaced, key=len, reverse=True), not_beside=r"\w")
    return pattern.sub(lambda match: replaced[match[1]], body)


def contradictions(study: Study) -> Iterator[str]:
    """Yield a sentence for every correction that does not follow from the one before, or from the frozen text.

    The last one of each text must be what raters read.
    """
    texts = _frozen_texts(study)
    for row in Correction.objects.filter(study=study).order_by("id"):
        place = (row.kind, row.key)
        if texts.get(place) != row.before:
            yield f"{_named(place)}: correction {row.pk} does not begin with the text that was there before."
        texts[place] = row.after
    frozen, corrected = _frozen_texts(study), study.options.corrected
    for place in sorted({*texts, *corrected}):
        if texts.get(place, "") != corrected.get(place, frozen.get(place, "")):
            yield f"{_named(place)}: raters read another text than the corrections say."


def _frozen_texts(study: Study) -> dict[tuple[str, str], str]:
    """Return the texts that opening froze, by kind and key."""
    tasks = Task.objects.filter(study=study, until=None).values_list("key", "instructions")
    criteria = Criterion.objects.filter(study=study, until=None).values_list("key", "definition")
    about = About(study.settings.get("about", {}))
    return {
        **_by_place(Kind.INSTRUCTIONS, tasks),
        **_by_place(Kind.HELP, criteria),
        **_by_place(Kind.CONTACT, [("", about.contact)]),
        **_by_place(Kind.COMPLAINTS, [("", about.complaints)]),
    }


def _by_place(kind: str, texts: Iterable[tuple[str, str]]) -> dict[tuple[str, str], str]:
    return {(kind, key): text for key, text in texts}


def _named(place: tuple[str, str]) -> str:
    return " ".join(filter(None, place))
