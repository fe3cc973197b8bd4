"""Upload scores of automatic metrics."""

from typing import Any

from django.utils.translation import gettext_lazy, ngettext

from analytics_app.selectors.scores import metrics_of
from analytics_app.services.uploads.scores import Scores
from analytics_app.views.uploads.base import UploadPages


class Pages(UploadPages):
    """The pages of scores."""

    address = "analytics:scores"
    template = "scores"
    title = gettext_lazy("Import scores")
    kind = Scores
    file_label = gettext_lazy("File of scores")
    deletes = "metric"
    nothing_to_delete = gettext_lazy("The study has no scores of this metric.")

    def stored_values(self) -> list[dict[str, Any]]:
        return metrics_of(self.study)

    def deleted(self, n: int, name: str) -> str:
        text = ngettext("Deleted: %(n)d score of %(name)s.", "Deleted: %(n)d scores of %(name)s.", n)
        return text % {"n": n, "name": name}
