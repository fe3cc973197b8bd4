"""The cost of fits with raters and items random: `python -m bench.fits` prints the table of docs/methods.

Each fit runs in a process of its own with one thread, as in a worker. Printed are the processor seconds of the fit, and
by how much it raises the largest memory that the process takes.
"""

import os
import resource
import subprocess
import sys
import time

# Texts, systems, ratings of each text, and raters. Raters follow each other in a ring, so that each meets every system.
DESIGNS = (
    (60, 3, 5, 5),
    (200, 5, 10, 10),
    (400, 5, 10, 10),
    (2_000, 5, 10, 10),
    (2_000, 5, 10, 100),
    (2_000, 5, 10, 160),
    (2_000, 5, 10, 200),
    (10_000, 10, 10, 10),
    (33_333, 3, 10, 10),
    (10_000, 5, 20, 100),
    (10_000, 5, 20, 200),
)
# The same for the model of ordinal steps, which takes up to 20,000 ratings.
OF_STEPS = (
    (60, 3, 5, 5),
    (20, 30, 1, 20),
    (40, 30, 1, 400),
    (200, 5, 10, 10),
    (400, 5, 10, 10),
    (100, 2, 10, 500),
    (200, 30, 3, 30),
    (100, 30, 1, 1_000),
)
# Share of ratings that are missing by chance, so that few texts have the same ratings.
GAPS = (0.0, 0.03)


def fit(model: str, items: int, systems: int, times: int, raters: int, gaps: float) -> None:
    """Fit a model to simulated steps 1 to 5; prints its method, processor seconds and MiB."""
    import numpy as np  # noqa: PLC0415  the number of threads is set before

    from analytics_app.stats.mixed.crossed import compare_crossed  # noqa: PLC0415
    from analytics_app.stats.mixed.ordinal import compare_ordinal  # noqa: PLC0415

    rng = np.random.default_rng(1)
    item, system, turn = (codes.ravel() for codes in np.indices((items, systems, times)))
    rater = turn if raters == times else (turn + (item * systems + system) // 7) % raters
    latent = 3 + 0.1 * system + rng.normal(0, 0.9, items)[item] + rng.normal(0, 0.3, (items, systems))[item, system]
    latent += rng.normal(0, 0.3, raters)[rater] + rng.normal(0, 0.3, (raters, systems))[rater, system]
    values = np.clip(np.round(latent + rng.normal(0, 0.9, item.size)), 1, 5)
    kept = rng.random(item.size) >= gaps
    columns = (values[kept], system[kept], item[kept], rater[kept])
    pairs = [(a, b) for a in range(systems) for b in range(a)]
    # The libraries are loaded, and counted, by a first fit.
    compare_crossed([1, 2, 2, 1, 3, 3], [0, 1] * 3, [0, 0, 1, 1, 2, 2], [0] * 6, n_systems=2, pairs=[], confidence=0.95)
    before, began = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss, time.process_time()
    if model == "linear":
        method = compare_crossed(*columns, n_systems=systems, pairs=pairs, confidence=0.95).method
    else:
        note = compare_ordinal(*columns, n_systems=systems, pairs=pairs, confidence=0.95).note
        method = "ordinal model" if note is None else "beyond the limit"
    seconds = time.process_time() - began
    memory = (resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before) / 1024
    print(f"{method} | {seconds:.2f} | {memory:.0f}")


def main() -> None:
    """Print the table."""
    print("| ratings | texts x systems x ratings per text | raters | missing | method | processor s | MiB |")
    print("|---|---|---|---|---|---|---|")
    for model, designs in (("linear", DESIGNS), ("ordinal", OF_STEPS)):
        for items, systems, times, raters in designs:
            for gaps in GAPS if model == "linear" else GAPS[:1]:
                n = items * systems * times
                design = [model, *map(str, (items, systems, times, raters, gaps))]
                answer = subprocess.run(
                    [sys.executable, "-m", "bench.fits", *design],
                    check=True,
                    stdout=subprocess.PIPE,
                    text=True,
                    env=os.environ | {"OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1"},
                )
                of_text = f"{items:,} x {systems} x {times}"
                print(f"| {n:,} | {of_text} | {raters} | {gaps:.0%} | {answer.stdout.strip()} |", flush=True)


if __name__ == "__main__":
    if sys.argv[1:]:
        items, systems, times, raters = map(int, sys.argv[2:6])
        fit(sys.argv[1], items, systems, times, raters, float(sys.argv[6]))
    else:
        main()
