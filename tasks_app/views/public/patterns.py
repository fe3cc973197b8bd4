"""The patterns page: every component, and every task type with a simulated answer. It needs no database."""

from django import forms
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils.translation import gettext_lazy as _
from django.views.decorators.http import require_safe

from tasks_app.task_types import registry
from tasks_app.task_types.base import Media, Screen
from tasks_app.views.public import examples

MARKDOWN = """\
## Opening hours

The museum is **closed on Mondays**. On other days:

1. from 10 to 18 o'clock,
2. on Thursdays until 21 o'clock.

| Ticket | Price | Who | When | Where to buy it |
|---|---|---|---|---|
| whole | 12 euros | everybody | every day | at the desk, online, and in the shops of the town |
| reduced | 6 euros | students | Tuesday to Thursday | at the desk, with a student card |

> Guided tours begin at `11:00`.
"""

BEFORE = ("The museum on the hill is the oldest of the town.", "It was built in 1864 and rebuilt twice.")


class SampleForm(forms.Form):
    """One field of each kind that rater pages use."""

    agree = forms.BooleanField(label=_("I have read this and agree"))
    reason = forms.ChoiceField(
        widget=forms.RadioSelect,
        choices=(("a", _("It upsets me")), ("b", _("Something does not work"))),
        label=_("Why would you like to skip this one?"),
    )
    comment = forms.CharField(
        widget=forms.Textarea(attrs={"class": "input", "rows": 3}),
        required=False,
        label=_("Comment to the researchers"),
    )


@require_safe
def patterns(request: HttpRequest) -> HttpResponse:
    """Show the components and task types that pages are made of."""
    sample = {
        "form": SampleForm(auto_id="sample-%s"),
        "errors": SampleForm({}, auto_id="sample-errors-%s"),
        "frame": {"public_title": _("How do these texts read?"), "done": 12, "total": 40},
        "beside": Screen(
            registry["likert"](), (), (), source=MARKDOWN, source_language="en", format="markdown", context=BEFORE,
            media=(Media("image", "img/icon.svg", "image/svg+xml", "Two speech bubbles"),),
        ),
    }  # fmt: skip
    context = {
        "page_title": _("Patterns"),
        "types": [{"member": member, "example": examples.simulated(member)} for member in registry.values()],
        "sample": sample,
    }
    return render(request, "public/patterns.html", context)
