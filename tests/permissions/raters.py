"""The rows of pages that anybody may open: a rater's pages know people by the address alone."""

from collections.abc import Mapping
from typing import Any

from django.test import Client

from tests import pages
from tests.permissions.rows import PEOPLE, SIGN_IN, Row, public
from tests.permissions.world import World


def _signed(where: str, action: str = "", **filled: str) -> Any:
    """Return the fields that a form on a rater's page sends; both addresses are what follows the rater's token.

    Without `action` it is the form that the page sends to itself.
    """

    def sent(world: World, row: Row) -> Mapping[str, Any]:
        own = f"/r/{world.words[row.study]['TOKEN']}/"
        page = Client().get(f"{own}{where}").content.decode()
        if not action:
            return {**pages.hidden_fields(page), **filled}
        begin = page.rindex("<form", 0, page.index(f'action="{own}{action}"'))
        # The reader passes over the form of languages, which is on every page.
        form = page[begin : page.index("</form>", begin)].replace('class="languages"', "")
        return {**pages.hidden_fields(form), **filled}

    return sent


def _consent(channel: str = "") -> Any:
    """Return the fields that the consent form of a channel sends."""

    def sent(world: World, row: Row) -> Mapping[str, Any]:
        code = world.words[row.study]["CODE"]
        return pages.hidden(Client().get(f"/join/{code}/{channel}"))

    return sent


def _draft(world: World, row: Row) -> Mapping[str, Any]:
    form = pages.unit(Client(), world.words[row.study]["TOKEN"])
    return {"form_token": form["form_token"], "counter": 1, "answer": {"p1-fluency": "3"}}


COMMENT = {"token": "COMMENT_TOKEN"}


def _comment(world: World, row: Row) -> Mapping[str, Any]:
    """Return the fields that the form of a study shared for comment sends."""
    page = Client().get(f"/comment/{world.words[row.study]['COMMENT_TOKEN']}/")
    return {**pages.hidden(page, "write"), "name": "Cleo", "text": "Too long."}


def own(method: str, name: str, status: int = 200, *, path: Mapping[str, str] | None = None, **rest: Any) -> Row:
    """Return the row of a rater's page: whoever has the token is the rater, signed in or not."""
    return public(method, name, status, path={"token": "TOKEN", **(path or {})}, **rest)


PUBLIC = [
    public("GET", "public:home"),
    public("POST", "public:home", 422, sent={"p1-spans": "no spans"}),
    public("GET", "public:patterns"),
    public("GET", "public:catalogue"),
    public("GET", "public:task_type", path={"name": "likert"}),
    public("GET", "public:comment", path=COMMENT),
    public("POST", "public:comment", 302, path=COMMENT, sent=_comment, changes=True),
    public("GET", "public:comment_preview", path=COMMENT),
    public("GET", "colleagues:join", path={"token": "COLLEAGUE_TOKEN"}),
    Row(
        "POST",
        "colleagues:join",
        "anybody",
        dict.fromkeys(PEOPLE, 302) | {"anonymous": 200, "rater": 200},
        path={"token": "COLLEAGUE_TOKEN"},
        sent={"way": "accept"},
        note="accepted by researchers only",
    ),
    public("GET", "colleagues:join", 404, path={"token": "COLLEAGUE_TOKEN"}, study="draft", note="no such token"),
    public("POST", "public:comment_preview", 422, path=COMMENT),
    public("GET", "public:comment_media", path={**COMMENT, "name": "MEDIA"}),
    public("GET", "public:comment", 404, path=COMMENT, study="draft", note="no such token"),
    public("POST", "public:task_type", 422, path={"name": "likert"}, sent={"p1-fluency": "9"}),
]

ARRIVING = [
    public("GET", "rater:join", path={"code": "CODE"}),
    public("POST", "rater:join", 302, path={"code": "CODE"}, sent=_consent(), changes=True),
    public("GET", "rater:arrive", path={"code": "CODE", "channel": "link"}),
    public("POST", "rater:arrive", 302, path={"code": "CODE", "channel": "link"}, sent=_consent("link/"), changes=True),
    Row("GET", "rater:studies", "anybody", dict.fromkeys(PEOPLE, 200) | {"anonymous": SIGN_IN}),
    public("GET", "rater:sign_in"),
    public("POST", "rater:sign_in", sent={"username": "nobody", "password": "wrong"}),
    public("POST", "rater:sign_out", 302),
]

# What a page of the answers holds once everything was filled in.
ANSWER = {"p1-fluency": "4", "comment": "", "log": "[]", "replaces": "", "seconds_active": "1"}

OWN = [
    own("GET", "rater:next", 302),
    # Who has begun is shown where they are.
    own("GET", "rater:instructions", 302),
    own("POST", "rater:instructions", 403),
    own("GET", "rater:judge"),
    own("POST", "rater:judge", 302, sent=_signed("judge/", **ANSWER), changes=True),
    own("GET", "rater:unit", 302, path={"order": "1"}),
    own("POST", "rater:unit", 403, path={"order": "1"}),
    own("POST", "rater:draft", sent=_draft, changes=True, is_json=True),
    own("POST", "rater:show_text", 403, note="no text with a set time"),
    own("GET", "rater:elsewhere", 404, path={"order": "1"}, note="no task on another site"),
    own("POST", "rater:skip", 302, sent=_signed("judge/", "skip/", reason="other", comment="x"), changes=True),
    own("GET", "rater:media", path={"name": "MEDIA"}),
    own("GET", "rater:overview", 302),
    own("GET", "rater:summary"),
    own("GET", "rater:feedback", 302, path={"order": "1"}),
    own("POST", "rater:feedback", 302, path={"order": "1"}),
    own("GET", "rater:exam", 302, path={"number": "1"}),
    own("POST", "rater:exam", 302, path={"number": "1"}),
    own("GET", "rater:notice", 302),
    own("POST", "rater:notice", 302),
    own("GET", "rater:messages", 302),
    own("POST", "rater:messages", 302),
    own("GET", "rater:waiting", 302),
    own("GET", "rater:calendar", 302),
    own("GET", "rater:mail"),
    own("POST", "rater:mail", sent=_signed("mail/")),
    own("GET", "rater:help"),
    own("GET", "rater:stop"),
    own("POST", "rater:stop", 302, sent=_signed("stop/"), changes=True),
    own("GET", "rater:end", 302),
    own("POST", "rater:more", 403),
    own("POST", "rater:link", 302, sent=_signed("help/", "link/"), changes=True),
    own("GET", "rater:stored"),
    own("GET", "rater:mine"),
    own("GET", "rater:withdraw"),
    own("POST", "rater:withdraw", sent=_signed("withdraw/"), changes=True),
    own("POST", "rater:language", 302, sent=_signed("help/", "language/", language="de", back="/"), changes=True),
]

# The other site of a task has a token of its own, which no study here has given out.
OTHER_SITE = [
    public(method, "rater:report", 404, path={"token": "TOKEN"}, note="no token of a task")
    for method in ("GET", "POST", "OPTIONS")
]

ROWS = [*PUBLIC, *ARRIVING, *OWN, *OTHER_SITE]
