"""The methods section of a paper: the texts, their raters and the analysis, with the numbers of a run.

It is written from the rows that also fill the datasheet (analytics_app.heds), so the two say the same.
"""

import re

from django.db.models import Q

from analytics_app.heds.filling.facts import facts_of
from analytics_app.methods_text import evaluation, quality, raters, statistics
from analytics_app.methods_text.references import references, software
from analytics_app.methods_text.sentences import MethodsText, Paragraph, Sentence
from analytics_app.models import ResultRow, Run
from tasks_app.models import Study

# The end of a signature that names the systems whose texts are references.
_REFERENCES = re.compile(r" \(references: [^)]*\)")

__all__ = ["MethodsText", "Paragraph", "Sentence", "write"]


def write(study: Study, run: Run, *, standing: str, systems: bool) -> MethodsText:
    """Return the methods section of a run that is done, in English.

    `standing` tells whether the run was planned. Without `systems`, systems are counted and not named.
    """
    facts = facts_of(study, run)
    names = dict(study.systems.values_list("key", "name")) if systems else {}
    removed = Q(analysis="funnel", statistic="removed")
    tested = Q(basis="kept", slice=None, system=None, system_b=None, rater=None, metric=None, p_adjusted__isnull=False)
    rows = list(ResultRow.objects.filter(removed | tested, run=run).order_by("order"))
    removal_rows = [row for row in rows if row.analysis == "funnel"]
    others = [row for row in rows if row.analysis != "funnel"]
    signed = ResultRow.objects.filter(run=run, basis="kept", metric__isnull=False, settings__has_key="signature")
    named = signed.order_by("metric").values_list("metric", "settings__signature").distinct()
    signatures = {str(name): str(signature) for name, signature in named}
    if not systems:
        signatures = {name: _REFERENCES.sub("", signature) for name, signature in signatures.items()}
    paragraphs = [
        Paragraph("Texts and questions", list(evaluation.sentences(facts, names))),
        Paragraph("Raters", list(raters.sentences(facts))),
        Paragraph("Quality control", list(quality.sentences(facts, removal_rows))),
        Paragraph("Analysis", list(statistics.sentences(facts, run, standing, others, signatures))),
    ]
    program = software(run.code_version, (run.finished or run.created_at).year)
    known = {**references(), program.key: program}
    cited = {key for paragraph in paragraphs for sentence in paragraph.sentences for key in sentence.cites}
    return MethodsText(
        [paragraph for paragraph in paragraphs if paragraph.sentences], [known[key] for key in sorted(cited)]
    )
