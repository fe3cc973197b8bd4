"""Upload texts that were written for one rater each."""

from collections.abc import Sequence

from django.utils.translation import gettext_lazy, ngettext

from analytics_app.selectors.personal_texts import TaskTexts, texts_of, values_of
from analytics_app.services.uploads.personal_texts import PersonalTexts
from analytics_app.views.uploads.base import StoredFile, UploadPages

COLUMNS = ("rater", "group", "task", "condition", "text", "shown_at")
FILE = StoredFile(PersonalTexts, "personal texts", COLUMNS, values_of)


class Pages(UploadPages):
    """The pages of personal texts."""

    address = "analytics:personal_texts"
    template = "personal_texts"
    title = gettext_lazy("Personal texts")
    kind = PersonalTexts
    file_label = gettext_lazy("File of texts")
    deletes = "task"
    nothing_to_delete = gettext_lazy("There are no texts of this task that nobody has been shown.")

    def stored_values(self) -> list[TaskTexts]:
        return texts_of(self.study) if self.study.is_frozen else []

    def deletable(self, stored: Sequence[TaskTexts]) -> list[tuple[str, str]]:
        return [(row.task.key, str(row.task)) for row in stored if row.texts > row.shown]

    def deleted(self, n: int, name: str) -> str:
        return ngettext("Deleted: %(n)d text.", "Deleted: %(n)d texts.", n) % {"n": n}
