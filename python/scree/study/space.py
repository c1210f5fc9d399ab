"""The search space of tune: the axes of the request or of the kernel, and the candidates drawn from them.

Candidates omit settings that equal the default.
"""

from dataclasses import dataclass, field
from typing import Dict, List, Mapping, Optional, Sequence

from scree.study.chance import Random
from scree.study.checker import Checker
from scree.study.eager import measure_eager
from scree.study.launch import Launcher, default_launcher
from scree.study.plan import Configuration, Plan, Source, key_of, make
from scree.study.programs import Programs
from scree.study.texts import Refused

JOB_AXES = ("kernel", "graph", "scale")  # axes that say which job it is
_OWN = ("sources", "repeat", "warmup", "validate", "json", "output", "options")  # that tune sets, or needs unset


@dataclass
class Candidate:
    """Settings to try; none: the default."""

    settings: Dict[str, str]
    rung: int = 0  # the last one that it ran in, from 1
    seconds: float = 0.0  # the median of its jobs there
    runs: List[float] = field(default_factory=list)  # of the current rung
    failed: bool = False

    @property
    def name(self) -> str:
        """queue=dary spin=0, or default."""
        return " ".join(f"{name}={value}" for name, value in self.settings.items()) or "default"


class Cover:
    """Draws configurations of a plan one at a time, so that the values of each axis occur about equally often."""

    def __init__(self, plan: Plan, seed: int) -> None:
        self._plan, self._random = plan, Random(seed)
        self._left = list(range(len(plan.configurations)))
        self._times: Dict[str, Dict[str, int]] = {axis: {} for axis in plan.axes}

    def _staleness(self, index: int) -> float:
        """How often its values were drawn, relative to the draws in which their axis was present, so that an axis that
        rarely applies weighs as much as the others."""
        settings = self._plan.configurations[index].settings
        total = 0.0
        for axis, value in settings.items():
            times = self._times[axis]
            if times:
                total += times.get(value, 0) * len(self._plan.axes[axis]) / sum(times.values())
        return total / len(settings) if settings else 0.0

    def draw(self) -> Optional[int]:
        """An index; None: all are drawn."""
        best, equals, least = None, 0, 0.0
        for index in self._left:
            staleness = self._staleness(index)
            if best is None or staleness < least:
                equals, least = 0, staleness
            if staleness <= least:
                equals += 1
                if self._random.draw(equals) == 0:
                    best = index
        if best is not None:
            self._left.remove(best)
            for axis, value in self._plan.configurations[best].settings.items():
                self._times[axis][value] = self._times[axis].get(value, 0) + 1
        return best


class Space:
    """What is tried for a request: NAME=VALUES of the command line."""

    def __init__(self, options: Sequence[str], checker: Checker) -> None:
        self.options, self.checker = options, checker
        self.programs = Programs(checker)
        if any(option.startswith("repeat=") for option in options):
            raise Refused("option '--repeat' is not available in tune, which chooses it itself; leave it out")
        self.asked = self.plan = self._make(None)
        self.launcher = Launcher(checker, self.programs, default_launcher(self.asked, checker))
        self.resource = "sources"  # or repeat: what later rungs increase
        self.fixed = self._fix()  # common to all candidates
        self.kernel = self.fixed.setdefault("kernel", checker.kernels[0])
        _, source = checker.tried(self.kernel, 0)
        if not source:
            self.resource = "repeat"
        self.candidates = [Candidate({})]
        self.illegal = 0

    def _make(self, text: Optional[str]) -> Plan:
        """The eager limit is measured only if a value uses it, with the launcher of the plan."""
        constants = {"cores": self.checker.slots, "fit": self.checker.fit, "eager": 4096}
        plan = make(Source(text, "the axes of tune", self.options, constants))
        if "eager" not in plan.constants_used:
            return plan
        constants["eager"] = measure_eager(plan.configurations[0], Launcher(self.checker, self.programs))
        return make(Source(text, "the axes of tune", self.options, constants))

    def _fix(self) -> Dict[str, str]:
        """Axes with one value. The default uses the first number of ranks."""
        fixed = {}
        for name, values in self.asked.axes.items():
            if name in _OWN:
                raise Refused(f"option '--{name}' is not available in tune, which sets it itself or needs it unset; leave "
                              "it out")
            if len(values) > 1 and name in JOB_AXES:
                raise Refused(f"option '--{name}': {len(values)} values given, but tune works on one job; give one value")
            if len(values) == 1 or name == "ranks":
                fixed[name] = values[0]
            if name == "source" and not values[0].startswith("random:"):
                self.resource = "repeat"
        return fixed

    def find(self, delta: float) -> None:
        """Makes the plan from which candidates are drawn. delta: the width that the default chose; 0: none."""
        if len(self.asked.configurations) == 1:
            text, _ = self.checker.tried(self.kernel, delta)
            self.plan = self._make(text)
        self.launcher.default = default_launcher(self.plan, self.checker)

    def configuration(self, candidate: Candidate, amount: int) -> Configuration:
        """Of a candidate, with this amount of the resource."""
        settings = {name: value for name, value in self.fixed.items() if name not in candidate.settings}
        settings.update(candidate.settings)
        settings[self.resource] = str(amount)
        return Configuration(settings, key_of(settings))

    # ---- candidates ----

    def _reduced(self, settings: Mapping[str, str]) -> Candidate:
        """The settings that are neither fixed nor the default."""
        answer = self.checker.ask({**self.fixed, **settings}, elsewhere=True)
        defaults = answer.defaults - {"ranks"}
        return Candidate({name: value for name, value in settings.items()
                          if self.fixed.get(name) != value and name not in defaults})

    def draw(self, most: int) -> None:
        """Draws up to so many candidates. Those that the subcommand rejects are counted; a value whose candidates are
        all rejected is an error."""
        cover, first = Cover(self.plan, 1), ""
        legal: Dict[str, bool] = {}  # by "axis=value": was a candidate with it accepted?
        while len(self.candidates) <= most:
            index = cover.draw()
            if index is None:
                break
            settings = self.plan.configurations[index].settings
            candidate, good = self._reduced(settings), True
            try:
                command = self.launcher.command(self.configuration(candidate, 1))
                good, why = not command.cannot, command.cannot
            except Refused as error:
                good, why = False, str(error)
            for name, value in settings.items():
                legal[f"{name}={value}"] = legal.get(f"{name}={value}", False) or good
            if not good:
                self.illegal += 1
                first = first or why
            elif candidate.settings:
                self.candidates.append(candidate)
        if not all(legal.values()):
            raise Refused(first)
