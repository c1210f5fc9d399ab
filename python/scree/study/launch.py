"""The command line of a configuration: program, launcher and options.

Axes with a meaning of their own: kernel (the subcommand), graph or scale, ranks, nodes and ranks-per-node, launcher
(local: the job starts its ranks itself; mpirun; a template), mpi (openmpi, mpich or the path of a scree program), bind
(none, core, core:N for N cores per rank), env.NAME (an environment variable), program (a template of a command that is
not scree). Every other axis is an option of the kernel, which the program itself checks.
"""

import ctypes
import os
import re
import shutil
from dataclasses import dataclass
from typing import Callable, Dict, List, Mapping, Optional, Sequence, Tuple

from scree.study import child
from scree.study.child import Command
from scree.study.plan import Configuration, Plan
from scree.study.program import Answer, Checker, Program, Programs
from scree.study.texts import Refused

_NO_COMMANDS, _UNDEFINED = 1 << 2, 1 << 5  # of wordexp(3): refuse command substitution, and variables that are not set
_WHY = {2: "it contains one of | & ; < > ( ) outside quotes; use a script that ends with exec instead",
        3: "it uses a variable that is not set", 5: "its quotes are unbalanced",
        4: "it contains a command substitution; use a script that ends with exec instead"}
# Of these a shell makes names of files, and wordexp refuses braces: it gets other characters instead.
_HIDDEN = {ord(one): chr(1 + i) for i, one in enumerate("*?[{}")}


class _Expansion(ctypes.Structure):
    _fields_ = [("count", ctypes.c_size_t), ("words", ctypes.POINTER(ctypes.c_char_p)), ("offset", ctypes.c_size_t)]


def expand(text: str) -> List[str]:
    """The words: quotes, backslashes, variables and ~ are as in a shell, but nothing that starts a program or matches
    names of files. Raises ValueError."""
    def hidden(one: "re.Match[str]") -> str:
        return f"{one[1]}{one[2].translate(_HIDDEN)}}}" if one[1] else one[0].translate(_HIDDEN)

    library, found = ctypes.CDLL(None), _Expansion()
    values = {name: os.environ[name] for name in {"HOME", *re.findall(r"\$\{?(\w+)", text)} & set(os.environ)}
    os.environ.update((name, value.translate(_HIDDEN)) for name, value in values.items())
    try:
        safe = re.sub(r"(\$\{\w+(?:[%#]+[^}]*|:?[-+=?])?)([^}]*)\}|[*?[{}]", hidden, text)
        error = library.wordexp(os.fsencode(safe), ctypes.byref(found), _NO_COMMANDS | _UNDEFINED)
    finally:
        os.environ.update(values)
    if error:
        raise ValueError(_WHY.get(error, "it cannot be split into words"))
    back = {ord(other): one for one, other in _HIDDEN.items()}
    words = [os.fsdecode(found.words[i] or b"").translate(back) for i in range(found.count)]
    library.wordfree(ctypes.byref(found))
    return words


COUNT_MAX = 1 << 20  # ranks, nodes
# What allows more ranks than slots in the environment of Open MPI's launcher: ORTE, PRRTE. Each ignores the other's.
_CROWDING = {False: ("OMPI_MCA_rmaps_base_oversubscribe", "1"),
             True: ("PRTE_MCA_rmaps_default_mapping_policy", ":oversubscribe")}
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

    def __init__(self, checker: Checker, programs: Programs, default: str = "") -> None:
        self.checker, self.programs, self.default = checker, programs, default

    def command(self, configuration: Configuration) -> Command:
        """The command. Raises Refused: an unknown axis with the nearest name, a value out of range, a program or
        launcher that was not found, ..."""
        settings = configuration.settings
        own = settings.get("program")
        placement = self._placement(settings)
        program = self.programs.find(settings.get("mpi"))
        launcher = settings.get("launcher") or self.default or "mpirun"
        environment = _environment(settings)
        elsewhere, bind = launcher not in ("local", "mpirun"), settings.get("bind")
        answer = Answer() if own else self.checker.ask(settings, placement.ranks if launcher == "local" else 0,
                                                       elsewhere or placement.nodes > 1)
        placement.threads = answer.threads + (program.mpich and _has_progress_thread(settings))
        words = self._launcher(launcher, program, bind, placement, environment)
        if own:
            own_words = _own_words(own, settings, placement)
            return Command(words + own_words, environment, placement.ranks, program=own_words[0])
        if answer.why:
            raise Refused(answer.why)
        cores = self._cores_of(bind, placement) if launcher == "mpirun" else 0
        crowded = placement.ranks * placement.threads > self.checker.slots or 0 < cores < placement.threads
        validating, plain = _VALIDATION.get(answer.words[0], (["--validate"], []))
        return Command(words + [program.path] + answer.words, environment, placement.ranks, validating, plain, "",
                       not elsewhere and crowded, answer.cannot, answer.defaults)

    def measure_eager(self, settings: Mapping[str, str]) -> int:
        """The largest message in bytes between two ranks of this machine that completes before its receive is posted:
        `scree limits` by the program and launcher of a configuration."""
        program, environment = self.programs.find(settings.get("mpi")), {}  # type: Program, Dict[str, str]
        own = settings.get("launcher", "local")
        launcher = "mpirun" if own == "local" else own
        words = self._launcher(launcher, program, None, _Placement(2, 0, 0), environment)
        outcome = child.run(words + [program.path, "limits", "--json", "-"], environment, 60)
        found = re.search(r'"eager_bytes":\s*(\d+)', outcome.out)
        if outcome.exit or not found:
            reason = f": {outcome.err[:300]}" if outcome.err else ""
            raise Refused("the eager limit could not be measured: 'scree limits' with 2 ranks ended with code "
                          f"{outcome.exit}{reason}")
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
        name, value = _CROWDING[program.prrte]
        given = os.environ.get(name, "").lower()
        allows = re.search("(?<!no)oversubscribe", given) if program.prrte else given not in ("", "0")
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
        if not program.mpich and os.geteuid() == 0:
            environment.update(OMPI_ALLOW_RUN_AS_ROOT="1", OMPI_ALLOW_RUN_AS_ROOT_CONFIRM="1")
        return words

    def _mpirun(self, program: Program, bind: Optional[str], placement: _Placement,
                environment: Mapping[str, str]) -> List[str]:
        self._check_allocation(placement, program)
        cores = self._cores_of(bind, placement)
        words = [_find_launcher(program.mpich), "-n", str(placement.ranks)]
        if program.mpich:
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


def _find_launcher(mpich: bool) -> str:
    names = ("mpiexec.hydra", "mpiexec") if mpich else ("mpirun.openmpi", "mpirun")
    path = shutil.which(names[0]) or shutil.which(names[1])
    if path:
        return path
    package = "MPICH (Debian: mpich)" if mpich else "Open MPI (Debian: openmpi-bin)"
    raise Refused(f"neither {names[0]} nor {names[1]} is on PATH; install {package}, or give --launcher, the command "
                  "that starts ranks")


def _filled(template: str, values: Mapping[str, str], what: str, missing: str) -> List[str]:
    """The words of a template, with the path of its program and the values of its {NAME}."""
    try:
        words = [re.sub(r"\{([A-Za-z][\w.-]*)\}", lambda found: values.get(str(found[1]), str(found[0])), word)
                 for word in expand(template)]
    except ValueError as error:
        raise Refused(f"{what}: {error}") from None
    path = shutil.which(words[0]) if words else None
    if not path:
        raise Refused(f"{what}: {missing.format(words[0] if words else template)}")
    return [path] + words[1:]


def _template(launcher: str, placement: _Placement) -> List[str]:
    """The words of "srun -n {ranks}"."""
    numbers = {"ranks": placement.ranks, "nodes": placement.nodes, "ppn": placement.each}
    words = _filled(launcher, {name: str(number) for name, number in numbers.items()}, f"launcher '{launcher}'",
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
    return _filled(program, axes, "axis 'program'", "'{}' is not an executable program")


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


def with_constants(make: Callable[[Dict[str, int]], Plan], launcher: Launcher,
                   known: Mapping[str, int]) -> Tuple[Plan, Dict[str, int]]:
    """A plan with constants of this machine, and these. The eager limit is measured only where a value uses it, by the
    program and launcher of the plan, so that a first one is made with a typical limit."""
    constants = {"cores": launcher.checker.slots, "fit": launcher.checker.fit, "eager": 4096}
    constants.update((name, known[name]) for name in constants if name in known)
    plan = make(constants)
    if "eager" not in plan.constants_used:
        del constants["eager"]  # the header of results records known constants only
        return plan, constants
    if len({one.settings.get("mpi") for one in plan.configurations}) > 1:
        raise Refused("'eager' is the limit of one MPI, but the axis 'mpi' has several values; make one sweep for each")
    if "eager" not in known:
        constants["eager"] = launcher.measure_eager(plan.configurations[0].settings)
        plan = make(constants)
    return plan, constants
