"""The command line of a configuration: program, launcher and options; the programs that check and run it.

Axes with a meaning of their own: kernel (the subcommand), graph or scale, ranks, nodes and ranks-per-node, launcher
(local: the job starts its ranks itself; mpirun; a template), mpi (openmpi, mpich or the path of a scree program), bind
(none, core, core:N for N cores per rank), env.NAME (an environment variable), program (a template of a command that is
not scree). Every other axis is an option of the kernel, which the program itself checks.
"""

import errno
import hashlib
import json
import os
import re
import shutil
import subprocess
from contextlib import suppress
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Dict, List, Mapping, Optional, Sequence, Tuple

from scree.study import child
from scree.study.child import Command
from scree.study.plan import Configuration, Plan
from scree.study.texts import Refused, filled, printable


@dataclass
class Answer:
    """Of a configuration: why it is not legal, or the words of its job."""

    why: str = ""
    cannot: str = ""  # legal, but its job would be refused for this reason
    words: List[str] = field(default_factory=list)
    defaults: List[str] = field(default_factory=list)  # axes whose values are the default
    threads: int = 1  # that are busy in each rank


@dataclass
class Program:
    """A scree program."""

    path: str
    version: str
    mpi: str  # openmpi, mpich, or "" if it does not say: then it is started as Open MPI is
    mpi_library: str = ""


class Checker(Program):
    """The running program. Its attributes are what it reports of itself and of this machine."""

    def __init__(self, path: str) -> None:
        self.path = path
        self.writes: Dict[str, str] = {}  # by options: files that the study writes, which no job may read or write
        try:
            self._process = subprocess.Popen([path, "check", "-"], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                             encoding="utf-8", errors="surrogateescape")
        except OSError as error:
            raise Refused(f"'{path}' could not be started: {error.strerror}") from None
        about = self._read()
        if about.get("why"):
            raise Refused(about["why"])
        super().__init__(path, about["version"], about["mpi"], about["mpi_library"])
        self.kernels: Dict[str, Dict[str, Any]] = about["kernels"]  # of each the axes of tune, have its runs a source?
        self.environment: Dict[str, str] = about["environment"]  # options that it sets
        self.nodes: int = about["nodes"]  # of the allocation of a batch system
        self.slots: int = about["slots"]  # ranks that these provide for
        self.allocation: str = about["allocation"]  # the variable that says so, or ""
        self.launched: bool = about["launched"]  # a launcher has started this process
        self.cores: int = about["cores"]  # of this machine
        self.constants: Dict[str, int] = {"cores": self.slots, "fit": about["fit"]}  # that values of a plan may name

    def _read(self) -> Dict[str, Any]:
        assert self._process.stdout
        line = self._process.stdout.readline()
        if not line:
            raise Refused(f"'{self.path} check -' ended with code {self._process.wait()}")
        answer: Dict[str, Any] = json.loads(line)
        return answer

    def ask(self, axes: Mapping[str, str], ranks: int = 0, elsewhere: bool = False) -> Answer:
        """ranks: the job starts so many itself; elsewhere: a launcher may start it on other machines."""
        assert self._process.stdin
        question = {"axes": axes, "ranks": ranks, "elsewhere": elsewhere, "writes": self.writes}
        self._process.stdin.write(json.dumps(question, ensure_ascii=False) + "\n")
        self._process.stdin.flush()
        return Answer(**self._read())

    def close(self) -> None:
        self._process.communicate()


def _query(path: str) -> Program:
    """By what --version prints, of which the MPI is a word. Raises Refused: it did not run."""
    outcome = child.run([path, "--version"], {}, 30)
    if outcome.exit:
        reason = outcome.err.split("\n")[0]
        raise Refused(f"'{path} --version' ended with code {outcome.exit}{': ' if reason else ''}{reason[:200]}")
    mpi, text = re.search(r"(?<![a-z])(?:mpich|openmpi)(?![a-z])", outcome.out), outcome.out.split("\n")[0]
    version, library = re.match(r"scree (\S+)", text), re.search(r"^mpi: \S+ \((.*)\)$", outcome.out, re.MULTILINE)
    return Program(path, version[1] if version else printable(text), mpi[0] if mpi else "",
                   library[1] if library else "")


COUNT_MAX = 1 << 20  # ranks, nodes
# Axes that are not options of the job but say how it starts; env.NAME is one too.
LAUNCH_AXES = ("kernel", "graph", "scale", "ranks", "nodes", "ranks-per-node", "launcher", "mpi", "bind", "program")
# Words that have a job check its answers, and those where it does not, of what has no option --validate.
_VALIDATION: Dict[str, Tuple[List[str], List[str]]] = {"graph500": ([], ["--skip-validation"]), "bench": ([], [])}


@dataclass
class _Placement:
    """Ranks, over nodes; 0: as the launcher chooses."""

    ranks: int
    nodes: int
    each: int
    threads: int = 1  # that are busy in a rank


class Launcher:
    """Makes commands for one study."""

    def __init__(self, checker: Checker, default: str = "") -> None:
        self.checker, self.default = checker, default
        self._known: Dict[Optional[str], Program] = {None: checker, checker.mpi: checker}
        self._hashes: Dict[str, str] = {}

    def program(self, mpi: Optional[str]) -> Program:
        """By the value of the axis mpi: openmpi, mpich, a path, or None for this one. Each is asked only once."""
        if mpi is not None and mpi not in self._known:
            self._known[mpi] = self._find_other(mpi) if mpi in ("mpich", "openmpi") else self._find_path(mpi)
        return self._known[mpi]

    def _find_other(self, mpi: str) -> Program:
        """Of another MPI than this one: in a build directory beside that of this program, or on PATH."""
        folder = os.path.dirname(self.checker.path)
        for name in ("../build-mpich/scree", "../build-openmpi/scree", "../build/scree"):
            with suppress(Refused):  # one that does not exist or run
                program = _query(os.path.join(folder, name))
                if program.mpi == mpi:
                    return program
        found = shutil.which("scree-" + mpi)
        if not found:
            raise Refused(f"axis 'mpi': no scree for '{mpi}' was found: this one is for {self.checker.mpi}, no build "
                          f"directory beside it has one, and scree-{mpi} is not on PATH; './dev build build-{mpi} "
                          f"-Dmpi={mpi}' builds one")
        return replace(_query(found), mpi=mpi)

    def _find_path(self, path: str) -> Program:
        if "/" not in path:
            raise Refused(f"axis 'mpi': '{path}' is not legal; legal: openmpi, mpich, or the path of a scree program")
        if not os.access(path, os.X_OK):
            reason = os.strerror(errno.EACCES if os.path.exists(path) else errno.ENOENT)
            raise Refused(f"axis 'mpi': '{path}' is not an executable program: {reason}")
        try:
            return _query(path)
        except Refused as error:
            raise Refused(f"axis 'mpi': {error}") from None

    def _hash_of(self, path: str) -> str:
        """Of the contents of a file; "": it cannot be read."""
        with suppress(OSError):
            self._hashes[path] = self._hashes.get(path) or hashlib.sha256(Path(path).read_bytes()).hexdigest()[:16]
        return self._hashes.get(path, "")

    def _identity(self, settings: Mapping[str, str], program: Program, executable: str) -> Dict[str, Any]:
        """`executable`: of a job that is not scree, or ""."""
        path = executable or program.path
        return {"program": path, "version": "" if executable else program.version, "hash": self._hash_of(path),
                "mpi": program.mpi, "mpi_library": program.mpi_library, "host": os.uname().nodename,
                "options": {name: {"value": value, "from": "environment"}
                            for name, value in self.checker.environment.items() if name not in settings}}

    def command(self, configuration: Configuration) -> Command:
        """The command. Raises Refused: an unknown axis with the nearest name, a value out of range, a program or
        launcher that was not found, ..."""
        settings = configuration.settings
        own, bind = settings.get("program"), settings.get("bind")
        placement, program = self._placement(settings), self.program(settings.get("mpi"))
        launcher = settings.get("launcher") or self.default or "mpirun"
        environment, elsewhere = _environment(settings), launcher not in ("local", "mpirun")
        answer = Answer() if own else self.checker.ask(settings, placement.ranks if launcher == "local" else 0,
                                                       elsewhere or placement.nodes > 1)
        placement.threads = answer.threads + (program.mpi == "mpich" and _has_progress_thread(settings))
        words = self._launcher(launcher, program, bind, placement, environment)
        if own:
            own_words = _own_words(own, settings, placement)
            return Command(words + own_words, environment, placement.ranks, program=own_words[0],
                           identity=self._identity(settings, program, own_words[0]))
        if answer.why:
            raise Refused(answer.why)
        cores = self._cores_of(bind, placement) if launcher == "mpirun" else 0
        crowded = placement.ranks * placement.threads > self.checker.slots or 0 < cores < placement.threads
        validating, plain = _VALIDATION.get(answer.words[0], (["--validate"], []))
        return Command(words + [program.path] + answer.words, environment, placement.ranks, validating, plain, "",
                       not elsewhere and crowded, answer.cannot, answer.defaults, self._identity(settings, program, ""))

    def measure_eager(self, settings: Mapping[str, str]) -> int:
        """The largest message in bytes between two ranks of this machine that completes before its receive is posted:
        `scree limits` by the program and launcher of a configuration."""
        program, environment = self.program(settings.get("mpi")), {}  # type: Program, Dict[str, str]
        own = settings.get("launcher", "local")
        words = self._launcher("mpirun" if own == "local" else own, program, None, _Placement(2, 0, 0), environment)
        outcome = child.run(words + [program.path, "limits", "--json", "-"], environment, 60)
        found = re.search(r'"eager_bytes":\s*(\d+)', outcome.out)
        if outcome.exit or not found:
            raise Refused("the eager limit could not be measured: 'scree limits' with 2 ranks ended with code "
                          f"{outcome.exit}: {outcome.err[:300]}")
        return int(found[1])

    def _placement(self, settings: Mapping[str, str]) -> _Placement:
        """Ranks are those of a node times the nodes; either may follow from the other two."""
        ranks, nodes, each = (_count(settings, axis) for axis in ("ranks", "nodes", "ranks-per-node"))
        if not nodes and not each:
            return _Placement(ranks or 2, 0, 0)
        nodes = nodes or ((ranks + each - 1) // each if ranks else self.checker.nodes)
        each = each or ((ranks + nodes - 1) // nodes if ranks else 1)
        ranks = ranks or nodes * each
        if not (nodes - 1) * each < ranks <= nodes * each:
            raise Refused(f"{ranks} ranks are not {each} on each of {nodes} nodes; give two of ranks, nodes, "
                          "ranks-per-node")
        return _Placement(ranks, nodes, each)

    def _check_allocation(self, placement: _Placement, program: Program) -> None:
        """More ranks than the allocation has slots, or more nodes, are an error, unless they were asked for."""
        here = self.checker
        if placement.nodes > here.nodes:
            raise Refused(f"axis 'nodes': {placement.nodes}, but {here.allocation or 'this machine alone'} has "
                          f"{here.nodes}; use fewer, or start the sweep in a larger allocation")
        # What allows more ranks than slots: of ORTE, or of PRRTE, as of Open MPI from version 5 on.
        prrte = program.mpi == "openmpi" and re.search(r"Open MPI v([5-9]|\d\d)", program.mpi_library)
        name, value = (("PRTE_MCA_rmaps_default_mapping_policy", ":oversubscribe") if prrte else
                       ("OMPI_MCA_rmaps_base_oversubscribe", "1"))
        given = os.environ.get(name, "").lower()
        allows = re.search("(?<!no)oversubscribe", given) if prrte else given not in ("", "0")
        if not here.allocation or placement.ranks <= here.slots or allows:
            return
        raise Refused(f"axis 'ranks': {placement.ranks}, but the allocation ({here.allocation}) has {here.slots} "
                      f"slots; use fewer, or allow it by {name}={value}")

    def _cores_of(self, bind: Optional[str], placement: _Placement) -> int:
        """Cores per rank, by default one for each busy thread if there are as many; 0: not bound."""
        slots, ranks = self.checker.slots, placement.ranks
        if bind is None:
            return placement.threads if ranks * placement.threads <= slots else 0
        match = re.fullmatch(r"none|core(?::([1-9][0-9]{0,9}))?", bind, re.ASCII)
        cores = int(match[1] or 1) if match and bind != "none" else 0
        if not match or cores > 1 << 16:
            raise Refused(f"axis 'bind': '{bind}' is not legal; legal: none, core, core:N for N cores per rank")
        if cores > 1 and cores * ranks > slots:
            raise Refused(f"axis 'bind': {ranks} ranks with {cores} cores each need {cores * ranks} cores, but only "
                          f"{slots} are available; use fewer, or none")
        return cores

    def _launcher(self, launcher: str, program: Program, bind: Optional[str], placement: _Placement,
                  environment: Dict[str, str]) -> List[str]:
        """Its words. Adds the variables that it needs itself."""
        if launcher == "local":
            if bind or placement.nodes or placement.each:
                raise Refused(f"axis '{'bind' if not placement.nodes else 'nodes'}' cannot be combined with launcher "
                              "'local', whose ranks are on this machine, each bound to cores of its own; leave it out, "
                              "or use launcher 'mpirun'")
            return []
        if launcher == "mpirun":
            words = self._mpirun(program, bind, placement, environment)
        elif bind:
            raise Refused(f"axis 'bind' cannot be combined with launcher '{launcher}'; let the launcher bind the ranks")
        else:
            words = _template(launcher, placement)
        if program.mpi != "mpich" and os.geteuid() == 0:
            environment.update(OMPI_ALLOW_RUN_AS_ROOT="1", OMPI_ALLOW_RUN_AS_ROOT_CONFIRM="1")
        return words

    def _mpirun(self, program: Program, bind: Optional[str], placement: _Placement,
                environment: Mapping[str, str]) -> List[str]:
        self._check_allocation(placement, program)
        cores = self._cores_of(bind, placement)
        words = [_find_launcher(program.mpi), "-n", str(placement.ranks)]
        if program.mpi == "mpich":
            words += ["-ppn", str(placement.each)] if placement.each else []
            return words + ["-bind-to", f"core:{cores}" if cores > 1 else "core" if cores else "none"]
        crowded = placement.ranks > self.checker.slots
        if crowded and not self.checker.allocation:  # a batch system decides for itself
            words.append("--oversubscribe")
        if placement.each:
            words += ["--map-by", f"ppr:{placement.each}:node" + (f":PE={cores}" if cores > 1 else "")]
        elif cores > 1:
            words += ["--map-by", f"slot:PE={cores}"]
        words += ["--bind-to", "none" if not cores else "core:overload-allowed" if crowded else "core"]
        exported = [name for name in environment if not name.startswith("OMPI_")]  # mpirun exports those itself
        return words + [word for name in exported for word in ("-x", name)]


def _count(settings: Mapping[str, str], axis: str) -> int:
    """0 if the axis is absent."""
    text = settings.get(axis)
    if text is None:
        return 0
    count = int(text) if re.fullmatch(r"[0-9]{1,18}", text) else 0
    if not 1 <= count <= COUNT_MAX:
        raise Refused(f"axis '{axis}': '{text}' is not legal; legal: a whole number from 1 to {COUNT_MAX}")
    return count


def _environment(settings: Mapping[str, str]) -> Dict[str, str]:
    """Variables of the axes env.NAME."""
    found = {axis[4:]: value for axis, value in settings.items() if axis.startswith("env.")}
    for name in found:
        if not re.fullmatch(r"[A-Za-z_][A-Za-z0-9_]*", name):
            raise Refused(f"axis 'env.{name}': '{name}' is not a name of a variable; legal: letters, digits and _")
    return found


def _find_launcher(mpi: str) -> str:
    name, other, package = (("mpiexec.hydra", "mpiexec", "MPICH (Debian: mpich)") if mpi == "mpich" else
                            ("mpirun.openmpi", "mpirun", "Open MPI (Debian: openmpi-bin)"))
    path = shutil.which(name) or shutil.which(other)
    if not path:
        raise Refused(f"neither {name} nor {other} is on PATH; install {package}, or give --launcher, the command "
                      "that starts ranks")
    return path


def _template(launcher: str, placement: _Placement) -> List[str]:
    """The words of "srun -n {ranks}"."""
    numbers = {"ranks": placement.ranks, "nodes": placement.nodes, "ppn": placement.each}
    words = filled(launcher, {name: str(number) for name, number in numbers.items()}, f"launcher '{launcher}'",
                    "the program '{}' was not found")
    if "{ranks}" not in launcher and not ("{nodes}" in launcher and "{ppn}" in launcher):
        raise Refused(f"launcher '{launcher}' lacks {{ranks}}, the number of ranks, as in 'srun -n {{ranks}}', or "
                      "{nodes} and {ppn}")
    return words


def _own_words(program: str, settings: Mapping[str, str], placement: _Placement) -> List[str]:
    """The words of a program that is not scree: "./bench --bytes {bytes}". Each of its axes must be named."""
    axes = {name: value for name, value in settings.items()
            if name not in ("program", "launcher", "mpi", "bind") and not name.startswith("env.")}
    axes["ranks"] = str(placement.ranks)
    for name in axes:
        if "{" + name + "}" not in program and name not in ("ranks", "nodes", "ranks-per-node"):
            raise Refused(f"axis '{name}': the program '{program}' has no {{{name}}}; write it where its value goes")
    return filled(program, axes, "axis 'program'", "'{}' is not an executable program")


def _has_progress_thread(settings: Mapping[str, str]) -> bool:
    """Has each rank a progress thread of MPICH, which polls continuously?"""
    return any(settings.get("env." + name, os.environ.get(name, "")) in ("1", "yes", "true", "on", "YES", "TRUE", "ON")
               for name in ("MPIR_CVAR_ASYNC_PROGRESS", "MPICH_ASYNC_PROGRESS"))


def _asks_for_mpi(settings: Mapping[str, str]) -> bool:
    variables = ("env.OMPI_", "env.MPI", "env.PRTE_", "env.PMIX_", "env.UCX_", "env.FI_")
    if any(axis in ("mpi", "bind", "nodes", "ranks-per-node", "program") or axis.startswith(variables)
           for axis in settings):
        return True
    return any(settings.get(axis, settings.get("env." + name, os.environ.get(name))) == value for axis, name, value in
               (("transport", "SCREE_TRANSPORT", "mpi"), ("progress", "SCREE_PROGRESS", "comm")))


def default_launcher(plan: Plan, checker: Checker) -> str:
    """local, or mpirun where a launcher has started this process, the allocation has several nodes, or a configuration
    asks for MPI. The same for all configurations, so that they differ in their axes alone."""
    mpi = checker.launched or checker.nodes > 1 or any(_asks_for_mpi(one.settings) for one in plan.configurations)
    return "mpirun" if mpi else "local"


def check(plan: Plan, launcher: Launcher) -> Sequence[Command]:
    """The commands of all configurations. Raises Refused with the configuration."""
    commands = []
    for configuration in plan.configurations:
        try:
            commands.append(launcher.command(configuration))
        except Refused as error:
            raise Refused(f"configuration '{configuration.key}': {error}") from None
    return commands
