"""Pages are rendered in tests as they are for users.

Django's test client keeps a copy of the context of each template on a page, of which a researcher's page has
dozens. That takes a twentieth of the time of a page, and no test reads it: tests read the pages.
"""

from collections.abc import Iterator

import pytest
from django.template.base import Template
from django.test import utils


@pytest.fixture(scope="session", autouse=True)
def rendering_as_for_users(django_test_environment: None) -> Iterator[None]:
    """Render templates without telling the test client."""
    telling = Template._render
    Template._render = utils._TestState.saved_data.template_render
    yield
    Template._render = telling
