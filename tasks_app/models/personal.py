"""Texts that were written for one rater each, such as a report on their own diary."""

from django.db import models

from tasks_app.models.base import created_at_field
from tasks_app.models.raters import Invitation, Rater
from tasks_app.models.study import Study, Task


class PersonalText(models.Model):
    """A text that one rater alone is shown beside one questionnaire.

    It belongs to a rater, or to an invitation until its person begins. Once it was shown (`shown_at`) it does not
    change. Raters never see `condition`, which says what wrote the text, such as a system or a variant of it.
    """

    study = models.ForeignKey(Study, models.CASCADE, related_name="personal_texts")
    task = models.ForeignKey(Task, models.CASCADE, related_name="personal_texts")
    rater = models.ForeignKey(Rater, models.CASCADE, null=True, blank=True, related_name="personal_texts")
    invitation = models.ForeignKey(Invitation, models.CASCADE, null=True, blank=True, related_name="personal_texts")
    text = models.TextField()
    condition = models.CharField(max_length=100, blank=True)
    uploaded_at = created_at_field()
    shown_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        constraints = (
            models.UniqueConstraint(fields=("rater", "task"), name="personal_text_rater"),
            models.UniqueConstraint(fields=("invitation", "task"), name="personal_text_invitation"),
            models.CheckConstraint(
                condition=models.Q(rater__isnull=False, invitation__isnull=True)
                | models.Q(rater__isnull=True, invitation__isnull=False, shown_at__isnull=True),
                name="personal_text_of_one",
            ),
        )

    def __str__(self) -> str:
        return f"{self.task}: {self.rater or self.invitation}"
