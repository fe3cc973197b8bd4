"""Counting: how many occurrences of something a text has, overall or fact by fact of the item."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from random import Random

from django.utils.functional import classproperty
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _

from tasks_app.settings.fields import line_field, naming, whole_field
from tasks_app.task_types.base import (
    Act,
    AnsweredOption,
    AnsweredQuestion,
    Criterion,
    Instruction,
    ItemTexts,
    Outcome,
    ParameterProblem,
    Quality,
    Sample,
    Scale,
    Screen,
    Value,
)
from tasks_app.task_types.counting.facts import FACTS, facts_of, problems_in
from tasks_app.task_types.counting.form import COUNT, FACT, CountingForm
from tasks_app.task_types.instructed import in_lines
from tasks_app.task_types.list_fields import WordsField
from tasks_app.task_types.registry import register
from tasks_app.task_types.simulation import share_of
from tasks_app.task_types.texts import TextType
from tasks_app.task_types.written import written

MOST, MOST_FACTS = 9_999, 30

# The criteria of the facts of an item: fact-1, fact-2 …
FACT_KEY = "fact-{n}"

NUMBER = Outcome(
    "count",
    Scale.INTERVAL,
    per="criterion",
    doc=_("A whole number from 0 on: the number that was typed, or the number of facts with this answer."),
)
ABOUT_FACT = Outcome(
    "fact",
    Scale.TEXT,
    per="criterion",
    column="text",
    optional=True,
    doc=_(
        "The answer about a fact of the item: the key of the criterion, or none_of_these. Its criterion is fact-1 for "
        "the first fact of the item, then fact-2 …"
    ),
)

# The count of a simulated rater for the best text.
HIGHEST = 6

# The facts of an attention check.
FACTS_OF_A_CHECK = 2


@register
class Counting(TextType):
    """A whole number for each question, or for each fact of the item the answer that applies.

    Of answers about facts, the number of facts with each answer is the count of that criterion.
    """

    label = _("Counting")
    purpose = _("Count errors, facts or other occurrences")
    summary = _("A rater counts how often something occurs in a text, overall or fact by fact.")
    source = (
        "Belz et al. (2020). Disentangling the properties of human evaluation methods. INLG. "
        "Shimorina and Belz (2022). The Human Evaluation Datasheet. HumEval (question 4.3.8: counting occurrences in "
        "text)."
    )
    use_when = _(
        "Your question is how many: unsupported statements, repeated words, facts of the data that a text mentions or "
        "contradicts. Use error spans if it matters where they are, and a scale if it matters how bad they are."
    )
    analysed = _(
        "Ratios of the mean counts of systems with intervals and tests for further raters and texts, means and their "
        "differences, how far counts vary more than by chance, and agreement."
    )
    limits = _(
        "Raters who count in their heads miss some: give examples of what counts once and what counts twice. Counts "
        "grow with the length of a text; compare texts of similar length, or count facts."
    )
    outcomes = (NUMBER, ABOUT_FACT)
    default_instructions = _(
        "Read the text. Then answer each question with a number: count everything that fits, also if it occurs again. "
        "Give 0 if there is nothing. If there are facts, choose for each fact the answer that fits."
    )
    acts = frozenset({Act.NUMBER})
    asks_apart = False
    seconds_an_answer = 8.0
    judges_files = True
    has_styles = True
    begins_with = Sample(
        criteria=(
            Criterion(
                "unsupported",
                "Unsupported statements",
                definition="A statement that the source does not make. Count it each time that it is made.",
                question="How many statements of the text are not in the source?",
            ),
        )
    )
    sample = Sample(
        params={"per_fact": ["mentioned", "contradicted"], "neither": "Not mentioned"},
        criteria=(
            Criterion("mentioned", "Mentioned", language="en"),
            Criterion("contradicted", "Contradicted", language="en"),
            Criterion("added", "Added", question="How many facts does the text add?", language="en"),
        ),
        options={FACTS: ["The train to Lisbon is cancelled.", "Travellers can take a bus."]},
    )

    Form = CountingForm

    most = whole_field(
        _("Greatest number"), _("Raters can give whole numbers from 0 to this one."), within=(1, MOST), initial=50
    )
    per_fact = naming(
        WordsField(
            once=True,
            label=_("Answered for each fact of the item"),
            help_text=_(
                "Questions that are counted fact by fact, such as mentioned and contradicted. Their names are the "
                "answers about a fact, of which raters choose one. The facts stand in the column options of the items, "
                "as “facts”."
            ),
        ),
        "criteria",
    )
    neither = line_field(
        _("Answer if none of these applies"),
        _("Such as “Not mentioned”. Leave empty for “None of these”."),
        length=200,
    )
    facts = whole_field(_("Facts per item, at most"), within=(1, MOST_FACTS), initial=10)

    @classproperty
    def styles(cls) -> str:
        """The style sheet of labels: facts with their answers look the same."""
        return "css/task_types/labels.css"

    def facts_on(self, screen: Screen) -> tuple[str, ...]:
        """Return the facts of a screen; none where no question is answered fact by fact."""
        return facts_of(screen.options)[: self.facts] if self.per_fact else ()

    def brings(self) -> tuple[Criterion, ...]:
        """Return a criterion for the answer about each fact, where questions are answered fact by fact."""
        numbers = range(1, self.facts + 1) if self.per_fact else ()
        return tuple(
            Criterion(FACT_KEY.format(n=n), gettext("Fact %(n)d") % {"n": n}, kind="question") for n in numbers
        )

    def outcome_of(self, criterion: Criterion | None) -> Outcome:
        """Return the answer about a fact for the criteria that the type brings, else the count."""
        brought = {one.key for one in self.brings()}
        return ABOUT_FACT if criterion is not None and criterion.key in brought else NUMBER

    def problems(self, criteria: Sequence[Criterion]) -> Iterator[str]:
        """Yield a sentence for every name in `per_fact` that is no criterion of the task."""
        yield from super().problems(criteria)
        known = [criterion.key for criterion in criteria]
        for key in self.per_fact:
            if key not in known:
                sentence = f"per_fact names {key!r}, which is none of the criteria: {', '.join(known)}."
                yield ParameterProblem("per_fact", sentence)

    def item_problems(self, item: ItemTexts) -> Iterator[str]:
        """Yield a sentence where an item has no facts that can be shown."""
        if self.per_fact:
            yield from problems_in(item, self.facts)

    def scale_of(self, criterion: Criterion | None = None) -> tuple[float, float, float] | None:
        """Return 0, the greatest number, and 1; answers about facts have no numbers."""
        if criterion is not None and self.outcome_of(criterion) == ABOUT_FACT:
            return None
        return 0.0, float(self.most), 1.0

    def problem_in_value(self, value: float, criterion: Criterion | None) -> str | None:
        """Refuse a number that is no count."""
        if value >= 0 and value == int(value):
            return None
        return gettext("must be a whole number from 0 on; it is %(value)s.") % {"value": written(value)}

    def answers_on(self, screen: Screen) -> int:
        """Return the number of facts and of questions with a number."""
        return max(1, len(CountingForm(self, screen).fields))

    def ratings(self, screen: Screen, cleaned: Mapping[str, object]) -> Iterator[Value]:
        """Yield the count of each question, then the answer about each fact."""
        form, part = CountingForm(self, screen), screen.shown_parts[0].part.number
        chosen = form.chosen(cleaned)
        for criterion in self.asked(screen.criteria):
            if criterion.key in self.per_fact:
                number = chosen.count(criterion.key)
            else:
                number = int(str(cleaned[COUNT.format(key=criterion.key)]))
            yield Value(NUMBER.name, part, criterion.key, value=float(number))
        for n, answer in enumerate(chosen, start=1):
            yield Value(ABOUT_FACT.name, part, FACT_KEY.format(n=n), text=answer)

    def instructed(self, criteria: Sequence[Criterion], check: int) -> Instruction:
        """Ask for a number, or for one of the answers about all facts, which are made for the check."""
        by_key = {criterion.key: criterion for criterion in criteria}
        named = [by_key[key] for key in self.per_fact if key in by_key]
        numbers = [
            (criterion, self._number_asked(criterion, place, check))
            for place, criterion in enumerate(criteria)
            if criterion not in named
        ]
        asked_for = named[check % len(named)] if named else None
        n_facts = min(self.facts, FACTS_OF_A_CHECK) if named else 0
        facts = [
            gettext("For fact %(n)d, please choose “%(answer)s”.")
            % {"n": n, "answer": asked_for.name if asked_for else ""}
            for n in range(1, n_facts + 1)
        ]
        answers = [
            *((criterion.key, "exact", number) for criterion, number in numbers),
            *((criterion.key, "exact", n_facts if criterion == asked_for else 0) for criterion in named),
        ]
        words = in_lines((criterion, str(number)) for criterion, number in numbers)
        return Instruction((("", words),), tuple(answers), options={FACTS: facts} if facts else {})

    def _number_asked(self, criterion: Criterion, place: int, check: int) -> int:
        return 1 + (check + place + len(criterion.key)) % min(self.most, 3)

    def answered_questions(self, screen: Screen, cleaned: Mapping[str, object]) -> Iterator[AnsweredQuestion]:
        """Yield the counts as numbers on the range that was given; counts of facts as well."""
        form = CountingForm(self, screen)
        chosen = form.chosen(cleaned) if all(FACT.format(n=n + 1) in cleaned for n in range(len(form.facts))) else []
        for criterion in self.asked(screen.shown_criteria):
            is_of_facts = criterion.key in self.per_fact
            most = max(1, len(form.facts)) if is_of_facts else self.most
            name = COUNT.format(key=criterion.key)
            given = chosen.count(criterion.key) if is_of_facts and chosen else cleaned.get(name)
            fields = tuple(FACT.format(n=n + 1) for n in range(len(form.facts))) if is_of_facts else (name,)
            # Few numbers are options; more are places on a range.
            numbers = range(most + 1) if most <= HIGHEST else ()
            yield AnsweredQuestion(
                criterion.key,
                criterion.wording,
                fields,
                criterion.language,
                options=tuple(AnsweredOption(str(n), float(n), str(n) == str(given)) for n in numbers),
                criterion=criterion,
                scale=(0.0, float(most)),
                given=float(str(given)) if given not in (None, "") else None,
            )

    def heds(self, criterion: Criterion | None) -> dict[str, str]:
        """Describe a count, and an answer about a fact."""
        if criterion is not None and self.outcome_of(criterion) == ABOUT_FACT:
            return {
                "4.3.3": str(len(self.per_fact) + 1),
                "4.3.4": ", ".join([*self.per_fact, self.neither or gettext("None of these")]),
                "4.3.5": "multiple choice",
                "4.3.8": "classification or labelling",
            }
        of_facts = criterion is not None and criterion.key in self.per_fact
        counted = gettext("whole numbers from 0 to the number of facts of the item")
        return {
            "4.3.3": "N/A" if of_facts else str(self.most + 1),
            "4.3.4": counted if of_facts else gettext("whole numbers from 0 to %(most)d") % {"most": self.most},
            "4.3.5": "multiple choice" if of_facts else gettext("other: a field in which a number is typed"),
            "4.3.8": "counting occurrences",
        }

    def simulate(self, screen: Screen, quality: Quality, rng: Random) -> dict[str, str]:
        """Count the more, the better the latent quality of the text, with the noise of the rater's quality."""
        form, text = CountingForm(self, screen), screen.shown_parts[0].part.content
        answers = {}
        for n in range(1, len(form.facts) + 1):
            share = share_of(text, FACT_KEY.format(n=n), quality, rng)
            keys = [key for key, _words, _language in form.fact_options]
            answers[FACT.format(n=n)] = keys[min(len(keys) - 1, int((1 - share) * len(keys)))]
        for criterion in form.numbered:
            share = share_of(text, criterion.key, quality, rng)
            answers[COUNT.format(key=criterion.key)] = str(min(self.most, round(HIGHEST * share)))
        return answers
