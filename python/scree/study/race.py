"""The race of tune: successive halving (Jamieson & Talwalkar, AISTATS 2016).

Each rung keeps a third of the candidates and spends three times the work on each. The default takes part in every rung.
No job starts that would exceed the budget by the durations measured so far.
"""

import sys
import time
from collections import Counter
from dataclasses import dataclass, field, replace
from typing import Any, Dict, Iterator, List, Mapping, Optional, Sequence, Tuple

from scree.study import child, stats
from scree.study.child import Stop
from scree.study.launch import Checker, Launcher, default_launcher
from scree.study.plan import Configuration, Plan, Source, key_of, make, with_constants
from scree.study.record import Writer
from scree.study.stats import shuffled
from scree.study.texts import Refused, count_text, seconds

_WINDOW = 100  # of the configurations that are left: so many are compared before each is drawn
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


def covering(plan: Plan) -> Iterator[Dict[str, str]]:
    """The configurations in an order in which the values of each axis occur about equally often."""
    left = shuffled([one.settings for one in plan.configurations], 1)
    times: Dict[str, "Counter[str]"] = {axis: Counter() for axis in plan.axes}

    def staleness(settings: Dict[str, str]) -> float:
        """How often its values were drawn, relative to the draws in which their axis was present, so that an axis that
        rarely applies weighs as much as the others."""
        return sum(times[axis][value] * len(plan.axes[axis]) / sum(times[axis].values())
                   for axis, value in settings.items() if times[axis]) / max(len(settings), 1)

    while left:
        best = min(left[:_WINDOW], key=staleness)
        left.remove(best)
        for axis, value in best.items():
            times[axis][value] += 1
        yield best


class Space:
    """What is tried for a request: NAME=VALUES of the command line."""

    def __init__(self, options: Sequence[str], checker: Checker) -> None:
        self.options, self.checker, self.launcher = options, checker, Launcher(checker)
        self.asked = self.plan = self._make(None)
        self.launcher.default = default_launcher(self.asked, checker)
        self.resource = "sources"  # or repeat: what later rungs increase
        self.fixed = self._fix()  # common to all candidates
        self.kernel = self.fixed.setdefault("kernel", checker.kernels[0])
        if not checker.tried(self.kernel, 0)[1]:
            self.resource = "repeat"
        self.candidates = [Candidate({})]
        self.illegal = 0

    def _make(self, text: Optional[str]) -> Plan:
        return with_constants(lambda constants: make(Source(text, "the axes of tune", self.options, constants)),
                              self.checker.constants, {}, self.launcher.measure_eager)[0]

    def _fix(self) -> Dict[str, str]:
        """Axes with one value. The default uses the first number of ranks."""
        fixed = {}
        for name in _OWN:
            if any(option.startswith(name + "=") for option in self.options):
                raise Refused(f"option '--{name}' is not available in tune, which sets it itself or needs it unset; "
                              "leave it out")
        for name, values in self.asked.axes.items():
            if len(values) > 1 and name in JOB_AXES:
                raise Refused(f"option '--{name}': {len(values)} values given, but tune works on one job; give one "
                              "value")
            if len(values) == 1 or name == "ranks":
                fixed[name] = values[0]
            if name == "source" and not values[0].startswith("random:"):
                self.resource = "repeat"
        return fixed

    def find(self, delta: float) -> None:
        """Makes the plan from which candidates are drawn. delta: the width that the default chose; 0: none."""
        if len(self.asked.configurations) == 1:
            self.plan = self._make(self.checker.tried(self.kernel, delta)[0])
        self.launcher.default = default_launcher(self.plan, self.checker)

    def configuration(self, candidate: Candidate, amount: int) -> Configuration:
        """Of a candidate, with this amount of the resource."""
        settings = {name: value for name, value in self.fixed.items() if name not in candidate.settings}
        settings = {**settings, **candidate.settings, self.resource: str(amount)}
        return Configuration(settings, key_of(settings))

    def _reduced(self, settings: Mapping[str, str]) -> Candidate:
        """The settings that are neither fixed nor the default."""
        answer = self.checker.ask({**self.fixed, **settings}, elsewhere=True)
        return Candidate({name: value for name, value in settings.items() if self.fixed.get(name) != value
                          and (name == "ranks" or name not in answer.defaults)})

    def draw(self, most: int) -> None:
        """Draws up to so many candidates. Those that the subcommand rejects are counted; a value whose candidates are
        all rejected is an error."""
        first = ""
        legal: Dict[Tuple[str, str], bool] = {}  # by axis and value: was a candidate with it accepted?
        for settings in covering(self.plan):
            if len(self.candidates) > most:
                break
            candidate = self._reduced(settings)
            try:
                why = self.launcher.command(self.configuration(candidate, 1)).cannot
            except Refused as error:
                why = str(error)
            for pair in settings.items():
                legal[pair] = legal.get(pair, False) or not why
            if why:
                self.illegal += 1
                first = first or why
            elif candidate.settings:
                self.candidates.append(candidate)
        if not all(legal.values()):
            raise Refused(first)


KEEP = 3  # one in so many candidates is promoted, with so many times the work
FINALISTS = 3  # candidates in the last rung, besides the default
ROUNDS = 3  # of the last rung, at least, for a decision
GOOD_ROUNDS = 5  # for which the jobs of the last rung are shortened if necessary
MAX_ROUNDS = 10
SLOW, PATIENCE = 10, 10  # a job fails after SLOW times the time of the default, and PATIENCE seconds
MAX_SOURCES = 256  # of a job


class Stopped(Exception):
    """A signal has ended the race."""


@dataclass
class Cost:
    """Estimates, in seconds."""

    overhead: float = 0.0  # of a job without its sources
    solve: float = 0.0  # of one source
    check: float = 0.0  # of a validated job with one source
    first: int = 1  # sources of a job in the first rung
    max: int = 1  # in any rung

    def _work(self, rung: int) -> int:
        return int(self.first * KEEP ** min(rung - 1, 19))

    def sources(self, rung: int) -> int:
        """Of a job in a rung, from 1."""
        return min(self._work(rung), self.max)

    def jobs(self, rung: int) -> int:
        """Per candidate in a rung."""
        return min(-(-self._work(rung) // self.sources(rung)), ROUNDS)

    def job(self, sources: int) -> float:
        """Of a job."""
        return self.overhead + sources * self.solve

    def final(self, n: int, rounds: int, sources: int) -> float:
        """Of the last rung with n candidates and the default, including validation."""
        return n * self.check + (n + 1) * rounds * self.job(sources)

    def race(self, n: int) -> float:
        """Of the whole race."""
        total, rung = 0.0, 1
        while n > FINALISTS:
            total += (n + 1) * self.jobs(rung) * self.job(self.sources(rung))
            n, rung = promoted(n), rung + 1
        return total + self.final(n, ROUNDS, self.sources(rung))

    def size(self, limit: float, most: int) -> int:
        """The largest number of candidates, up to `most`, whose race fits into so many seconds; 0: none."""
        return next((n for n in range(most, 0, -1) if self.race(n) <= limit), 0)

    def lengthen(self, n: int, limit: float) -> None:
        """Doubles the sources of a job while n candidates leave much of the time."""
        while self.first * 2 <= self.max and replace(self, first=self.first * 2).race(n) <= limit:
            self.first *= 2


def promoted(n: int) -> int:
    """The number of n candidates that the next rung keeps."""
    return -(-n // KEEP)


class Race:
    """One race."""

    def __init__(self, space: Space, budget: float, stop: Stop, writer: Optional[Writer], quiet: bool) -> None:
        self.space, self.budget, self.stop, self.writer, self.quiet = space, budget, stop, writer, quiet
        self.cost, self.default = Cost(), space.candidates[0]  # that has no settings
        self.started = time.monotonic()
        self.step = self.jobs = self.rung = self.failures = self.wrong = 0  # wrong: answers of finalists
        self.message = ""  # of the first failure
        self.cut = False  # the budget cut a rung short
        self.finalists: List[Candidate] = []  # the first is the default; none: the last rung was not reached
        self.final_sources = 1

    @property
    def elapsed(self) -> float:
        """Seconds since the start."""
        return time.monotonic() - self.started

    def say(self, text: str) -> None:
        """Prints to standard error, unless --quiet."""
        if not self.quiet:
            print("scree: " + text, file=sys.stderr, flush=True)

    def amount(self, amount: int) -> str:
        """Of a job: "3 sources"."""
        return count_text(amount, "source" if self.space.resource == "sources" else "run")

    def _run(self, candidate: Candidate, sources: int, repetition: int, validate: bool) -> Dict[str, Any]:
        """repetition: of the record, the rung; 0: its time does not count."""
        limit, slow = self.space.asked.timeout, max(SLOW * self.cost.job(sources), PATIENCE)
        configuration = self.space.configuration(candidate, sources)
        command = self.space.launcher.command(configuration)
        record = child.measure(configuration, command, limit if candidate is self.default else min(limit, slow),
                               validate, self.stop)
        if record is None or self.stop.requested:
            raise Stopped
        self.jobs += 1
        if self.writer:
            self.writer.add(child.add_role(record, self.step, repetition, False))
            self.step += 1
        return record

    def _learn(self, wall: float, solve: float, sources: int) -> None:
        """The cost of a source includes everything that grows with the number of sources."""
        cost, rest, each = self.cost, wall - solve * sources, (wall - self.cost.overhead) / sources
        cost.overhead += (rest - cost.overhead) / 8 if sources == cost.first and rest > 0 else 0
        cost.solve += (max(each, solve) - cost.solve) / 8

    def run_job(self, candidate: Candidate, sources: int, repetition: int, validate: bool = False) -> None:
        """Records its time if the repetition is not 0, or its failure."""
        record = self._run(candidate, sources, repetition, validate)
        if record["status"] != "ok":
            reason = record.get("message", "").splitlines()[:1] or ["it failed"]
            self.message = self.message or f"{candidate.name}: {reason[0]}"
            self.failures += 1
            self.wrong += record["status"] == "invalid"
            candidate.failed = candidate is not self.default  # a failed job of the default only yields no time
        elif repetition:
            candidate.runs = [*candidate.runs, record["seconds"]][:MAX_ROUNDS]
            self._learn(record["wall_seconds"], record["seconds"], sources)

    def first(self) -> float:
        """Runs the default alone: validated, then as all others. Returns the delta that it chose; 0: none."""
        self.started = time.monotonic()
        for validate in (True, False):
            record = self._run(self.default, 1, 0, validate)
            if record["status"] != "ok":
                raise Refused(f"the job fails with default settings: {record.get('message', 'it failed')}", 1)
            wall, solve = record["wall_seconds"], record["seconds"]
            self.cost.solve, self.cost.overhead = solve, max(wall - solve, 0.0)
            self.cost.check = wall if validate else self.cost.check
            result = record["result"]
            vertices = result.get("graph", {}).get("vertices", 0) if self.space.resource == "sources" else 0
            self._choose_sources(float(vertices))
        return float(result.get("configuration", {}).get("delta", 0) or 0)

    def _choose_sources(self, vertices: float) -> None:
        """Enough that the kernel takes a sufficient part of the job, but not more than the graph has."""
        few, most = self.cost.overhead / (4 * self.cost.solve), vertices / 16 if vertices > 0 else MAX_SOURCES
        self.cost.max = int(min(max(most, 1), MAX_SOURCES))
        self.cost.first = min(int(min(max(few, 1), MAX_SOURCES // 4)), self.cost.max)

    def _fits(self, sources: int, reserve: float) -> bool:
        return self.elapsed + self.cost.job(sources) + reserve <= self.budget

    def _run_rung(self, candidates: List[Candidate], rounds: int, sources: int, reserve: float, last: bool) -> None:
        """All candidates in shuffled rounds; of the last rung only as many as fit whole."""
        for one in candidates:
            one.runs = []
        try:
            for turn in range(rounds):
                if last and not self._fits(sources, (len(candidates) - 1) * self.cost.job(sources)):
                    break
                for one in shuffled(candidates, 100 * self.rung + turn):
                    fits = one.failed or self._fits(sources, reserve)
                    self.cut = self.cut or not (fits or last)
                    if fits and not one.failed and not self.cut:
                        self.run_job(one, sources, self.rung)
        finally:
            for one in candidates:
                if one.runs:
                    one.seconds, one.rung = stats.middle(one.runs), self.rung

    def _show(self, candidates: List[Candidate], count: int) -> None:
        best, default = candidates[1] if len(candidates) > 1 else None, self.default
        failed = sum(one.failed for one in self.space.candidates[1:])
        self.say(f"rung {self.rung}: best {seconds(best.seconds) if best else '-'} ({best.name if best else 'none'}), "
                 f"default {seconds(default.seconds) if default.rung else '-'}; {count} promoted; {failed} failed; "
                 f"{self.elapsed:.0f} s of {self.budget:.0f} s{'; cut short by the budget' if self.cut else ''}")

    def _halve(self) -> List[Candidate]:
        """Runs the rungs before the last one; returns its candidates, the default first."""
        candidates = list(self.space.candidates)
        while len(candidates) > FINALISTS + 1 and not self.cut:
            count = len(candidates) - 1
            self.rung += 1
            self.say(f"rung {self.rung}: {count} candidates and the default, "
                     f"{self.amount(self.cost.sources(self.rung))} per job")
            reserve = self.cost.final(min(count, FINALISTS), ROUNDS, self.cost.first)
            self._run_rung(candidates, self.cost.jobs(self.rung), self.cost.sources(self.rung), reserve, False)
            rest = [one for one in candidates if one is not self.default and not one.failed and one.rung]
            rest.sort(key=lambda one: (-one.rung, one.seconds))
            candidates = [self.default] + rest
            count = min(len(rest), FINALISTS if self.cut else promoted(count))
            self._show(candidates, count)
            candidates = candidates[:count + 1]
        return candidates

    def _final_sources(self, n: int) -> int:
        """As many as the schedule gives, fewer if the budget requires it."""
        sources, cost = self.cost.sources(self.rung), self.cost
        while sources > cost.first and self.elapsed + cost.final(n - 1, GOOD_ROUNDS, sources) > self.budget:
            sources = max(sources // 2, self.cost.first)
        return sources

    def run(self) -> None:
        """The whole race. Raises Stopped; Refused, if all candidates failed."""
        candidates = self._halve()
        self.rung += 1
        for one in candidates[1:]:
            self.run_job(one, 1, 0, True)
        self.finalists = [one for one in candidates if not one.failed]
        self.final_sources = self._final_sources(len(self.finalists))
        self.say(f"rung {self.rung}, the last: {len(self.finalists) - 1} candidates and the default in turn, "
                 f"{self.amount(self.final_sources)} per job")
        rounds = MAX_ROUNDS if len(self.finalists) > 1 else 0
        self._run_rung(self.finalists, rounds, self.final_sources, 0, True)
        ran = len(self.finalists) > 1 or any(one.rung for one in self.space.candidates[1:])
        if self.failures and not self.wrong and not ran:
            raise Refused(self.message, 1)

    def rounds(self) -> int:
        """Jobs of each finalist in the last rung."""
        return min((len(one.runs) for one in self.finalists if not one.failed), default=0)
