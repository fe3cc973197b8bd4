"""The SQL of imports: rows are copied into a temporary table and judged there.

Sorting and comparing millions of rows is the database's work; Python sees each row once and keeps none.
"""
# ruff: noqa: S608  every word that is put into these statements stands in this module

# One row of the file. `rater` counts the raters of the file. `key` names the judgment a row belongs to: what the file
# calls it (`keyed`), else everything that the rows of one judgment have in common. `rated` is false for rows that say
# that nothing was found or that the unit was skipped. `spans` are rows of which a judgment may hold several alike.
# `shared` marks a text that several systems produced and the study shows once; `output` is the one the row names.
STAGING = """
CREATE TEMPORARY TABLE import_row (
    line integer NOT NULL, key uuid NOT NULL, keyed boolean NOT NULL, rater integer NOT NULL,
    task bigint NOT NULL, unit bigint NOT NULL, part bigint, part_b bigint, criterion bigint,
    output bigint, shared boolean NOT NULL, rating text, rated boolean NOT NULL, spans boolean NOT NULL,
    alone boolean NOT NULL,
    value double precision, label text, text text, shown_value double precision,
    span_side text, span_start integer, span_end integer, category text, severity text, mark_origin text,
    mark_of integer, mark_reason text,
    judgment text, repeat_of text, purpose text NOT NULL, wave integer NOT NULL, version integer NOT NULL,
    state text, skip_reason text, comment text, position integer, seconds double precision,
    started_at timestamptz, submitted_at timestamptz, arrangement jsonb
) ON COMMIT DROP;
CREATE TEMPORARY TABLE import_rater (number integer NOT NULL, id bigint, last integer NOT NULL) ON COMMIT DROP;
"""

# Columns that identify a rating within one rater's pass through a study.
PLACE = "rater, unit, wave, purpose, part, part_b, criterion"
VALUES = (
    "value, label, text, shown_value, span_side, span_start, span_end, category, severity, mark_origin, mark_of, "
    "mark_reason"
)

TABLES = ("import_judgment", "import_key", "import_row", "import_rater")

# An export names every system that produced a text: rows of one rating, or of one answer that says the same of several.
MERGE = f"""
DELETE FROM import_row WHERE line IN (
    SELECT line FROM (
        SELECT line, rating, output, row_number() OVER same AS n, first_value(output) OVER same AS first
          FROM import_row WHERE rated AND shared AND keyed
        WINDOW same AS (PARTITION BY key, {PLACE}, {VALUES}, rating ORDER BY line)) alike
    WHERE n > 1 AND (rating IS NOT NULL OR output <> first))
"""

# Ratings of one text under the names of several systems, which this study cannot keep apart.
IDENTICAL = """
WITH apart AS (
    SELECT part, min(line) AS first, (array_agg(output ORDER BY line))[1] AS output
      FROM import_row WHERE rated AND shared GROUP BY part HAVING count(DISTINCT output) > 1)
SELECT r.line, a.first, '' AS about
  FROM import_row r JOIN apart a ON a.part = r.part WHERE r.output <> a.output
"""

# Ratings and skips that are stored already, from an earlier import of the same raters. Those of pairs may be stored in
# the other order, or without their second text (analytics_app.ratings.pair_order).
STORED = """
SELECT DISTINCT r.line, 0 AS first, '' AS about
  FROM import_row r
  JOIN import_rater p ON p.number = r.rater AND p.id IS NOT NULL
  JOIN tasks_app_rating s ON s.rater_id = p.id AND s.unit_id = r.unit
   AND (r.part_b IS NOT NULL OR s.part_b_id IS NOT NULL OR s.part_id IS NOT DISTINCT FROM r.part)
   AND s.criterion_id IS NOT DISTINCT FROM r.criterion
  JOIN tasks_app_judgment j ON j.id = s.judgment_id
  JOIN tasks_app_assignment a ON a.id = j.assignment_id AND a.purpose = r.purpose AND a.wave = r.wave
 WHERE r.rated
 UNION
SELECT r.line, 0, ''
  FROM import_row r
  JOIN import_rater p ON p.number = r.rater AND p.id IS NOT NULL
  JOIN tasks_app_assignment a ON a.rater_id = p.id AND a.unit_id = r.unit AND a.purpose = r.purpose AND a.wave = r.wave
  JOIN tasks_app_judgment j ON j.assignment_id = a.id
 WHERE NOT r.rated AND NOT EXISTS (SELECT 1 FROM tasks_app_rating s WHERE s.judgment_id = j.id)
"""
NOT_STORED = f"DELETE FROM import_row WHERE line IN (SELECT line FROM ({STORED}) stored)"

# Second ratings of one place, and which of them are to go. `said` is what a row says, and `first_said` the first one.
_SAID = "left(COALESCE(label, value::text, text, ''), 40)"
AGAIN = f"""
SELECT line, row_number() OVER place AS n, count(*) OVER (PARTITION BY {PLACE}) AS times,
       first_value(line) OVER place AS first, last_value(line) OVER whole AS last,
       {_SAID} AS said, first_value({_SAID}) OVER place AS first_said,
       shared AND output <> first_value(output) OVER place AS apart
  FROM import_row WHERE rated AND NOT spans AND purpose <> 'repeat'
WINDOW place AS (PARTITION BY {PLACE} ORDER BY line),
       whole AS (PARTITION BY {PLACE} ORDER BY line ROWS BETWEEN UNBOUNDED PRECEDING AND UNBOUNDED FOLLOWING)
"""
TWICE = f"""
SELECT line, first, jsonb_build_array(first_said, said)::text AS about
  FROM ({AGAIN}) again WHERE n > 1 AND apart IS NOT TRUE
"""
LATER = f"SELECT line, first, '' AS about FROM ({AGAIN}) again WHERE n > 1"
EARLIER = f"SELECT line, last AS first, '' AS about FROM ({AGAIN}) again WHERE n < times"
KEEP_FIRST = f"DELETE FROM import_row WHERE line IN (SELECT line FROM ({AGAIN}) again WHERE n > 1)"
KEEP_LAST = f"DELETE FROM import_row WHERE line IN (SELECT line FROM ({AGAIN}) again WHERE n < times)"

# `head` is the first line of the judgment a row belongs to. Without a name of their own in the file, second ratings of
# one place (`turn`) make a judgment of their own. `before` is the judgment that rated the same place before; `alike`
# counts what one judgment says of one place.
KEYS = f"""
CREATE TEMPORARY TABLE import_key ON COMMIT DROP AS
SELECT line, head, number, alike,
       lag(head) OVER (PARTITION BY rater, unit, wave, part, part_b, criterion ORDER BY again, line) AS before
  FROM (SELECT line, {PLACE}, purpose = 'repeat' AS again,
               min(line) OVER (PARTITION BY key, turn) AS head,
               row_number() OVER (PARTITION BY key, turn, part, part_b, criterion, rated ORDER BY line) AS number,
               row_number() OVER (PARTITION BY key, turn, part, part_b, criterion, rated, spans ORDER BY line) AS alike
          FROM (SELECT line, key, {PLACE}, rated, spans,
                       CASE WHEN keyed OR spans OR NOT rated THEN 1
                            ELSE row_number() OVER (PARTITION BY {PLACE}, rated AND NOT spans, keyed ORDER BY line)
                        END AS turn
                  FROM import_row) turns) heads;
CREATE INDEX ON import_row (line);
CREATE INDEX ON import_key (line);
ANALYZE import_row, import_key;
"""

# One judgment that says two things of one place.
TWO_IN_ONE = """
SELECT r.line, k.head AS first, '' AS about
  FROM import_key k JOIN import_row r ON r.line = k.line WHERE k.alike > 1 AND r.rated AND NOT r.spans
"""

# Faults of multiple labels: one chosen twice in a judgment, and an exclusive one chosen together with another.
_LABELS = """
SELECT r.line, r.alone, row_number() OVER label AS n, first_value(r.line) OVER label AS first,
       min(r.line) OVER others AS other
  FROM import_key k JOIN import_row r ON r.line = k.line
 WHERE r.rated AND r.spans AND r.label IS NOT NULL AND r.span_side IS NULL AND r.severity IS NULL AND r.category IS NULL
WINDOW label AS (PARTITION BY k.head, r.part, r.part_b, r.criterion, r.output, r.label ORDER BY r.line),
       others AS (PARTITION BY k.head, r.part, r.part_b, r.criterion, r.output
                  ROWS BETWEEN UNBOUNDED PRECEDING AND UNBOUNDED FOLLOWING EXCLUDE CURRENT ROW)
"""
LABEL_TWICE = f"SELECT line, first, '' AS about FROM ({_LABELS}) labels WHERE n > 1"
CONTRADICTION = f"SELECT line, other AS first, '' AS about FROM ({_LABELS}) labels WHERE alone AND other IS NOT NULL"

# Columns that belong to a whole judgment must have the same value in all its rows.
OF_JUDGMENT = (
    "rater", "unit", "purpose", "wave", "version", "state", "position", "seconds", "started_at", "submitted_at",
    "arrangement", "repeat_of",
)  # fmt: skip
_OURS, _HEADS = (", ".join(f"{table}.{name}" for name in OF_JUDGMENT) for table in "rh")
UNLIKE = f"""
SELECT r.line, h.line AS first,
       CASE {" ".join(f"WHEN r.{name} IS DISTINCT FROM h.{name} THEN '{name}'" for name in OF_JUDGMENT)} END AS about
  FROM import_key k JOIN import_row r ON r.line = k.line JOIN import_row h ON h.line = k.head
 WHERE r.keyed AND r.line <> h.line AND ({_OURS}) IS DISTINCT FROM ({_HEADS})
"""

# Marked spans that are not of the text they name. What is missing from an output is marked one character behind its end
# (task_types/error_spans/marks.py). The outputs of parts are looked up together: row by row, in a new study of which
# PostgreSQL has no statistics, each look-up would read a large part of the table.
_SPANS = """
SELECT r.line, CASE r.span_side WHEN 'source' THEN i.source ELSE o.text END AS whole, r.span_side, r.span_start,
       r.span_end, r.text,
       r.span_side = 'output' AND r.span_start = char_length(o.text) AND r.span_end = r.span_start + 1 AS missing
  FROM import_row r
  JOIN (SELECT DISTINCT ON (part_id) part_id, output_id
          FROM tasks_app_partoutput
         WHERE part_id IN (SELECT part FROM import_row WHERE span_end IS NOT NULL)
         ORDER BY part_id, id) p ON p.part_id = r.part
  JOIN tasks_app_output o ON o.id = p.output_id
  JOIN tasks_app_item i ON i.id = o.item_id
 WHERE r.span_end IS NOT NULL
"""
BEYOND = f"""
SELECT line, 0 AS first, char_length(whole)::text AS about
  FROM ({_SPANS}) s WHERE NOT missing AND span_end > char_length(whole)
"""
OTHER_WORDS = f"""
SELECT line, 0 AS first, substr(whole, span_start + 1, span_end - span_start) AS about
  FROM ({_SPANS}) s
 WHERE NOT missing AND span_end <= char_length(whole) AND text IS NOT NULL
   AND text <> substr(whole, span_start + 1, span_end - span_start)
"""

# Rows that say that nothing was found, or that the text was skipped, beside errors that the rater marked there; where
# second ratings are kept, only those of one judgment.
NOTHING_AND_ERROR = """
SELECT n.line, min(r.line) AS first, '' AS about
  FROM import_row n
  JOIN import_row r ON r.rater = n.rater AND r.unit = n.unit AND r.wave = n.wave AND r.purpose = n.purpose
   AND (n.part IS NULL OR r.part IS NULL OR r.part = n.part) AND r.rated
   AND COALESCE(r.severity, r.category, r.span_side) IS NOT NULL
  JOIN import_key k ON k.line = n.line
  JOIN import_key e ON e.line = r.line AND (e.head = k.head OR NOT {keep})
 WHERE NOT n.rated GROUP BY n.line
"""

# The judgments of the file with the numbers they will be stored under, in the order of the file. The names of the
# sequences are looked up once, and not for each row.
JUDGMENTS = """
CREATE TEMPORARY TABLE import_judgment ON COMMIT DROP AS
SELECT found.*, NULL::bigint AS repeats, nextval(sequences.assignment) AS assignment, nextval(sequences.judgment) AS id
  FROM (SELECT pg_get_serial_sequence('tasks_app_assignment', 'id')::regclass AS assignment,
               pg_get_serial_sequence('tasks_app_judgment', 'id')::regclass AS judgment OFFSET 0) sequences,
       (SELECT r.line, r.rater, r.unit, r.judgment, r.repeat_of, r.purpose, r.wave, r.version, r.seconds,
               r.started_at, r.submitted_at, COALESCE(r.arrangement, '{}') AS arrangement,
               COALESCE(r.state, CASE WHEN g.rated OR g.skip IS NULL THEN 'submitted' ELSE 'skipped' END) AS state,
               CASE WHEN g.rated THEN '' WHEN g.skip IS NOT NULL THEN g.skip
                    WHEN r.state = 'skipped' THEN 'other' ELSE '' END AS skip_reason,
               COALESCE(g.comment, '') AS comment,
               COALESCE(r.position, p.last + row_number() OVER (
                   PARTITION BY r.rater ORDER BY CASE WHEN g.timed THEN r.submitted_at END, r.line)) AS position
          FROM (SELECT k.head, bool_or(r.rated) AS rated, max(r.skip_reason) AS skip, max(r.comment) AS comment,
                       bool_and(bool_and(r.submitted_at IS NOT NULL)) OVER (PARTITION BY r.rater) AS timed
                  FROM import_key k JOIN import_row r ON r.line = k.line GROUP BY k.head, r.rater) g
          JOIN import_row r ON r.line = g.head
          JOIN import_rater p ON p.number = r.rater
         ORDER BY r.line) found;
CREATE INDEX ON import_judgment (line);
ANALYZE import_judgment;
"""

# A repeat is of the judgment it names, else of the one that rated the same place before, else of a stored one.
NAMED_REPEATS = """
UPDATE import_judgment g SET repeats = t.assignment FROM import_judgment t
 WHERE g.purpose = 'repeat' AND t.judgment = g.repeat_of AND t.line <> g.line AND t.rater = g.rater AND t.unit = g.unit
"""
OWN_REPEATS = """
UPDATE import_judgment g SET repeats = t.assignment FROM import_key k JOIN import_judgment t ON t.line = k.before
 WHERE g.purpose = 'repeat' AND g.repeat_of IS NULL AND k.line = g.line AND t.line <> g.line
"""
ANY_REPEATS = """
UPDATE import_judgment g SET repeats = t.assignment
  FROM (SELECT rater, unit, wave, min(assignment) AS assignment FROM import_judgment WHERE purpose <> 'repeat'
         GROUP BY rater, unit, wave) t
 WHERE g.purpose = 'repeat' AND g.repeat_of IS NULL AND g.repeats IS NULL
   AND t.rater = g.rater AND t.unit = g.unit AND t.wave = g.wave
"""
STORED_REPEATS = """
UPDATE import_judgment g SET repeats = s.id
  FROM (SELECT g.line, max(a.id) AS id
          FROM import_judgment g JOIN import_rater p ON p.number = g.rater
          JOIN tasks_app_assignment a ON a.rater_id = p.id AND a.unit_id = g.unit AND a.wave = g.wave
         WHERE g.purpose = 'repeat' AND g.repeat_of IS NULL AND g.repeats IS NULL
           AND NOT EXISTS (SELECT 1 FROM tasks_app_assignment o WHERE o.repeat_of_id = a.id) GROUP BY g.line) s
 WHERE g.line = s.line
"""
NO_ORIGINAL = """
SELECT line, 0 AS first, COALESCE(repeat_of, '') AS about
  FROM import_judgment WHERE purpose = 'repeat' AND repeats IS NULL
"""
TWO_REPEATS = """
SELECT line, first, '' AS about
  FROM (SELECT line, first_value(line) OVER (PARTITION BY repeats ORDER BY line) AS first
          FROM import_judgment WHERE repeats IS NOT NULL) r
 WHERE line <> first
"""

COUNTS = "SELECT (SELECT count(*) FROM import_judgment), (SELECT count(*) FROM import_row WHERE rated)"

ADD_ASSIGNMENTS = """
INSERT INTO tasks_app_assignment (id, rater_id, rater_kind, unit_id, purpose, repeat_of_id, "order", arrangement, wave,
                                  version, state, first_shown)
SELECT g.assignment, p.id, 'imported', g.unit, g.purpose, g.repeats, g.position, g.arrangement, g.wave, g.version,
       g.state, g.started_at
  FROM import_judgment g JOIN import_rater p ON p.number = g.rater
 WHERE g.line BETWEEN %(low)s AND %(high)s ORDER BY g.line
"""

# The answer as given is in the file: what it calls the judgment, and the line it begins in. Several rows of one line
# are numbered by `width`.
ADD_JUDGMENTS = """
INSERT INTO tasks_app_judgment (id, assignment_id, submission, answer, skip_reason, comment, seconds_active,
                                seconds_elapsed, log, version, submitted_at)
SELECT id, assignment, gen_random_uuid(),
       jsonb_build_object('imported', jsonb_strip_nulls(
           jsonb_build_object('line', line / %(width)s, 'judgment', judgment))),
       skip_reason, comment, seconds, EXTRACT(epoch FROM submitted_at - started_at), '[]', version,
       COALESCE(submitted_at, statement_timestamp())
  FROM import_judgment WHERE line BETWEEN %(low)s AND %(high)s ORDER BY line
"""

# Lines and first lines are told to be of this piece, so that not all of them are read for each piece.
ADD_RATINGS = """
INSERT INTO tasks_app_rating (judgment_id, task_id, rater_id, unit_id, part_id, part_b_id, criterion_id, number, value,
                              label, text, shown_value, span_side, span_start, span_end, category, severity,
                              mark_origin, mark_of, mark_reason)
SELECT g.id, r.task, p.id, r.unit, r.part, r.part_b, r.criterion, k.number, r.value, r.label, r.text, r.shown_value,
       r.span_side, r.span_start, r.span_end, r.category, r.severity, r.mark_origin, r.mark_of,
       r.mark_reason
  FROM import_row r
  JOIN import_key k ON k.line = r.line
  JOIN import_judgment g ON g.line = k.head
  JOIN import_rater p ON p.number = r.rater
 WHERE r.rated AND r.line BETWEEN %(low)s AND %(high)s AND k.line BETWEEN %(low)s AND %(high)s
   AND g.line >= (SELECT min(head) FROM import_key WHERE line BETWEEN %(low)s AND %(high)s) AND g.line <= %(high)s
 ORDER BY r.line
"""
