"""Upload texts that were written for one rater each."""

from collections.abc import Iterable, Iterator, Mapping
from typing import Any, NamedTuple

from django.db import models
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, ngettext

from analytics_app.services.uploads.flow import Uploaded
from analytics_app.services.uploads.people import OfRaters, Person
from tasks_app.models import Invitation, Judgment, PersonalText, Rater, Study, Task
from tasks_app.selectors.personal_texts import tasks_with_texts
from tasks_app.services.database import lock_claims
from tasks_app.studyfile.columns import Column, Kind
from tasks_app.studyfile.files.tables import Row

# Rows of one statement that inserts.
_BATCH = 500

# As the column of the table.
_LONGEST_CONDITION = 100


class _Text(NamedTuple):
    text: str
    condition: str


class PersonalTexts(OfRaters[tuple[Person, str], _Text]):
    """A row is a text for a rater in a task. A text that its rater has not been shown yet is replaced."""

    stem, counted, verb = "personal_texts", "texts", "uploaded personal texts"
    deleted_verb = "deleted personal texts"
    model = PersonalText
    takes_invited = True
    columns = (
        Column("rater", Kind.WORD, gettext_lazy("Pseudonym, platform id, account, or name of the invitation."), True),
        Column("text", Kind.TEXT, gettext_lazy("What this rater reads."), True),
        Column("task", Kind.WORD, gettext_lazy("Key of the questionnaire. Not needed if only one shows texts.")),
        Column("condition", Kind.WORD, gettext_lazy("What wrote the text, such as a system. Raters never see it.")),
    )
    empty = gettext_lazy("There are no texts below the header.")
    twice = gettext_lazy("Line %(line)d already has a text for this rater in this task. Keep one of them.")
    draft = gettext_lazy("The study is a draft, so nobody can be invited or take part yet. Open it first.")
    advice = gettext_lazy("Choose it on the page.")

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self._tasks: Mapping[str, Task] = {task.key: task for task in tasks_with_texts(self.study)}
        self._groups = {
            key: {task_group.group_id for task_group in task.task_groups.all()} for key, task in self._tasks.items()
        }
        raters = Rater.objects.filter(study=self.study, erased_at=None).values_list("pk", "group_id", "kind")
        self._raters: dict[int, tuple[int | None, str]] = {pk: (group, kind) for pk, group, kind in raters}
        invited = Invitation.objects.filter(study=self.study, rater=None, revoked_at=None)
        self._invited: dict[int, int | None] = dict(invited.values_list("pk", "group_id"))
        judged = Judgment.objects.filter(
            assignment__rater__study=self.study, assignment__unit__task__key__in=self._tasks
        )
        self._answered = set(judged.values_list("assignment__rater", "assignment__unit__task__key"))
        # Locked, so that no text is shown to its rater between this and the end.
        stored = PersonalText.objects.select_for_update(of=("self",)).filter(study=self.study).select_related("task")
        self._stored = {(Person(row.rater_id, row.invitation_id), row.task.key): row for row in stored.order_by("pk")}

    @classmethod
    def refusal(cls, study: Study) -> str:
        """Return why a study takes no texts; "" where it does."""
        if (refusal := super().refusal(study)) or tasks_with_texts(study):
            return refusal
        return _("No questionnaire of this study shows personal texts (parameter “personal_text”).")

    @classmethod
    def deletable(cls, study: Study, name: str) -> models.QuerySet[PersonalText]:
        """Return the texts of a task that nobody has been shown."""
        return PersonalText.objects.filter(study=study, task__key=name, shown_at=None)

    @classmethod
    def lock(cls, study_id: int) -> Study:
        """Lock claims as well: under this lock nobody who was invited begins, and nobody is erased."""
        lock_claims(study_id)
        return super().lock(study_id)

    def entries(self, row: Row) -> Iterator[tuple[tuple[Person, str], str, _Text]]:
        """Yield the text of a row by who reads it and the key of the task."""
        person, task, text = self.person(row), self._task(row), self._text(row)
        if person is not None and task is not None and text is not None:
            yield (person, task), self.theirs("rater"), text

    def uploaded(self, values: Mapping[tuple[Person, str], _Text]) -> Uploaded:
        """Count texts, raters and conditions, and note how many texts are stored already."""
        counts = {
            "texts": len(values),
            "raters": len({person for person, _task in values}),
            "conditions": len({text.condition for text in values.values() if text.condition}),
        }
        summary = _("%(texts)s for %(raters)s, %(conditions)s") % {
            "texts": ngettext("%(n)d text", "%(n)d texts", counts["texts"]) % {"n": counts["texts"]},
            "raters": ngettext("%(n)d rater", "%(n)d raters", counts["raters"]) % {"n": counts["raters"]},
            "conditions": ngettext("%(n)d condition", "%(n)d conditions", counts["conditions"])
            % {"n": counts["conditions"]},
        }
        notes = list(self.table.notes)
        if unchanged := sum(self._is_stored(key, text) for key, text in values.items()):
            sentence = ngettext(
                "%(n)d text is stored already and stays as it is.",
                "%(n)d texts are stored already and stay as they are.",
                unchanged,
            )
            notes.append(sentence % {"n": unchanged})
        return Uploaded(counts, summary, tuple(notes))

    def fault(self, key: tuple[Person, str], value: _Text) -> str:
        """Return why a text cannot be stored; "" where it can."""
        person, task = key
        group, kind = (
            (self._invited[person.invitation or 0], "") if person.rater is None else self._raters[person.rater]
        )
        stored = self._stored.get(key)
        if group is not None and self._groups[task] and group not in self._groups[task]:
            return _("The task “%(task)s” is not for the group of this rater.") % {"task": task}
        if self._is_stored(key, value) or kind == Rater.Kind.IMPORTED:
            return ""
        if stored is not None and stored.shown_at is not None:
            return _("This rater has read another text in this task already, so it cannot be replaced.")
        if (person.rater, task) in self._answered:
            return _("This rater has answered this task already, without a text.")
        return ""

    def store(self, values: Mapping[tuple[Person, str], _Text]) -> Mapping[str, int]:
        """Store the texts; those of raters who have not been shown theirs are replaced."""
        new, changed = [], []
        for key, text in values.items():
            (person, task), row = key, self._stored.get(key)
            if row is None:
                row = PersonalText(
                    study=self.study, task=self._tasks[task], rater_id=person.rater, invitation_id=person.invitation
                )
                new.append(row)
            elif not self._is_stored(key, text):
                changed.append(row)
            row.text, row.condition = text
        PersonalText.objects.bulk_create(new, batch_size=_BATCH)
        # In place and not deleted and stored anew: a screen that waits for the row shows the new text.
        PersonalText.objects.bulk_update(changed, ["text", "condition"], batch_size=_BATCH)
        return {"texts": len(new), "replaced": len(changed)}

    def _is_stored(self, key: tuple[Person, str], text: _Text) -> bool:
        row = self._stored.get(key)
        return row is not None and _Text(row.text, row.condition) == text

    def _task(self, row: Row) -> str | None:
        given = self.word(row, "task")
        if not given and len(self._tasks) == 1:
            return next(iter(self._tasks))
        if given in self._tasks:
            return given
        about = {"name": given, "names": _listed(self._tasks)}
        if not given:
            sentence = _("Several tasks show personal texts, so every row needs one of them: %(names)s.")
            self.report(row, self.theirs("task" if self.has("task") else "rater"), sentence % about)
        else:
            sentence = _("“%(name)s” is no task that shows personal texts. These are: %(names)s.")
            self.report(row, self.theirs("task"), sentence % about)
        return None

    def _text(self, row: Row) -> _Text | None:
        text, condition = self.word(row, "text"), self.word(row, "condition")
        if not text.strip():
            self.report(row, self.theirs("text"), _("Every row needs a text."))
            return None
        if len(condition) > _LONGEST_CONDITION:
            sentence = _("The name of a condition has at most %(n)d characters.") % {"n": _LONGEST_CONDITION}
            self.report(row, self.theirs("condition"), sentence)
            return None
        return _Text(text, condition)


def _listed(names: Iterable[str]) -> str:
    return ", ".join(f"“{name}”" for name in names)
