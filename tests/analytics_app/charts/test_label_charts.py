"""Charts of labels: what their titles claim, and which rows they draw."""

from analytics_app import charts
from analytics_app.results import Row
from tests.analytics_app.builders import are_rendered

PLACE = {"task": "main", "criterion": "tone", "by_system": True}


def share(system: str, label: str, value: float, width: float = 0.05, analysis: str = "labels") -> Row:
    ends = {"low": value - width, "high": value + width}
    about = {**PLACE, "criterion": "error"} if analysis == "error_labels" else PLACE
    return Row(**about, analysis=analysis, statistic="share", system=system, label=label, value=value, **ends)


def drawn(rows: list[Row], criterion: str | None = "tone") -> dict[str, charts.Drawn]:
    draw = charts.draw if criterion else charts.draw_task
    return {one.key: one for one in draw(rows, "main", criterion, name="Tone" if criterion else "")}


def test_shares_of_labels_name_what_tells_systems_apart() -> None:
    rows = [
        share("ours", "Yes", 0.9),
        share("ours", "No", 0.1),
        share("theirs", "Yes", 0.4),
        share("theirs", "No", 0.6),
    ]
    assert drawn(rows)["shares"].title == "Tone is “Yes” 90 % for ours, 40 % for theirs".replace(" %", "\u00a0%")
    near = [share("ours", "Yes", 0.52), share("theirs", "Yes", 0.48)]
    assert drawn(near)["shares"].title == "Shares of labels for Tone, system by system"


def test_several_options_and_very_many_make_no_whole() -> None:
    assert "shares" not in drawn([share("ours", "a", 0.8), share("ours", "b", 0.7)])
    assert "shares" not in drawn([share("ours", f"label {n}", 0.05) for n in range(20)])


def test_confidence_says_how_many_texts_are_uncertain() -> None:
    rows = [
        Row(task="main", criterion="tone", analysis="labels", statistic=statistic, label=label, value=value, n_items=50,
            settings={"threshold": 0.8})
        for statistic, label, value in (
            ("confidence_distribution", "0.5 to 0.6", 0.1), ("confidence_distribution", "0.9 to 1", 0.9),
            ("low_confidence_texts", None, 5.0),
        )
    ]  # fmt: skip
    found = drawn(rows)["confidence"]
    assert found.title == "5 of 50 texts have an uncertain label for Tone"
    assert "below 0.8" in found.subtitle
    assert not found.by_system


def test_errors_stand_in_the_section_of_their_criterion() -> None:
    rows = [share(system, label, value, analysis="error_labels") for system, label, value in (
        ("crawl", "MT", 0.6), ("crawl", "V", 0.4), ("people", "MT", 0.1), ("people", "V", 0.9),
    )]  # fmt: skip
    about = {"task": "main", "criterion": "error", "analysis": "error_labels"}
    rows += [
        Row(**about, statistic="rater_share", rater=rater, label=label, value=value, n_ratings=50)
        for rater, label, value in (("r1", "MT", 0.2), ("r1", "V", 0.8), ("r2", "MT", 0.7), ("r2", "V", 0.3))
    ]
    rows += [Row(**about, statistic="overall_share", label=label, value=0.5) for label in ("MT", "V")]
    rows += [
        Row(**about, statistic="confusion", label=label, value=value)
        for label, value in (("MT / MT", 20.0), ("MT / V", 30.0), ("V / MT", 30.0), ("V / V", 20.0))
    ]
    # Of one pair of raters, which is not drawn.
    rows.append(Row(**about, statistic="confusion", rater="r1", slice="second=r2", label="V / MT", value=9.0))
    assert drawn(rows, None)["error-systems"].title == "Error labels, system by system"
    tested = {**PLACE, "criterion": "error", "analysis": "error_labels", "statistic": "label_difference"}
    for label, value, p in (("V", -0.5, 0.2), ("MT", 0.5, 0.01)):
        rows.append(Row(**tested, system="crawl", system_b="people", label=label, value=value, p_adjusted=p))
    found = drawn(rows, None)
    assert {one.criterion for one in found.values()} == {"error"}
    assert found["error-systems"].title == (
        "MT was given in 60\u00a0% of the answers about crawl and in 10\u00a0% of those about people"
    )
    assert are_rendered(found.values())
    assert found["error-systems"].by_system
    assert found["error-raters"].title.startswith("Raters differ most in MT: 20")
    assert found["confusion"].title == "MT and V are confused most: 60\u00a0% of pairs of answers"
    assert "50 pairs of answers" in found["confusion"].subtitle
    columns, cells = charts.numbers(found["confusion"].spec)
    assert [head for _name, head in columns] == ["One rater", "Another rater", "Share"]
    assert ["MT", "V", 0.6] in cells


def test_raters_by_accuracy() -> None:
    rows = [
        Row(task="main", criterion="tone", analysis="labels", statistic="rater_accuracy", rater=f"r{n}", value=value)
        for n, value in enumerate((0.9, 0.5, 0.7))
    ]
    found = drawn(rows)["rater-accuracy"]
    assert found.title == "Raters find the likely label for Tone 50 % to 90 % of the time".replace(" %", "\u00a0%")
    assert [cell[0] for cell in charts.numbers(found.spec)[1]] == ["r1", "r2", "r0"]
    assert are_rendered([found])
    assert "rater-accuracy" not in drawn(rows[:2])
