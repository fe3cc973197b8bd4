"""The name of a screen is that of the first text it shows."""

from tasks_app.services.study.units import name_of_unit
from tasks_app.task_types.base import ItemTexts, UnitDraft
from tasks_app.task_types.data import OutputText

OUTPUTS = (OutputText("a", "", "one"), OutputText("b", "", "two"))
ITEMS = {key: ItemTexts.collapsed(key, OUTPUTS) for key in ("i1", "i2")}
NAMES = {("i1", "a", ""): "first", ("i1", "b", ""): "second", ("i2", "b", ""): "other"}


def test_texts_of_one_item() -> None:
    assert name_of_unit(UnitDraft("k", "i1", ((0,), (1,))), ITEMS, NAMES) == "first"
    assert name_of_unit(UnitDraft("k", "i1", ((1,), (0,))), ITEMS, NAMES) == "second"
    assert name_of_unit(UnitDraft("k", "i1", ((1,),), criterion="fluency"), ITEMS, NAMES) == "second@fluency"


def test_texts_of_several_items() -> None:
    mixed = UnitDraft("k", None, ((1,), (1,)), part_items=("i2", "i1"))
    assert name_of_unit(mixed, ITEMS, NAMES) == "other"


def test_without_a_text_or_a_name() -> None:
    assert name_of_unit(UnitDraft("k", None, ()), ITEMS, NAMES) == ""
    assert name_of_unit(UnitDraft("k", "i2", ((0,),)), ITEMS, NAMES) == ""
    assert name_of_unit(UnitDraft("k", "i1", ((0,),)), ITEMS, {}) == ""
