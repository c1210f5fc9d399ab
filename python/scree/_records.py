"""read_records: results of scree sweep and tune as a pandas DataFrame."""

from typing import TYPE_CHECKING, Any, Dict, List, Sequence, Union

from ._run import import_pandas
from .study.record import Record, as_object, fact, read_file, set_options
from .study.texts import Refused

if TYPE_CHECKING:
    import pandas


def _number(text: str) -> Any:
    try:
        return float(text)
    except ValueError:
        return text


def _row(record: Record) -> Dict[str, Any]:
    row: Dict[str, Any] = {name: record.numbers.get(name, _number(value)) for name, value in record.settings.items()}
    for name in ("step", "repetition", "status", "seconds", "teps", "validated", "started", "wall_seconds", "message"):
        row[name] = record.json.get(name)
    row["role"] = record.role
    for name in ("host", "mpi_library", "thread_level"):
        row[name] = fact(record, name)
    row["scree_version"] = fact(record, "scree")
    row["options"] = set_options(record)
    row["session"] = record.session
    row["identity_hash"] = fact(record, "hash")
    for group in ("machine", "mpi_environment"):
        row.update({f"{group}.{name}": _number(str(value)) for name, value in as_object(record.json.get(group)).items()})
    for name in ("commit", "compiler", "build"):
        row[name] = fact(record, name)
    row.update(record.json.get("work", {}))
    return row


def read_records(paths: Union[str, Sequence[str]], *, roles: Sequence[str] = ("data",)) -> "pandas.DataFrame":
    """One row per run: a column for each axis, as numbers where all values are (64K is 65536), then the fields of
    docs/sweeps.md. roles: of the runs that are returned, among data, warmup, control. With several files a column
    `file` comes first. Raises ValueError: a file is not of results, or a line is malformed."""
    pandas = import_pandas("read_records")
    names = [paths] if isinstance(paths, str) else paths
    rows: List[Dict[str, Any]] = []
    for path in names:
        try:
            records = read_file(path).records
        except Refused as error:
            raise ValueError(str(error)) from None
        found = [_row(record) for record in records if record.role in roles]
        rows += found if isinstance(paths, str) else [{"file": path, **row} for row in found]
    frame = pandas.DataFrame(rows)
    for name in frame.columns:
        if frame[name].map(lambda value: isinstance(value, (int, float)) or value is None).all():
            frame[name] = pandas.to_numeric(frame[name])
    return frame
