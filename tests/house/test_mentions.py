"""Every column of text is searched for the name of an erased rater, or it is said why it cannot hold one.

A column that is new fails here until it is declared in `services/mentions.py` of its app or named below.
"""

from django.apps import apps
from django.db.models import CharField, JSONField, TextField

from tasks_app.services import mentions

# Models whose texts come from no researcher who writes about a rater, and why.
NOT_ABOUT_RATERS = {
    # The design: written before there are raters, frozen, and shown to raters.
    "study", "version", "task", "criterion", "consenttext", "group", "system", "item", "output", "unit", "part",
    "gold", "media", "itemmedia", "prefill", "place", "booklet", "plan", "document", "withdrawnunit",
    "setup", "setupchange", "setuprow", "setupwork", "importmapping",
    # Names of things.
    "project", "projectstep", "projectwork", "apitoken", "idempotency", "membership", "commentlink",
    "colleagueinvitation", "usualsettings",
    # Erased with the rater, or emptied: services/erasure.py.
    "rater", "identity", "invitation", "outbox", "assignment", "draft", "judgment", "rating", "controlresult",
    "codedanswer", "collectedtext", "markauthor", "importwork", "event", "enrolmentcount", "dailysalt", "raterset",
    # What is kept of a deleted study, whose raters are gone with all that names them.
    "deletedstudy", "deletedlink", "keptpayment",
    # Computed; the names of raters are replaced in them: analytics_app/services/erasing.py.
    "run", "runpart", "resultrow", "plot", "agreementpoint", "workerbeat", "metricscore", "scorework",
    "measuredoutcome",
}  # fmt: skip

# Columns of the other models that hold no sentence.
NO_SENTENCE = {
    "tasks_app.correction.kind", "tasks_app.correction.key",
    # Texts that raters read, as instructions are.
    "tasks_app.correction.before", "tasks_app.correction.after",
    "tasks_app.comment.name", "tasks_app.comment.step", "tasks_app.payment.kind", "tasks_app.personaltext.condition",
    "tasks_app.codebook.criterion", "analytics_app.exclusion.rule", "analytics_app.resultslink.token_hash",
    "analytics_app.datasheet.digest",
}  # fmt: skip


def test_every_column_of_text_is_declared() -> None:
    searched = {text.key for text in mentions.registered()}
    columns = {
        f"{model._meta.label_lower}.{field.name}"
        for app in ("tasks_app", "analytics_app")
        for model in apps.get_app_config(app).get_models()
        if model._meta.model_name not in NOT_ABOUT_RATERS
        for field in model._meta.concrete_fields
        if isinstance(field, (CharField, TextField, JSONField))
    }
    assert columns - searched - NO_SENTENCE == set(), "declare these for erasure, or say here why they name no rater"
    assert searched <= columns
    models = {
        m._meta.model_name for app in ("tasks_app", "analytics_app") for m in apps.get_app_config(app).get_models()
    }
    assert models >= NOT_ABOUT_RATERS, "these are no models any more"
