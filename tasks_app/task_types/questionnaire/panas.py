"""PANAS: the words of its two scores, positive affect (PA) and negative affect (NA), ten each.

Watson, Clark and Tellegen (1988). Development and validation of brief measures of positive and negative affect: the
PANAS scales. Journal of Personality and Social Psychology 54(6), 1063-1070.
"""

from collections.abc import Mapping

from tasks_app.task_types.questionnaire.instruments import instrument_data

# Prefix of the keys of the twenty criteria.
PREFIX = "panas-"

# Most of the ten words of a score that may be missing; the mean of the others then stands for them.
MOST_MISSING = 2

_SCORES: Mapping[str, list[str]] = instrument_data("panas")["scores"]
POSITIVE, NEGATIVE = tuple(_SCORES["PA"]), tuple(_SCORES["NA"])
WORDS = (*POSITIVE, *NEGATIVE)
