"""The task types: one pure module each, found by this package and known under its module's name."""

from tasks_app.task_types.base import TaskType
from tasks_app.task_types.registry import register, registry

registry.discover(__name__)

__all__ = ["TaskType", "register", "registry"]
