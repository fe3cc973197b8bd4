"""Number of words on a screen."""

from dataclasses import dataclass
from typing import Self

import numpy as np

from analytics_app.ratings.copying import copy
from analytics_app.ratings.extras.base import Extra, Loading, extra
from analytics_app.ratings.table import Coding, Floats, Table


@extra
@dataclass(frozen=True, slots=True)
class Words(Extra):
    """Words of the texts that each unit shows, by unit code: every part once; sources and references do not count.

    Words are what stands between spaces; in scripts without spaces (Chinese, Japanese, Thai, ...) one and a half
    signs count as a word. 0 where a unit shows no text; the words about a picture, sound or film are not read.
    """

    shown: Floats

    @classmethod
    def load(cls, loading: Loading) -> Self:
        """Count the words of each part's text."""
        names = loading.table.names
        columns = copy(
            _WORDS, {"tasks": loading.params["tasks"], "signs": f"[{SIGNS}]", "others": f"[^{SIGNS}]"}, _TYPE
        )
        unit = Coding(names.unit_ids)(columns["unit"])
        is_known = unit >= 0
        words = np.bincount(unit[is_known], weights=columns["words"][is_known], minlength=len(names.units))
        return cls(words.astype(np.float64))

    @classmethod
    def empty(cls, table: Table) -> Self:
        """Return no words."""
        return cls(np.zeros(len(table.names.units)))


# Thai, Lao, Burmese, Khmer, kana, Chinese characters.
SIGNS = "\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff"

_TYPE = {"unit": np.int64, "words": np.float64}

# The outputs that one part shows have one text.
_WORDS = """
SELECT unit_id, cardinality(regexp_split_to_array(spaced, '\\s+')) - (spaced = '')::int + signs / 1.5::float8 FROM (
    SELECT unit_id, regexp_replace(regexp_replace(text, %(signs)s, ' ', 'g'), '^\\s+|\\s+$', '', 'g') AS spaced,
           length(regexp_replace(text, %(others)s, '', 'g')) AS signs
      FROM (SELECT DISTINCT ON (p.id) p.unit_id, CASE WHEN o.kind = 'text' THEN o.text ELSE '' END AS text
              FROM tasks_app_part p
              JOIN tasks_app_unit u ON u.id = p.unit_id
              JOIN tasks_app_partoutput po ON po.part_id = p.id
              JOIN tasks_app_output o ON o.id = po.output_id
             WHERE u.task_id = ANY(%(tasks)s) AND u.features->>'degraded_of' IS NULL
             ORDER BY p.id, po.id) part) counted
"""
