"""What the columns of tables in public files are guessed to be, and which of them are asked about."""

from tasks_app.setup.tables.guessed_uses import guess, guess_layout
from tasks_app.setup.tables.layout import ASKED
from tasks_app.setup.tables.source import look
from tests.tasks_app.setup.public_headers import HEADERS
from tests.tasks_app.setup.test_tables import a_file, uses_of


def test_columns_of_public_files_are_guessed_or_asked() -> None:
    """No public header is guessed wrong and taken as ready; of 43, 22 were right before questions could be asked."""
    wrong = []
    for header in HEADERS:
        guessed = guess(header.peek)
        uses = uses_of(guessed.layout)
        # Whatever is asked is said in a sentence, and cannot be stored.
        is_asked = ASKED in header.uses.values()
        refused = any("Say what these columns are" in fault for fault in guessed.layout.faults())
        if uses != header.uses or bool(guessed.questions) != is_asked or refused != is_asked:
            wrong.append((header.origin, uses, guessed.questions))
    assert not wrong
    assert len(HEADERS) >= 30


def test_numbers_of_segments_that_begin_anew_are_positions() -> None:
    table = "document,segment_no,source,translation\n" + "".join(
        f"talk-{d},{n},The sentence {n} of talk {d}.,Der Satz {n} von Vortrag {d}.\n" for d in "ab" for n in range(1, 4)
    )
    assert uses_of(guess_layout(look(a_file(table)))) == {
        "document": "document", "segment_no": "position", "source": "source", "translation": "output",
    }  # fmt: skip
