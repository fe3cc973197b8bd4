"""Begin a study: choose a way, name the study, and go on to its first step."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any, cast

from django import forms
from django.contrib import messages
from django.contrib.auth.models import User
from django.db import transaction
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.urls import reverse
from django.utils.functional import Promise
from django.utils.http import urlencode
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from tasks_app import access, task_types
from tasks_app.importing import uploads
from tasks_app.importing.formats.opening import plain_form
from tasks_app.importing.named.studies import kept_form
from tasks_app.models import Membership, Study
from tasks_app.selectors.studies import StudyFilters, matching
from tasks_app.settings.fields import line_field
from tasks_app.setup import starting, templates, usual
from tasks_app.setup.published import Published, published
from tasks_app.setup.starting import Names
from tasks_app.studyfile.files.limits import largest_upload
from tasks_app.task_types import TaskType
from tasks_app.task_types.base import Scale, Words
from tasks_app.uploads.request_sizes import accepts_files
from tasks_app.views.public.examples import pictured
from tasks_app.views.researcher.frame import researcher_page, show
from tasks_app.views.researcher.importing.uploading import read_upload
from tasks_app.views.researcher.setup.form_frame import step_url

# Ways to begin that bring texts of ours.
_WITH_TEXTS = frozenset({"example", "published"})

# The title for raters, where none was given.
_READING = gettext_lazy("Reading and rating texts")

# Studies of one's own that can be begun from at once; the list of studies offers all of them.
NEWEST = 8


class NamesForm(forms.Form):
    """The titles of a new study."""

    title = line_field(
        gettext_lazy("Title"),
        gettext_lazy("For researchers, such as “Fluency of four summarisers”."),
        length=200,
        required=True,
    )
    public_title = line_field(
        gettext_lazy("Public title"),
        gettext_lazy("Shown to raters, such as “What makes a good summary?”. Do not say what is compared."),
        length=200,
        required=True,
    )


class TableForm(NamesForm):
    """A new study with its texts."""

    file = forms.FileField(
        required=False,
        allow_empty_file=True,  # an empty file is answered by whoever reads it, and says what to do
        label=gettext_lazy("Table of texts"),
        help_text=gettext_lazy(
            "CSV, TSV, JSON, JSON Lines or a workbook (.xlsx, .ods). On the next page you say what each column is. "
            "You can also upload the table later."
        ),
    )


class RatedTableForm(forms.Form):
    """A new study with the table of its texts and ratings; nobody rates in it, so it has no title for raters."""

    title = NamesForm.base_fields["title"]

    file = forms.FileField(
        allow_empty_file=True,  # an empty file is answered by whoever reads it, and says what to do
        label=gettext_lazy("Table of texts and ratings"),
        help_text=gettext_lazy(
            "CSV, TSV, JSON, JSON Lines, Parquet or a workbook (.xlsx, .ods); several tables that belong together in "
            "one zip; or what WMT, Label Studio, Appraise or another known tool writes."
        ),
    )


@dataclass(frozen=True, slots=True)
class Origin:
    """An origin of a new study: words for the page, suggested names, and the function that makes the draft."""

    title: Words
    about: Words
    begin: Callable[[User, Names], Study]
    names: Names | None = None
    form: type[NamesForm | RatedTableForm] = NamesForm
    published: Published | None = None


def _type(name: str) -> Origin:
    if name not in task_types.registry:
        raise Http404
    member = task_types.registry[name]
    return Origin(
        member.purpose,
        _("%(type)s: %(summary)s") % {"type": member.label, "summary": member.summary},
        lambda owner, names: starting.from_type(owner=owner, member=member, names=names),
    )


def _example(name: str) -> Origin:
    example = starting.examples().get(name)
    if example is None:
        raise Http404
    return Origin(
        _("An example: %(title)s") % {"title": example.title},
        _("You get a study of your own with everything that the example holds: change whatever you like."),
        lambda owner, names: starting.from_example(owner=owner, example=example, names=names),
        names=Names(example.title, example.public_title),
    )


def _published(name: str) -> Origin:
    study = published().get(name)
    if study is None:
        raise Http404
    return Origin(
        _("As in %(cited)s: %(title)s") % {"cited": study.cited, "title": study.title},
        study.judged,
        lambda owner, names: starting.from_example(owner=owner, example=study, names=names),
        names=Names(study.title, study.public_title),
        published=study,
    )


def _study(request: HttpRequest, slug: str) -> Origin:
    # A copy holds known answers and the plan, as the study file does.
    study = access.study_for_researcher(request.user, slug, access.GOLD_READER)
    is_template = templates.is_template(study)
    title = _("Your template: %(title)s") if is_template else _("A copy of %(title)s")
    named = study.title if is_template else _("Copy of %(title)s") % {"title": study.title}
    return Origin(
        title % {"title": study.title},
        _("The copy has the same texts, questions and settings; raters and their answers stay where they are."),
        lambda owner, names: starting.copy_of(origin=study, by=owner, names=names),
        names=Names(named[:200], study.public_title),
    )


# The value of the way to begin with texts that were rated elsewhere.
IMPORTED = "rated"

# The value of the way to begin with one table that holds texts and ratings.
ONE_TABLE = "one-table"


def _texts(value: str) -> Origin:
    if value == IMPORTED:
        return Origin(
            _("Texts that were rated elsewhere"),
            _("Upload the table of texts now, then say what was asked about them, and import the ratings."),
            lambda owner, names: starting.empty(owner=owner, names=names, is_imported=True),
            form=TableForm,
        )
    if value == ONE_TABLE:
        return Origin(
            _("Texts and ratings in one table"),
            _("Upload the table. On the next page you see how its columns are read; then the results are computed."),
            lambda owner, names: starting.for_table(owner=owner, names=names),
            form=RatedTableForm,
        )
    return Origin(
        _("Your texts first"),
        _("Upload a table of texts now, and choose afterwards what raters do with them."),
        lambda owner, names: starting.empty(owner=owner, names=names),
        form=TableForm,
    )


def _chosen(request: HttpRequest) -> tuple[str, str, Origin] | None:
    """Return the way to begin that an address or a form names, its value, and the origin of the study."""
    given = request.POST if request.method == "POST" else request.GET
    if "study" in given:
        return "study", given["study"], _study(request, given["study"])
    if "task_type" in given:
        return "task_type", given["task_type"], _type(given["task_type"])
    if "example" in given:
        return "example", given["example"], _example(given["example"])
    if "published" in given:
        return "published", given["published"], _published(given["published"])
    return ("texts", given["texts"], _texts(given["texts"])) if "texts" in given else None


@accepts_files(largest_upload)
@researcher_page("GET", "POST")
def new(request: HttpRequest) -> HttpResponse:
    """Show the ways to begin a study, or with a way chosen ask for its names and make it."""
    chosen = _chosen(request)
    if chosen is None:
        return show(request, "new", _("New study"), ways(request))
    way, value, origin = chosen
    names = origin.names or Names("", str(_READING))
    suggested = {"title": names.title, "public_title": names.public_title}
    form = origin.form(request.POST or None, request.FILES or None, initial=suggested)
    # Asked with the first study, and not for a copy, which has its own.
    asks = way != "study" and value not in {IMPORTED, ONE_TABLE} and usual.of(cast("User", request.user)) is None
    usual_form = usual.form()(request.POST or None, prefix="usual", initial=_known(request)) if asks else None
    leads_to, refusal = None, None
    if usual_form is None or not usual_form.is_bound or usual_form.is_valid():
        leads_to, refusal = read_upload(form, lambda form: _begin(request, way, origin, form, usual_form))
    if leads_to is not None:
        return redirect(leads_to)
    is_faulty = bool(form.errors or refusal or (usual_form is not None and usual_form.errors))
    context = {
        "form": form,
        "usual_form": usual_form,
        "origin": origin,
        "way": way,
        "value": value,
        "refusal": refusal,
        "is_faulty": is_faulty,
    }
    return show(request, "begin", _("New study"), context, status=422 if is_faulty else 200)


def _known(request: HttpRequest) -> dict[str, str]:
    """Return the usual settings that an account says."""
    email = cast("User", request.user).email
    return {"contact": email} if email else {}


@transaction.atomic
def _begin(
    request: HttpRequest, way: str, origin: Origin, form: NamesForm | RatedTableForm,
    usual_form: forms.Form | None,
) -> str:  # fmt: skip
    """Make the study, and return the address of its first step. Raises StudyFileError for a file that is no table."""
    given, owner = form.cleaned_data, cast("User", request.user)
    if usual_form is not None:
        usual.keep(user=owner, values=usual_form.cleaned_data)
    study = origin.begin(owner, Names(given["title"], given.get("public_title") or str(_READING)))
    if way != "study":
        usual.fill(study=study, by=owner)
    if "file" not in form.fields:
        # Whoever begins from a complete study puts their own texts in the place of its own.
        return f"{step_url(study.slug, 'texts')}?own=1" if way in _WITH_TEXTS else step_url(study.slug, "task")
    if given["file"] is None:
        return step_url(study.slug, "texts")
    if isinstance(form, RatedTableForm):
        token = uploads.keep(study, given["file"], kept_form)
        return f"{reverse('researcher:one_table', args=[study.slug])}?{urlencode({'file': token})}"
    token = uploads.keep(study, given["file"], plain_form)
    return f"{step_url(study.slug, 'texts')}?{urlencode({'file': token})}"


def ways(request: HttpRequest) -> dict[str, Any]:
    """Return the context of the page with all ways to begin."""
    studies = access.studies_for_researcher(request.user).order_by("-created_at", "-id")
    copied = studies.filter(memberships__user=request.user.pk, memberships__role__in=_READS_GOLD)
    return {
        "goals": _goals(),
        "examples": list(starting.examples().values()),
        "published": list(published().values()),
        "copied": templates.ordinary(copied)[:NEWEST],
        "templates": [
            {"study": study, "is_owner": getattr(study, "own_role", None) == Membership.Role.OWNER}
            for study in templates.templates(matching(studies, request.user.pk or 0, StudyFilters()))
        ],
    }


def _goals() -> list[tuple[str, list[dict[str, Any]]]]:
    """Return a card for each task type under headings that say how many texts a rater sees at once."""
    return [
        (heading, [{"member": member, "picture": pictured(member)} for member in listed])
        for heading, listed in by_texts_shown(task_types.registry.values())
    ]


def by_texts_shown(members: Iterable[type[TaskType]]) -> list[tuple[str, list[type[TaskType]]]]:
    """Return task types under headings: how many texts a rater sees at once, or writes; the best known first."""
    members = sorted(members, key=_familiarity)
    written = [member for member in members if member.needs_items and member.rewrites]
    of_texts = [member for member in members if member.needs_items and member not in written]
    groups = [
        (_("One text at a time"), [member for member in of_texts if not member.side_by_side]),
        (_("Texts side by side"), [member for member in of_texts if member.side_by_side]),
        (_("A text to improve"), written),
        (_("Without a text"), [member for member in members if not member.needs_items]),
    ]
    return [(heading, listed) for heading, listed in groups if listed]


def _familiarity(member: type[TaskType]) -> tuple[bool, int]:
    """Return the place of the card of a type: scales of quality first, since most people look for these."""
    return not member.criteria_needed[0], list(Scale).index(member.outcomes[0].scale)


_READS_GOLD = (Membership.Role.EDITOR, Membership.Role.OWNER)

_TEMPLATE_MOVES: dict[str, Promise] = {
    "save": gettext_lazy("“%(title)s” is among your templates now. The study itself is as it was."),
    "release": gettext_lazy("“%(title)s” is an ordinary draft now, and no longer a template."),
}


@researcher_page("POST")
def template(request: HttpRequest, slug: str) -> HttpResponse:
    """Save a study as a template, or turn a template into an ordinary draft."""
    study = access.study_for_researcher(request.user, slug, Membership.Role.OWNER)
    action, by = request.POST.get("action", ""), cast("User", request.user)
    if action not in _TEMPLATE_MOVES or (action == "release" and not templates.is_template(study)):
        raise Http404
    if action == "save":
        templates.save_as_template(study=study, by=by)
    else:
        templates.make_ordinary(study=study, by=by)
    messages.success(request, str(_TEMPLATE_MOVES[action]) % {"title": study.title})
    return redirect("researcher:new" if action == "save" else "researcher:studies")
