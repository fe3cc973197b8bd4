"""The page on which a study is put into a project, or taken out of it."""

from collections.abc import Sequence
from typing import Any

from django import forms
from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from tasks_app import access
from tasks_app.models import Membership, Project, Study
from tasks_app.services.study import projects as service
from tasks_app.views.researcher.frame import researcher_page, study_page


class BelongingForm(forms.Form):
    """A project that there is, or the name of a new one."""

    project = forms.ChoiceField(required=False, label=gettext_lazy("Project"))
    name = forms.CharField(
        required=False,
        max_length=200,
        label=gettext_lazy("Name of a new project"),
        help_text=gettext_lazy("For researchers, such as “WMT 2026, all language pairs”."),
    )

    def __init__(self, *args: Any, projects: Sequence[Project], **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.projects = {project.slug: project for project in projects}
        choices = [(project.slug, project.name) for project in projects]
        self.fields["project"] = forms.ChoiceField(
            required=False, label=_("Project"), choices=[("", _("– a new one –")), *choices]
        )

    def clean(self) -> dict[str, Any]:
        """Refuse a form that names no project, or a new one besides another."""
        values = self.cleaned_data
        if bool(values.get("project")) == bool(values.get("name", "").strip()):
            raise forms.ValidationError(_("Choose a project, or give a name for a new one."))
        return values


@researcher_page("GET", "POST")
def project_of_study(request: HttpRequest, slug: str) -> HttpResponse:
    """Show the project of a study; posted to, put it into a project or take it out."""
    study = access.study_for_researcher(request.user, slug, Membership.Role.EDITOR)
    form = BelongingForm(
        request.POST if request.POST.get("action") == "put" else None,
        projects=list(access.projects_for_researcher(request.user).exclude(studies=study).order_by("name")),
    )
    if request.POST.get("action") == "out":
        service.take_out(study=study, by=request.user)
        messages.success(request, _("The study was removed from its project."))
        return redirect("researcher:project", slug)
    if form.is_valid() and _put(request, study, form):
        return redirect("researcher:project", slug)
    return study_page(
        request,
        slug,
        "setup",
        lambda _study: {"form": form},
        template="project_of_study",
        title=_("Project"),
        role=Membership.Role.EDITOR,
        status=422 if form.errors else 200,
    )


def _put(request: HttpRequest, study: Study, form: BelongingForm) -> bool:
    """Put a study into the project of a form; return whether it could be."""
    chosen = form.projects.get(form.cleaned_data["project"])
    try:
        if chosen is None:
            chosen = service.put_into_new(study=study, name=form.cleaned_data["name"], by=request.user)
        else:
            service.put(study=study, project=chosen, by=request.user)
    except service.NotInProject as refusal:
        form.add_error(None, str(refusal))
        return False
    messages.success(request, _("The study is now in the project “%(name)s”.") % {"name": chosen.name})
    return True
