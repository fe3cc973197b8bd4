"""The OpenAPI schema says everything about every address, and the page to try it needs no inline code."""

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from django.conf import settings
from django.contrib.staticfiles import finders
from django.test import Client
from django.urls import get_resolver
from drf_spectacular.generators import SchemaGenerator
from drf_spectacular.validation import validate_schema
from rest_framework.exceptions import APIException

from analytics_app.exports.columns import RATINGS, RESULTS
from tasks_app.api import errors
from tasks_app.services.study import tokens

# Addresses that are no part of the schema: its own page, itself, and the refusal of all others.
OTHERS = {"try", "schema", "nothing"}


@pytest.fixture(scope="module")
def schema() -> dict[str, Any]:
    """The schema, as it is served."""
    generator = SchemaGenerator()  # type: ignore[no-untyped-call]
    found: dict[str, Any] = generator.get_schema(request=None, public=True)  # type: ignore[no-untyped-call]
    return found


def operations(schema: dict[str, Any]) -> Iterator[tuple[str, dict[str, Any]]]:
    for path, methods in schema["paths"].items():
        for method, operation in methods.items():
            yield f"{method} {path}", operation


def test_it_is_valid(schema: dict[str, Any]) -> None:
    validate_schema(schema)  # type: ignore[no-untyped-call]
    assert schema["openapi"].startswith("3.")


def test_it_is_served_to_everybody_as_json(client: Client) -> None:
    answer = client.get("/api/v1/schema/", headers={"accept": "text/html", "accept-language": "de"})
    assert answer.status_code == 200
    assert "json" in answer["Content-Type"]
    assert answer.json()["paths"]["/api/v1/studies/"]["get"]["summary"] == "List studies"


def test_it_knows_every_address(schema: dict[str, Any]) -> None:
    names = {
        pattern.name: str(pattern.pattern)
        for resolver in get_resolver().url_patterns
        if str(resolver.pattern) == ""
        for part in resolver.url_patterns
        if str(part.pattern) == "api/v1/"
        for pattern in part.url_patterns
    }
    paths = {path.removeprefix("/api/v1/") for path in schema["paths"]}
    routes = {
        route.replace("<slug:slug>", "{slug}").replace("<int:number>", "{number}")
        for name, route in names.items()
        if name not in OTHERS
    }
    assert routes == paths
    assert len(paths) >= 12


def test_every_answer_has_an_example_and_everything_is_described(schema: dict[str, Any]) -> None:
    for name, operation in operations(schema):
        assert operation["summary"], name
        assert operation["description"], name
        assert operation["tags"][0] in {tag["name"] for tag in schema["tags"]}, name
        for parameter in operation.get("parameters", []):
            assert parameter.get("description"), (name, parameter["name"])
        for status, answer in operation["responses"].items():
            for content in answer["content"].values():
                assert content.get("examples"), (name, status)
        assert {"400", "401", "403", "404"} <= set(operation["responses"]), name
    for name, component in schema["components"]["schemas"].items():
        for field, about in component.get("properties", {}).items():
            assert about.get("description") or "$ref" in about, (name, field)


def test_every_address_says_which_scope_it_needs(schema: dict[str, Any]) -> None:
    for name, operation in operations(schema):
        assert operation["security"] == [{"token": []}], name
        assert any(f"Scope: `{scope}`" in operation["description"] for scope in tokens.SCOPES), name
    described = schema["components"]["securitySchemes"]["token"]["description"]
    assert all(scope in described for scope in tokens.SCOPES)


def test_the_columns_of_files_are_described(schema: dict[str, Any]) -> None:
    paths = schema["paths"]
    for path, columns in (("ratings.csv", RATINGS), ("results.csv", RESULTS)):
        description = paths[f"/api/v1/studies/{{slug}}/{path}"]["get"]["description"]
        for column in columns:
            assert f"- `{column.name}` ({column.kind}): {column.doc}" in description
    for row, columns in (("RatingRow", RATINGS), ("ResultRow", RESULTS)):
        assert list(schema["components"]["schemas"][row]["properties"]) == [one.name for one in columns]


def test_an_example_is_what_its_description_says(schema: dict[str, Any]) -> None:
    """Each example has exactly the fields that the answer is described to have."""
    components = schema["components"]["schemas"]

    def check(value: Any, about: dict[str, Any], where: str) -> None:
        if "$ref" in about:
            about = components[about["$ref"].rpartition("/")[2]]
        if "allOf" in about:
            return check(value, about["allOf"][0], where)
        if about.get("type") == "array":
            for one in value:
                check(one, about["items"], where)
        elif "properties" in about:
            extra = {name for name in value if not name.startswith("feature_")}
            assert extra == set(about["properties"]), where
            for name, one in value.items():
                if one is not None and name in about["properties"]:
                    check(one, about["properties"][name], f"{where} {name}")
        return None

    for name, operation in operations(schema):
        for status, answer in operation["responses"].items():
            for kind, content in answer["content"].items():
                if "json" in kind:
                    for example in content["examples"].values():
                        check(example["value"], content["schema"], f"{name} {status}")


def test_the_page_in_docs_names_what_there_is(schema: dict[str, Any]) -> None:
    page = (Path(settings.BASE_DIR) / "docs" / "api.md").read_text()
    for path in re.findall(r"/api/v1/studies/[^\s\"?`]+", page):
        assert path.replace("my-study", "{slug}") in schema["paths"], path
    for scope in tokens.SCOPES:
        assert f"| `{scope}`" in page
    declared = {
        one.default_code
        for one in vars(errors).values()
        if isinstance(one, type) and issubclass(one, APIException) and one.__module__ == errors.__name__
    }
    named = set(re.findall(r"`([a-z_]+)`", page.split("| status |")[1]))
    assert declared <= named


def test_the_page_to_try_it_runs_on_our_own_files(client: Client) -> None:
    page = client.get("/api/v1/")
    text = page.content.decode()
    assert page.status_code == 200
    assert 'data-schema="/api/v1/schema/"' in text
    assert "<style" not in text
    assert " style=" not in text
    policy = dict(one.strip().split(" ", 1) for one in page["Content-Security-Policy"].split(";"))
    assert (policy["script-src"], policy["style-src"], policy["img-src"]) == ("'self'", "'self'", "'self' data:")
    for file in ("swagger-ui-bundle.js", "swagger-ui.css"):
        assert f"/static/drf_spectacular_sidecar/swagger-ui-dist/{file}" in text
        assert finders.find(f"drf_spectacular_sidecar/swagger-ui-dist/{file}")
    assert "data:" not in client.get("/")["Content-Security-Policy"]
