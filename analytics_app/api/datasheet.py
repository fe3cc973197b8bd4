"""The datasheet of a study for scripts."""

from datetime import UTC, datetime

from drf_spectacular.utils import extend_schema, extend_schema_view
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.serializers import BooleanField, CharField, DateTimeField, IntegerField, ListField

from analytics_app.heds.sheet import Entry, frozen_sheet, sheet_of
from tasks_app.api.base import ApiView
from tasks_app.api.described import SLUG, answers, refusals
from tasks_app.api.serializers import CorrectionEntry, Fields
from tasks_app.services.study import tokens


class FrozenEntry(Fields):
    """The datasheet as it stood when a version was opened."""

    version = IntegerField(initial=1, help_text="Version of the study.")
    at = DateTimeField(initial=datetime(2026, 3, 1, 9, 0, tzinfo=UTC), help_text="When it was opened.")
    digest = CharField(
        initial="9f1c0de4a2b1b3d0f1f0f1b9b53d9f3f0c7f0f6d4a6b3f2f8a1f5f1d7c9e0b2a",
        help_text="SHA-256 of the answers as they were then.",
    )
    changed = ListField(child=CharField(), initial=["3.2.1"], help_text="Keys of the answers that are others now.")


class AnswerEntry(Fields):
    """A question with its answer."""

    key = CharField(initial="4.3.1.1~fluency", help_text="Number and, of questions about a criterion, its key.")
    number = CharField(initial="4.3.1.1", help_text="Number in HEDS 3.0.")
    number_2 = CharField(initial="4.3.1", allow_null=True, help_text="Number in HEDS 2.0; null where it does not ask.")
    criterion = CharField(initial="fluency", allow_null=True, help_text="Key of the criterion it is about.")
    question = CharField(initial="Name of the criterion as evaluators see it", help_text="What is asked.")
    options = ListField(child=CharField(), initial=[], help_text="Options that are chosen, in words.")
    text = CharField(initial="Fluency", allow_blank=True, help_text="The answer in words; empty where there is none.")
    origin = CharField(
        initial="from the criteria", allow_blank=True, help_text="Where the study has it from, or who wrote it."
    )
    own = BooleanField(initial=False, help_text="Whether a researcher wrote it.")
    complete = BooleanField(initial=True, help_text="Whether the question is answered.")


class DatasheetDocument(Fields):
    """The datasheet of a study."""

    study = CharField(initial="summaries-2026", help_text="Slug of the study.")
    frozen = FrozenEntry(allow_null=True, help_text="The datasheet as it was opened; null where it was not.")
    answers = AnswerEntry(many=True, help_text="Every question, in the order of the datasheet.")
    corrections = CorrectionEntry(many=True, help_text="Texts that were corrected while the study was open.")


@extend_schema_view(
    get=extend_schema(
        operation_id="datasheet",
        summary="Datasheet",
        description=(
            "Every question of the Human Evaluation Datasheet (HEDS 3.0 and 2.0) with its answer: what the study "
            "knows, or what a researcher wrote instead. No answer tells systems apart."
        ),
        tags=["Results"],
        parameters=[SLUG],
        responses=answers(DatasheetDocument, "The datasheet.") | refusals(),
    )
)
class DatasheetView(ApiView):
    """The datasheet of a study."""

    scope = tokens.READ_RESULTS

    def get(self, request: Request, slug: str) -> Response:
        """Answer with every question and its answer."""
        study, _role = self.study(request, slug, "datasheet")
        sheet = sheet_of(study)
        frozen = frozen_sheet(sheet)
        return Response(
            {
                "study": study.slug,
                "frozen": frozen
                and {
                    "version": frozen.version,
                    "at": frozen.at,
                    "digest": frozen.digest,
                    "changed": [entry.key for entry in frozen.changed],
                },
                "answers": [_answer(entry) for entry in sheet.entries],
                "corrections": CorrectionEntry(sheet.corrections, many=True).data,
            }
        )


def _answer(entry: Entry) -> dict[str, object]:
    question, answer = entry.question, entry.answer
    return {
        "key": entry.key,
        "number": question.number,
        "number_2": question.number_2 or None,
        "criterion": entry.criterion or None,
        "question": question.words,
        "options": [question.options[number - 1].words for number in answer.options],
        "text": answer.text,
        "origin": entry.source,
        "own": entry.own is not None,
        "complete": entry.is_complete,
    }
