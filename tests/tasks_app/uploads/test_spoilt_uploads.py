"""A few spoilt files to every address that accepts files; `python -m bench uploads` sends thousands to a live site."""

from collections.abc import Mapping

import pytest
from django.contrib.auth.models import User
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client

from bench import spoilt, uploads


@pytest.fixture
def send(client: Client) -> uploads.Send:
    """Sends requests of the owner of the studies that files are sent to."""
    owner = User.objects.create_superuser("rosa", password="a long password")
    uploads.prepare_studies(owner)
    client.force_login(owner)

    def sent(method: str, path: str, fields: Mapping[str, str], file: tuple[str, str, bytes] | None) -> tuple[int, str]:
        if method == "GET":
            return client.get(path).status_code, ""
        upload = {file[0]: SimpleUploadedFile(file[1], file[2])} if file else {}
        answer = client.post(path, {**fields, **upload})
        return answer.status_code, answer.headers.get("Location", "")

    return sent


@pytest.mark.django_db
def test_no_spoilt_file_is_an_error(send: uploads.Send) -> None:
    failed = []
    for number, address in enumerate(uploads.addresses()):
        _address, name, content = uploads.drawn(number, 5, with_bombs=False)
        statuses = uploads.send_one(send, address, name, content)
        if statuses[0] not in (200, 302, 422) or max(statuses) >= 500:
            failed.append((number, address, name, statuses))
    assert not failed


@pytest.mark.django_db
def test_files_that_fit_an_address_are_accepted_there_again_and_again(send: uploads.Send) -> None:
    """What is refused at once never reaches what is behind the reader."""
    statuses = {
        (address, number): uploads.send_one(send, address, name, content)[0]
        for number in range(3)
        for address, (name, content) in spoilt.fitting(number).items()
    }
    assert {key: status for key, status in statuses.items() if status not in (200, 302)} == {}
    assert len(statuses) == 12
