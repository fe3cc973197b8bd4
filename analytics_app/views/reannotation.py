"""Marks that raters left in texts, given to the raters of another study, who go over them."""

from typing import Any, cast

from django import forms
from django.contrib import messages
from django.contrib.auth.models import User
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, ngettext

from tasks_app import access
from tasks_app.models import Membership, Study, Task
from tasks_app.selectors import earlier_marks
from tasks_app.selectors.judgments import may_export
from tasks_app.settings.fields import whole_field
from tasks_app.setup import reannotating
from tasks_app.views.researcher.frame import researcher_page, study_page
from tasks_app.views.researcher.setup.form_frame import step_url

# The most false marks that a set can hold as checks, and the most judgments of a text.
MOST_PLANTED, MOST_JUDGMENTS = 20, 10_000


class RequestForm(forms.Form):
    """The task with the marks to give, the judgments of each text, and the false marks to plant."""

    task = forms.ChoiceField(label=gettext_lazy("Task"))
    k = whole_field(
        gettext_lazy("Raters who go over each text"),
        gettext_lazy(
            "Where several raters marked a text, those who go over it are given the marks of these raters in turn."
        ),
        within=(1, MOST_JUDGMENTS),
    )
    planted = whole_field(
        gettext_lazy("False marks to plant"),
        gettext_lazy(
            "Each is put into a text in which nobody marked an error. The texts become checks of every set: how many "
            "false marks a rater removes shows their attention. Each takes one item out of the study."
        ),
        within=(0, MOST_PLANTED),
        initial=0,
    )

    def __init__(self, *args: Any, tasks: list[Task], **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.tasks = {task.key: task for task in tasks}
        choices = [(task.key, task.title or task.key) for task in tasks]
        cast("forms.ChoiceField", self.fields["task"]).choices = choices
        self.fields["k"].required = self.fields["planted"].required = True

    @property
    def request(self) -> reannotating.Request:
        """Return the request of a valid form."""
        cleaned = self.cleaned_data
        return reannotating.Request(self.tasks[cleaned["task"]], cleaned["k"], cleaned["planted"])


@researcher_page("GET")
def marks(request: HttpRequest, slug: str) -> HttpResponse:
    """Show how many marks raters left in the texts of a study, and the form that gives them to others."""
    return _page(request, slug, None)


def _page(request: HttpRequest, slug: str, form: RequestForm | None) -> HttpResponse:
    """Show the page with a form that was sent, or with a new one."""
    readable = set(access.studies_for_researcher(request.user).values_list("pk", flat=True))

    def context(study: Study) -> dict[str, Any]:
        tasks = earlier_marks.marking_tasks(study)
        problem = reannotating.problem_of(study)
        followed = [entry for entry in earlier_marks.reannotations_of(study) if entry.pk in readable]
        values: dict[str, Any] = {"tasks": tasks, "problem": problem, "reannotations": followed}
        if tasks and problem is None:
            values["outlines"] = [(task, earlier_marks.outline_of(task)) for task in tasks]
            first = {"task": tasks[0].key, "k": tasks[0].k, "planted": 0}
            values["form"] = form or RequestForm(initial=first, tasks=tasks)
        return values

    title, status = _("Marks for a second stage"), 200 if form is None else 422
    return study_page(request, slug, "data", context, template="reannotation", title=title, status=status)


@researcher_page("POST")
def begin(request: HttpRequest, slug: str) -> HttpResponse:
    """Make the study in which raters go over the marks, and redirect to its first step."""
    study, role = access.study_and_role(request.user, slug, Membership.Role.EDITOR)
    if not may_export(study, role):
        raise Http404
    form = RequestForm(request.POST, tasks=earlier_marks.marking_tasks(study))
    if not form.is_valid():
        return _page(request, slug, form)
    try:
        made = reannotating.prepare(study=study, request=form.request, by=cast("User", request.user))
    except reannotating.NotPossible as problem:
        messages.error(request, str(problem))
        return redirect("analytics:marks", slug)
    _report(request, made)
    return redirect(step_url(made.draft.slug, "task"))


def _report(request: HttpRequest, made: reannotating.Made) -> None:
    """Tell the content of the draft, and the texts and marks that were left out of it."""
    sentence = ngettext(
        "“%(title)s” is a draft with the marks of %(n)d rater. Raters never see whose marks they are given.",
        "“%(title)s” is a draft with the marks of %(n)d raters. Raters never see whose marks they are given.",
        len(made.marks.raters),
    )
    messages.success(request, sentence % {"title": made.draft.title, "n": len(made.marks.raters)})
    if made.marks.without:
        sentence = ngettext(
            "%(n)d text was left out, since it has no judgment whose marks could be given: %(first)s.",
            "%(n)d texts were left out, since they have no judgment whose marks could be given: %(first)s.",
            len(made.marks.without),
        )
        first = ", ".join(text.unit for text in made.marks.without[:3])
        messages.warning(request, sentence % {"n": len(made.marks.without), "first": first})
    if made.marks.unfit:
        sentence = ngettext(
            "The marks of one judgment were left out, since raters could not leave them as they are: %(first)s",
            "The marks of %(n)d judgments were left out, since raters could not leave them as they are: %(first)s",
            len(made.marks.unfit),
        )
        messages.warning(request, sentence % {"n": len(made.marks.unfit), "first": made.marks.unfit[0]})
