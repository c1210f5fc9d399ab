"""run: one job as a process, its answer as arrays."""

import array
import json
import os
import shutil
import subprocess
import tempfile
from dataclasses import dataclass
from typing import Any, Dict, List, Mapping, Optional, Sequence, Union

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
    "bc": {"betweenness": "d"},
    "kcore": {"coreness": "q"},
    "mis": {"member": "q"},
    "colour": {"colour": "q"},
    "color": {"colour": "q"},
    "tc": {"triangles": "q", "clustering": "d"},
}

Option = Union[str, int, float, bool, None]


class ScreeError(RuntimeError):
    """A job failed: `code` is its exit code, the text what it wrote to standard error."""

    def __init__(self, code: int, text: str) -> None:
        super().__init__(text.strip() or f"scree ended with code {code}")
        self.code = code


@dataclass
class Answer:
    """What a job computed: `columns["id"]` and one array per column of the kernel, in ascending order of ids; `record`
    is the JSON of the job (docs/sweeps.md)."""

    columns: Dict[str, Any]
    record: Dict[str, Any]

    def __getitem__(self, name: str) -> Any:
        return self.columns[name]

    @property
    def seconds(self) -> float:
        """The time of the last run."""
        return float(self.record["runs"][-1]["seconds"])


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


def _launcher(ranks: Optional[int], launcher: Optional[Sequence[str]]) -> List[str]:
    if launcher is None:
        return []
    return [word.replace("{ranks}", str(1 if ranks is None else ranks)) for word in launcher]


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


def run(
    kernel: str,
    graph: str,
    *,
    ranks: Optional[int] = None,
    columns: Optional[Sequence[str]] = None,
    launcher: Optional[Sequence[str]] = None,
    program: Optional[str] = None,
    timeout: Optional[float] = None,
    **options: Option,
) -> Answer:
    """Runs `scree KERNEL GRAPH` and returns its answer.

    kernel: sssp, bfs, cc, pagerank, bc, kcore, mis, colour or tc. graph: a file or a generator. columns: those of the answer, by default all.
    ranks: how many, by default as the command chooses. launcher: words that start {ranks} ranks, as
    ["srun", "-n", "{ranks}"]; by default none: the command starts them on this machine.
    options: those of the command line, with _ for -. Raises ScreeError.
    """
    known = _COLUMNS.get(kernel)
    if known is None:
        raise ValueError(f"kernel {kernel!r} is unknown; known are: {', '.join(_COLUMNS)}")
    chosen = list(known) if columns is None else list(columns)
    for name in chosen:
        if name not in known:
            raise ValueError(f"{kernel} has no column {name!r}; it has: {', '.join(known)}")
    types = {"id": "q", **{name: code for name, code in known.items() if name in chosen}}
    scree = program or os.environ.get("SCREE") or shutil.which("scree") or "scree"
    with tempfile.TemporaryDirectory(prefix="scree-") as folder:
        answer, record = os.path.join(folder, "answer"), os.path.join(folder, "record")
        command = _launcher(ranks, launcher) + [scree, kernel, "--quiet", "--output", answer, "--json", record]
        command += ["--output-columns", ",".join(name for name in types if name != "id")] + _words(options)
        command += ["--", graph]  # its name may begin with a dash
        job = subprocess.run(command, env=_environment(), stdin=subprocess.DEVNULL, capture_output=True, text=True,
                             timeout=timeout, check=False)
        if job.returncode != 0 or not os.path.exists(record):
            raise ScreeError(job.returncode, job.stderr)
        with open(record) as file:
            return Answer(_read_columns(answer, types), json.load(file))
