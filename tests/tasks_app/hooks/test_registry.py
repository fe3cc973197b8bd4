"""A registry finds the members in the modules of a package and says what it has."""

import sys
from pathlib import Path

import pytest

from tasks_app.hooks.registry import DuplicateMember, Registry, UnknownMember, stem

INIT = """
from tasks_app.hooks.registry import Registry

registry = Registry("fruit")
registry.discover(__name__)
"""
MEMBER = """
from {package} import registry

@registry.register
class {name}:
    pass
"""


def package(folder: Path, name: str, modules: dict[str, str]) -> None:
    (folder / name).mkdir()
    (folder / name / "__init__.py").write_text(INIT)
    for module, text in modules.items():
        (folder / name / f"{module}.py").write_text(text)


@pytest.fixture
def importable(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.syspath_prepend(str(tmp_path))
    monkeypatch.setattr(sys, "modules", dict(sys.modules))
    return tmp_path


def test_members_are_found_and_ordered_by_the_names_of_their_modules(importable: Path) -> None:
    pear = "import fruits.quince\n" + MEMBER.format(package="fruits", name="Pear")  # imported before its turn
    modules = {"apple": MEMBER.format(package="fruits", name="Apple"), "pear": pear, "base": "weight = 1"}
    modules["quince"] = MEMBER.format(package="fruits", name="Quince")
    modules["_peel"] = "raise RuntimeError('private modules are left alone')"
    package(importable, "fruits", modules)
    registry: Registry[type] = __import__("fruits").registry
    assert list(registry) == ["apple", "pear", "quince"]
    assert [member.__name__ for member in registry.values()] == ["Apple", "Pear", "Quince"]
    assert stem(registry["pear"]) == "pear"
    assert "pear" in registry
    assert len(registry) == 3


def test_an_unknown_name_is_told_what_there_is() -> None:
    registry: Registry[type] = Registry("design")
    with pytest.raises(UnknownMember, match=r"There is no design called 'spiral'; there are: none\."):
        registry["spiral"]
    registry.register(Path)
    with pytest.raises(UnknownMember, match=r"there are: pathlib\.") as unknown:
        registry["spiral"]
    assert unknown.value.known == ("pathlib",)
    assert registry.get("spiral") is None
    assert "spiral" not in registry


def test_two_members_of_one_name_are_refused() -> None:
    registry: Registry[type] = Registry("design")
    assert registry.register(Path) is Path
    with pytest.raises(DuplicateMember, match="PurePath cannot be registered: the design 'pathlib' is Path already"):
        registry.register(Path.__mro__[1])
