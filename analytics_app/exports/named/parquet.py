"""The ratings as Parquet: the rows and columns of the CSV export, with types."""

from __future__ import annotations

import os
import tempfile
from typing import IO, TYPE_CHECKING

from django.utils.translation import gettext_lazy

from analytics_app.exports import columns, ratings
from analytics_app.exports.columns import Kind
from analytics_app.exports.named.base import Writer, Written, register
from analytics_app.exports.statement import own_columns_of

if TYPE_CHECKING:
    import polars


@register
class Parquet(Writer):
    """Ratings as Parquet."""

    label = gettext_lazy("Parquet")
    about = gettext_lazy("The ratings with types, for pandas, polars, DuckDB, R and Hugging Face datasets.")
    not_kept = gettext_lazy("nothing of the CSV export; an arrangement is JSON as text")
    suffix = ".parquet"
    content_type = "application/vnd.apache.parquet"

    def write(self, written: Written, target: IO[bytes]) -> None:
        """Write the rows of the export, at constant memory but for a part of them."""
        os.environ.setdefault("POLARS_MAX_THREADS", "2")
        import polars  # noqa: PLC0415  most processes never write such a file

        study = written.study
        kinds = {column.name: column.kind for column in columns.RATINGS}
        names = [*kinds, *own_columns_of(study).names]
        schema = {name: _type(polars, kinds.get(name, Kind.TEXT)) for name in names}
        with tempfile.NamedTemporaryFile(suffix=".jsonl") as lines, tempfile.NamedTemporaryFile() as made:
            for chunk in ratings.stream(study, format="jsonl"):
                lines.write(chunk)
            lines.flush()
            if lines.tell() == 0:
                polars.DataFrame(schema=schema).write_parquet(made.name)
            else:
                frame = polars.scan_ndjson(lines.name, schema=schema)
                times = [name for name, kind in kinds.items() if kind is Kind.TIME]
                moments = [polars.col(name).str.to_datetime(time_zone="UTC", strict=True) for name in times]
                frame.with_columns(moments).sink_parquet(made.name)
            while chunk := made.read(1 << 20):
                target.write(chunk)


def _type(module: object, kind: Kind) -> polars.DataType:
    """Return the type of a column; times are read as texts first."""
    name = {Kind.WHOLE: "Int64", Kind.NUMBER: "Float64", Kind.YES_NO: "Boolean"}.get(kind, "String")
    return getattr(module, name)()  # type: ignore[no-any-return]
