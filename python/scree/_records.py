"""read_records: results of scree sweep and tune as a pandas DataFrame."""

import json
from typing import TYPE_CHECKING, Any, Dict, Iterator, List, Sequence, Union

from .study.record import fact, record_of, set_options

if TYPE_CHECKING:
    import pandas


def _number(text: str) -> Any:
    try:
        return float(text)
    except ValueError:
        return text


def _row(record: Dict[str, Any]) -> Dict[str, Any]:
    numbers = record.get("numbers", {})
    row: Dict[str, Any] = {
        name: numbers.get(name, _number(value)) for name, value in record["configuration"].items()
    }
    for name in ("step", "repetition", "status", "seconds", "teps", "validated", "started", "wall_seconds", "message"):
        row[name] = record.get(name)
    row["role"] = record["role"]
    known = record_of(record, "")
    for name in ("host", "mpi_library", "thread_level"):
        row[name] = fact(known, name)
    row["scree_version"] = fact(known, "scree")
    row["options"] = set_options(known)
    row.update(record.get("work", {}))
    return row


def _records(path: str) -> Iterator[Dict[str, Any]]:
    with open(path) as file:
        for number, line in enumerate(file, 1):
            if not line.endswith("\n"):
                return  # the line that was being written when the sweep was killed
            record = json.loads(line)
            if number > 1:
                yield record
            elif record.get("scree_sweep") != 2:
                raise ValueError(f"{path}: not a file of results that this release reads")


def read_records(paths: Union[str, Sequence[str]], *, roles: Sequence[str] = ("data",)) -> "pandas.DataFrame":
    """One row per run: a column for each axis, as numbers where all values are (64K is 65536), then the fields of
    docs/sweeps.md. roles: of the runs that are returned, among data, warmup, control. With several files a column
    `file` comes first."""
    import pandas

    several = not isinstance(paths, str)
    rows: List[Dict[str, Any]] = []
    for path in paths if several else [paths]:
        for record in _records(path):
            row = _row(record)
            if row["role"] in roles:
                rows.append({"file": path, **row} if several else row)
    frame = pandas.DataFrame(rows)
    for name in frame.columns:
        if frame[name].map(lambda value: isinstance(value, (int, float)) or value is None).all():
            frame[name] = pandas.to_numeric(frame[name])
    return frame
