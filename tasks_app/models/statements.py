"""Run statements that the ORM cannot express, and prepare those that raters' pages run.

PostgreSQL takes longer to plan some of these than to run them, and the ORM takes longer to write them. So they are
written once in a process, and each connection has PostgreSQL plan them once. That needs a connection that is one
session, which it is unless a pooler shares sessions out by transaction (docs/decisions/0134).

An update of the site may change a table while its processes still run. PostgreSQL plans such a statement anew, but
refuses one whose columns would have other types than before. It is then prepared again, as are those that something
else took from the connection.
"""

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cached_property
from typing import Any, Generic, TypeVar
from uuid import UUID
from weakref import WeakKeyDictionary

from django.db import DEFAULT_DB_ALIAS, DatabaseError, connection
from django.db.models import Model, QuerySet
from django.db.models.query import get_related_populators

PARAMETER = re.compile(r"%\((\w+)\)s")

# Errors of a statement that has to be prepared again: its columns would have other types, and it is not there.
OUTDATED = ("0A000", "26000")

# The names of the statements that each connection has prepared; None where all are to be prepared again.
_prepared: WeakKeyDictionary[object, set[str] | None] = WeakKeyDictionary()


def rows(sql: str, params: Sequence[Any] | Mapping[str, Any]) -> list[tuple[Any, ...]]:
    """Run one statement and return its rows."""
    with connection.cursor() as cursor:
        cursor.execute(sql, params)
        return list(cursor.fetchall())


class Prepared:
    """A statement that each connection plans once, with parameters as `%(name)s`.

    PostgreSQL finds out the types of the parameters by their places, so that some need a cast. A parameter that is an
    array of anything but numbers is given as PostgreSQL writes it.
    """

    def __init__(self, name: str, sql: str) -> None:
        self.name = f"evalweb_{name}"
        names = list(dict.fromkeys(PARAMETER.findall(sql)))
        numbered = PARAMETER.sub(lambda match: f"${names.index(match[1]) + 1}", sql).replace("%%", "%")
        values = f"({', '.join(f'%({name})s' for name in names)})" if names else ""
        self._prepare = f"PREPARE {self.name} AS {numbered}"
        self._execute = f"EXECUTE {self.name}{values}"

    def rows(self, params: Mapping[str, Any]) -> list[tuple[Any, ...]]:
        """Run the statement and return its rows.

        One that is outdated is prepared again. A transaction is over by then: `services.database.atomically` runs it
        again.
        """
        with connection.cursor() as cursor:
            self._have_it_planned()
            try:
                cursor.execute(self._execute, params)
            except DatabaseError as error:
                if getattr(error.__cause__, "pgcode", None) not in OUTDATED:
                    raise
                _prepared[connection.connection] = None
                if connection.in_atomic_block:
                    raise
                self._have_it_planned()
                cursor.execute(self._execute, params)
            return list(cursor.fetchall())

    def _have_it_planned(self) -> None:
        names = _prepared.setdefault(connection.connection, set())
        if names is not None and self.name in names:
            return
        # Not by Django's cursor, which would count this among the statements of the request.
        with connection.wrap_database_errors, connection.connection.cursor() as own:
            if names is None:
                own.execute("DEALLOCATE ALL")
                names = _prepared[connection.connection] = set()
            own.execute(self._prepare)
        names.add(self.name)


M = TypeVar("M", bound=Model)


class PreparedQuery(Generic[M]):
    """A query of the ORM that is written once in a process, and that each connection plans once.

    `make` returns the query for any values of its parameters. It is called once, with `stand_ins`: values that no other
    place of the query has.
    """

    def __init__(self, name: str, make: Callable[..., QuerySet[M, Any]], **stand_ins: object) -> None:
        self._name, self._make, self._stand_ins = name, make, stand_ins

    def rows(self, **values: object) -> list[tuple[Any, ...]]:
        """Return the rows of the query as they come from the database."""
        return self._written.statement.rows(values)

    def fetch(self, **values: object) -> list[M]:
        """Return the objects of the query, with those that it selects with them."""
        return [self._written.made(row) for row in self.rows(**values)]

    @cached_property
    def _written(self) -> "_Written[M]":
        return _Written(self._name, self._make(**self._stand_ins), self._stand_ins)


class _Written(Generic[M]):
    """The SQL of a query, and how the ORM makes objects out of its rows; keeps no connection."""

    def __init__(self, name: str, queryset: QuerySet[M, Any], stand_ins: Mapping[str, object]) -> None:
        compiler = queryset.query.get_compiler(using=DEFAULT_DB_ALIAS)
        sql, params = compiler.as_sql()
        self.statement = Prepared(name, "".join(_named(sql, params, stand_ins)))
        select, info = compiler.select, compiler.klass_info
        self._converters = compiler.get_converters([column for column, _sql, _alias in select]).items()
        self._annotations = dict(compiler.annotation_col_map or {})
        if info is not None:
            first, last = info["select_fields"][0], info["select_fields"][-1] + 1
            self._model, self._columns = info["model"], slice(first, last)
            self._names = [column.target.attname for column, _sql, _alias in select[self._columns]]
            self._related = get_related_populators(info, select, DEFAULT_DB_ALIAS)  # type: ignore[call-arg]

    def made(self, row: Sequence[Any]) -> M:
        """Return the object of a row, as `QuerySet` makes it."""
        values = list(row)
        for place, (converters, expression) in self._converters:
            for convert in converters:
                values[place] = convert(values[place], expression, connection)
        made: M = self._model.from_db(DEFAULT_DB_ALIAS, self._names, values[self._columns])
        for related in self._related:
            related.populate(values, made)
        for name, place in self._annotations.items():
            setattr(made, name, values[place])
        return made


def _named(sql: str, params: Sequence[object], stand_ins: Mapping[str, object]) -> Iterator[str]:
    """Yield the pieces of SQL with parameters named by their stand-ins, and with all other values written into it."""
    names = {value: name for name, value in stand_ins.items()}
    pieces = sql.split("%s")
    with connection.cursor() as cursor:
        for piece, value in zip(pieces, params, strict=False):
            yield piece
            literal = isinstance(value, str | int | UUID) and value in names
            yield f"%({names[value]})s" if literal else cursor.mogrify("%s", [value]).decode().replace("%", "%%")
    yield pieces[-1]
