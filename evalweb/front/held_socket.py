"""The listening socket that the supervisor of `make run` holds, so that connections wait while nobody accepts them.

It belongs to the supervisor and is passed on to gunicorn under the same number. Processes of the web server whose
main process was killed go on serving on it until those of the next one are there.
"""

import os

NAME = "EVALWEB_WEB_SOCKET"
# The number of the open file, None where gunicorn makes its own socket. Not a setting: only the supervisor sets it.
HELD = os.environ.get(NAME)
