"""Who works on a study: owners share it, change roles and take it away; everybody in it sees who else is."""

import pytest
from django.contrib.auth.models import User
from django.http import HttpResponse
from django.test import Client

from tasks_app.models import Membership, Study
from tasks_app.services.study import drafts
from tests.builders import build_study
from tests.pages import without_tokens

pytestmark = pytest.mark.django_db

PAGE = "/admin/studies/shared/members/"


@pytest.fixture
def shared(rosa: User) -> Study:
    return build_study(rosa, slug="shared")


def as_user(user: User) -> Client:
    client = Client()
    client.force_login(user)
    return client


def text_of(answer: HttpResponse) -> str:
    return answer.content.decode()


def roles(study: Study) -> dict[str, str]:
    return dict(study.memberships.values_list("user__username", "role"))


def test_somebody_is_let_in_raised_and_sent_away(shared: Study, rosa: User, mallory: User) -> None:
    owner, other = as_user(rosa), as_user(mallory)
    assert other.get("/admin/studies/shared/").status_code == 404
    told = owner.post(PAGE, {"name": " mallory ", "role": "viewer"}, follow=True)
    assert "mallory is viewer of this study now." in text_of(told)
    assert other.get("/admin/studies/shared/").status_code == 200
    seen = text_of(other.get(PAGE))
    assert "mallory" in seen
    assert "Only owners can share the study." in seen
    assert "Share the study" not in seen
    assert other.post(PAGE, {"name": "mallory", "role": "owner"}).status_code == 404
    owner.post(PAGE, {"name": "mallory", "role": "editor"})
    assert roles(shared) == {"rosa": "owner", "mallory": "editor"}
    owner.post(f"{PAGE}remove/", {"name": "mallory"})
    assert roles(shared) == {"rosa": "owner"}
    assert other.get(PAGE).status_code == 404
    logged = shared.events.filter(verb__in=("shared", "unshared")).order_by("id")
    assert list(logged.values_list("verb", "object", "after")) == [
        ("shared", "mallory", {"role": "viewer"}),
        ("shared", "mallory", {"role": "editor"}),
        ("unshared", "mallory", None),
    ]


def test_the_page_says_what_each_role_may_do(shared: Study, rosas_browser: Client) -> None:
    page = rosas_browser.get(f"/admin/studies/{shared.slug}/members/").content.decode()
    for words in ("sees the study and, once it is closed", "also sets it up", "also shares it, pays"):
        assert words in page


@pytest.mark.parametrize("name", ["nobody-of-this-name", "ada", "", "x" * 151, "nul\0"])
def test_only_researchers_are_let_in(shared: Study, rosa: User, name: str) -> None:
    User.objects.create_user("ada")  # judges texts, and is no researcher
    answer = as_user(rosa).post(PAGE, {"name": name, "role": "viewer"})
    assert answer.status_code == 422
    if name == "ada":
        assert "No researcher signs in as “ada”." in text_of(answer)
    assert roles(shared) == {"rosa": "owner"}


def test_a_study_keeps_an_owner(shared: Study, rosa: User, mallory: User) -> None:
    owner = as_user(rosa)
    refused = owner.post(PAGE, {"name": "rosa", "role": "viewer"})
    assert refused.status_code == 422
    assert "This is the last owner." in text_of(refused)
    assert "This is the last owner." in text_of(owner.post(f"{PAGE}remove/", {"name": "rosa"}, follow=True))
    assert roles(shared) == {"rosa": "owner"}
    drafts.set_member(study=shared, user=mallory, role=Membership.Role.OWNER, by=rosa)
    left = owner.post(f"{PAGE}remove/", {"name": "rosa"})
    assert left["Location"] == "/admin/studies/"
    assert roles(shared) == {"mallory": "owner"}


def test_viewers_read_what_editors_and_people_with_a_comment_link_read(
    shared: Study, rosa: User, mallory: User
) -> None:
    shared.memberships.create(user=mallory, role="viewer")
    viewer = as_user(mallory)
    page = text_of(viewer.get("/admin/studies/shared/"))
    for heading in ("Instructions", "Consent text", "Analysis plan"):
        assert f"{heading}</h2>" in page
    assert "raters read those of the task type" in page
    assert "You <strong>agree</strong> to take part." in page
    preview = viewer.get("/admin/studies/shared/set-up/preview/")
    assert preview.status_code == 200
    unit, end = (text_of(viewer.get(f"/admin/studies/shared/set-up/preview/?page={name}")) for name in ("unit", "end"))
    assert without_tokens(end).replace("page=end", "page=unit") == without_tokens(unit), (
        "viewers do not see completion codes"
    )
    assert viewer.get("/admin/studies/shared/set-up/task/").status_code == 404, "the form stays with editors"
    assert "Consent text</h2>" not in text_of(as_user(rosa).get("/admin/studies/shared/"))
