"""What the frame of researchers' pages shows of the models, and asks the database for."""

from http import HTTPStatus

from django.contrib.auth.models import Permission, User
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from tests.cast import browser_of

STUDIES, APP = "/admin/studies/", "/admin/auth/"


def permissions_are_asked_for(browser: Client, address: str) -> bool:
    """Whether a page reads what somebody may do with each model."""
    with CaptureQueriesContext(connection) as queries:
        assert browser.get(address).status_code == HTTPStatus.OK
    return any("auth_permission" in query["sql"] for query in queries)


def test_a_researchers_page_does_not_ask_what_may_be_done_with_models(rosas_browser: Client) -> None:
    assert not permissions_are_asked_for(rosas_browser, STUDIES)


def test_who_may_see_a_model_of_an_app_finds_it_on_its_page(rosa: User) -> None:
    browser = browser_of(rosa)
    assert browser.get(APP).status_code == HTTPStatus.NOT_FOUND
    rosa.user_permissions.add(Permission.objects.get(codename="view_user", content_type__app_label="auth"))
    browser = browser_of(rosa)
    assert permissions_are_asked_for(browser, APP)
    assert "/admin/auth/user/" in browser.get(APP).content.decode()


def test_a_superuser_finds_all_models_beside_every_page(admin_client: Client) -> None:
    page = admin_client.get(STUDIES).content.decode()
    assert "/admin/auth/user/" in page
