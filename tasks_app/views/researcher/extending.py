"""More judgments per unit, or more raters, while a study is open: first the effects, then the action."""

from decimal import ROUND_HALF_UP, Decimal
from http import HTTPStatus
from typing import Any
from uuid import UUID, uuid4

from django import forms
from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, ngettext

from tasks_app import access
from tasks_app.models import Membership, Study
from tasks_app.services.plan import extending
from tasks_app.services.plan.extending import MOST_JUDGMENTS, MOST_RATERS, Prospect, Wish
from tasks_app.views.rater.pages import minutes_in_words, money
from tasks_app.views.researcher.frame import researcher_page, study_page


class WishForm(forms.Form):
    """The size of the extension, and the fee with which its cost is computed."""

    judgments = forms.IntegerField(
        min_value=0,
        max_value=MOST_JUDGMENTS,
        initial=1,
        label=gettext_lazy("More judgments per unit"),
        help_text=gettext_lazy("Every unit of every task gets so many more."),
    )
    raters = forms.IntegerField(
        min_value=0,
        max_value=MOST_RATERS,
        initial=0,
        required=False,
        label=gettext_lazy("More raters on top"),
        help_text=gettext_lazy("Each gets one set of every task. Some units get one judgment more than others then."),
    )
    fee = forms.DecimalField(
        min_value=0,
        max_value=300,
        decimal_places=2,
        initial=0,
        required=False,
        label=gettext_lazy("Fee of the platform, in per cent of the pay"),
        help_text=gettext_lazy("As your platform charges it, taxes included; 0 for people you invite."),
    )

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        for field in self.fields.values():
            field.widget.attrs["class"] = "ew-input"

    @property
    def wish(self) -> Wish:
        """Return the requested extension."""
        return Wish(self.cleaned_data["judgments"], self.cleaned_data.get("raters") or 0)

    @property
    def share(self) -> Decimal:
        """The fee as a share of the pay."""
        return (self.cleaned_data.get("fee") or Decimal(0)) / 100


@researcher_page("GET", "POST")
def extend(request: HttpRequest, slug: str) -> HttpResponse:
    """Show the sets, time and pay of more judgments or raters; posted to, add them."""
    fetched = access.study_and_role(request.user, slug, Membership.Role.EDITOR)
    study, _role = fetched
    given = request.POST if request.method == "POST" else request.GET
    form = WishForm(given if "judgments" in given else None)
    refusal, prospect = "", None
    if form.is_bound and form.is_valid():
        try:
            if request.method == "POST" and (answer := _add(request, study, form.wish)) is not None:
                return answer
            prospect = extending.prospect(study, form.wish)
        except extending.NotPossible as error:
            refusal = str(error)

    def context(study: Study) -> dict[str, Any]:
        facts = _facts(study, prospect, form.share) if prospect is not None else []
        past = study.extensions.select_related("task", "by").order_by("number", "task__order")
        return {
            "form": form,
            "refusal": refusal,
            "prospect": prospect,
            "facts": facts,
            "click": uuid4().hex,
            "past": past,
            "on_platform": set(study.options.channels) - {"link", "invited", "account"},
        }

    status = HTTPStatus.UNPROCESSABLE_ENTITY if refusal or form.errors else HTTPStatus.OK
    title = _("More judgments")
    return study_page(request, slug, "design", context, template="extend", title=title, status=status, fetched=fetched)


def _add(request: HttpRequest, study: Study, wish: Wish) -> HttpResponse | None:
    """Add the judgments and raters asked for, and go to the plan; None where other numbers were shown."""
    try:
        click, places = UUID(hex=request.POST.get("click", "")), int(request.POST.get("places", ""))
    except ValueError:
        return None
    rows = extending.extend(study_id=study.pk, wish=wish, click=click, places=places, by=request.user)
    n = sum(row.places for row in rows)
    sentence = ngettext("%(n)d place is added. Raters can begin.", "%(n)d places are added. Raters can begin.", n)
    messages.success(request, sentence % {"n": n})
    return redirect("researcher:design", study.slug)


def _facts(study: Study, prospect: Prospect, fee: Decimal) -> list[tuple[str, str]]:
    """Return the numbers of an extension, as names and values."""
    options = study.options
    rows = [
        (_("Places"), str(prospect.places)),
        (_("Sets"), str(prospect.sets)),
        (_("Raters"), str(prospect.raters)),
        (
            _("Minutes"),
            _("%(each)s each, %(all)s in all")
            % {
                "each": minutes_in_words(options.expected_minutes),
                "all": minutes_in_words(prospect.minutes),
            },
        ),
    ]
    if not options.amount:
        return [*rows, (_("Cost"), _("without pay"))]
    charged = (prospect.paid * fee).quantize(Decimal("0.01"), ROUND_HALF_UP)
    cost = _("%(all)s: %(pay)s pay and %(fee)s fee") % {
        "all": money(prospect.paid + charged, options.currency),
        "pay": money(prospect.paid, options.currency),
        "fee": money(charged, options.currency),
    }
    return [*rows, (_("Cost"), cost)]
