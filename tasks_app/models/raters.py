"""Raters, their identities on platforms, consents, sets and payments."""

from enum import nonmember
from typing import Any

from django.conf import settings
from django.db import models
from django.utils.translation import gettext_lazy as _

from tasks_app.models.base import choice_constraint, created_at_field
from tasks_app.models.plan import Booklet
from tasks_app.models.study import ConsentText, Group, Study, Task


class RaterKind(models.TextChoices):
    REAL = "real", _("real")
    SANDBOX = "sandbox", _("trying out")
    SIMULATED = "simulated", _("simulated")
    IMPORTED = "imported", _("imported")

    # Those who take places and are paid: neither trying out nor imported.
    COUNTED = nonmember(("real", "simulated"))


# The beginning of the pseudonym of an imported rater that is an automatic metric. Files of ratings have the pseudonym,
# so that an export can be imported again without another column.
METRIC = "metric:"


class RaterState(models.TextChoices):
    ENROLLED = "enrolled", _("enrolled")
    JUDGING = "judging", _("judging")
    ENDED = "ended", _("ended")


class RaterOutcome(models.TextChoices):
    COMPLETED = "completed", _("completed")
    SCREENED_OUT = "screened_out", _("screened out")
    FAILED = "failed", _("failed the exam")
    FULL = "full", _("study full")
    WITHDRAWN = "withdrawn", _("stopped")
    RETURNED = "returned", _("returned on the platform")
    TIMED_OUT = "timed_out", _("timed out on the platform")
    STOPPED = "stopped", _("stopped by a limit")

    # Raters have nothing left to do on the platform, because it has told them that it is over.
    ENDED_THERE = nonmember(("returned", "timed_out"))


class Rater(models.Model):
    """A participant of one study, known by a pseudonym, or an automatic metric with imported marks."""

    # The condition for raters that are metrics: their ratings are compared with those of people, and never among them.
    METRICS = models.Q(kind=RaterKind.IMPORTED, pseudonym__startswith=METRIC)

    Kind = RaterKind
    State = RaterState
    Outcome = RaterOutcome

    study = models.ForeignKey(Study, models.PROTECT, related_name="raters")
    pseudonym = models.CharField(max_length=40)
    kind = models.CharField(max_length=10, choices=Kind, default=Kind.REAL)
    group = models.ForeignKey(Group, models.PROTECT, null=True, blank=True, related_name="raters")
    seed = models.BigIntegerField()
    channel = models.CharField(max_length=40, default="link")
    token_hash = models.CharField(max_length=64, unique=True)
    link_number = models.PositiveIntegerField(default=0)  # how often the personal link was replaced
    # A digest of the first personal link, once it has ended: the consent form that made it makes no rater again.
    first_link = models.CharField(max_length=64, null=True, blank=True, unique=True)
    # Of an imported rater with answers from an earlier study: the rater there, as long as there is one.
    taken_from = models.ForeignKey("self", models.SET_NULL, null=True, blank=True, related_name="taken_to")
    version = models.PositiveIntegerField()
    language = models.CharField(max_length=35, blank=True)
    state = models.CharField(max_length=10, choices=State, default=State.ENROLLED)
    outcome = models.CharField(max_length=20, choices=Outcome, null=True, blank=True)  # noqa: DJ001  none yet
    completion_code = models.CharField(max_length=40, blank=True)
    prefs: "models.JSONField[Any, Any]" = models.JSONField(default=dict, blank=True)
    enrolled_at = created_at_field()
    instructed_at = models.DateTimeField(null=True, blank=True)
    # When the share of right answers to units with known answers fell below the researcher's limit.
    failed_checks_at = models.DateTimeField(null=True, blank=True)
    ended_at = models.DateTimeField(null=True, blank=True)
    erased_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        ordering = ("study", "id")
        constraints = (
            models.UniqueConstraint(fields=("study", "pseudonym"), name="rater_pseudonym"),
            # The target of the composite foreign key that keeps assignment.rater_kind right.
            models.UniqueConstraint(fields=("id", "kind"), name="rater_kind_pair"),
            choice_constraint("kind", RaterKind, "rater_kind"),
            choice_constraint("state", RaterState, "rater_state"),
            models.CheckConstraint(
                condition=models.Q(state="ended", outcome__isnull=False)
                | (~models.Q(state="ended") & models.Q(outcome__isnull=True)),
                name="rater_ended_has_outcome",
            ),
        )
        indexes = (models.Index(fields=("study", "state"), name="rater_study_state"),)

    def __str__(self) -> str:
        return self.pseudonym

    @property
    def is_metric(self) -> bool:
        """Whether this is an automatic metric."""
        return self.kind == RaterKind.IMPORTED and self.pseudonym.startswith(METRIC)

    @property
    def active_minutes(self) -> str:
        """Minutes of work, where a query has summed up `seconds`; a dash for none."""
        seconds = getattr(self, "seconds", None)
        return f"{seconds / 60:.1f}" if seconds else "–"


# The key of Identity.details for visits after the first one, by the wave in which the rater came.
WAVE_SESSIONS = "wave_sessions"


class Identity(models.Model):
    """A rater's identity on the platform that sent them. Can be deleted on its own.

    `details` is what the channel needs at the end, such as where to post to; `status` what the platform said last.
    """

    rater = models.OneToOneField(Rater, models.CASCADE, related_name="identity")
    study = models.ForeignKey(Study, models.CASCADE, related_name="identities")
    channel = models.CharField(max_length=40)
    external_id = models.CharField(max_length=200)
    session_id = models.CharField(max_length=200, blank=True)
    email = models.EmailField(blank=True)
    details: "models.JSONField[Any, Any]" = models.JSONField(default=dict, blank=True)
    status = models.CharField(max_length=40, blank=True)
    created_at = created_at_field()

    class Meta:
        verbose_name_plural = "identities"
        constraints = (models.UniqueConstraint(fields=("study", "channel", "external_id"), name="identity_once"),)

    def __str__(self) -> str:
        return f"{self.channel}: {self.rater}"

    @property
    def visits(self) -> list[str]:
        """The visits to the platform that belong to this rater, the last one at the end."""
        later: dict[str, str] = self.details.get(WAVE_SESSIONS, {})
        return [self.session_id, *(later[wave] for wave in sorted(later, key=int))]


class Invitation(models.Model):
    """Permission to take part, by a personal link (its token is stored hashed) or by signing in."""

    study = models.ForeignKey(Study, models.CASCADE, related_name="invitations")
    name = models.CharField(max_length=200)
    email = models.EmailField(blank=True)
    token_hash = models.CharField(max_length=64, unique=True)
    user = models.ForeignKey(
        settings.AUTH_USER_MODEL, models.CASCADE, null=True, blank=True, related_name="invitations"
    )
    group = models.ForeignKey(Group, models.SET_NULL, null=True, blank=True, related_name="+")
    rater = models.OneToOneField(Rater, models.SET_NULL, null=True, blank=True, related_name="invitation")
    # A set that is kept for this person alone; without one they get the next set, as anybody.
    booklet = models.OneToOneField(
        "tasks_app.Booklet", models.SET_NULL, null=True, blank=True, related_name="invitation"
    )
    # The language in which the person begins; empty for that of the study.
    language = models.CharField(max_length=35, blank=True)
    created_at = created_at_field()
    revoked_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        ordering = ("study", "id")
        constraints = (
            models.UniqueConstraint(fields=("study", "name"), name="invitation_name"),
            models.UniqueConstraint(
                fields=("study", "user"), condition=models.Q(user__isnull=False), name="invitation_user"
            ),
        )

    def __str__(self) -> str:
        return f"{self.study}: {self.pk}"


class Consent(models.Model):
    """A rater's consent: the text and the time."""

    rater = models.ForeignKey(Rater, models.CASCADE, related_name="consents")
    consent_text = models.ForeignKey(ConsentText, models.PROTECT, related_name="+")
    at = created_at_field()

    class Meta:
        constraints = (models.UniqueConstraint(fields=("rater", "consent_text"), name="consent_once"),)

    def __str__(self) -> str:
        return f"{self.rater}: {self.consent_text}"


class RaterSetState(models.TextChoices):
    OPEN = "open", _("open")
    FINISHED = "finished", _("finished")
    EXPIRED = "expired", _("expired")
    RETURNED = "returned", _("returned")


class RaterSet(models.Model):
    """The units of one task that a rater takes at once, with their lease."""

    State = RaterSetState

    rater = models.ForeignKey(Rater, models.PROTECT, related_name="sets")
    task = models.ForeignKey(Task, models.PROTECT, related_name="+")
    booklet = models.ForeignKey(Booklet, models.PROTECT, null=True, blank=True, related_name="+")
    number = models.PositiveIntegerField()
    version = models.PositiveIntegerField()
    state = models.CharField(max_length=10, choices=State, default=State.OPEN)
    lease_until = models.DateTimeField(null=True, blank=True)
    # The wave this set belongs to, and between when its units are shown; null is at once, and without an end.
    wave = models.PositiveIntegerField(default=1)
    opens_at = models.DateTimeField(null=True, blank=True)
    closes_at = models.DateTimeField(null=True, blank=True)
    claimed_at = created_at_field()
    # Places of this set that have an answer. A trigger counts them (migration 0006) in the row that every answer locks
    # anyway, so that no rater waits for another one, as they would for a count kept with the study.
    n_answered = models.PositiveIntegerField(default=0, db_default=0, editable=False)

    class Meta:
        ordering = ("rater", "number")
        constraints = (
            models.UniqueConstraint(fields=("rater", "number"), name="set_number"),
            choice_constraint("state", RaterSetState, "set_state"),
        )
        indexes = (models.Index(fields=("lease_until",), condition=models.Q(state="open"), name="set_lease"),)

    def __str__(self) -> str:
        return f"{self.rater} set {self.number}"


class PaymentKind(models.TextChoices):
    FULL = "full", _("full")
    PART = "part", _("part")
    BONUS = "bonus", _("bonus")
    WITHHELD = "withheld", _("withheld")


class Payment(models.Model):
    """An amount that a rater is owed or, with a reason, not owed."""

    Kind = PaymentKind

    rater = models.ForeignKey(Rater, models.PROTECT, related_name="payments")
    kind = models.CharField(max_length=10, choices=Kind)
    amount = models.DecimalField(max_digits=10, decimal_places=2)
    reason = models.TextField(blank=True)
    # The number of a run of analytics_app, which this app must not know: a plain number, no foreign key.
    run_number = models.PositiveBigIntegerField(null=True, blank=True)
    by = models.ForeignKey(settings.AUTH_USER_MODEL, models.SET_NULL, null=True, blank=True, related_name="+")
    settled_at = models.DateTimeField(null=True, blank=True)  # when a researcher said that it was paid
    at = created_at_field()

    class Meta:
        constraints = (
            choice_constraint("kind", PaymentKind, "payment_kind"),
            models.CheckConstraint(
                condition=~models.Q(kind="withheld") | ~models.Q(reason=""),
                name="payment_withheld_has_reason",
            ),
        )

    def __str__(self) -> str:
        return f"{self.rater}: {self.amount}"


class Outbox(models.Model):
    """A message to an invited rater, sent once."""

    rater = models.ForeignKey(Rater, models.CASCADE, related_name="outbox")
    kind = models.CharField(max_length=40)
    wave = models.PositiveIntegerField(default=1)
    due = models.DateTimeField()
    sent_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        verbose_name_plural = "outbox"
        constraints = (models.UniqueConstraint(fields=("rater", "kind", "wave"), name="outbox_once"),)
        indexes = (models.Index(fields=("due",), condition=models.Q(sent_at__isnull=True), name="outbox_due"),)

    def __str__(self) -> str:
        return f"{self.rater}: {self.kind}"


class EnrolmentCount(models.Model):
    """The number of raters enrolled from one address today, under a digest with a salt that is deleted the next day."""

    study = models.ForeignKey(Study, models.CASCADE, related_name="+")
    day = models.DateField()
    digest = models.CharField(max_length=64)
    count = models.PositiveIntegerField(default=0)

    class Meta:
        constraints = (models.UniqueConstraint(fields=("study", "day", "digest"), name="enrolment_count_once"),)

    def __str__(self) -> str:
        return f"{self.day}: {self.count}"


class DailySalt(models.Model):
    """The salt of one day's address digests; without it they say nothing."""

    day = models.DateField(primary_key=True)
    salt = models.CharField(max_length=64)

    def __str__(self) -> str:
        return str(self.day)
