"""Prolific: three ids in the address, a completion code an outcome, statuses from a file."""

import re
import secrets
from collections.abc import Mapping, Sequence
from decimal import Decimal
from urllib.parse import urlencode

from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from tasks_app.channels import registry
from tasks_app.channels.base import Arrival, Channel, Ending, Example, NotArrived, Paste
from tasks_app.channels.payment import Payee, PaymentFile, platform_list, reward_field
from tasks_app.settings.fields import YesNoField, number_field
from tasks_app.settings.study import Block

PARAMETERS = ("PROLIFIC_PID", "STUDY_ID", "SESSION_ID")
COMPLETE = "https://app.prolific.com/submissions/complete"

# Ids of Prolific's participants, studies and submissions.
_ID = re.compile(r"[0-9a-fA-F]{24}")
_PLACEHOLDER = re.compile(r"\{\{|%[A-Z_]+%|\}\}")


@registry.register
class Prolific(Channel):
    """Prolific: people who come back in the same submission, or in the same browser, are the same rater."""

    label = gettext_lazy("Prolific")
    doc = gettext_lazy(
        "In your study on Prolific, paste the address under “What is the URL of your study?” with the placeholders as "
        "they are, and choose “I'll use URL parameters”. Then add each of the codes below to your study there, as a "
        "completion code of its own: “Completed” leads to approval, the others to your decision or to a return."
    )
    needs_ids = True
    needs_codes = True
    remembers_browser = True
    stores = gettext_lazy("Your id on the platform is kept apart from your answers, so that you can be paid.")
    ids_ignore_case = True
    way_out = gettext_lazy("Please return your submission on Prolific, so that your place goes to somebody else.")
    statuses = {
        "RESERVED": None,
        "ACTIVE": None,
        "AWAITING REVIEW": None,
        "APPROVED": None,
        "PARTIALLY APPROVED": None,
        "REJECTED": None,
        "SCREENED OUT": None,
        "RETURNED": "returned",
        "TIMED-OUT": "timed_out",
    }

    reward = reward_field(gettext_lazy("Reward of the study on Prolific"))
    pays_screened_out = YesNoField(
        label=gettext_lazy("Prolific pays raters who are screened out"),
        help_text=gettext_lazy("With Prolific's in-study screening; else they are paid by a bonus."),
    )

    fee = number_field(
        gettext_lazy("Fee of Prolific, in per cent of the pay"),
        gettext_lazy(
            "It was 33.3 for universities and non-profit organisations and 42.8 for companies in September 2026. Check "
            "the current fee at prolific.com/pricing, and change this number if it differs. Taxes come on top. The fee "
            "counts only in the costs that you are shown here."
        ),
        within=(0, 300),
        initial=33.3,
    )

    class Settings(Block):
        """The amount that Prolific pays itself, so that payment files hold only the rest."""

    def fee_in_percent(self) -> float:
        """Return the fee that the study states."""
        return self.fee

    def arrival(self, query: Mapping[str, str]) -> Arrival:
        """Read the three ids; each is 24 hexadecimal digits."""
        ids = {name: query.get(name, "").strip() for name in PARAMETERS}
        if any(_PLACEHOLDER.search(value) for value in ids.values()):
            raise NotArrived(
                _(
                    "Prolific has not put your ids into this address. Please tell the researchers: the study has to be "
                    "opened through Prolific, with URL parameters switched on."
                )
            )
        if not all(_ID.fullmatch(value) for value in ids.values()):
            raise NotArrived(
                _("This address only works when Prolific opens it. Please go back to Prolific and open the study.")
            )
        return Arrival(
            "prolific",
            external_id=self.canonical_id(ids["PROLIFIC_PID"]),
            session_id=ids["SESSION_ID"].lower(),
            details={"study_id": ids["STUDY_ID"].lower()},
        )

    @classmethod
    def canonical_id(cls, external_id: str) -> str:
        """Prolific writes ids as hexadecimal digits in small letters."""
        return external_id.lower()

    def ending(self, outcome: str, code: str, details: Mapping[str, str]) -> Ending:
        """Lead back to Prolific with the code; who returned or ran out of time there has ended there already."""
        if not code or outcome in {"returned", "timed_out"}:
            return Ending()
        return Ending(code, f"{COMPLETE}?{urlencode({'cc': code})}", label=gettext_lazy("Back to Prolific"))

    def pastes(self, address: str) -> Sequence[Paste]:
        """Return the address with Prolific's placeholders."""
        query = "&".join(f"{name}={{{{%{name}%}}}}" for name in PARAMETERS)
        return (Paste(gettext_lazy("Study URL"), f"{address}{'&' if '?' in address else '?'}{query}"),)

    def paid_by_platform(self, outcome: str, amount: Decimal, part_amount: Decimal) -> Decimal:
        """Approving a submission pays the reward; the screened-out are paid by Prolific where it screens."""
        if outcome == "completed":
            return amount if self.reward is None else self.reward
        return part_amount if outcome == "screened_out" and self.pays_screened_out else Decimal("0.00")

    @classmethod
    def payment_files(cls, payees: Sequence[Payee]) -> Sequence[PaymentFile]:
        """Bonuses as Prolific takes them, participant and amount a line, and everybody for checking."""
        payable = [payee for payee in payees if payee.extra and payee.external_id and not payee.withheld]
        bonuses = PaymentFile(
            "bonuses",
            gettext_lazy("Bulk bonus payment"),
            gettext_lazy(
                "Paste it into “Bulk bonus payment” of the study on Prolific: part pay and bonuses. The reward is not "
                "in it: Prolific pays that when you approve a submission."
            ),
            tuple((payee.external_id, f"{payee.extra:.2f}") for payee in payable),
            for_people=False,
        )
        return (bonuses, platform_list(payees, "participant_id", "submission_id"))

    @classmethod
    def examples(cls) -> tuple[Example, ...]:
        """Return a participant, an address with placeholders still in it, and an address without Prolific."""
        return (
            Example(gettext_lazy("A participant"), {name: secrets.token_hex(12) for name in PARAMETERS}),
            Example(gettext_lazy("URL parameters switched off"), {name: f"{{{{%{name}%}}}}" for name in PARAMETERS}),
            Example(gettext_lazy("The address without Prolific"), {}),
        )
