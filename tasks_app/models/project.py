"""Projects: studies that belong together, such as one per language pair, and work on all of them."""

from django.conf import settings
from django.db import models
from django.utils.translation import gettext_lazy as _

from tasks_app.models.base import choice_constraint, created_at_field


class Project(models.Model):
    """Studies that are opened, watched and exported together.

    Nobody is a member of a project: people see of it the studies that they may see. One without a study is removed.
    """

    slug = models.SlugField(max_length=80, unique=True)
    name = models.CharField(max_length=200)
    creator = models.ForeignKey(settings.AUTH_USER_MODEL, models.SET_NULL, null=True, blank=True, related_name="+")
    created_at = created_at_field()

    class Meta:
        ordering = ("-created_at", "-id")

    def __str__(self) -> str:
        return self.name


class ProjectAction(models.TextChoices):
    CHECK = "check", _("check")
    OPEN = "open", _("open")
    PAUSE = "pause", _("pause")
    CLOSE = "close", _("close")


class ProjectWork(models.Model):
    """Something that somebody does to many studies of a project, one step for each study."""

    Action = ProjectAction

    project = models.ForeignKey(Project, models.CASCADE, related_name="works")
    action = models.CharField(max_length=10, choices=ProjectAction)
    by = models.ForeignKey(settings.AUTH_USER_MODEL, models.SET_NULL, null=True, related_name="+")
    created_at = created_at_field()

    class Meta:
        constraints = (choice_constraint("action", ProjectAction, "project_work_action"),)

    def __str__(self) -> str:
        return f"{self.action} {self.project}"


class ProjectStepState(models.TextChoices):
    WAITING = "waiting", _("waiting")
    DONE = "done", _("done")
    REFUSED = "refused", _("not possible")


class ProjectStep(models.Model):
    """One study of such work: a transaction of its own. `sentence` says why it was not possible."""

    State = ProjectStepState

    work = models.ForeignKey(ProjectWork, models.CASCADE, related_name="steps")
    study = models.ForeignKey("tasks_app.Study", models.CASCADE, related_name="+")
    state = models.CharField(max_length=10, choices=ProjectStepState, default=ProjectStepState.WAITING)
    sentence = models.TextField(blank=True)
    ended_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        constraints = (
            models.UniqueConstraint(fields=("work", "study"), name="project_step_once"),
            choice_constraint("state", ProjectStepState, "project_step_state"),
        )
        indexes = (models.Index(fields=("work",), condition=models.Q(state="waiting"), name="project_step_due"),)

    def __str__(self) -> str:
        return f"{self.work}: {self.study}"
