"""One run computed in a process of its own, part by part: `python -m bench.one_run SLUG [charts]`."""

import os
import resource
import sys
import time


def main() -> None:
    """Print seconds, peak memory in MiB and the number of rows."""
    os.environ.setdefault("OMP_NUM_THREADS", "1")
    import django  # noqa: PLC0415  the settings come from the environment

    django.setup()
    from analytics_app import charts  # noqa: PLC0415
    from analytics_app.services import runs  # noqa: PLC0415
    from tasks_app.models import Study  # noqa: PLC0415

    slug, with_charts = sys.argv[1], sys.argv[2:] == ["charts"]
    if not with_charts:
        charts.draw = lambda *_args, **_kwargs: []
    study = Study.objects.get(slug=slug)
    study.runs.all().delete()
    began = time.perf_counter()
    run = runs.compute_here(run=runs.start(study=study, by=None, trigger="command"))
    seconds = time.perf_counter() - began
    assert run.state == "done", run.error
    print(seconds, resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024, run.rows.count())


if __name__ == "__main__":
    main()
