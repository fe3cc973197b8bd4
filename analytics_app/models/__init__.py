"""The tables of the analysis: plans, runs, exclusions, results, uploaded scores and outcomes."""

from analytics_app.models.elsewhere import MeasuredOutcome, MetricScore, ScoreWork
from analytics_app.models.runs import (
    UNFINISHED,
    AgreementPoint,
    Datasheet,
    Exclusion,
    Plan,
    Plot,
    ResultLift,
    ResultRow,
    ResultsLink,
    Run,
    RunPart,
    RunPartKind,
    RunPartState,
    RunState,
    RunTrigger,
    WorkerBeat,
)

__all__ = [
    "UNFINISHED",
    "AgreementPoint",
    "Datasheet",
    "Exclusion",
    "MeasuredOutcome",
    "MetricScore",
    "Plan",
    "Plot",
    "ResultLift",
    "ResultRow",
    "ResultsLink",
    "Run",
    "RunPart",
    "RunPartKind",
    "RunPartState",
    "RunState",
    "RunTrigger",
    "ScoreWork",
    "WorkerBeat",
]
