"""Patterns that people write: what is refused before it is compiled, and what a search may take."""

import json
import resource
import subprocess
import sys
from pathlib import Path

import pytest

from tasks_app.texts import patterns
from tasks_app.texts.patterns import searching

ROOT = Path(__file__).parents[3]

# Each takes from 370 MB to more memory than there is where the engine compiles it, or the whole stack.
BOMBS = {
    "(?:(?:(?:abc){200}){200}){120}": "too large",
    "(?:(?:(?:abc){200}?){200}+){120}": "too large",
    "a{100000000}": "too large",
    "a{100000000,}": "too large",
    "[a-z]{100000000}": "too large",
    r"[\p{Lu}\p{Ll}]{9000000}": "too large",
    "(?:a|b){1000000}": "too large",
    "(?x) (?: a # (\n (?: b c ){1000} ){1000}": "too large",
    "[]{9}](?:[^]{9}][[:alpha:]{9}]){300}(?:(?:ab){200}){200}": "too large",
    "(" * 40 + "a" + "){2}" * 40: "too large",
    "(?<=" * 40 + "a" + "){3}" * 40: "too large",
    r"(?<!(?:(?:ab){300}){300})": "too large",
    "(a)?(?(1)(?:(?:ab){300}){300}|c)": "too large",
    "(?:foo(?:bar){1000}){e<=3}" + "(?:(?:ab){300}){300}": "too large",
    "(?:" + "|".join(f"{letter}{{1,9}}" for letter in "abcdefghi") + "){60000}": "too large",
    "(?:" * 300 + "a" + ")" * 300: "50 deep",
    "(" * 60 + "a" + ")" * 60: "50 deep",
    "(?:" * 900 + "a" + ")" * 900: "50 deep",
    "(?V1)" + "[" * 900 + "a" + "]" * 900: "50 deep",
    "(?<=(?=" * 100 + "a" + "))" * 100: "50 deep",
    "(a)" * 101: "capturing groups",
    "|".join(f"word{number}" for number in range(1_000)): "characters; at most 4,000",
    "(a?(?1)b?)": "calls one of its groups",
    "(?R)?a": "calls one of its groups",
    r"(?P<x>\w)(?&x)": "calls one of its groups",
    "(?V0)(?V1)a": "is wrong",
    r"\L<names>": "is wrong",
    "a(b": "is wrong: missing )",
}

# What people write, and what may stay stored.
USUAL = (
    r"\?\s*$", r"\b\w", r"^(\w|\w\w)+\d$", r"(?i)\b(?:may|might)\b", r"\p{L}+", r"\d{4}-\d{2}-\d{2}", r"(?<!\w)a(?=b)",
    r"(\w)\1", r"(?:\w+\W+){0,200}\w+", r"[[:alpha:]]{3,}", r"a++", r"\X{280}", "",
    r"(?<=[.!?]\s)\p{Lu}", "|".join(["w"] * 500),
)  # fmt: skip

_BOUNDED = """
import json, resource, sys
from django.conf import settings
settings.configure(USE_I18N=False)
from tasks_app.texts import patterns
from tasks_app.texts.patterns import searching
before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
limit = 500 * 2**20
resource.setrlimit(resource.RLIMIT_AS, (limit, limit))
said = {}
for pattern in json.load(sys.stdin):
    try:
        patterns.check(pattern)
    except patterns.BadPattern as problem:
        said[pattern] = str(problem)
grown = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before
json.dump([said, grown // 1024], sys.stdout)
"""


def test_bombs_are_refused_before_they_take_memory() -> None:
    """All of them in one process of little memory, which grows by less than a small picture takes."""
    asked = json.dumps([*BOMBS, *USUAL])
    ended = subprocess.run(
        [sys.executable, "-c", _BOUNDED], input=asked, cwd=ROOT, capture_output=True, text=True, check=False
    )
    assert ended.returncode == 0, ended.stderr
    said, megabytes = json.loads(ended.stdout)
    for pattern, words in BOMBS.items():
        assert words in said.get(pattern, "(accepted)"), pattern[:60]
    assert set(said) == set(BOMBS), "what people write is accepted"
    assert megabytes < 30


def test_a_refusal_names_the_place() -> None:
    for pattern, place in {"ab(c": 4, r"ab(?P<x>c)(?&x)": 12, "ab(?:a{300}){300}": 0}.items():
        with pytest.raises(patterns.BadPattern) as caught:
            patterns.check(pattern)
        assert caught.value.place == place


def test_occurrences_are_counted_in_each_text() -> None:
    searches = [patterns.Search(r"\d"), patterns.Search(r"\d", every=True), patterns.Search("\ud800|é")]
    texts = ["1 and 2", "none", "\ud800 half", "é"]
    assert patterns.counts(searches, texts, seconds=30) == [[1, 0, 0, 0], [2, 0, 0, 0], [0, 0, 1, 1]]
    assert patterns.counts([], texts, seconds=30) == []


def test_a_search_that_takes_too_much_leaves_the_others_and_this_process_alone() -> None:
    """The first takes 500 MB within a second, the second for ever; neither does it here."""
    grows = patterns.Search(r"(?:.*?(?:.*?(?:.*?(.*?))*)*)*\d")
    for_ever = patterns.Search(r"^(\w|\w\w)+\d$")
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    heavy, plain = patterns.counts([grows, patterns.Search("a")], ["ab" * 500_000], seconds=60)
    assert isinstance(heavy, patterns.TooHeavy)
    assert str(heavy) == "takes too much memory on the outputs"
    assert plain == [1]
    plain, slow = patterns.counts([patterns.Search("a"), for_ever], ["a" * 60 + "!"], seconds=0.05)
    assert plain == [1]
    assert str(slow) == "takes longer than 0.05 seconds on the outputs"
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before < 100 * 1024


def test_a_child_that_ends_without_an_answer_is_no_answer(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """The system kills a process for its memory without a word; what it had answered until then counts."""
    child = tmp_path / "child.py"
    child.write_text("import os\nprint('[1]', flush=True)\nos.kill(os.getpid(), 9)\n")
    monkeypatch.setattr("tasks_app.texts.patterns.searching.CHILD", child)
    first, second = patterns.counts([patterns.Search("a"), patterns.Search("b")], ["a"], seconds=1)
    assert first == [1]
    assert str(second) == "takes too much memory on the outputs"
    child.write_text("import signal\nprint('[1]', flush=True)\nsignal.pause()\n")
    monkeypatch.setattr("tasks_app.texts.patterns.searching.SPARE_SECONDS", 1.0)
    first, second = patterns.counts([patterns.Search("a"), patterns.Search("b")], ["a"], seconds=1)
    assert str(second) == "takes longer than 1 seconds on the outputs"


def test_a_search_waits_only_so_long_for_others(monkeypatch: pytest.MonkeyPatch) -> None:
    """Each that waits has a thread of the site, which raters need."""
    monkeypatch.setattr(searching, "TURN", 0)
    with searching._children, searching._children:
        (found,) = patterns.counts([patterns.Search("a")], ["a"], seconds=0.01)
    assert "busy with other searches" in str(found)
    assert patterns.counts([patterns.Search("a")], ["a"], seconds=5) == [[1]]
