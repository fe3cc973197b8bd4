"""Registries with members that are found in the modules of a package.

A package keeps one `Registry`, its modules register one member each, and nothing has to be listed anywhere else::

    # task_types/registry.py                        # task_types/likert.py
    registry: Registry[type[TaskType]] = (          @registry.register
        Registry("task type")                       class Likert(TaskType): ...
    )
                                                    # task_types/__init__.py
                                                    registry.discover(__name__)
"""

import pkgutil
from collections.abc import Iterator, Mapping
from importlib import import_module
from typing import TypeVar

T = TypeVar("T")


class UnknownMember(KeyError):
    """A registry was asked for a name it does not have; the message lists the names it has."""

    def __init__(self, kind: str, name: str, known: tuple[str, ...]) -> None:
        super().__init__(kind, name, known)
        self.kind = kind
        self.name = name
        self.known = known

    def __str__(self) -> str:
        return f"There is no {self.kind} called {self.name!r}; there are: {', '.join(self.known) or 'none'}."


class DuplicateMember(ValueError):
    """Two members of one registry would have the same name."""


def stem(member: object) -> str:
    """Return the name a class or function is registered under: the last part of its module's name."""
    return str(getattr(member, "__module__", "")).rpartition(".")[2]


def import_modules(package: str) -> None:
    """Import every module of a package, except modules with names that begin with _, which others share."""
    for module in pkgutil.iter_modules(import_module(package).__path__, prefix=f"{package}."):
        if not module.name.rpartition(".")[2].startswith("_"):
            import_module(module.name)


class Registry(Mapping[str, T]):
    """A mapping of names to members, each under the name of the module that defines it, ordered by name.

    The order does not depend on which module happened to be imported first.
    """

    def __init__(self, kind: str) -> None:
        """Make an empty registry; `kind` names its members in messages, such as "task type"."""
        self.kind = kind
        self._members: dict[str, T] = {}

    def register(self, member: T) -> T:
        """Add a member; meant as a decorator. Raises DuplicateMember where the name is taken."""
        name = stem(member)
        if name in self._members:
            registered = getattr(self._members[name], "__qualname__", repr(self._members[name]))
            new = getattr(member, "__qualname__", repr(member))
            raise DuplicateMember(
                f"{new} cannot be registered: the {self.kind} {name!r} is {registered} already. "
                f"One module holds one {self.kind}."
            )
        self._members[name] = member
        return member

    def discover(self, package: str) -> None:
        """Import every module of a package, so that each registers its member."""
        import_modules(package)

    def __getitem__(self, name: str) -> T:
        """Return the member of that name. Raises UnknownMember, a KeyError that lists the names there are."""
        try:
            return self._members[name]
        except KeyError:
            raise UnknownMember(self.kind, name, tuple(self)) from None

    def __iter__(self) -> Iterator[str]:
        return iter(sorted(self._members))

    def __len__(self) -> int:
        return len(self._members)

    def __repr__(self) -> str:
        return f"<Registry of {len(self)} {self.kind}: {', '.join(self)}>"
