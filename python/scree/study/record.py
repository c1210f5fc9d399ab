"""Records of runs: JSON Lines, one header and then one record for each run.

A kill at any moment loses at most the line that is being written. docs/sweeps.md lists the fields.
"""

import json
import math
from dataclasses import dataclass, field
from typing import Any, Dict, Iterator, List, Sequence

from scree.study.texts import Refused, is_printable, printable, read_bytes

FORMAT = 2  # of the file, written and read
STATUSES = ("ok", "invalid", "failed", "timeout", "ranks")
WORKS = ("messages", "direct", "useful", "superseded", "rejected", "pruned", "edges", "epochs", "rounds", "blocks",
         "bytes", "handler_seconds", "queue_seconds", "wait_seconds")

Json = Dict[str, Any]


@dataclass
class Record:
    """One run. `json` is the whole record; the other fields are what most readers need of it."""

    file: str  # the name of the file that it is in
    json: Json
    key: str  # the configuration as one text
    settings: Dict[str, str]  # the value of each axis as text
    step: int
    repetition: int  # from 1; 0 is the warm-up
    control: bool
    status: str
    seconds: float = 0.0  # this and the next two: 0 or absent unless status is ok
    teps: float = 0.0
    work: Dict[str, float] = field(default_factory=dict)
    validated: bool = False
    started: str = ""
    message: str = ""

    @property
    def role(self) -> str:
        """data, warmup or control."""
        return role_of(self.repetition, self.control)

    @property
    def numbers(self) -> Dict[str, float]:
        """The settings that are numbers: 64K is 65536."""
        return _object(self.json.get("numbers"))

    @property
    def identity(self) -> Json:
        """Of what ran it: program, version, hash, mpi, mpi_library, host, options of the environment; {} in records of
        scree 0.3 and before."""
        return _object(self.json.get("identity"))

    @property
    def result(self) -> Json:
        """What the job printed as JSON; {} if nothing."""
        return _object(self.json.get("result"))


@dataclass
class Results:
    """A file of results."""

    name: str
    header: Json
    records: List[Record]
    torn: bool  # the last line was incomplete, and is not among the records

    @property
    def title(self) -> str:
        """Of the plan, or ""."""
        return _text(self.header.get("title"))

    @property
    def plan(self) -> str:
        """The plan as canonical text."""
        return _text(self.header.get("plan"))

    @property
    def steps(self) -> int:
        """Of the whole plan; 0: unknown."""
        return int(self.header["steps"])


def role_of(repetition: int, control: bool) -> str:
    """What a run is for: its time counts, it warms up the machine, or it shows drift."""
    return "warmup" if repetition == 0 else "control" if control else "data"


# ---- reading ----

_EXACT = ("key", "title", "configuration")  # text as scree wrote it, or the file is refused
_LINES = ("message", "plan", "mpi_library")  # texts of several lines


def _clean(value: Any, name: str, strict: bool) -> Any:
    """Texts reach terminals, plots and pages: what is not printable is replaced, or, in what identifies a run,
    refused."""
    if isinstance(value, str):
        if strict and not is_printable(value):
            raise ValueError("a setting, key or title has a control character, so scree did not write this file")
        return printable(value, lines=name in _LINES)
    if isinstance(value, list):
        return [_clean(one, name, strict) for one in value]
    if isinstance(value, dict):
        for inner in value:
            if not is_printable(inner):
                raise ValueError("a name has a control character, so scree did not write this file")
        return {inner: _clean(one, inner, strict or inner in _EXACT) for inner, one in value.items()}
    return value


def _is_count(value: Any) -> bool:
    return isinstance(value, (int, float)) and not isinstance(value, bool) and 0 <= value <= 9e15


def _number(value: Any) -> float:
    return float(value) if isinstance(value, (int, float)) and not isinstance(value, bool) else 0.0


def _object(value: Any) -> Json:
    return value if isinstance(value, dict) else {}


def _text(value: Any) -> str:
    return value if isinstance(value, str) else ""


def record_of(line: Json, file: str) -> Record:
    """The record in a line. Raises ValueError."""
    if not isinstance(line.get("key"), str) or not _is_count(line.get("step")) or not _is_count(line.get("repetition")):
        raise ValueError("key, step or repetition is missing")
    if line.get("status") not in STATUSES:
        raise ValueError("status is not one of " + ", ".join(STATUSES))
    settings = line.get("configuration")
    if not isinstance(settings, dict):
        raise ValueError("the configuration is missing")
    if not all(isinstance(value, str) for value in settings.values()):
        raise ValueError("a value of the configuration is not text")
    record = Record(file, line, line["key"], settings, int(line["step"]), int(line["repetition"]),
                    line.get("control") is True, line["status"], validated=line.get("validated") is True,
                    started=_text(line.get("started")), message=_text(line.get("message")))
    if record.status == "ok":
        work = line.get("work")
        record.seconds, record.teps = _number(line.get("seconds")), _number(line.get("teps"))
        record.work = {name: _number(work.get(name)) if isinstance(work, dict) else 0.0 for name in WORKS}
        if not record.seconds > 0:
            raise ValueError("status is ok, but seconds is missing")
    return record


def _check_header(line: Json) -> None:
    version = _number(line.get("scree_sweep"))
    if version > FORMAT:
        raise ValueError("of a newer release of scree; read it with that one")
    if version < 1:
        raise ValueError("not a result file of scree sweep")
    if version < FORMAT:
        raise ValueError("of scree before 0.2; 'scree report --csv' of scree 0.2 converts it")
    if not isinstance(line.get("plan"), str) or not _is_count(line.get("steps")):
        raise ValueError("the header lacks plan or steps")


def _constant(name: str) -> float:
    raise ValueError(f"{name} is not a number of JSON")


def _finite(text: str) -> float:
    value = float(text)
    return value if math.isfinite(value) else _constant(text)


def _integer(text: str) -> float:
    return int(text) if len(text) <= 20 else _finite(text)


def _lines(text: bytes) -> Iterator[Json]:
    for number, one in enumerate(text.split(b"\n")[:-1]):
        not_one = "not a JSON object" if number else "not a result file of scree sweep"
        try:
            line = json.loads(one.decode("utf-8"), parse_constant=_constant, parse_float=_finite, parse_int=_integer)
        except (ValueError, RecursionError):
            raise ValueError(not_one) from None
        if not isinstance(line, dict):
            raise ValueError(not_one)
        yield _clean(line, "", False)


def read_file(name: str) -> Results:
    """Reads a file of results. Raises Refused: no such file, or the line that is malformed."""
    text = read_bytes(name, "results")
    number, shown = 1, printable(name)
    header: Json = {}
    records: List[Record] = []
    try:
        for number, line in enumerate(_lines(text), 1):
            if number == 1:
                _check_header(line)
                header = line
            else:
                records.append(record_of(line, shown))
            number += 1
        if not header:
            number = 1
            raise ValueError("no complete line; remove the file")
    except ValueError as error:
        raise Refused(f"results '{name}', line {number}: {error}") from None
    return Results(shown, header, records, not text.endswith(b"\n"))


def read(names: Sequence[str]) -> List[Record]:
    """The records of all files, in their order. Raises Refused."""
    return [record for name in names for record in read_file(name).records]
