"""Answering a screen of any task type by keyboard alone or by touch alone, as a person does who looks at the page."""

from playwright.sync_api import Locator, Page, expect

# More keys or taps than any screen takes.
MOST = 150

# What a person sees: the open questions by their ids, the control with the focus, and how much is chosen.
SEEN = """() => {
    const form = document.querySelector('form[data-answer]');
    const filled = (one) => ['radio', 'checkbox'].includes(one.type) ? one.checked : one.value.trim() !== '';
    const answered = (question) => 'optional' in question.dataset || (question.dataset.complete
        ? question.dataset.complete === 'true'
        : [...question.querySelectorAll('input[name], select[name], textarea[name]')].some(filled));
    const open = [...form.querySelectorAll('[data-question]')].filter((one) => !answered(one));
    const at = document.activeElement;
    return {
        open: open.map((one) => one.id),
        kind: at.tagName === 'INPUT' ? at.type : at.tagName.toLowerCase(),
        isWorst: at.dataset?.end === 'worst',
        isEmpty: !at.value,
        isWithin: open.some((one) => one.contains(at)),
        waits: [...form.querySelectorAll('[data-enter]')].some((one) => one.checkVisibility()),
        chosen: form.querySelectorAll('input:checked').length,
    };
}"""
# The first group of buttons or boxes in a question that can be seen and has no choice; of the worst, the last button.
FREE = """(question) => {
    const seen = [...question.querySelectorAll('input')].filter((one) =>
        ['radio', 'checkbox'].includes(one.type) && (one.closest('label') ?? one).checkVisibility());
    const groups = Map.groupBy(seen, (one) => one.type === 'radio' ? one.name : 'boxes');
    const free = [...groups.values()].find((group) => !group.some((one) => one.checked)) ?? [];
    return (free[0]?.dataset.end === 'worst' ? free.at(-1) : free[0])?.id ?? null;
}"""
TYPED = {"number": "3", "date": "01022026", "text": "3", "textarea": "Fine"}


class Keyboard:
    """A rater without a pointer, who counts the keys."""

    def __init__(self, page: Page) -> None:
        self.page = page
        self.keys = 0

    def press(self, *keys: str) -> None:
        """Press keys one after another."""
        for key in keys:
            self.page.keyboard.press(key)
        self.keys += len(keys)
        assert self.keys < MOST, "the keyboard does not get on"

    def answer(self) -> int:
        """Answer everything on the screen and send it; return how many keys that took.

        In its first half second a page does not hear Enter, which may be a second press on the page before
        (static/js/core/keys.js). Whoever looks at a page first presses later.
        """
        expect(self.page.locator("[data-send][data-settling]")).to_have_count(0)
        if self.page.locator("[data-error-spans]").count():
            self._mark()
        if self.page.locator("[data-ranking]").count():
            self._rank()
        seen = self.page.evaluate(SEEN)
        while seen["waits"] or seen["open"]:
            seen = self._go_on(seen)
        self.press("Control+Enter")
        return self.keys

    def _go_on(self, seen: dict[str, object]) -> dict[str, object]:
        """Answer the question with the focus, else the first that is open; return what is seen then."""
        kind = str(seen["kind"])
        if seen["waits"]:
            self.press("Enter")
        elif seen["isWithin"] and kind in TYPED and (seen["isEmpty"] or kind == "textarea"):
            self.press(*TYPED[kind])
        elif kind in TYPED:
            self.press("Tab" if kind == "textarea" else "Enter")
        elif kind == "checkbox" and not seen["isWithin"]:
            self.press("Enter")  # Boxes may all be ticked, so that the rater says when it is enough.
        else:
            self.press("1" if kind == "checkbox" or seen["isWorst"] else "2")
        after: dict[str, object] = self.page.evaluate(SEEN)
        if after == seen:
            self.press("Tab")
            return dict(self.page.evaluate(SEEN))
        return after

    def _mark(self) -> None:
        """Mark the first word of the first text as an error of the first kind."""
        while not self.page.evaluate("document.activeElement.matches('[role=listbox][data-takes-focus]')"):
            self.press("Tab")
        self.press("1")
        panel = self.page.locator("[data-spans-panel]")
        while panel.is_visible():
            inner = panel.locator("[data-category]:visible")
            kind = inner if inner.count() else panel.locator("[data-group]:visible")
            self.press(str(kind.first.get_attribute("data-letter")))

    def _rank(self) -> None:
        """Put the texts of every question in the order of their letters, the last one too."""
        for question in range(self.page.locator("[data-ranking] [data-question]").count()):
            if question:
                self.press("Enter")
            rows = self.page.locator("[data-ranking] [data-question]:visible [data-row]")
            self.press(*sorted(str(row.get_attribute("data-letter")).lower() for row in rows.all()))


class Touch:
    """A rater with a finger and the keyboard on the screen, who counts the taps; what is typed counts as one."""

    def __init__(self, page: Page) -> None:
        self.page = page
        self.taps = 0

    def tap(self, target: Locator) -> None:
        """Tap something that can be seen."""
        target.tap()
        self.taps += 1
        assert self.taps < MOST, "the finger does not get on"

    def answer(self) -> int:
        """Answer everything on the screen and send it; return how many taps that took."""
        form = self.page.locator("form[data-answer]")
        for first in form.locator("[data-enter]:visible").all():
            self.tap(first)
        for text in form.locator("[role=listbox][data-takes-focus]").all():
            self._mark(text)
        while open_ids := self.page.evaluate(SEEN)["open"]:
            question = form.locator(f"[id='{open_ids[0]}']")
            turning = self.page.locator(":is([data-paging-next], [data-paging-back]):visible")
            while not question.is_visible():
                self.tap(turning.last)
            self._answer(question, len(open_ids))
        self.tap(self.page.get_by_role("button", name="Send and go on"))
        return self.taps

    def _answer(self, question: Locator, n_open: int) -> None:
        """Answer what is open in a question that is shown."""
        rows, ranges = question.locator("[data-row]:not([data-placed])"), question.locator("input[type=range]:visible")
        free = question.evaluate(FREE)
        if rows.count():
            self.tap(rows.first.locator(".judged").first)
        elif ranges.count():
            self.tap(ranges.first)
        elif free:
            control = question.locator(f"[id='{free}']")
            self.tap(question.locator(f"label:has([id='{free}'])"))
            turns = control.get_attribute("type") == "radio" and not question.evaluate(FREE)
            if turns and n_open > 1 and question.locator("xpath=ancestor::*[@data-paging-on]").count():
                expect(question).to_be_hidden()
        else:
            self._fill(question.locator(":is(input, textarea, select):visible").first)

    def _fill(self, field: Locator) -> None:
        """Fill in a field: type as a keyboard on a screen does, without keys of its own, or use the device's picker."""
        self.taps += 1
        if field.evaluate("(one) => one.tagName") == "SELECT":
            field.select_option(index=1)
        elif (kind := field.get_attribute("type")) == "date":
            field.fill("2026-02-01")
        else:
            self.tap(field)
            self.page.keyboard.insert_text(TYPED.get(kind or "textarea", "3"))
            field.evaluate("(one) => one.blur()")

    def _mark(self, text: Locator) -> None:
        """Mark the first word of a text as an error of the first kind."""
        self.tap(text.get_by_role("option").first)
        panel = self.page.locator("[data-spans-panel]")
        self.tap(panel.locator("[data-severity]:visible").first)
        while panel.is_visible():
            inner = panel.locator("[data-category]:visible")
            self.tap((inner if inner.count() else panel.locator("[data-group]:visible")).first)
