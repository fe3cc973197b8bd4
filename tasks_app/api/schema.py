"""Describe an address in the OpenAPI schema."""

from typing import Any

from drf_spectacular import openapi


class AutoSchema(openapi.AutoSchema):
    """Adds to each description the scope that a token needs."""

    def get_operation(self, *args: Any, **kwargs: Any) -> Any:
        """Return the description of one method of an address; None where it is left out."""
        operation = super().get_operation(*args, **kwargs)
        scope = getattr(self.view, "scopes", {}).get(self.method, getattr(self.view, "scope", ""))
        if operation is not None and scope:
            operation["description"] = f"{operation.get('description', '')}\n\nScope: `{scope}`".strip()
        return operation
