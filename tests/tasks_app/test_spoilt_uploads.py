"""A few spoilt files to every address that accepts files; `python -m bench uploads` sends thousands to a live site."""

from collections.abc import Mapping

import pytest
from django.contrib.auth.models import User
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client

from bench import uploads


@pytest.mark.django_db
def test_no_spoilt_file_is_an_error(client: Client) -> None:
    owner = User.objects.create_superuser("rosa", password="a long password")
    uploads.prepare_studies(owner)
    client.force_login(owner)

    def send(method: str, path: str, fields: Mapping[str, str], file: tuple[str, str, bytes] | None) -> tuple[int, str]:
        if method == "GET":
            return client.get(path).status_code, ""
        upload = {file[0]: SimpleUploadedFile(file[1], file[2])} if file else {}
        answer = client.post(path, {**fields, **upload})
        return answer.status_code, answer.headers.get("Location", "")

    failed = []
    for number, address in enumerate(uploads.addresses()):
        _address, name, content = uploads.drawn(number, 5, with_bombs=False)
        statuses = uploads.send_one(send, address, name, content)
        if statuses[0] not in (200, 302, 422) or max(statuses) >= 500:
            failed.append((number, address, name, statuses))
    assert not failed
