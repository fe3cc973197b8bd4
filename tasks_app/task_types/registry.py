"""The registry of task types."""

from typing import TypeVar

from tasks_app.hooks.registry import Registry, stem
from tasks_app.task_types.base import TaskType

AnyType = TypeVar("AnyType", bound=TaskType)

registry: Registry[type[TaskType]] = Registry("task type")


def register(member: type[AnyType]) -> type[AnyType]:
    """Make a task type known under its module's name."""
    member.name = stem(member)
    registry.register(member)
    return member
