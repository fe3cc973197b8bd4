"""No module imports a module that imports it, directly or through others.

Imports within functions and under TYPE_CHECKING count, since a reader has to follow them, too. Two modules that need
each other are one module, or the part that both need is a third.
"""

from collections.abc import Iterator
from graphlib import CycleError, TopologicalSorter
from pathlib import Path

import grimp
import pytest


def imports_of(*packages: str) -> dict[str, set[str]]:
    """Return the modules that each module of some packages imports, by the names of the modules."""
    graph = grimp.build_graph(*packages, exclude_type_checking_imports=False, cache_dir=None)
    return {module: graph.find_modules_directly_imported_by(module) for module in graph.modules}


def circles(imports: dict[str, set[str]]) -> Iterator[str]:
    """Yield circles of imports, each as `a -> b -> a`, and remove its last import before the next is looked for."""
    left = {module: set(imported) for module, imported in imports.items()}
    while True:
        try:
            TopologicalSorter(left).prepare()
        except CycleError as error:
            # Each node of the circle is imported by the next one.
            circle = error.args[1][::-1]
            yield " -> ".join(circle)
            left[circle[-2]].discard(circle[-1])
        else:
            return


def test_no_modules_import_each_other() -> None:
    imports = imports_of("evalweb", "analytics_app", "tasks_app")
    assert len(imports) > 1000
    assert list(circles(imports)) == []


HIDDEN = {
    "plain": "import round.first\n",
    "under_type_checking": "from typing import TYPE_CHECKING\nif TYPE_CHECKING:\n    from round.first import A\n",
    "in_a_function": "def late():\n    from round import first\n    return first\n",
}


@pytest.mark.parametrize("how", list(HIDDEN))
def test_a_circle_is_found_however_it_is_closed(how: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    package = tmp_path / "round"
    package.mkdir()
    (package / "__init__.py").touch()
    (package / "first.py").write_text("import round.second\nimport round.apart\nclass A: ...\n")
    (package / "apart.py").touch()
    monkeypatch.syspath_prepend(tmp_path)
    (package / "second.py").touch()
    assert list(circles(imports_of("round"))) == []
    (package / "second.py").write_text(HIDDEN[how])
    assert len(list(circles(imports_of("round")))) == 1
