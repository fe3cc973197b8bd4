"""Amazon Mechanical Turk: an external question in a frame, a preview that stores nothing, a form at the end."""

import re
import secrets
from collections.abc import Mapping, Sequence
from decimal import Decimal
from xml.sax.saxutils import escape

from django.conf import settings
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from tasks_app.channels import registry
from tasks_app.channels.base import Arrival, Channel, Ending, Example, NotArrived, Paste
from tasks_app.channels.payment import Payee, PaymentFile, platform_list, reward_field
from tasks_app.settings.fields import whole_field
from tasks_app.settings.study import Block

# Addresses that a form may be sent to. Any other would hand a rater's work to whoever made the address up.
SUBMIT_TO = ("https://www.mturk.com", "https://workersandbox.mturk.com")
# Pages of MTurk that show the task in a frame, to workers and to requesters, and that it leads to afterwards.
OTHER_PAGES = ("https://worker.mturk.com", "https://requester.mturk.com", "https://requestersandbox.mturk.com")
SUBMIT = "/mturk/externalSubmit"
PREVIEW = "ASSIGNMENT_ID_NOT_AVAILABLE"
SCHEMA = "http://mechanicalturk.amazonaws.com/AWSMechanicalTurkDataSchemas/2006-07-14/ExternalQuestion.xsd"

_ID = re.compile(r"[A-Za-z0-9_-]{1,100}")


def submit_origins() -> tuple[str, ...]:
    """Return the origins that a worker's form may be sent to: MTurk's own, and those the installation names."""
    return (*SUBMIT_TO, *settings.EVALWEB_MTURK_ORIGINS)


@registry.register
class MTurk(Channel):
    """Mechanical Turk: a worker who comes back in the same assignment is the same rater."""

    label = gettext_lazy("Amazon Mechanical Turk")
    doc = gettext_lazy(
        "Make HITs with this question (the operation CreateHIT, parameter Question). MTurk shows the study in a frame, "
        "which needs https. Workers see a preview that stores nothing until they accept the HIT."
    )
    ended = gettext_lazy("Amazon closed Mechanical Turk on 30 September 2026, so nobody can come by it any more.")
    needs_ids = True
    stores = gettext_lazy("Your id on the platform is kept apart from your answers, so that you can be paid.")
    ids_ignore_case = True
    way_out = gettext_lazy("Please return this HIT, so that somebody else can take it.")
    way_in = gettext_lazy("To take part, accept this HIT.")

    reward = reward_field(gettext_lazy("Reward of the HIT"))
    frame_height = whole_field(
        gettext_lazy("Height of the frame in pixels"),
        gettext_lazy("0 makes it as high as the worker's window."),
        within=(0, 10_000),
        initial=0,
    )

    class Settings(Block):
        """How the study is shown on MTurk, and the amount that MTurk pays itself."""

    def arrival(self, query: Mapping[str, str]) -> Arrival:
        """Read the parameters that MTurk appends: assignment, HIT, worker, and the address for the form at the end."""
        assignment = query.get("assignmentId", "").strip()
        if assignment == PREVIEW:
            return Arrival("mturk", preview=True)
        worker, hit = query.get("workerId", "").strip(), query.get("hitId", "").strip()
        if not all(_ID.fullmatch(value) for value in (assignment, worker, hit)):
            raise NotArrived(_("This address only works when Mechanical Turk opens it. Please open the HIT there."))
        submit_to = query.get("turkSubmitTo", "").strip().rstrip("/")
        if submit_to not in submit_origins():
            raise NotArrived(
                _("This link would send your work somewhere other than Mechanical Turk. Nothing was started.")
            )
        return Arrival(
            "mturk",
            external_id=self.canonical_id(worker),
            session_id=assignment,
            details={"hit_id": hit, "submit_to": submit_to},
        )

    @classmethod
    def canonical_id(cls, external_id: str) -> str:
        """MTurk writes ids of workers in capitals."""
        return external_id.upper()

    def ending(self, outcome: str, code: str, details: Mapping[str, str]) -> Ending:
        """Send the assignment to MTurk, with fields that let the requester check it: MTurk refuses an empty form."""
        origin, assignment = details.get("submit_to", ""), details.get("session_id", "")
        if outcome in {"returned", "timed_out"} or not code or not assignment or origin not in submit_origins():
            return Ending()
        fields = {"assignmentId": assignment, "code": code, "outcome": outcome}
        if pseudonym := details.get("pseudonym"):
            fields["rater"] = pseudonym
        return Ending(code, origin + SUBMIT, fields, gettext_lazy("Submit the HIT"))

    @classmethod
    def frame_ancestors(cls) -> Sequence[str]:
        """Return MTurk's own pages, and the pages that the installation names."""
        return (*submit_origins(), *OTHER_PAGES)

    @classmethod
    def form_targets(cls) -> Sequence[str]:
        """MTurk's servers; browsers hold redirects that follow a form to this as well."""
        return (*submit_origins(), *OTHER_PAGES)

    def pastes(self, address: str) -> Sequence[Paste]:
        """Return the external question as MTurk's operation CreateHIT takes it."""
        question = (
            '<?xml version="1.0" encoding="UTF-8"?>\n'
            f'<ExternalQuestion xmlns="{SCHEMA}">\n'
            f"  <ExternalURL>{escape(address)}</ExternalURL>\n"
            f"  <FrameHeight>{self.frame_height}</FrameHeight>\n"
            "</ExternalQuestion>"
        )
        return (Paste(gettext_lazy("Question"), question, long=True),)

    def paid_by_platform(self, outcome: str, amount: Decimal, part_amount: Decimal) -> Decimal:
        """Return the reward of the HIT, which approval pays to its worker; a returned HIT cannot be approved."""
        if outcome in {"returned", "timed_out"}:
            return Decimal("0.00")
        return amount if self.reward is None else self.reward

    @classmethod
    def payment_files(cls, payees: Sequence[Payee]) -> Sequence[PaymentFile]:
        """Assignments to approve, bonuses under the names of the operation SendBonus, and everybody for checking."""
        payable = [payee for payee in payees if payee.external_id and payee.amount and not payee.withheld]
        approve = PaymentFile(
            "approve",
            gettext_lazy("Assignments to approve"),
            gettext_lazy("An X in the column Approve, as in the results file that Mechanical Turk reads back."),
            tuple((payee.session_id, payee.external_id, "X", "") for payee in payable if payee.by_platform),
            ("AssignmentId", "WorkerId", "Approve", "Reject"),
            for_people=False,
        )
        bonuses = PaymentFile(
            "bonuses",
            gettext_lazy("Bonuses"),
            gettext_lazy(
                "One line for each call of the operation SendBonus, in US dollars: the amount owed in "
                "addition to the reward."
            ),
            tuple(
                (payee.session_id, payee.external_id, f"{payee.extra:.2f}", payee.reason)
                for payee in payable
                if payee.extra
            ),
            ("AssignmentId", "WorkerId", "BonusAmount", "Reason"),
            for_people=False,
        )
        return (approve, bonuses, platform_list(payees, "WorkerId", "AssignmentId"))

    @classmethod
    def examples(cls) -> tuple[Example, ...]:
        """Return a preview, an accepted HIT, and a form target that is not MTurk's."""
        ids = {
            "assignmentId": secrets.token_hex(15).upper(),
            "hitId": secrets.token_hex(15).upper(),
            "workerId": f"A{secrets.token_hex(6).upper()}",
            "turkSubmitTo": SUBMIT_TO[1],
        }
        return (
            Example(gettext_lazy("Preview"), {"assignmentId": PREVIEW, "hitId": ids["hitId"]}),
            Example(gettext_lazy("An accepted HIT"), ids),
            Example(
                gettext_lazy("A form target that is not MTurk's"), {**ids, "turkSubmitTo": "https://mturk.example.org"}
            ),
        )
