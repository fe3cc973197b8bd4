"""Pages are rendered in tests as they are for users.

Django's test client keeps a copy of the context of each template on a page, of which a researcher's page has dozens.
That takes a twentieth of the time of a page, and hardly a test reads it: tests read the pages.
"""

from collections.abc import Iterator
from contextlib import contextmanager

import pytest
from django.template.base import Template
from django.test import utils


@pytest.fixture(scope="session", autouse=True)
def rendering_as_for_users(django_test_environment: None) -> Iterator[None]:
    """Render templates without telling the test client."""
    with _rendering(utils._TestState.saved_data.template_render):
        yield


@contextmanager
def with_context() -> Iterator[None]:
    """Let the test client keep contexts meanwhile, for a test that reads a form as the view has made it."""
    with _rendering(utils.instrumented_test_render):
        yield


@contextmanager
def _rendering(render: object) -> Iterator[None]:
    usual = Template._render
    Template._render = render
    yield
    Template._render = usual
