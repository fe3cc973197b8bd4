"""The role of a user in each study of a project."""

from tasks_app.models import Study


def role_in(study: Study) -> str | None:
    """Return the role from the query of a project's studies; None for a superuser's look at others' studies."""
    role: str | None = vars(study)["own_role"]
    return role
