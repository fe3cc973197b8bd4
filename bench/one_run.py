"""One run worked on by two processes, as by a worker on two cores: `python -m bench.one_run SLUG WHAT [charts]`.

WHAT is "promised" for what design section 9 counts (default rules, z, agreement with 1,000 draws, systems with
intervals and comparisons, raters, distribution), "everything" for every rule and every analysis there is.
"""

import multiprocessing
import os
import resource
import sys
import time

PROCESSES = 2
PROMISED = ("systems", "krippendorff", "correlation", "raters", "distribution")


def main() -> None:
    """Print seconds, processor seconds, the larger peak memory in MiB and the number of rows."""
    os.environ.setdefault("OMP_NUM_THREADS", "1")
    import django  # noqa: PLC0415  the settings come from the environment

    django.setup()
    from django.db import connection  # noqa: PLC0415

    from analytics_app import charts, plan, quality  # noqa: PLC0415
    from analytics_app.runs import start  # noqa: PLC0415
    from tasks_app.models import Study  # noqa: PLC0415

    slug, what, *options = sys.argv[1:]
    if options != ["charts"]:
        charts.draw = charts.draw_task = lambda *_args, **_kwargs: []
    study = Study.objects.get(slug=slug)
    study.runs.all().delete()
    plan_document: dict[str, object] = {"analyses": [{"analysis": name} for name in PROMISED]}
    if what == "everything":
        plan_document = {"rules": [{"rule": name} for name in quality.registry]}
    settings = plan.check(plan_document, study)
    began = time.perf_counter()
    run = start.start(study=study, by=None, settings=settings, trigger="command")
    connection.close()
    fork = multiprocessing.get_context("fork")
    workers = [fork.Process(target=start.compute_here, kwargs={"run": run}) for _number in range(PROCESSES)]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()
    seconds = time.perf_counter() - began
    run.refresh_from_db()
    assert run.state == "done", run.error
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    print(seconds, used.ru_utime + used.ru_stime, used.ru_maxrss / 1024, run.rows.count())


if __name__ == "__main__":
    main()
