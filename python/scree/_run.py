"""run: one job as a process, its answer as arrays."""

import array
import json
import operator
import os
import shutil
import subprocess
import tempfile
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Dict, List, Mapping, Optional, Sequence, Tuple, Union

from .study.texts import count_text, printable

if TYPE_CHECKING:
    import pandas

try:
    import numpy
except ImportError:  # array.array serves as well
    numpy = None  # type: ignore[assignment]

# The columns after the id, in the order of --output, and their types: d doubles, q integers of 8 bytes.
_COLUMNS: Dict[str, Dict[str, str]] = {
    "sssp": {"distance": "d", "parent": "q"},
    "bfs": {"level": "q", "parent": "q"},
    "cc": {"component": "q"},
    "pagerank": {"rank": "d"},
    "bc": {"betweenness": "d"},
    "kcore": {"coreness": "q"},
    "mis": {"member": "q"},
    "colour": {"colour": "q"},
    "color": {"colour": "q"},
    "tc": {"triangles": "q", "clustering": "d"},
}

Option = Union[str, int, float, bool, None]


class ScreeError(RuntimeError):
    """A job failed: `code` is its exit code, the text what it wrote to standard error. 126 and 127: it could not be
    started."""

    def __init__(self, code: int, text: str) -> None:
        super().__init__(text.strip() or f"scree ended with code {code}")
        self.code = code


class ScreeTimeout(ScreeError, subprocess.TimeoutExpired):
    """A job took longer than `timeout`, and was ended."""

    def __init__(self, words: Sequence[str], timeout: float) -> None:
        ScreeError.__init__(self, 124, f"scree was ended after {timeout:g} s, the timeout of run()")
        self.cmd, self.timeout, self.output, self.stderr = words, timeout, None, None

    __str__ = ScreeError.__str__


@dataclass(repr=False)
class Answer:
    """What a job computed: `columns["id"]` and one array per column of the kernel, in ascending order of ids; `record`
    is the JSON of the job (docs/sweeps.md); `notes` are the lines that it wrote to standard error."""

    columns: Dict[str, Any]
    record: Dict[str, Any]
    notes: Tuple[str, ...] = ()

    def __getitem__(self, name: str) -> Any:
        return self.columns[name]

    def __repr__(self) -> str:
        job = self.record.get("configuration", {}).get("subcommand", "")
        notes = "; " + count_text(len(self.notes), "note") if self.notes else ""
        return f"<scree.Answer {job}: {', '.join(self.columns)}; {count_text(len(self.columns['id']), 'line')}{notes}>"

    @property
    def seconds(self) -> float:
        """The time of the last run."""
        return float(self.record["runs"][-1]["seconds"])

    def to_frame(self) -> "pandas.DataFrame":
        """The columns as a pandas DataFrame. Raises ImportError."""
        return import_pandas("Answer.to_frame").DataFrame(self.columns)


def import_pandas(what: str) -> Any:
    """The module. Raises ImportError, which says what needs it."""
    try:
        import pandas
    except ImportError as error:
        raise ImportError(f"scree.{what} needs pandas, which this Python cannot import ({error}): pip install pandas, "
                          "or apt install python3-pandas") from None
    return pandas


def _words(options: Mapping[str, Option]) -> List[str]:
    """coalesce_bytes="4K" is --coalesce-bytes 4K; True is a flag; False and None are left out."""
    words: List[str] = []
    for name, value in options.items():
        if value is None or value is False:
            continue
        words.append("--" + name.replace("_", "-"))
        if value is not True:
            words.append(str(value))
    return words


_RANKS_MAX = 1024  # SCREE_LOCAL_RANKS_MAX


def _count(ranks: Any) -> Optional[int]:
    """A number of ranks. Raises ValueError."""
    if ranks is None:
        return None
    try:
        count = 0 if isinstance(ranks, bool) else operator.index(ranks)
    except TypeError:
        count = 0
    if not 1 <= count <= _RANKS_MAX:
        raise ValueError(f"ranks={ranks!r} is not legal; legal: a whole number from 1 to {_RANKS_MAX}, or None")
    return count


def _launcher(ranks: Optional[int], launcher: Optional[Sequence[str]]) -> List[str]:
    if launcher is None:
        return []
    if isinstance(launcher, str):
        raise ValueError(f"launcher={launcher!r} is one text; legal: a list of words, as ['srun', '-n', '{{ranks}}']")
    return [word.replace("{ranks}", str(1 if ranks is None else ranks)) for word in launcher]


Columns = Union[str, Sequence[str], Sequence[int], None]


def _split_columns(kernel: str, columns: Columns, named: Columns) -> Tuple[Optional[str], List[str]]:
    """The value of the option --columns, or None, and the columns of the answer. A text or numbers are the columns of an
    edge list; names are those of the answer. Raises ValueError."""
    known, of_list = _COLUMNS[kernel], None
    if isinstance(columns, str):
        of_list = columns
    elif columns and not any(isinstance(one, str) for one in columns):
        of_list = ",".join(map(str, columns))
    elif columns is not None:
        if named is not None:
            raise ValueError("columns and output_columns both name columns of the answer; give one of them")
        named = columns
    chosen = list(known) if named is None else named.split(",") if isinstance(named, str) else list(named)
    for name in chosen:
        if name not in known:
            raise ValueError(f"{kernel} has no column {name!r}; it has: {', '.join(known)}; columns of an edge list are "
                             "a text, as columns='1,2,3'")
    return of_list, [str(name) for name in chosen]


def _environment() -> Dict[str, str]:
    """Open MPI refuses to run as root, or more ranks than cores, unless its variables allow it."""
    environment = dict(os.environ)
    if hasattr(os, "geteuid") and os.geteuid() == 0:
        environment.setdefault("OMPI_ALLOW_RUN_AS_ROOT", "1")
        environment.setdefault("OMPI_ALLOW_RUN_AS_ROOT_CONFIRM", "1")
    if not any(name in environment for name in ("SLURM_JOB_NUM_NODES", "PBS_NODEFILE")):
        environment.setdefault("OMPI_MCA_rmaps_base_oversubscribe", "1")  # Open MPI 4
        environment.setdefault("PRTE_MCA_rmaps_default_mapping_policy", ":oversubscribe")  # Open MPI 5
    return environment


def _whole(word: str) -> int:
    """An integer; -1 where a vertex was not reached, since integers have no infinity."""
    return -1 if word.strip() == "inf" else int(word)


def _read_columns(path: str, types: Dict[str, str]) -> Dict[str, Any]:
    columns = {name: array.array(code) for name, code in types.items()}
    convert = [_whole if code == "q" else float for code in types.values()]
    appends = [column.append for column in columns.values()]
    with open(path) as file:
        for line in file:
            for append, as_number, word in zip(appends, convert, line.split("\t")):
                append(as_number(word))
    if numpy is None:
        return dict(columns)
    return {name: numpy.array(column) for name, column in columns.items()}


def _check_options(options: Mapping[str, Option]) -> None:
    for name in ("output", "output_header", "json"):
        if options.get(name) not in (None, False):
            raise ValueError(f"{name}={options[name]!r} is not legal: run() itself reads the answer and the JSON; start "
                             "the command by subprocess to write files of your own")


def _start(command: Sequence[str], timeout: Optional[float]) -> "subprocess.CompletedProcess[str]":
    """Runs the job. Raises ScreeError if it cannot be started or takes too long."""
    try:
        return subprocess.run(command, env=_environment(), stdin=subprocess.DEVNULL, capture_output=True,
                              encoding="utf-8", errors="backslashreplace", timeout=timeout, check=False)
    except subprocess.TimeoutExpired:
        raise ScreeTimeout(command, timeout or 0.0) from None
    except OSError as error:
        missing = isinstance(error, FileNotFoundError)
        raise ScreeError(127 if missing else 126, f"the program '{command[0]}' could not be started: {error.strerror}; "
                         "put scree on the path, or name it by $SCREE or program=") from None


def run(
    kernel: str,
    graph: str,
    *,
    ranks: Optional[int] = None,
    columns: Columns = None,
    output_columns: Columns = None,
    launcher: Optional[Sequence[str]] = None,
    program: Optional[str] = None,
    timeout: Optional[float] = None,
    **options: Option,
) -> Answer:
    """Runs `scree KERNEL GRAPH` and returns its answer.

    kernel: sssp, bfs, cc, pagerank, bc, kcore, mis, colour or tc. graph: a file or a generator.
    ranks: how many, by default as the command chooses. launcher: words that start {ranks} ranks, as
    ["srun", "-n", "{ranks}"]; by default none: the command starts them on this machine.
    columns: those of an edge list, as "1,2,4" or [1, 2, 4]; a list of names is output_columns. output_columns: those of
    the answer, by default all.
    options: those of the command line, with _ for -. Raises ScreeError if the job fails, ValueError if an argument is
    not legal.
    """
    if kernel not in _COLUMNS:
        raise ValueError(f"kernel {kernel!r} is unknown; known are: {', '.join(_COLUMNS)}")
    _check_options(options)
    count = _count(ranks)
    of_list, chosen = _split_columns(kernel, columns, output_columns)
    types = {"id": "q", **{name: code for name, code in _COLUMNS[kernel].items() if name in chosen}}
    scree = program or os.environ.get("SCREE") or shutil.which("scree") or "scree"
    words = _words({"ranks": count, "columns": of_list, **options})
    with tempfile.TemporaryDirectory(prefix="scree-") as folder:
        answer, record = os.path.join(folder, "answer"), os.path.join(folder, "record")
        command = _launcher(count, launcher) + [scree, kernel, *words, "--quiet", "--output", answer, "--json", record]
        command += ["--output-columns", ",".join(name for name in types if name != "id")]
        command += ["--", graph]  # its name may begin with a dash
        job = _start(command, timeout)
        if job.returncode != 0 or not os.path.exists(record):
            raise ScreeError(job.returncode, job.stderr)
        notes = tuple(printable(line) for line in job.stderr.splitlines() if line.strip())
        with open(record, encoding="utf-8", errors="replace") as file:
            return Answer(_read_columns(answer, types), json.load(file), notes)
