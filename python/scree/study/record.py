"""Records of runs: JSON Lines, one header and then one record for each run.

A kill at any moment loses at most the line that is being written. docs/sweeps.md lists the fields.
"""

import contextlib
import errno
import fcntl
import io
import json
import math
import os
import re
from collections import Counter
from dataclasses import dataclass
from typing import Any, Dict, List, NoReturn, Optional, Sequence, Set, Tuple

from scree.study.texts import FULL, Refused, beside, is_printable, printable, read_bytes

MIXED = "identity"  # the axis of runs of another program, machine or environment than the first of their file
REFUSED = 2  # the exit code of a job that refuses its input or its options
FORMAT = 2  # of the file, written and read
STATUSES = ("ok", "invalid", "failed", "timeout", "ranks")
WORKS = ("messages", "direct", "useful", "superseded", "rejected", "pruned", "edges", "epochs", "detection_rounds",
         "blocks", "bytes", "handler_seconds", "queue_seconds", "wait_seconds")

Json = Dict[str, Any]


def role_of(repetition: int, control: bool) -> str:
    """What a run is for: its time counts, it warms up the machine, or it shows drift."""
    return "warmup" if repetition == 0 else "control" if control else "data"


_EXACT = ("key", "title", "configuration")  # text as scree wrote it, or the file is refused
_LINES = ("message", "plan", "mpi_library")  # texts of several lines


_ALIKE = ("command", "configuration", "environment", "identity", "machine", "mpi_environment", "numbers", "options",
          "versions")
_SHARED_MAX = 100000
_Shared = Dict[Any, Any]


def _share(value: Any, shared: _Shared) -> Any:
    """The same object for equal parts of records, of which a file has thousands. No reader changes them."""
    if isinstance(value, (dict, list)):
        items = value.items() if isinstance(value, dict) else enumerate(value)
        parts = [(name, _share(part, shared)) for name, part in items]
        key = tuple((name, type(part), id(part) if isinstance(part, (dict, list)) else part) for name, part in parts)
        found = shared.get((type(value), key))
        if found is None:
            found = dict(parts) if isinstance(value, dict) else [part for _, part in parts]
            if len(shared) < _SHARED_MAX:
                shared[type(value), key] = found
        return found
    return value


def _share_parts(line: Json, shared: _Shared) -> Json:
    """The line with shared parts."""
    for name, value in line.items():
        if name in _ALIKE:
            line[name] = _share(value, shared)
        elif isinstance(value, dict):
            line[name] = _share_parts(value, shared)
    return line


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


def as_number(value: Any) -> float:
    """A number of JSON; 0: it is none."""
    return float(value) if isinstance(value, (int, float)) and not isinstance(value, bool) else 0.0


def as_object(value: Any) -> Json:
    """An object of JSON; {}: it is none."""
    return value if isinstance(value, dict) else {}


def as_list(value: Any) -> List[Any]:
    """A list of JSON; []: it is none."""
    return value if isinstance(value, list) else []


def _text(value: Any) -> str:
    return value if isinstance(value, str) else ""


_OLD = {"rounds": "detection_rounds", "blocks": "created",  # counters before scree 0.3, and their names
        **{name: "lock_" + name for name in ("sampled_sends", "dangling_sends", "sampled_receives", "dangling_receives")}}


def _rename_old(work: Json, counters: Json) -> None:
    """Gives counters of older results the names of today."""
    if "rounds" in work:
        work["detection_rounds"] = work.pop("rounds")
    for old, new in _OLD.items():
        if old in counters:
            counters[new] = counters.pop(old)
    if "lock_wait_seconds" in counters:
        counters["lock_wait_ns"] = round(1e9 * as_number(counters.pop("lock_wait_seconds")))


class Record:
    """One run. `json` is the whole record; the other fields are what most readers need of it. Raises ValueError."""

    def __init__(self, line: Json, file: str) -> None:
        ok, work, settings = line.get("status") == "ok", as_object(line.get("work")), line.get("configuration")
        _rename_old(work, as_object(as_object(line.get("result")).get("counters")))
        for wrong, why in (
                (not isinstance(line.get("key"), str) or not _is_count(line.get("step"))
                 or not _is_count(line.get("repetition")), "key, step or repetition is missing"),
                (line.get("status") not in STATUSES, "status is not one of " + ", ".join(STATUSES)),
                (not isinstance(settings, dict), "the configuration is missing"),
                (not all(isinstance(value, str) for value in as_object(settings).values()),
                 "a value of the configuration is not text"),
                (ok and not as_number(line.get("seconds")) > 0, "status is ok, but seconds is not a number above 0")):
            if wrong:
                raise ValueError(why)
        self.file, self.json = file, line  # the name of the file that it is in
        self.key: str = line["key"]  # the configuration as one text
        self.settings: Dict[str, str] = as_object(settings)  # the value of each axis as text
        self.step, self.repetition = int(line["step"]), int(line["repetition"])  # from 1; 0 is the warm-up
        self.control = line.get("control") is True
        self.role = role_of(self.repetition, self.control)
        self.status: str = line["status"]
        # 0 or absent unless the status is ok
        self.seconds, self.teps = (as_number(line.get(name)) if ok else 0.0 for name in ("seconds", "teps"))
        self.items = self.seconds * self.teps  # of work, as edges that were traversed
        self.session = _text(line.get("session"))  # that it was made in; "" before scree 0.9
        self.wall = as_number(line.get("wall_seconds"))
        self.work = {name: as_number(work.get(name)) for name in WORKS} if ok else {}
        self.validated = line.get("validated") is True
        self.started, self.message = _text(line.get("started")), _text(line.get("message"))
        self.numbers = as_object(line.get("numbers"))  # the settings that are numbers: 64K is 65536
        self.identity = as_object(line.get("identity"))  # of what ran it: program, hash, ...; {} before scree 0.3
        self.result = as_object(line.get("result"))  # what the job printed as JSON; {} if nothing


@dataclass
class Results:
    """A file of results."""

    name: str
    header: Json
    records: List[Record]
    torn: bool  # the last line was incomplete, and is not among the records
    title: str  # of the plan, or ""
    plan: str  # as canonical text
    steps: int  # of the whole plan; 0: unknown

    @property
    def planned(self) -> int:
        """The steps without those of configurations that were refused, which are not tried again; 0: unknown."""
        found = re.search(r"^repeat = (\d+)$", self.plan, re.MULTILINE)
        repeat = int(found[1]) if found else 0
        refused = {record.key for record in self.records if record.json.get("exit") == REFUSED}
        ran = Counter((record.key, record.role) for record in self.records)
        if "precision" in self.header and len({count for (key, role), count in ran.items()
                                               if role == "data" and key not in refused}) == 1:
            return len(self.records)  # --precision may end after any round
        lost = sum(max(repeat - ran[key, "data"], 0) for key in refused)
        control = re.search(r"^control = (.*)$", self.plan, re.MULTILINE)
        if control and control[1] in refused and repeat:
            lost += max(_controls(self.steps, repeat) - ran[control[1], "control"], 0)
        return self.steps - lost


def _controls(steps: int, repeat: int) -> int:
    """The runs of the control among the steps of a plan: a warm-up, rounds, and the control before every eighth run and
    at the end."""
    runs = next((runs for runs in range(repeat, steps, repeat) if 2 + runs + -(-runs // 8) == steps), steps - 1)
    return steps - 1 - runs


def _check_header(line: Json) -> None:
    version = as_number(line.get("scree_sweep"))
    for wrong, why in ((version > FORMAT, "of a newer release of scree; read it with that one"),
                       (version < 1, "not a result file of scree sweep"),
                       (version < FORMAT, "of scree before 0.2; 'scree report --csv' of scree 0.2 converts it"),
                       (not isinstance(line.get("plan"), str) or not _is_count(line.get("steps")),
                        "the header lacks plan or steps")):
        if wrong:
            raise ValueError(why)


def no_number(name: str) -> float:
    """Of NaN and Infinity, which json would read."""
    raise ValueError(f"{name} is not a number of JSON")


def _finite(text: str) -> float:
    value = int(text) if text.lstrip("-").isdecimal() and len(text) <= 20 else float(text)
    return value if math.isfinite(value) else no_number(text)


def _object_in(text: bytes, otherwise: str) -> Json:
    line = None
    with contextlib.suppress(ValueError, RecursionError):
        line = json.loads(text.decode("utf-8"), parse_constant=no_number, parse_float=_finite, parse_int=_finite)
    if not isinstance(line, dict):
        raise ValueError(otherwise)
    return as_object(_clean(line, "", False))


def read_file(name: str) -> Results:
    """Reads a file of results. Raises Refused: no such file, or the line that is malformed."""
    text = read_bytes(name, "results")
    number, shown, records = 1, printable(name), []
    shared: _Shared = {}
    lines, torn = io.BytesIO(text), not text.endswith(b"\n")
    first = next(lines, b"")
    try:
        if not first.endswith(b"\n"):
            found = "half a line" if first else "an empty file"
            raise ValueError(f"found {found}, expected results of 'scree sweep --results FILE'")
        header = _object_in(first, "not a result file of scree sweep")
        _check_header(header)
        for number, one in enumerate(lines, 2):
            if one.endswith(b"\n"):
                records.append(Record(_share_parts(_object_in(one, "not a JSON object"), shared), shown))
    except ValueError as error:
        raise Refused(f"results '{name}', line {number}: {error}") from None
    return Results(shown, header, records, torn, _text(header.get("title")), header["plan"],
                   int(header["steps"]))


_NO_LOCKS = (errno.ENOSYS, errno.EOPNOTSUPP, errno.ENOLCK)


class Writer:
    """A file of results, locked."""

    def __init__(self, name: str, fd: int) -> None:
        self.name, self._fd = name, fd
        try:
            fcntl.flock(fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise Refused(f"results '{name}': another sweep is writing to this file; wait for its end, or name another "
                          "file with --results FILE") from None
        except OSError as error:
            if error.errno not in _NO_LOCKS:  # file systems without locks are used without one
                self._fail("cannot be locked", error)
        self._end = os.fstat(fd).st_size

    def _fail(self, what: str, error: OSError, code: int = 2) -> NoReturn:
        text = error.strerror
        if error.errno in FULL:
            text = f"the disk is full ({text}); free some space, then continue with --resume"
        raise Refused(f"results '{self.name}': {what}: {text}", code)

    def add(self, *records: Json) -> None:
        """Writes lines to the disk. Raises Refused; then the file ends before them."""
        text = "".join(json.dumps(one, ensure_ascii=False, separators=(",", ":")) + "\n" for one in records)
        line = text.encode("utf-8", "replace")  # output of jobs and paths may contain any bytes
        try:
            written = os.pwrite(self._fd, line, self._end)
            if written < len(line):
                raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
            os.fsync(self._fd)
            self._end += written
        except OSError as error:
            with contextlib.suppress(OSError):  # else readers leave out the rest
                os.ftruncate(self._fd, self._end)
            self._fail("a record could not be written", error, 1)

    def close(self) -> None:
        os.close(self._fd)


def is_empty(name: str) -> bool:
    """Returns true for a regular file without a byte, as mktemp creates it: results may begin there."""
    return os.path.isfile(name) and not os.path.islink(name) and os.path.getsize(name) == 0


def _claim(name: str) -> Writer:
    """Creates an empty file, or locks one that exists, so that of several sweeps that start at once only one gets the
    name. Raises FileExistsError for a file that would be lost."""
    flags = os.O_RDWR | os.O_CLOEXEC | os.O_NOFOLLOW
    fd = os.open(name, flags if is_empty(name) else flags | os.O_CREAT | os.O_EXCL)
    held = Writer(name, fd)
    if os.fstat(fd).st_size or not os.path.samestat(os.fstat(fd), os.lstat(name)):  # another sweep was here
        held.close()
        raise FileExistsError
    return held


def create(name: str, lines: Sequence[Json], over: bool = False) -> Writer:
    """A file with these lines, all of them or none, new or `over` the old one. It is locked before it has its name."""
    try:
        with beside(name) as (fd, part):
            writer = Writer(name, fd)
            writer.add(*lines)
            held = None if over else _claim(name)
            os.rename(part, name)
            if held:
                held.close()
    except FileExistsError:
        raise Refused(f"results '{name}': the file exists; --resume continues it, --results FILE names "
                      "another") from None
    except OSError as error:
        raise Refused(f"results '{name}': cannot be {'replaced' if over else 'created'}: {error.strerror}") from None
    return writer


def reopen(name: str) -> Writer:
    """A file that was read."""
    try:
        return Writer(name, os.open(name, os.O_RDWR | os.O_CLOEXEC | os.O_NOFOLLOW))
    except OSError as error:
        raise Refused(f"results '{name}': cannot be opened: {error.strerror}") from None


# A fact, how a caption names it, and what it calls the difference.
FACTS = ("host", "cpu", "cores", "kernel", "governor", "mpi_library", "thread_level", "launcher", "scree", "commit",
         "hash")
_PARTS = ("machine", "mpi", "versions", "configuration")  # of the JSON of a job, in which facts are found
_OTHER_NAMES = {"scree": "version"}  # in the identity of a record


def fact(record: Record, name: str) -> str:
    """A fact such as host or mpi_library as one line of text; "": it is not recorded."""
    for place in (record.identity, *(as_object(record.result.get(part)) for part in _PARTS)):
        value = place.get(name, place.get(_OTHER_NAMES.get(name, ""), ""))
        if isinstance(value, (str, int, float)) and value not in ("", "unknown"):
            text = f"{value:.15g}" if isinstance(value, float) else str(value)
            return text.split("\n")[0]
    return ""


def values_of(records: Sequence[Record], name: str) -> Dict[str, int]:
    """The values of a fact and the number of records that have each; records without the fact are left out."""
    return Counter(value for value in (fact(record, name) for record in records) if value)


def options_of(record: Record) -> Dict[str, Tuple[str, str]]:
    """The options of the job that are not axes: the value of each, and where it came from."""
    listed = as_object(as_object(record.result.get("configuration")).get("options"))
    return {name: (str(option.get("value")), str(option.get("from")))
            for name, option in listed.items() if isinstance(option, dict) and name not in record.settings}


def _option_values(records: Sequence[Record]) -> Dict[str, Set[Tuple[str, str]]]:
    found: Dict[str, Set[Tuple[str, str]]] = {}
    for record in records:
        for name, option in options_of(record).items():
            found.setdefault(name, set()).add(option)
    return found


def _shown(values: Set[Tuple[str, str]]) -> str:
    return " or ".join(f"{value} ({source})" for value, source in sorted(values)) or "not recorded"


def differences(before: Sequence[Record], after: Sequence[Record]) -> List[str]:
    """What two files differ in besides their times: build, MPI, machine, options and where these came from."""
    facts = {name: (values_of(before, name), values_of(after, name)) for name in FACTS}
    found = [f"{name}: {' or '.join(a)} before, {' or '.join(b)} after" for name, (a, b) in facts.items()
             if a and b and set(a) != set(b)]
    old, new = _option_values(before), _option_values(after)
    sides = {name: (old.get(name, set()), new.get(name, set())) for name in [*old, *new] if old and new}
    return found + [f"option {name}: {_shown(a)} before, {_shown(b)} after" for name, (a, b) in sides.items() if a != b]


def set_options(record: Record) -> str:
    """The options that are neither axes nor at their default: `flush-age=10us (environment)`."""
    return "; ".join(f"{name}={value} ({source})"
                     for name, (value, source) in options_of(record).items() if source != "default")


def number_in(record: Record, path: str) -> Optional[float]:
    """A number of the record: a counter such as `bytes`, a field by its path such as `peak_memory_bytes.max`, or the
    quotient of two, `bytes/messages`. None: the record does not have it."""
    over, slash, under = path.partition("/")
    if slash:
        top, bottom = number_in(record, over), number_in(record, under)
        return None if top is None or not bottom else top / bottom
    for root in (record.json, record.json.get("work"), record.result, record.numbers):
        place: Any = root
        for part in path.strip().split("."):
            place = as_object(place).get(part)
        if isinstance(place, (int, float)) and not isinstance(place, bool):
            return float(place)
    return None


def where_made(records: Sequence[Record]) -> str:
    """One line on where the records were made: each fact with all its values, and how many runs have each."""
    parts: List[str] = []
    words = {"cores": "{} cores", "kernel": "Linux {}", "governor": "governor {}", "thread_level": "thread level {}",
             "scree": "scree {}"}
    for name in ("host", "cpu", "cores", "kernel", "governor", "mpi_library", "thread_level", "scree", "commit"):
        found = values_of(records, name)
        shown = [text.split(",")[0] if name == "mpi_library" else text for text in found]
        if len(shown) > 1:
            shown = [f"{text} ({count} runs)" for text, count in zip(shown, found.values())]
        if shown:
            parts.append(words.get(name, "{}").format(" or ".join(shown)))
    bound = {tuple(str(as_object(rank).get("cores", "?")) for rank in as_list(record.result.get("binding")))
             for record in records} - {()}  # the cores of each rank
    if len(bound) == 1:
        cores = bound.pop()
        cores = cores[:1] if len(set(cores)) == 1 else (*cores[:4], "...") if len(cores) > 4 else cores
        parts.append("ranks on cores " + " | ".join(cores))
    return ", ".join(parts) or "not recorded"


def error_of(message: str, status: str = "failed") -> List[str]:
    """The lines of a message that say why a run has no result, at most three.

    Warnings precede the error that ends a job, and a launcher adds its own text after it. After a timeout the message
    begins with the hang report."""
    lines = [line for line in message.split("\n") if line.strip()]
    own = list(dict.fromkeys(line for line in lines if "scree: " in line))
    if status != "timeout" and own:
        before, _, _ = lines[0].partition("scree: ")  # such as "exit code 2: "
        return [own[-1] if own[-1].startswith(before) else before + own[-1]]
    return lines[:3] + (["..."] if len(lines) > 3 else [])
