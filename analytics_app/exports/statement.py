"""The SQL statement of the export of ratings: one SELECT over the rows of a study."""

import json
from dataclasses import dataclass
from typing import Any

from django.db.models import Q

from analytics_app.exports.columns import FEATURE, OF_SYSTEM, RATINGS, Column, Kind
from analytics_app.models import Exclusion
from analytics_app.ratings import withdrawn_units
from analytics_app.selectors.runs import best_run
from tasks_app.models import Study, WithdrawnUnit, is_current, statements
from tasks_app.models.judgments import TAKEN_FROM
from tasks_app.selectors import pair_order
from tasks_app.services.high_water import Marks
from tasks_app.texts.plaintext import FORMULA, without_formula

TIME_FORMAT = 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"'

# Every rating, and then the judgments without a rating: skipped ones, and those without an error. Such a judgment is
# about the text of its unit if the unit has only one.
RATED = """
SELECT r.id AS rating, r.judgment_id, r.task_id, r.unit_id, {part} AS part_id, {part_b} AS part_b_id, r.criterion_id,
       r.value, {label} AS label, r.text, r.shown_value, r.span_side, r.span_start, r.span_end, r.category, r.severity,
       r.mark_origin, r.mark_of, r.mark_reason
  FROM tasks_app_rating r
 WHERE r.task_id = ANY(%(tasks)s) {rated}
 UNION ALL
SELECT NULL, j.id, u.task_id, u.id,
       (SELECT CASE WHEN count(*) = 1 THEN min(p.id) END FROM tasks_app_part p WHERE p.unit_id = u.id),
       NULL, NULL, NULL, CASE WHEN j.skip_reason = '' THEN 'none' ELSE 'skip' END, NULLIF(j.skip_reason, ''),
       NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL
  FROM tasks_app_judgment j
  JOIN tasks_app_assignment a ON a.id = j.assignment_id
  JOIN tasks_app_unit u ON u.id = a.unit_id
 WHERE u.task_id = ANY(%(tasks)s) AND NOT EXISTS (SELECT 1 FROM tasks_app_rating r WHERE r.judgment_id = j.id) {silent}
"""

# Only the current answer to an assignment counts, and no answers of sandbox raters.
JUDGED = """
SELECT j.id AS judgment, ra.id AS rater_id, ra.pseudonym AS rater, a.arrangement, a.arrangement->'given_by' AS given_by,
       a.arrangement->'wordings' AS wordings, j.seconds_active AS seconds, j.timing, j.elsewhere,
       to_char(j.submitted_at AT TIME ZONE 'UTC', %(time)s) AS submitted_at, a."order" AS position, a.purpose,
       CASE WHEN a.repeat_of_id IS NOT NULL
            THEN (SELECT max(q.id) FROM tasks_app_judgment q WHERE q.assignment_id = a.repeat_of_id) END AS repeat_of,
       a.wave, g.key AS group_key, j.version, a.state,
       CASE WHEN a.rater_kind = 'imported' AND starts_with(j.answer->'imported'->>'judgment', %(taken_from)s)
            THEN substr(j.answer->'imported'->>'judgment', length(%(taken_from)s) + 1) END AS taken_from
  FROM tasks_app_judgment j
  JOIN tasks_app_assignment a ON a.id = j.assignment_id
  JOIN ra ON ra.id = a.rater_id
  LEFT JOIN g ON g.id = ra.group_id
 WHERE a.rater_kind <> 'sandbox'
   AND {current} {judged}
"""

ITEMS = """
SELECT i.id, {key} AS item, {document} AS document {features}
  FROM tasks_app_item i LEFT JOIN tasks_app_document d ON d.id = i.document_id
 WHERE i.study_id = %(study)s
"""

UNITS = """
SELECT u.id, u.item_id, {task} AS task, {unit} AS unit, {document} AS document
  FROM tasks_app_unit u
  JOIN tasks_app_task t ON t.id = u.task_id
  LEFT JOIN tasks_app_document d ON d.id = u.document_id
 WHERE u.task_id = ANY(%(tasks)s)
"""

SHOWN = """
SELECT po.id, po.part_id, p.number, o.item_id, {system} AS system, {variant} AS variant {attributes}
  FROM tasks_app_partoutput po
  JOIN tasks_app_part p ON p.id = po.part_id
  JOIN tasks_app_unit u ON u.id = p.unit_id
  JOIN tasks_app_output o ON o.id = po.output_id
  JOIN tasks_app_system sy ON sy.id = o.system_id
 WHERE u.task_id = ANY(%(tasks)s)
"""

RATERS = "SELECT id, group_id, {pseudonym} AS pseudonym FROM tasks_app_rater WHERE study_id = %(study)s"
CRITERIA = "SELECT id, {key} AS key FROM tasks_app_criterion WHERE study_id = %(study)s"
GROUPS = "SELECT id, {key} AS key FROM tasks_app_group WHERE study_id = %(study)s"

# Judgments without a rating are last, since nulls sort last. The first key should be unique: more keys cost seconds.
FROM = """
  FROM ({rated}) r
  JOIN ({judged}) j ON j.judgment = r.judgment_id
  JOIN u ON u.id = r.unit_id
  LEFT JOIN s ON s.part_id = r.part_id
  LEFT JOIN s sb ON sb.part_id = r.part_b_id
  LEFT JOIN i ON i.id = COALESCE(s.item_id, u.item_id)
  LEFT JOIN c ON c.id = r.criterion_id {excluded}
 ORDER BY r.rating, r.judgment_id, s.id, sb.id
"""

# An exclusion of a rater by a rule applies to all versions of its task; without a task, it applies everywhere.
EXCLUSIONS = {
    "x": """
SELECT e.rating_id, e.judgment_id, e.rater_id, e.rule, t.key AS task
  FROM analytics_app_exclusion e LEFT JOIN tasks_app_task t ON t.id = e.task_id
 WHERE e.study_id = %(study)s AND (e.run_id = %(run)s OR e.run_id IS NULL AND e.lifted_at IS NULL)
""",
    "xr": "SELECT rating_id, array_agg(rule) AS rules FROM x WHERE rating_id IS NOT NULL GROUP BY rating_id",
    "xj": "SELECT judgment_id, array_agg(rule) AS rules FROM x WHERE judgment_id IS NOT NULL GROUP BY judgment_id",
    "xa": """
SELECT x.rater_id, t.id AS task_id, array_agg(x.rule) AS rules
  FROM x JOIN tasks_app_task t ON t.id = ANY(%(tasks)s) AND (x.task IS NULL OR x.task = t.key)
 WHERE x.rater_id IS NOT NULL
 GROUP BY x.rater_id, t.id
""",
}
EXCLUSION_JOINS = """
  LEFT JOIN xr ON xr.rating_id = r.rating
  LEFT JOIN xj ON xj.judgment_id = r.judgment_id
  LEFT JOIN xa ON xa.rater_id = j.rater_id AND xa.task_id = r.task_id
"""
EXCLUDED_BY = """
CASE WHEN xr.rules IS NOT NULL OR xj.rules IS NOT NULL OR xa.rules IS NOT NULL OR r.unit_id = ANY(%(withdrawn)s) THEN
 (SELECT string_agg(z.rule, ',' ORDER BY z.rule COLLATE "C")
    FROM (SELECT unnest(xr.rules) UNION SELECT unnest(xj.rules) UNION SELECT unnest(xa.rules)
          UNION SELECT %(withdrawn_text)s WHERE r.unit_id = ANY(%(withdrawn)s)) z (rule)) END
"""

# Stands in the column `excluded_by` of judgments of texts that were withdrawn.
WITHDRAWN_TEXT = "withdrawn_text"


@dataclass(frozen=True, slots=True)
class Selection:
    """The ratings of a study to export: ids of tasks, raters and criteria, and purposes; None is all.

    `after` leaves out ratings up to that id, `until` rows after both marks, as if they did not exist yet. `ratings`
    and `silent` (judgments without any) name the rows of one page.
    """

    study: Study
    tasks: tuple[int, ...]
    raters: tuple[int, ...] | None = None
    criteria: tuple[int, ...] | None = None
    purposes: tuple[str, ...] | None = None
    after: int | None = None
    until: Marks | None = None
    ratings: tuple[int, ...] | None = None
    silent: tuple[int, ...] | None = None

    @property
    def rated(self) -> str:
        """Return further conditions on ratings, as SQL over `r`."""
        return self._conditions(
            raters="r.rater_id = ANY(%(raters)s)",
            criteria="r.criterion_id = ANY(%(criteria)s)",
            after="r.id > %(after)s",
            until="r.id <= %(until_rating)s",
            ratings="r.id = ANY(%(ratings)s)",
        )

    @property
    def without_rating(self) -> str:
        """Return further conditions on judgments without a rating, as SQL over `j` and `a`; they have no criterion."""
        return self._conditions(
            raters="a.rater_id = ANY(%(raters)s)",
            criteria="false",
            after="j.id > COALESCE((SELECT b.judgment_id FROM tasks_app_rating b WHERE b.task_id = ANY(%(tasks)s)"
            " AND b.id <= %(after)s ORDER BY b.id DESC LIMIT 1), 0)",
            until="j.id <= %(until_judgment)s",
            silent="j.id = ANY(%(silent)s)",
        )

    @property
    def current(self) -> str:
        """Return the condition that a judgment is the current answer, as SQL over `j`."""
        return is_current("j", until="" if self.until is None else "%(until_judgment)s")

    @property
    def judged(self) -> str:
        """Return further conditions on judgments, as SQL over `j` and `a`."""
        return self._conditions(purposes="a.purpose = ANY(%(purposes)s)")

    def _conditions(self, **conditions: str) -> str:
        return "".join(f" AND {sql}" for name, sql in conditions.items() if getattr(self, name) is not None)

    def params(self) -> dict[str, Any]:
        """Return the parameters of the conditions."""
        params: dict[str, Any] = {
            name: list(value)
            for name in ("tasks", "raters", "criteria", "purposes", "ratings", "silent")
            if (value := getattr(self, name)) is not None
        }
        if self.until is not None:
            params |= {"until_rating": self.until.rating, "until_judgment": self.until.judgment}
        return {"study": self.study.pk, "after": self.after, **params}


# The column with the study of a row, in a file of several studies.
STUDY = "study"


@dataclass(frozen=True, slots=True)
class OwnColumns:
    """The names of features of items and of attributes of systems, which have a column each."""

    features: tuple[str, ...] = ()
    attributes: tuple[str, ...] = ()

    @property
    def names(self) -> tuple[str, ...]:
        """Return the names of the columns, in their order."""
        return *(FEATURE + name for name in self.features), *(OF_SYSTEM + name for name in self.attributes)


_NAMES = """
SELECT DISTINCT 'features', jsonb_object_keys(features) COLLATE "C" FROM tasks_app_item
 WHERE study_id = ANY(%(studies)s)
 UNION ALL
SELECT DISTINCT 'attributes', jsonb_object_keys(attributes) COLLATE "C" FROM tasks_app_system
 WHERE study_id = ANY(%(studies)s)
 ORDER BY 2
"""


def own_columns_of(*studies: Study) -> OwnColumns:
    """Return the columns that items and systems of some studies have, in alphabetical order."""
    names: dict[str, list[str]] = {"features": [], "attributes": []}
    for column, name in statements.rows(_NAMES, {"studies": [study.pk for study in studies]}):
        names[column].append(name)
    return OwnColumns(tuple(names["features"]), tuple(names["attributes"]))


class Statement:
    """The builder of the SELECT; `neutralised` makes cells safe for spreadsheets, `named` adds the study's slug."""

    def __init__(self, selection: Selection, own: OwnColumns, *, neutralised: bool, named: bool = False) -> None:
        self.selection = selection
        self.own = own
        self.neutralised = neutralised
        # Exclusions of the best run, and exclusions by hand.
        run = best_run(selection.study)
        by_hand = Q(run=None, lifted_at=None)
        of_run = Q(run=run) if run is not None else by_hand
        # Texts that are withdrawn now, and those that the best run left out.
        withdrawn = WithdrawnUnit.objects.filter(withdrawal__study=selection.study).values_list("unit", flat=True)
        units = {*withdrawn, *(withdrawn_units(run) if run is not None else ())}
        excluded = Exclusion.objects.filter(by_hand | of_run, study=selection.study)
        self.excludes = bool(units) or excluded.exists()
        slug = selection.study.slug
        self.named = named
        self.params: dict[str, Any] = {
            **selection.params(),
            "slug": without_formula(slug) if neutralised else slug,
            "run": run and run.pk,
            "withdrawn": sorted(units),
            "withdrawn_text": WITHDRAWN_TEXT,
            "formula": FORMULA,
            "time": TIME_FORMAT,
            "taken_from": TAKEN_FROM,
            **{f"feature_{number}": name for number, name in enumerate(own.features)},
            **{f"attribute_{number}": name for number, name in enumerate(own.attributes)},
        }

    def cells(self) -> str:
        """Return the SELECT with one column per cell, features of items and attributes of systems last."""
        own = [f"i.feature_{number}" for number in range(len(self.own.features))]
        own += [f"s.attribute_{number}" for number in range(len(self.own.attributes))]
        named = ["%(slug)s::text"] if self.named else []
        return f"{self._tables()} SELECT {', '.join([*named, *map(self._cell, RATINGS), *own])} {self._from()}"

    def objects(self) -> str:
        """Return the SELECT with one JSON object per row.

        A feature's name may be longer than PostgreSQL allows for a column, so they are appended as text.
        """
        named = [f"%(slug)s::text AS {STUDY}"] if self.named else []
        cells = ", ".join([*named, *(f'{self._cell(column)} AS "{column.name}"' for column in RATINGS)])
        row = f"(SELECT row_to_json(o)::text FROM (SELECT {cells}) o)"  # noqa: S608  every part is a constant
        appended = []
        for table, prefix, names in (
            ("i.features", FEATURE, self.own.features),
            ("s.attributes", OF_SYSTEM, self.own.attributes),
        ):
            if names:
                appended.append(f"COALESCE({table}, %(no_{prefix}own)s)")
                self.params[f"no_{prefix}own"] = "".join(f",{_quoted(prefix + name)}:null" for name in names)
        if appended:
            row = f"left({row}, -1) || {' || '.join(appended)} || chr(125)"
        return f"{self._tables()} SELECT {row} {self._from()}"

    def _cell(self, column: Column) -> str:
        if column.name == "excluded_by":
            return EXCLUDED_BY if self.excludes else "NULL::text"
        # Keys and pseudonyms are neutralised once in their tables, not for every rating.
        return (
            self._safe(column.sql)
            if column.kind == Kind.TEXT and column.sql.startswith(("r.", "(j.given_by", "(j.wordings"))
            else column.sql
        )

    def _safe(self, text: str) -> str:
        return f"CASE WHEN {text} ~ %(formula)s THEN '''' || {text} ELSE {text} END" if self.neutralised else text

    def _tables(self) -> str:
        safe = self._safe
        key, document = safe("key"), safe("d.key")
        attributes = self._own("sy.attributes", "attribute", OF_SYSTEM, self.own.attributes)
        tables = {
            "i": ITEMS.format(
                key=safe("i.key"),
                document=document,
                features=self._own("i.features", "feature", FEATURE, self.own.features),
            ),
            "u": UNITS.format(task=safe("t.key"), unit=safe("u.key"), document=document),
            "s": SHOWN.format(system=safe("sy.key"), variant=safe("NULLIF(o.variant, '')"), attributes=attributes),
            "c": CRITERIA.format(key=key),
            "g": GROUPS.format(key=key),
            "ra": RATERS.format(pseudonym=safe("pseudonym")),
            **(EXCLUSIONS if self.excludes else {}),
        }
        # A whole study is read table by table; a page only looks up the rows it needs.
        materialized = "MATERIALIZED" if self.selection.ratings is None else "NOT MATERIALIZED"
        return "WITH " + ",".join(f"{name} AS {materialized} ({select})" for name, select in tables.items())

    def _own(self, column: str, noun: str, prefix: str, names: tuple[str, ...]) -> str:
        """Return the SQL for the values of a JSON column: a column of each, or their text in a JSON object."""
        values = [f"({column} ->> %({noun}_{number})s)" for number in range(len(names))]
        if not values:
            return ""
        if self.neutralised:
            return "".join(f", {self._safe(value)} AS {noun}_{number}" for number, value in enumerate(values))
        pairs = []
        for number, value in enumerate(values):
            self.params[f"quoted_{noun}_{number}"] = f",{_quoted(prefix + names[number])}:"
            pairs.append(f"%(quoted_{noun}_{number})s || COALESCE(to_json({value})::text, 'null')")
        return f", {' || '.join(pairs)} AS {noun}s"

    def _from(self) -> str:
        return FROM.format(
            rated=RATED.format(
                rated=self.selection.rated,
                silent=self.selection.without_rating,
                part=pair_order.part("r"),
                part_b=pair_order.part_b("r"),
                label=pair_order.label("r"),
            ),
            judged=JUDGED.format(judged=self.selection.judged, current=self.selection.current),
            excluded=EXCLUSION_JOINS if self.excludes else "",
        )


def _quoted(text: str) -> str:
    return json.dumps(text, ensure_ascii=False)
