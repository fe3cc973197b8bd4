"""Upload outcomes measured elsewhere."""

from typing import Any

from django.utils.translation import gettext_lazy, ngettext

from analytics_app.selectors.outcomes import outcomes_of, values_of
from analytics_app.services.uploads.outcomes import Outcomes
from analytics_app.views.uploads.base import StoredFile, UploadPages

FILE = StoredFile(Outcomes, "outcomes", ("rater", "group", "wave", "outcome", "value"), values_of)


class Pages(UploadPages):
    """The pages of outcomes."""

    address = "analytics:outcomes"
    template = "outcomes"
    title = gettext_lazy("Upload outcomes")
    kind = Outcomes
    file_label = gettext_lazy("File of outcomes")
    deletes = "outcome"
    nothing_to_delete = gettext_lazy("The study has no such outcome.")

    def stored_values(self) -> list[dict[str, Any]]:
        return outcomes_of(self.study)

    def deleted(self, n: int, name: str) -> str:
        text = ngettext("Deleted: %(n)d value of %(outcome)s.", "Deleted: %(n)d values of %(outcome)s.", n)
        return text % {"n": n, "outcome": name}
