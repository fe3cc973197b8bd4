"""Reading YAML by the faster of PyYAML's two parsers changes neither values nor places."""

import pytest
import yaml
from django.conf import settings

from tasks_app.studyfile.files.yaml_tree import Tree, parse
from tasks_app.studyfile.problems import Problems

PLAIN = "a: no\nb: [1, 2.5, ~, 'x\u2028y', \"é\\n😀\"]\nc: |\n  two\n  lines\nd:\n- e: >\n    folded\n  f: true\n"


def tree_of(text: str) -> Tree:
    problems = Problems()
    tree = parse("study.yaml", text, problems)
    problems.raise_if_any()
    return tree


def test_both_parsers_read_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    shipped = [path.read_text(encoding="utf-8") for path in settings.BASE_DIR.glob("examples/**/study.yaml")]
    assert len(shipped) > 20
    texts = [PLAIN, *shipped]
    fast = [tree_of(text) for text in texts]
    monkeypatch.setattr(yaml, "__with_libyaml__", False)
    assert fast == [tree_of(text) for text in texts]
    assert fast[0].data["b"] == [1, 2.5, None, "x\u2028y", "é\n😀"]
