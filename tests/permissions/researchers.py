"""The rows of researchers' pages."""

from collections.abc import Mapping
from typing import Any

from analytics_app.heds.questions import questions
from analytics_app.heds.sheet import Entry
from tasks_app.projects.splitting import Split
from tasks_app.selectors.coding import answers_to
from tasks_app.views.researcher.setup.texts.splitting import shown_by
from tests.permissions.rows import PEOPLE, RESEARCHER, Row, page
from tests.permissions.world import OUTCOMES, PERSONAL_TEXTS, RATINGS, SCORES, World, csv_file, packed, upload

VIEWER, EDITOR, OWNER = "viewer", "editor", "owner"


def _study_file(state: str, **more: str) -> Any:
    """Return an upload of a study that exists already."""

    def sent(world: World, _row: Row) -> Mapping[str, Any]:
        return {"file": packed(world.studies[state]), **more}

    return sent


def _columns(text: str, **chosen: str) -> Any:
    """Return the fields that the second page of an import sends; RATER in a file is a rater of the study."""

    def sent(world: World, row: Row) -> Mapping[str, Any]:
        content = text.replace("RATER", world.words[row.study].get("RATER", ""))
        return {"action": "import", "file": upload(world.studies[row.study], content), **chosen}

    return sent


def _upload(text: str) -> Any:
    """Return the fields that the first page of an import sends."""

    def sent(_world: World, _row: Row) -> Mapping[str, Any]:
        return {"action": "upload", "file": csv_file(text)}

    return sent


SHEET = '{"heds-ethics-impact_assessments": {"data": {"": "None."}}}'
PLACE = {"seen-3.3.8": Entry(questions()["3.3.8"]).shown, "text-3.3.8": "A quiet room."}


CHOSEN = {"mode": "columns", "repeats": "refuse"} | {
    f"column-{name}": name for name in ("rater", "item", "system", "criterion", "value")
}
BONUS = {"to": "listed", "raters": "PAYEE", "amount": "0.50", "reason": "care", "form": "0" * 32}
NAMES = {"title": "Another", "public_title": "Texts"}
TEXTS_TABLE = "item,system,output\ni9,alpha,A text.\n"
SPLIT = {"column": "feature_x", "title": "{title} {value}", "public_title": "T", "project": "P"}
SYSTEMS = {"base": "0", "kind-alpha": "human", "kind-beta": "machine"}
TOKEN = {"name": "notebook", "scopes": "read:studies", "days": "90"}

STUDIES = [
    page("GET", "researchers", RESEARCHER, 302),
    page("GET", "researcher:studies", RESEARCHER),
    page("GET", "researcher:load", RESEARCHER),
    page("GET", "projects:projects", RESEARCHER),
    page("GET", "help:index", RESEARCHER),
    page("GET", "help:index", RESEARCHER, query={"q": "known answers"}, note="search"),
    page("GET", "help:page", RESEARCHER, path={"name": "study-file"}),
    page("GET", "help:picture", RESEARCHER, path={"name": "rater.png"}),
    page("GET", "researcher:welcome", RESEARCHER),
    page("GET", "log:log", RESEARCHER),
    page("GET", "researcher:new", RESEARCHER),
    page("GET", "researcher:new", RESEARCHER, query={"task_type": "likert"}, note="of a type"),
    page("GET", "researcher:new", EDITOR, query={"study": "SLUG"}, study_in_path=False, note="a copy"),
    page("GET", "researcher:new", EDITOR, query={"study": "SLUG"}, study_in_path=False, study="draft", note="a copy"),
    page("POST", "researcher:new", RESEARCHER, 302, sent={"task_type": "likert", **NAMES}, changes=True),
    page(
        "POST", "researcher:new", EDITOR, 302, sent={"study": "SLUG", **NAMES}, study_in_path=False, changes=True,
        note="a copy",
    ),
    *(
        page("POST", "researcher:template", OWNER, 302, study=state, sent={"action": "save"}, changes=True)
        for state in ("draft", "open")
    ),
    # A study of that slug is there, whoever asks: only its editors and owners may replace it, and only a draft.
    page("POST", "researcher:load", RESEARCHER, 422, sent=_study_file("draft"), note="a taken slug"),
    Row(
        "POST", "researcher:load", EDITOR,
        dict.fromkeys(PEOPLE, 302) | {"rater": 404, "stranger": 422, "viewer": 422},
        sent=_study_file("draft", replace="on"), changes=True, note="in the place of a draft",
    ),
]  # fmt: skip

SETTING_UP = [
    page("GET", "researcher:library", EDITOR, study="draft", changes=True),
    page("GET", "researcher:consent_draft", EDITOR, study="draft", changes=True),
    page("POST", "researcher:consent_draft", EDITOR, 422, study="draft", changes=True),
    page(
        "POST", "researcher:library", EDITOR, 302, sent={"task": "0", "key": "coherence"}, study="draft", changes=True
    ),
    page("GET", "researcher:choose_type", EDITOR, 302, study="draft", changes=True, note="it has a task"),
    page("POST", "researcher:choose_type", EDITOR, 302, study="draft", sent={"task_type": "likert"}, changes=True),
    page("GET", "researcher:setup", VIEWER),
    page("GET", "researcher:setup", VIEWER, study="draft"),
    # The first look at the form of a draft stores what it begins with; of what was opened, what was frozen.
    *(
        page("GET", "researcher:step", EDITOR, study="draft", path={"step": step}, changes=True, note=step)
        for step in ("task", "questions", "raters", "checks", "consent", "analysis")
    ),
    page("GET", "researcher:step", EDITOR, path={"step": "task"}, note="opened"),
    page("GET", "researcher:step", EDITOR, study="closed", path={"step": "checks"}, note="closed"),
    page("GET", "researcher:step", EDITOR, study="routed", path={"step": "task"}, changes=True, note="a first look"),
    *(
        page("GET", name, EDITOR, note="opened")
        for name in ("researcher:review", "researcher:setup_file", "researcher:texts")
    ),
    page("GET", "researcher:preview", VIEWER, note="opened"),
    page("GET", "researcher:unit_table", EDITOR, path={"table": "controls"}, note="opened"),
    page("POST", "researcher:step", EDITOR, 302, path={"step": "task"}, sent={"study.title": "x"}, note="opened"),
    page("POST", "researcher:changed_version", EDITOR, 302, changes=True),
    page("GET", "researcher:comments", VIEWER),
    page("GET", "researcher:comments", VIEWER, study="draft"),
    page("POST", "researcher:comments", VIEWER, 302, sent={"text": "x", "reply_to": "COMMENT"}, changes=True),
    page(
        "POST", "researcher:mark_comment", EDITOR, 302, path={"comment": "COMMENT"}, sent={"done": "yes"}, changes=True
    ),
    page("POST", "researcher:share_comment", EDITOR, sent={"days": "14"}, changes=True),
    page(
        "POST", "researcher:comment_link", EDITOR, 302, path={"link": "COMMENT_LINK"}, sent={"action": "end"},
        changes=True,
    ),
    page("POST", "researcher:changed_version", EDITOR, 404, study="draft", note="of a draft"),
    page(
        "POST", "researcher:step", EDITOR, 302, study="draft", path={"step": "task"},
        sent={"study.title": "Another"}, changes=True,
    ),
    *(
        page("GET", name, EDITOR, study="draft", changes=True)
        for name in (
            "researcher:review",
            "researcher:setup_file",
            "researcher:setup_zip",
            "researcher:preregistration",
        )
    ),
    page("GET", "researcher:preview", VIEWER, study="draft", changes=True),
    page("POST", "researcher:preview", VIEWER, 422, study="draft", sent={}, changes=True),
    page("POST", "researcher:review", EDITOR, 302, study="draft", sent={}, changes=True),
    page("POST", "researcher:setup_file", EDITOR, 409, study="draft", sent={"text": "study: {}"}, changes=True),
    page("GET", "researcher:setup_media", VIEWER, path={"name": "MEDIA"}),
    page("GET", "researcher:items", VIEWER),
    page("GET", "researcher:log", VIEWER, 302),
    page("GET", "researcher:design", VIEWER),
    page("GET", "researcher:design", VIEWER, study="draft"),
    page("POST", "researcher:fix_plan", EDITOR, 302, study="draft", sent={"fix": "tasks.0.k"}, changes=True),
    page("GET", "researcher:pairs", VIEWER),
    # What holds known answers or the plan (access.GOLD_READER), in every state of the study.
    *(
        page("GET", name, EDITOR, study=state, path=path, changes=name != "researcher:checks")
        for name, path in (
            ("researcher:file", {}),
            ("researcher:plan", {}),
            ("researcher:checks", {}),
            ("researcher:checks_csv", {"table": "units"}),
            ("researcher:checks_csv", {"table": "raters"}),
        )
        for state in ("draft", "open", "closed")
    ),
    page("POST", "researcher:move", EDITOR, 302, sent={"action": "open"}, study="draft", note="lead to Review"),
    page(
        "POST", "researcher:move", EDITOR, 302, sent={"action": "open", "sure": "yes", "reason": "as it is"},
        study="draft", changes=True, note="open",
    ),
    page("POST", "researcher:move", EDITOR, 302, sent={"action": "pause"}, changes=True, note="pause"),
    page("POST", "researcher:move", EDITOR, sent={"action": "close"}, note="ask before closing"),
    page("POST", "researcher:move", EDITOR, 302, sent={"action": "close", "sure": "yes"}, changes=True, note="close"),
    page("POST", "researcher:move", OWNER, sent={"action": "open"}, study="closed", note="ask before reopening"),
    page(
        "POST", "researcher:move", OWNER, 302, sent={"action": "open", "sure": "yes", "reason": "too few raters"},
        study="closed", changes=True, note="reopen",
    ),
]  # fmt: skip

TEXTS = [
    page("GET", "researcher:texts", EDITOR, study="draft"),
    page("POST", "researcher:texts", EDITOR, 302, study="draft", sent=_upload(TEXTS_TABLE), changes=True),
    page("POST", "researcher:texts", EDITOR, 302, study="draft", sent={"action": "remove", "row": "1"}, changes=True),
    page("GET", "researcher:text_new", EDITOR, study="draft"),
    page(
        "POST", "researcher:text_new", EDITOR, 302, study="draft", changes=True,
        sent={"item": "new", "system": "alpha", "output": "A text."},
    ),
    page("GET", "researcher:text_row", EDITOR, study="draft", path={"number": "1"}),
    page("POST", "researcher:text_row", EDITOR, 422, study="draft", path={"number": "1"}, sent={"item": "i0"}),
    page("POST", "researcher:text_systems", EDITOR, 302, study="draft", sent=SYSTEMS, changes=True),
    page("GET", "researcher:text_sample", EDITOR, study="draft"),
    page("POST", "researcher:text_sample", EDITOR, 302, study="draft", sent={"n": "1"}, changes=True),
    page("GET", "researcher:degrade", EDITOR, study="draft"),
    page("POST", "researcher:degrade", EDITOR, 422, study="draft", sent={"systems": "nobody"}),
    page("GET", "researcher:split", EDITOR, study="draft"),
    page(
        "POST", "researcher:split", EDITOR, 302, study="draft", changes=True,
        sent={**SPLIT, "action": "make", "shown": shown_by(Split("feature_x", SPLIT["title"], SPLIT["public_title"]))},
    ),
    page("GET", "researcher:text_media", EDITOR, study="draft"),
    page(
        "POST", "researcher:text_media", EDITOR, 302, study="draft", changes=True,
        sent={"action": "remove", "name": "x"},
    ),
]  # fmt: skip

CONTROLS = {"table": "controls"}
KNOWN = {"unit": "i0/alpha-mt", "purpose": "control", "kind": "exact", "answer": "4"}
KNOWN_TABLE = "unit,purpose,kind,answer\ni0/alpha-mt,control,exact,4\n"

UNIT_TABLES = [
    page("GET", "researcher:unit_table", EDITOR, study="draft", path=CONTROLS),
    page(
        "POST", "researcher:unit_table", EDITOR, 302, study="draft", path=CONTROLS, sent=_upload(KNOWN_TABLE),
        changes=True,
    ),
    page(
        "POST", "researcher:unit_table", EDITOR, 302, study="draft", path=CONTROLS, changes=True, note="remove",
        sent={"action": "remove", "row": "1"},
    ),
    page("GET", "researcher:unit_new", EDITOR, study="draft", path=CONTROLS),
    page("POST", "researcher:unit_new", EDITOR, 302, study="draft", path=CONTROLS, sent=KNOWN, changes=True),
    page("GET", "researcher:unit_row", EDITOR, study="draft", path={**CONTROLS, "number": "1"}),
    page(
        "POST", "researcher:unit_row", EDITOR, 422, study="draft", path={**CONTROLS, "number": "1"},
        sent={"unit": "i0/alpha-mt"},
    ),
    page("GET", "researcher:unit_template", EDITOR, study="draft", path=CONTROLS),
]  # fmt: skip

RECRUITING = [
    page("GET", "researcher:recruit", VIEWER),
    page("GET", "researcher:rehearse", EDITOR, 302, study="draft", note="without one"),
    page("POST", "researcher:rehearse", EDITOR, 302, study="draft", changes=True),
    page("GET", "researcher:try", EDITOR),
    page("GET", "researcher:try", EDITOR, query={"channel": "prolific", "outcome": "completed"}, note="an ending"),
    page("GET", "researcher:invited", EDITOR),
    page("POST", "researcher:invited", EDITOR, sent={"channel": "invited", "people": "Ann"}, changes=True),
    *(
        page(
            "POST", "researcher:invitation", EDITOR, status, path={"invitation": "INVITATION"},
            sent={"action": action}, changes=True, note=action,
        )
        for action, status in (("renew", 200), ("revoke", 302))
    ),
    # The account rates in a study too in which the owner is an editor, and the editor a viewer.
    page(
        "POST", "researcher:invitation", OWNER, path={"invitation": "ACCOUNT"}, sent={"action": "renew"},
        changes=True, note="renew a password", others={"editor": 302},
    ),
    page("GET", "researcher:statuses", EDITOR, path={"channel": "prolific"}),
    page(
        "POST", "researcher:statuses", EDITOR, path={"channel": "prolific"},
        sent={"status": "RETURNED", "ids": "VISIT"}, changes=True,
    ),
    page("GET", "researcher:due", EDITOR),
    page("POST", "researcher:due_link", EDITOR, sent={"rater": "RATER", "sure": "yes"}, changes=True),
    page("GET", "researcher:due_ids", EDITOR, path={"wave": "1"}, changes=True),
    page("GET", "researcher:due_csv", EDITOR, path={"wave": "1"}, changes=True),
]  # fmt: skip

RATERS = [
    *(
        page("POST", "analytics:act", least, 302, sent={"rater": "RATER", "action": action}, changes=True, note=action)
        for action, least in (
            ("pause", EDITOR),
            ("returned", EDITOR),
            ("timed_out", EDITOR),
            ("forget", OWNER),
            ("erase", OWNER),
        )
    ),
    page(
        "POST", "analytics:act", OWNER, 302, sent={"rater": "RATER", "action": "allow", "reason": "Ill"}, note="allow"
    ),
    page("POST", "analytics:write", EDITOR, 302, sent={"rater": "RATER", "text": "Thank you."}, changes=True),
    page("POST", "analytics:new_link", EDITOR, sent={"rater": "RATER"}, changes=True),
    page("GET", "analytics:monitor", VIEWER),
    page("GET", "analytics:monitor", VIEWER, query={"live": "1"}, note="live"),
    page("GET", "analytics:raters", VIEWER),
    page("GET", "analytics:raters", VIEWER, query={"live": "1", "show": "left"}, note="live"),
    page("GET", "analytics:rater", VIEWER, path={"pseudonym": "PAYEE"}),
    page("GET", "analytics:judgments", VIEWER, path={"pseudonym": "PAYEE"}),
    page("POST", "analytics:exclude", EDITOR, 302, sent={"rater": "PAYEE", "reason": "tired"}, changes=True),
    page("POST", "analytics:include", EDITOR, 302, path={"pk": "EXCLUSION"}, changes=True),
]

PAYING = [
    page("GET", "researcher:pay", VIEWER),
    page("GET", "researcher:pay_table", VIEWER),
    page("GET", "researcher:pay_file", OWNER, path={"channel": "prolific", "name": "bonuses"}, changes=True),
    page("POST", "researcher:pay_bonus", OWNER, 302, sent=BONUS, changes=True),
    page("POST", "researcher:pay_withhold", OWNER, 302, sent={"rater": "PAYEE", "reason": "none"}, changes=True),
    page("POST", "researcher:pay_undo", OWNER, 302, path={"pk": "PAYMENT"}, changes=True),
    page("POST", "researcher:pay_settle", OWNER, sent={"channel": "prolific"}, note="ask"),
    page("POST", "researcher:pay_settle", OWNER, 302, sent={"channel": "prolific", "sure": "yes"}, changes=True),
    page("POST", "researcher:pay_mend", OWNER, sent={"form": "1" * 32}, note="ask"),
    page(
        "POST", "researcher:pay_mend", OWNER, 302, changes=True,
        sent={"form": "1" * 32, "seen": "MISSING", "sure": "yes"},
    ),
    page("POST", "researcher:pay_absent", OWNER, 302, study="closed", changes=True),
]  # fmt: skip

MOTIVES = {"criterion": "motive"}

DATA = [
    page("GET", "analytics:data", VIEWER),
    page("GET", "analytics:archive", EDITOR, study="closed", changes=True),
    # Whoever reads answers while raters work could steer them; afterwards every member takes them out.
    page("GET", "analytics:ratings", OWNER, path={"format": "csv"}, changes=True),
    page("GET", "analytics:labels", OWNER, path={"pseudonym": "PAYEE"}, changes=True),
    page("GET", "analytics:first_answer", OWNER, path={"pseudonym": "PAYEE"}, changes=True),
    page("GET", "analytics:answers", OWNER, path={"pseudonym": "PAYEE", "order": "1"}, changes=True),
    page("GET", "analytics:answers", VIEWER, path={"pseudonym": "PAYEE", "order": "1"}, study="closed", changes=True),
    page("GET", "analytics:answers_media", OWNER, path={"pseudonym": "RATER", "name": "MEDIA"}),
    page("GET", "analytics:ratings", VIEWER, path={"format": "jsonl"}, study="closed", changes=True),
    page("GET", "analytics:as_format", OWNER, path={"format": "parquet"}, changes=True),
    page("GET", "analytics:as_format", VIEWER, path={"format": "parquet"}, study="closed", changes=True),
    page("GET", "researcher:import", EDITOR),
    page("POST", "researcher:import", EDITOR, 302, sent=_upload(RATINGS), changes=True, note="upload"),
    page("GET", "researcher:import_progress", EDITOR, 302, note="nothing was imported by a worker"),
    page("GET", "researcher:one_table", OWNER),
    page("GET", "researcher:of_format", OWNER, 302),
    page("POST", "researcher:of_format", OWNER, 302),
    page("POST", "researcher:one_table", OWNER, 302, sent=_upload(RATINGS), changes=True, note="upload"),
    page("POST", "researcher:import", EDITOR, 302, sent=_columns(RATINGS, **CHOSEN), changes=True, study="closed"),
    page("GET", "analytics:datasheet", VIEWER),
    page("GET", "analytics:datasheet_file", VIEWER, path={"format": "json"}),
    page("POST", "analytics:datasheet", EDITOR, 302, query={"section": "3"}, sent=PLACE, changes=True),
    page("POST", "analytics:datasheet_take_back", EDITOR, 302, sent={"question": "3.3.8"}, note="nothing to take back"),
    page("GET", "analytics:datasheet_import", EDITOR),
    page("POST", "analytics:datasheet_import", EDITOR, 302, sent=_upload(SHEET), changes=True),
    page("GET", "analytics:coding", VIEWER, study="coded"),
    page("GET", "analytics:codebook", VIEWER, study="coded", path=MOTIVES),
    page("POST", "analytics:codebook", EDITOR, 302, study="to-code", path=MOTIVES, sent={"codes": "New"}, changes=True),
    # Who codes sees the answers only.
    page("GET", "analytics:code_answers", EDITOR, study="to-code", path=MOTIVES),
    page(
        "POST", "analytics:code_answers", EDITOR, 302, study="to-code", path=MOTIVES,
        sent=lambda world, row: {"answer": answers_to(world.studies[row.study], "motive")[0].pk, "codes": ["Verbs"]},
        changes=True,
    ),
    page(
        "POST", "analytics:decide_codes", EDITOR, 302, study="coded", path=MOTIVES,
        sent={"answer": "ANSWER", "codes": ["Verbs"]}, changes=True,
    ),
    page(
        "POST", "analytics:remove_coder", OWNER, 302, study="coded", path=MOTIVES, sent={"coder": "1", "sure": "on"},
        note="who has finished is not removed",
    ),
    page("POST", "analytics:code_again", OWNER, 302, study="coded", path=MOTIVES, sent={"sure": "on"}, changes=True),
    page("GET", "analytics:codes_file", VIEWER, study="coded", path=MOTIVES, changes=True),
    page("GET", "analytics:collected", VIEWER, study="closed"),
    page("POST", "analytics:verify_texts", EDITOR, 302, study="closed", note="no texts were written"),
    page("POST", "analytics:verify_texts", OWNER, 302, note="while the study is open; no texts were written"),
    page("GET", "analytics:pairs", OWNER, path={"format": "jsonl"}, changes=True),
    page("POST", "analytics:text_bonuses", OWNER, 302, study="closed", note="no bonus was announced"),
    page("GET", "analytics:pairs", VIEWER, study="closed", path={"format": "csv"}, changes=True),
    page("GET", "analytics:next_version", VIEWER, study="draft"),
    page("POST", "analytics:next_version", EDITOR, 422, study="draft", sent={"origin": "nothing"}),
    page("GET", "analytics:marks", VIEWER, study="closed"),
    page(
        "POST", "analytics:reannotate", EDITOR, 422, study="closed", sent={"task": "main", "k": "1", "planted": "0"},
        note="no errors were marked",
    ),
    page("POST", "analytics:reannotate", OWNER, 422, note="while the study is open; no errors were marked"),
    page("GET", "analytics:scores", EDITOR),
    page("POST", "analytics:scores", EDITOR, 302, sent=_upload(SCORES), changes=True, note="upload"),
    page(
        "POST", "analytics:scores", EDITOR, 302, sent=_columns(SCORES, item="item", system="system", metrics="COMET"),
        changes=True
    ),
    page(
        "POST", "analytics:scores", EDITOR, 302,
        sent={"action": "compute", "metrics": "chrF", "tokenizer": "13a", "references": "alpha-mt", "replace": "on"},
        changes=True, note="a worker computes them",
    ),
    page("GET", "analytics:computing_scores", EDITOR, 302, note="nothing was computed"),
    page("POST", "analytics:delete_scores", EDITOR, 302, sent={"metric": "chrF", "sure": "on"}, changes=True),
    page("GET", "analytics:outcomes", EDITOR),
    page("POST", "analytics:outcomes", EDITOR, 302, sent=_upload(OUTCOMES), changes=True, note="upload"),
    page("POST", "analytics:outcomes", EDITOR, 302, sent=_columns(OUTCOMES, rater="rater", replace="on"), changes=True),
    page("POST", "analytics:delete_outcome", EDITOR, 302, sent={"outcome": "steps", "sure": "on"}, changes=True),
    page("GET", "analytics:outcomes_file", OWNER, changes=True),
    page("GET", "analytics:outcomes_file", VIEWER, study="closed", changes=True),
    page("GET", "analytics:personal_texts", EDITOR),
    page("POST", "analytics:personal_texts", EDITOR, 302, sent=_upload(PERSONAL_TEXTS), changes=True, note="upload"),
    page("POST", "analytics:delete_personal_texts", EDITOR, 302, sent={"task": "main", "sure": "on"}, changes=True),
    page("GET", "analytics:personal_texts_file", OWNER, changes=True),
    page("GET", "analytics:personal_texts_file", VIEWER, study="closed", changes=True),
    page("GET", "researcher:api", VIEWER),
    page("POST", "researcher:api", VIEWER, sent=TOKEN, changes=True),
    page("POST", "researcher:revoke", VIEWER, 302, path={"token": "OWN_TOKEN"}, changes=True),
]  # fmt: skip

PLANNING = [
    page("GET", "planning:planning", RESEARCHER),
    page("GET", "planning:planning", VIEWER, query={"study": "SLUG"}, study_in_path=False, note="of a study"),
    page("GET", "planning:plan_ahead", RESEARCHER, path={"what": "triangle"}),
    page(
        "GET", "planning:plan_ahead", VIEWER, path={"what": "cost"}, query={"study": "SLUG"}, study_in_path=False,
        note="of a study",
    ),
]  # fmt: skip

ROWS = [
    *STUDIES, *SETTING_UP, *TEXTS, *UNIT_TABLES, *RECRUITING, *RATERS, *PAYING, *DATA, *PLANNING
]  # fmt: skip
