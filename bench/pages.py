"""Every page of researchers at the size that design section 9 names: queries, CPU ms and kB, beside the limits.

There are 200 studies; one has 300,000 places of 100,000 outputs, 700 raters, a million ratings, and a run over them.
Each page is asked for in a fork of a web process that has shown nothing yet (`bench.looking`). CPU is that of the fork
and of its PostgreSQL backend: at the first look, and the least of several after it. Limits are for both. The list of
studies beside an empty one comes last.
"""

from django.conf import settings
from django.contrib.auth.models import User
from django.db import connection
from django.test import Client

from analytics_app import plan
from analytics_app.models import Plot, ResultLift
from analytics_app.runs import start
from bench import crowds
from bench.addresses import DRAFTS, FILES, PAGES, Address
from bench.looking import Cost, Looker
from tasks_app.models import Rater, Study
from tasks_app.projects import work
from tasks_app.services.study import projects, tokens
from tasks_app.setup import changes
from tasks_app.setup.frozen import current_version, frozen_setup

STUDIES, ITEMS, SYSTEMS, K, CRITERIA, RATERS, BOOKLETS = 200, 20_000, 5, 3, 10, 700, 4_550
ROUNDS = 5
MOST_QUERIES, MOST_MS, MOST_KB = 15, 300, 150
# Most times that a list with studies may take as long as an empty one.
MOST_OF_EMPTY = 3


def main() -> None:
    """Fill the database, ask for every page and print a line for each."""
    owner = User.objects.create_user("bench-owner", is_staff=True)
    stranger = User.objects.create_user("bench-stranger", is_staff=True)
    study = fill(owner)
    print(f"{STUDIES} studies stored, one with a million ratings and a run over them", flush=True)
    token = tokens.make(user=owner, name="bench", scopes=list(tokens.SCOPES), study=study, everywhere=True)
    browser, script = headers_of(owner), {"authorization": f"Bearer {token.secret}"}
    words = words_of(study)
    draft = crowds.load_draft("draft", items=ITEMS, systems=SYSTEMS, k=K, criteria=CRITERIA, owner=owner)
    changes.begin(draft)
    with connection.cursor() as cursor:
        cursor.execute("VACUUM ANALYZE")
    with Looker.started() as looker:

        def look(address: Address, rounds: int) -> tuple[Cost, Cost]:
            headers = script if address.name.startswith("api") else browser
            return looker.look(address.path(words | {"DRAFT": draft.slug}), headers=headers, rounds=rounds)

        print(f"{'':58} first look: queries, CPU ms: web + database, kB; later")
        for address in (*PAGES, *DRAFTS):
            print(line(address, *look(address, ROUNDS)), flush=True)
        for address in FILES:
            print(f"{address!s:58} {look(address, 0)[0].queries:7}  (a file)", flush=True)
        path = Address("researcher:studies").path({})
        _first, full = looker.look(path, headers=browser, rounds=4 * ROUNDS)
        _first, empty = looker.look(path, headers=headers_of(stranger), rounds=4 * ROUNDS)
    ratio = full.ms / empty.ms
    print(f"the list of {STUDIES} studies beside an empty one: {ratio:.2f} (promised: at most {MOST_OF_EMPTY})")


def headers_of(user: User) -> dict[str, str]:
    """Sign a person in, and return the headers of their browser."""
    browser = Client()
    browser.force_login(user)
    return {"cookie": f"{settings.SESSION_COOKIE_NAME}={browser.cookies[settings.SESSION_COOKIE_NAME].value}"}


def fill(owner: User) -> Study:
    """Store the studies, the large one last, and a run of the default analyses."""
    for number in range(STUDIES - 1):
        small = crowds.load(f"small-{number}", items=20, systems=2, k=2, criteria=2, owner=owner)
        crowds.fill(small, raters=3, booklets=3)
    study = crowds.load("large", items=ITEMS, systems=SYSTEMS, k=K, criteria=CRITERIA, owner=owner)
    crowds.fill(study, raters=RATERS, booklets=BOOKLETS)
    with connection.cursor() as cursor:
        cursor.execute("VACUUM ANALYZE")
    run = start.start(study=study, by=None, settings=plan.check({}, study), trigger="command")
    start.compute_here(run=run)
    assert run.state == "done", run.error
    with connection.cursor() as cursor:
        cursor.execute("VACUUM ANALYZE")
    return study


def words_of(study: Study) -> dict[str, str]:
    """Return the values of names in addresses; results by system are shown, though the study is open."""
    run = study.runs.get()
    ResultLift.objects.create(study=study, reason="Whatever pages of results show is asked for.")
    project = projects.put_into_new(study=study, name="Bench", by=None)
    frozen_setup(current_version(study))  # made when somebody first looks
    owner = User.objects.get(memberships__study=study, memberships__role="owner")
    opened = work.begin(project=project, action="open", studies=[study], by=None)
    return {
        "SLUG": study.slug,
        "PROJECT": project.slug,
        "WORK": str(opened.pk),
        "DELETED": str(crowds.delete_another(owner).number),
        "RUN": str(run.number),
        "PLOT": str(Plot.objects.filter(run=run, by_system=False).values_list("pk", flat=True)[0]),
        "RATER": str(Rater.objects.filter(study=study).order_by("id")[0]),
        "ITEM": str(study.items.earliest("pk").pk),
    }


def line(address: Address, first: Cost, later: Cost) -> str:
    """Format the costs of a page as a line, with a mark if one is more than promised."""
    within_limits = all(
        cost.queries <= MOST_QUERIES and cost.ms <= MOST_MS and cost.kilobytes <= MOST_KB for cost in (first, later)
    )
    shown = f"{address!s:58} {shown_cost(first)}; {shown_cost(later)}"
    return shown + ("" if within_limits else f"  MORE THAN {MOST_QUERIES}, {MOST_MS} OR {MOST_KB}")


def shown_cost(cost: Cost) -> str:
    """Format the queries, CPU ms and kB of a look."""
    return f"{cost.queries:3} {cost.ms:6.0f}: {cost.web:5.0f} + {cost.database:5.0f} {cost.kilobytes:5.0f}"
