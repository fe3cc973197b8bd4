"""The program that readers of uploaded files are forked from stays until its process of tests ends.

A site lets it end after a minute without a file (`tasks_app.uploads.limited`). Between tests with files there often is
a minute, and starting it takes two processor seconds.
"""

from tasks_app.uploads import limited

AS_LONG_AS_A_RUN = 24 * 60 * 60


def pytest_configure() -> None:
    """Let the program wait for files as long as a run may take."""
    limited.IDLE = AS_LONG_AS_A_RUN
