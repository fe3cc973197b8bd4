"""Read the other sites on which raters of a study do tasks."""

from tasks_app.models import Study, Task


def hosts_elsewhere(study: Study) -> tuple[str, ...]:
    """Return the other sites on which raters of a study do tasks, each once; one query."""
    tasks = Task.objects.filter(study=study, until=None, params__has_key="elsewhere_hosts").order_by("order", "id")
    return tuple(dict.fromkeys(host for task in tasks for host in task.kind.hosts_elsewhere))
