"""How often equivalence is claimed wrongly, smaller than the table of docs/methods/equivalence.md."""

from bench import size_of_equivalence


def test_claims_at_the_margin_and_of_a_difference_are_as_rare_as_promised() -> None:
    rows = [cells for cells in size_of_equivalence.rows(20, 1, of_raters=False) if cells[0] == "metric"]
    assert len(rows) == 4
    for cells in rows:
        at_margin, equal, twice, different, covers = (float(cell.split()[0]) for cell in cells[3:])
        # The seed is fixed, and so are these, of 200 studies.
        assert at_margin <= 8
        assert different <= 8
        assert covers >= 86
        assert twice >= equal > at_margin
