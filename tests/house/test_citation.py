"""CITATION.cff names the version and the licence of the code."""

from pathlib import Path

import yaml

import evalweb

CITATION = yaml.safe_load((Path(__file__).resolve().parents[2] / "CITATION.cff").read_text(encoding="utf-8"))


def test_it_names_this_version() -> None:
    assert CITATION["version"] == evalweb.__version__
    assert CITATION["license"] == "GPL-3.0-or-later"
