"""One study per value of a column: choose the column and the names, preview the studies, and make them."""

from typing import Any, cast

from django import forms
from django.contrib import messages
from django.contrib.auth.models import User
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from tasks_app.hooks.sections import digest
from tasks_app.models import Setup
from tasks_app.projects import splitting, values
from tasks_app.projects.splitting import Plan, Split
from tasks_app.services.study.projects import NotInProject
from tasks_app.settings.fields import line_field
from tasks_app.texts import languages
from tasks_app.views.researcher.frame import researcher_page
from tasks_app.views.researcher.setup.texts.drafts import of_draft, show


class SplitForm(forms.Form):
    """By which column a draft is divided, and how its studies are called."""

    column = forms.ChoiceField(label=gettext_lazy("Column"))
    title = line_field(
        gettext_lazy("Title of each study"),
        gettext_lazy("{title} stands for the title of this draft, {value} for the value."),
        length=200,
        required=True,
    )
    public_title = line_field(
        gettext_lazy("Public title of each study"),
        gettext_lazy("For raters. {title} stands for the public title of this draft."),
        length=200,
        required=True,
    )
    project = line_field(
        gettext_lazy("Name of the project"),
        gettext_lazy("For researchers. You can check, open, monitor and export the studies of a project together."),
        length=200,
        required=True,
    )
    follow_language = forms.BooleanField(
        required=False, label=gettext_lazy("Show raters evalweb’s pages in the language of the texts, if available")
    )

    def __init__(self, *args: Any, setup: Setup, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.fields["column"] = forms.ChoiceField(label=_("Column"), choices=values.columns_of(setup))

    def split(self) -> Split:
        """Return the division of the draft, from valid data."""
        return Split(**self.cleaned_data)


@researcher_page("GET", "POST")
@of_draft
def split(request: HttpRequest, setup: Setup) -> HttpResponse:
    """Show the studies that the values of a column would make; with the button for it, make them."""
    study = setup.study
    first = {"title": splitting.PATTERN, "public_title": splitting.TITLE, "project": study.title}
    form = SplitForm(request.POST or None, setup=setup, initial=first)
    plan: Plan | None = None
    if form.is_valid():
        try:
            if request.POST.get("action") == "make" and request.POST.get("shown") == shown_by(form.split()):
                project = splitting.make(setup=setup, split=form.split(), by=cast("User", request.user))
                messages.success(request, _("The studies were created. Check them all, then open them."))
                return redirect("projects:project", project.slug)
            plan = splitting.plan(setup, form.split())
            if request.POST.get("action") == "make":
                messages.info(
                    request, _("Nothing was created: the column or the titles have changed. Check them below.")
                )
        except (values.CannotDivide, NotInProject) as refusal:
            form.add_error(None, str(refusal))
    about = _about(setup, plan, form.split()) if plan is not None else {}
    return show(request, setup, "texts_split", {"split_form": form, **about}, 422 if form.errors else 200)


def shown_by(split: Split) -> str:
    """Return a digest of the studies that a page has shown: studies that nobody saw are not made."""
    return digest({"column": split.column, "title": split.title, "public_title": split.public_title})


def _about(setup: Setup, plan: Plan, split: Split) -> dict[str, Any]:
    """Return the facts of the page about the studies that would be made."""
    spoken = [
        (
            _("%(language)s (%(n)d of %(all)d studies)")
            if languages.is_reviewed(code)
            else _("%(language)s (%(n)d of %(all)d studies; machine translated, not yet checked by a speaker)")
        )
        % {"language": languages.english_name(code), "n": n, "all": len(plan.studies)}
        for code, n in plan.spoken.items()
    ]
    return {
        "plan": plan,
        "shown": shown_by(split),
        "without_consent": [languages.english_name(code) for code in splitting.without_consent(setup, plan)],
        "spoken": spoken,
        "has_unit_rows": plan.rows.n_left_out > 0 or any(planned.units for planned in plan.studies),
    }
