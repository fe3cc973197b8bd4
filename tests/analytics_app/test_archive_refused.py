"""What is no archive, or lacks what is compared, is refused; and what texts look like that are masked."""

import zipfile
from io import StringIO
from pathlib import Path

import pytest
from django.core.management import CommandError, call_command

from analytics_app.archive import rows, writing
from analytics_app.archive.verdicts import Verdict


def test_an_archive_without_what_is_compared_is_not_verified(tmp_path: Path) -> None:
    """Not even where the file is missing from the list of files as well."""
    path = tmp_path / "archive.zip"
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("datapackage.json", '{"evalweb": {"format": 1, "texts": true}, "resources": []}')
    out, badge = StringIO(), tmp_path / "badge.svg"
    with pytest.raises(SystemExit) as end:
        call_command("verify", str(path), "--badge", str(badge), stdout=out)
    assert end.value.code == Verdict.DIFFERS.exit_code
    assert out.getvalue().startswith("archive.zip: not verified: 5 differences\n")
    assert f"{writing.RESULTS} is missing." in out.getvalue()
    assert f"{writing.DOCUMENT} is missing." in out.getvalue()
    assert "not verified: 5 differences" in badge.read_text()


@pytest.mark.parametrize(
    ("members", "said"),
    [
        pytest.param(None, "is not a readable zip file", id="no zip"),
        pytest.param({"data.txt": ""}, "has no datapackage.json of an evalweb archive", id="another zip"),
        pytest.param({"datapackage.json": "[]"}, "has no datapackage.json of an evalweb archive", id="no object"),
        pytest.param({"datapackage.json": '{"evalweb": "x"}'}, "has no datapackage.json of an evalweb", id="a word"),
        pytest.param(
            {"datapackage.json": '{"evalweb": {"format": 9}, "resources": []}'}, "has format 9", id="newer format"
        ),
    ],
)
def test_what_is_no_archive_is_refused(members: dict[str, str] | None, said: str, tmp_path: Path) -> None:
    path = tmp_path / "file.zip"
    if members is None:
        path.write_bytes(b"PK no zip")
    else:
        with zipfile.ZipFile(path, "w") as archive:
            for name, content in members.items():
                archive.writestr(name, content)
    with pytest.raises(CommandError, match=said):
        call_command("verify", str(path))


def test_masked_texts_keep_their_lengths_words_and_spans() -> None:
    for text in ("Der Zug, 12 Uhr!", "القطار متأخر", "火车晚点了。", "naïve 🚂 x\ty"):
        masked = rows.masked(text)
        assert len(masked) == len(text)
        assert [len(word) for word in masked.split()] == [len(word) for word in text.split()]
        assert set(masked) <= set("x字 \t,.!。")
    assert rows.masked("火车") == "字字"
