"""scree tune: finds good settings for one job within a time budget, by successive halving (Jamieson & Talwalkar 2016).

Each rung keeps a third of the candidates and spends three times the work on each. The default takes part in every rung.
What is left of the budget after the last rung is spent on further heats of combinations that were not tried, against
the winner so far. No job starts that would exceed the budget by the durations measured so far.
"""

import os
import re
import shlex
import signal
import sys
import time
from collections import Counter
from dataclasses import dataclass, field, replace
from typing import Any, Dict, Iterator, List, Optional, Sequence, Set, Tuple

from scree.study import child, record, stats
from scree.study.child import Stop, Stopped, now
from scree.study.launch import LAUNCH_AXES, Checker, Launcher, default_launcher
from scree.study.plan import Configuration, Plan, covering, make, shuffled, with_constants
from scree.study.progress import FINALISTS, ROUNDS, Cost, promoted
from scree.study.sweep import parser
from scree.study.texts import (Interval, Refused, check_output, check_writable, count_text, grid, percent, printable, range_text,
                               seconds, write_output)

JOB_AXES = ("kernel", "graph", "scale")  # axes that say which job it is
_OWN = ("sources", "repeat", "warmup", "validate", "json", "output", "options")  # that tune sets, or needs unset
MAX_ROUNDS = 10
SLOW, PATIENCE = 10, 10  # a job fails after SLOW times the time of the default, and PATIENCE seconds
MAX_CANDIDATES = 243  # 3^5
SHARE = 0.8  # of the budget is planned; further rounds of the last rung and further heats use the rest
HANGS = 2  # jobs that hang, after which a value that all of them have is dropped
_FIRST_LINE = "# Options by scree tune"
_KIND = [_FIRST_LINE], "was not written by scree tune"


@dataclass
class Candidate:
    """Settings to try; none: the default."""

    settings: Dict[str, str]
    rung: int = 0  # the last one that it ran in, from 1
    seconds: float = 0.0  # the median of its jobs there
    runs: List[float] = field(default_factory=list)  # of the current rung
    failed: bool = False
    valid: bool = False  # its answer was checked
    dropped: bool = False  # not run, since one of its values hangs

    @property
    def is_default(self) -> bool:
        return not self.settings

    @property
    def tried(self) -> bool:
        return bool(self.settings) and bool(self.rung or self.failed) and not self.dropped

    @property
    def name(self) -> str:
        """queue=dary spin=0, or default."""
        return " ".join(f"{name}={value}" for name, value in self.settings.items()) or "default"


Pair = Tuple[str, str]  # an axis and its value


class Space:
    """What is tried for a request: NAME=VALUES of the command line."""

    def __init__(self, options: Sequence[str], checker: Checker) -> None:
        self.options, self.checker, self.launcher = options, checker, Launcher(checker)
        self.asked = self.plan = self._make(None)
        self.launcher.default = default_launcher(self.asked, checker)
        self.fixed = self._fix()  # common to all candidates
        first, *others = checker.kernels
        self.kernel = self.fixed.setdefault("kernel", first)
        if self.kernel not in checker.kernels:
            raise Refused(f"option '--kernel': '{self.kernel}' is not legal; legal: {first} (the default), "
                          + ", ".join(others))
        source = self.asked.axes.get("source", ["random:"])[0]
        drawn = source.startswith("random:") and checker.kernels[self.kernel]["source"]
        self.resource = "sources" if drawn else "repeat"  # what later rungs increase
        self.candidates, self.illegal = [Candidate({})], 0
        self.left: Iterator[Dict[str, str]] = iter(())  # combinations that were not drawn yet
        self.legal: Dict[Pair, bool] = {}  # was a candidate with the value accepted?
        self.dropped: Set[Pair] = set()  # values that hang

    def _make(self, text: Optional[str]) -> Plan:
        return with_constants(lambda constants: make(text, "the axes of tune", self.options, constants),
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
        return fixed

    def find(self, delta: float) -> None:
        """Makes the plan from which candidates are drawn. delta: the width that the default chose; 0: none."""
        if len(self.asked.configurations) == 1:
            tried = str(self.checker.kernels[self.kernel]["axes"])
            self.plan = self._make(re.sub(r"\{(.*?)\}", lambda times: f"{float(times[1]) * delta:.3g}", tried)
                                   if delta else re.sub(r"(?m)^delta = .*\n", "", tried))
        self.launcher.default = default_launcher(self.plan, self.checker)
        self.left = covering(self.plan)

    def configuration(self, candidate: Candidate, amount: int) -> Configuration:
        """Of a candidate, with this amount of the resource."""
        settings = {name: value for name, value in self.fixed.items() if name not in candidate.settings}
        return Configuration({**settings, **candidate.settings, self.resource: str(amount)})

    def draw(self, most: int) -> None:
        """Draws up to so many candidates. Those that the subcommand rejects are counted; a value whose candidates are
        all rejected is an error."""
        first = ""
        for settings in self.left if len(self.candidates) <= most else ():
            if not self.dropped.isdisjoint(settings.items()):
                continue
            defaults = self.checker.ask({**self.fixed, **settings}, elsewhere=True).defaults
            candidate = Candidate({name: value for name, value in settings.items() if self.fixed.get(name) != value
                                   and (name == "ranks" or name not in defaults)})
            try:
                why = self.launcher.command(self.configuration(candidate, 1)).cannot
            except Refused as error:
                why = str(error)
            for pair in settings.items():
                self.legal[pair] = self.legal.get(pair, False) or not why
            if why:
                self.illegal += 1
                first = first or why
            elif candidate.settings:
                self.candidates.append(candidate)
                if len(self.candidates) > most:
                    break
        if first and not all(self.legal.values()):
            raise Refused(first)


class Race:
    """One race."""

    def __init__(self, space: Space, budget: float, stop: Stop, writer: Optional[record.Writer], quiet: bool) -> None:
        self.space, self.budget, self.stop, self.writer, self.quiet = space, budget, stop, writer, quiet
        self.cost, self.default = Cost(), space.candidates[0]  # that has no settings
        self.started = time.monotonic()
        self.jobs = self.rung = self.failures = self.wrong = 0  # wrong: answers of finalists
        self.message = ""  # of the first failure
        self.cut = False  # the budget cut a rung short
        # Candidates of the newest last rung with a decision, as they were then, the default first; empty: it was not reached.
        self.finalists: List[Candidate] = []
        self.final_sources = 1
        self.ended: Set[Pair] = set()  # values with which a job ended
        self.hung: Counter[Pair] = Counter()  # how often one hung with a value that is not among them

    @property
    def elapsed(self) -> float:
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
        if self.stop.requested:
            raise Stopped
        self.jobs += 1
        if self.writer:
            self.writer.add(child.add_role(record, self.jobs - 1, repetition, False))
        return record

    def run_job(self, candidate: Candidate, sources: int, repetition: int, validate: bool = False) -> None:
        """Records its time if the repetition is not 0, or its failure."""
        record = self._run(candidate, sources, repetition, validate)
        if record["status"] != "ok":
            reason = record.get("message", "").splitlines()[:1] or ["it failed"]
            self.message = self.message or f"{candidate.name}: {reason[0]}"
            self.failures += 1
            self.wrong += record["status"] == "invalid"
            candidate.failed = candidate is not self.default  # a failed job of the default only yields no time
            if record["status"] == "timeout":
                self._drop(candidate)
            return
        self.ended |= set(candidate.settings.items())
        candidate.valid = candidate.valid or validate
        if repetition:
            candidate.runs = [*candidate.runs, record["seconds"]][:MAX_ROUNDS]
            self.cost.learn(record["wall_seconds"], record["seconds"], sources)

    def _drop(self, candidate: Candidate) -> None:
        """Its job hangs. Drops a value that no job has ended with, if it is the only such one or hangs again."""
        suspects = [pair for pair in candidate.settings.items() if pair not in self.ended]
        self.hung.update(suspects)
        for pair in suspects:
            if pair not in self.space.dropped and (len(suspects) == 1 or self.hung[pair] >= HANGS):
                self.space.dropped.add(pair)
                self.say(f"{'='.join(pair)} hangs; combinations with it are not tried any more")
                for one in self.space.candidates:
                    if one.settings.get(pair[0]) == pair[1] and not one.failed:
                        one.failed, one.dropped = True, not one.rung

    def first(self) -> float:
        """Runs the default alone: validated, then as all others. Returns the delta that it chose; 0: none."""
        for validate in (True, False):
            record = self._run(self.default, 1, 0, validate)
            if record["status"] != "ok":
                raise Refused(f"the job fails with default settings: {record.get('message', 'it failed')}", 1)
            result = record["result"]
            vertices = result.get("graph", {}).get("vertices", 0) if self.space.resource == "sources" else 0
            self.cost.begin(record["wall_seconds"], record["seconds"], validate, float(vertices))
        return float(result.get("configuration", {}).get("delta", 0) or 0)

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

    def _halve(self, candidates: List[Candidate]) -> List[Candidate]:
        """Runs the rungs before the last one of candidates, the default first; returns those of the last one."""
        while len(candidates) > FINALISTS + 1 and not self.cut:
            count = len(candidates) - 1
            self.rung += 1
            self.say(f"rung {self.rung}: {count} candidates and the default, "
                     f"{self.amount(self.cost.sources(self.rung))} per job")
            reserve = self.cost.final(min(count, FINALISTS), ROUNDS, self.cost.first)
            self._run_rung(candidates, self.cost.jobs(self.rung), self.cost.sources(self.rung), reserve, False)
            rest = [one for one in candidates if one is not self.default and not one.failed and one.rung]
            rest.sort(key=lambda one: (-one.rung, one.seconds))
            candidates = [self.default, *rest[:FINALISTS if self.cut else promoted(count)]]
            best = f"{rest[0].name}: {seconds(rest[0].seconds)}" if rest else "none"
            self.say(f"rung {self.rung}: the best is {best}; {len(candidates) - 1} promoted; {self.elapsed:.0f} s of "
                     f"{self.budget:.0f} s{'; cut short by the budget' if self.cut else ''}")
        return candidates

    def _decide(self, candidates: List[Candidate]) -> None:
        """The last rung: validates them, and runs them and the default in turn."""
        self.rung += 1
        for one in candidates[1:]:
            if not one.valid:
                self.run_job(one, 1, 0, True)
        able, sources = [one for one in candidates if not one.failed], self.cost.sources(self.rung)
        self.say(f"rung {self.rung}, the last: {len(able) - 1} candidates and the default in turn, "
                 f"{self.amount(sources)} per job")
        try:
            self._run_rung(able, MAX_ROUNDS * (len(able) > 1), sources, 0, True)
        finally:
            if not self.finalists or rounds_of(able) >= ROUNDS:  # else those of the heat before stay
                self.finalists, self.final_sources = [replace(one) for one in able], sources

    def _heat(self) -> bool:
        """Races combinations that were not tried against the winner so far. False: none is left, or fits."""
        limit, known = SHARE * (self.budget - self.elapsed), len(self.space.candidates)
        winner, sources = winner_of(self)[0], self.cost.sources(2)
        limit -= 0 if winner.is_default else ROUNDS * self.cost.job(sources)
        n = 0 if self.cut else self.cost.size(limit, min(len(self.space.plan.configurations), MAX_CANDIDATES))
        self.space.draw(known - 1 + n)
        new = self.space.candidates[known:]
        if not new:
            return False
        self.rung = 0
        self.say(f"another heat: {count_text(len(new), 'combination')} that were not tried; {self.elapsed:.0f} s of "
                 f"{self.budget:.0f} s")
        old = [one for one in self.space.candidates if one.settings == winner.settings and not one.is_default]
        found = self._halve([self.default, *new])
        self._decide([*found, *old])
        return True

    def run(self) -> None:
        """The whole race. Raises Stopped; Refused, if all candidates failed."""
        self._decide(self._halve(list(self.space.candidates)))
        while self._heat():
            pass
        ran = len(self.finalists) > 1 or any(one.rung for one in self.space.candidates[1:])
        if self.failures and not self.wrong and not ran:
            raise Refused(self.message, 1)

    def rounds(self) -> int:
        """Jobs of each finalist in the last rung."""
        return rounds_of(self.finalists)


def rounds_of(finalists: Sequence[Candidate]) -> int:
    """Jobs of each of them in the last rung."""
    return min((len(one.runs) for one in finalists if not one.failed), default=0)


def kept(race: Race) -> str:
    """Why the default is kept, if it is the winner."""
    if len(race.finalists) < 2 and race.wrong:
        return "no finalist gave a correct answer"
    if len(race.finalists) < 2 and not race.cut:
        return "all other candidates failed"
    if race.rounds() < ROUNDS:
        return "the budget left too few jobs to distinguish the settings (a longer --budget helps)"
    return "nothing is faster than the default beyond the noise"


def against(race: Race, one: Candidate, other: Candidate) -> Optional[Interval]:
    """How many times as long a finalist takes as another, with a level that is corrected for the number of finalists.
    None: too few jobs."""
    count = max(len(race.finalists) - 1, 1)
    able = not one.failed and min(len(one.runs), len(other.runs)) >= ROUNDS
    return stats.ratio(one.runs, other.runs, 1 - (1 - stats.LEVEL) / count) if able else None


def winner_of(race: Race) -> Tuple[Candidate, Optional[Interval]]:
    """The fastest finalist whose interval against the default is below 1, and that; else the default."""
    found: List[Tuple[Candidate, Optional[Interval]]] = []
    for one in race.finalists[1:]:
        ratio = against(race, one, race.finalists[0])
        if ratio and ratio.high < 1:
            found.append((one, ratio))
    return min(found, key=lambda pair: pair[0].seconds, default=(race.default, None))


def level_with(race: Race, winner: Candidate) -> List[Candidate]:
    """The finalists but for the default that cannot be told from the winner: another race may choose one of them."""
    ratios = [(one, against(race, one, winner)) for one in race.finalists[1:] if one is not winner]
    return [one for one, ratio in ratios if ratio and ratio.low <= 1] if not winner.is_default else []


def command_of(space: Space, winner: Candidate, file: str) -> str:
    """The command line that uses what was found, as a shell reads it."""
    settings = {**space.fixed, **winner.settings}
    launcher, ranks = settings.get("launcher") or space.launcher.default or "mpirun", settings.get("ranks", "2")
    own = {"local": "", "mpirun": "" if ranks == "1" else "mpirun -n " + ranks}
    words = ["scree", space.kernel, settings.get("graph") or "kron:" + settings.get("scale", "")]
    words += ["--ranks", ranks] if launcher == "local" else []
    # The options of what is fixed, as the program itself makes them; flags have no value.
    named = {name: value for name, value in space.fixed.items() if name in JOB_AXES or not is_launch_setting(name)}
    answer = space.checker.ask({**named, "warmup": "0"}, elsewhere=True)
    options = answer.words[2 if named.keys() & {"graph", "scale"} else 1:]
    options = [] if answer.why else options[:options.index("--warmup")]
    command = shlex.join([*words, *options, "--options", file])
    return f"{own.get(launcher, launcher.replace('{ranks}', ranks))} {command}".lstrip()


def is_launch_setting(name: str) -> bool:
    """Is it no option of the job, but says how that starts?"""
    return name in LAUNCH_AXES or name.startswith("env.")


def _file_text(race: Race, winner: Candidate, gain: Optional[Interval], command: str) -> str:
    host = os.uname()
    tried = sum(one.tried for one in race.space.candidates)
    failed = sum(one.failed and one.tried for one in race.space.candidates)
    date = time.strftime("%Y-%m-%d %H:%M UTC", time.gmtime())
    lines = [f"{_FIRST_LINE}, {date}, on {host.nodename} ({host.machine}), {race.space.checker.cores} cores."]
    if gain:
        lines.append(f"# Time relative to the default: {gain.median:.3f} ({percent(gain.level)} interval {gain.low:.3f} to "
                     f"{gain.high:.3f}), {race.rounds()} jobs of {race.amount(race.final_sources)} each.")
        lines += [f"# Level with it: {one.name}." for one in level_with(race, winner)]
    else:
        lines.append(f"# No options: {kept(race)}.")
    lines.append(f"# Tried: {tried} of {len(race.space.plan.configurations)} combinations, {failed} failed; "
                 f"{race.jobs} jobs, {race.elapsed:.0f} s.")
    lines.append(f"# For: {command}")
    for name, value in winner.settings.items():
        found = "# Also found, but not an option of the job: " if is_launch_setting(name) else ""
        lines.append(f"{found}{name} = {value}")
    return "\n".join(lines) + "\n"


def _finalist(race: Race, one: Candidate) -> List[str]:
    if one.failed or not one.runs:
        return ["failed" if one.failed else "no time", "-", "-", one.name]
    ratio = None if one.is_default else against(race, one, race.finalists[0])
    text = f"{ratio.median:.3f} ({ratio.low:.3f}..{ratio.high:.3f})" if ratio else "1" if one.is_default else "-"
    own = stats.median(one.runs)
    return [seconds(own.median), range_text(own), text, one.name]


def _print_conclusion(race: Race, winner: Candidate) -> None:
    print(f"The last rung: {race.rounds()} jobs of each.")
    print(printable("\n".join(grid([["median", "interval", "relative to default", "settings"],
                                    *(_finalist(race, one) for one in race.finalists)])), lines=True))
    if race.failures:
        print(printable(f"{race.failures} jobs failed; the first: {race.message}"))
    if winner.is_default:
        print(f"{kept(race)}; the default is kept")
    for one in level_with(race, winner):
        print(printable(f"{one.name} is level with {winner.name}; another race may choose it"))


def _conclude(race: Race, name: str) -> None:
    winner, gain = winner_of(race)
    command = command_of(race.space, winner, name)
    if not race.quiet:
        _print_conclusion(race, winner)
    write_output("write", name, _file_text(race, winner, gain, command), *_KIND, "surrogateescape", 1)
    if not race.quiet:
        print(printable(f"written to {name}; to use it: {command}"))


def _draw(race: Race) -> None:
    """Draws as many candidates as fit into the budget."""
    space, cost = race.space, race.cost
    limit = SHARE * race.budget - race.elapsed
    every = min(len(space.plan.configurations), MAX_CANDIDATES)
    n = cost.size(limit, every) or cost.size(race.budget - race.elapsed, every)
    if n == 0:
        needed = 1 + (race.elapsed + cost.race(min(every, 2))) / SHARE
        raise Refused(f"the budget of {race.budget:.0f} s is too short for a comparison: a job takes "
                      f"{cost.job(cost.first):.2g} s; give --budget {needed:.0f}s or more", 1)
    space.draw(n)
    n = len(space.candidates) - 1
    if n == 0:
        raise Refused("all values equal the defaults, so there is nothing to compare; give --NAME V1,V2,...")
    if n + space.illegal + 1 >= len(space.plan.configurations):  # all but the default
        cost.lengthen(n, limit)
    race.say(f"trying {n} of {len(space.plan.configurations)} combinations in about "
             f"{race.elapsed + race.cost.race(n):.0f} s; a job takes {race.cost.job(race.cost.first):.2g} s, "
             f"{race.cost.first * race.cost.solve:.2g} s of it in the kernel")


def _run(race: Race, name: str) -> int:
    code = 0
    try:
        race.space.find(race.first())
        _draw(race)
        race.run()
    except Stopped:
        code = 130
        if not race.finalists or race.rounds() < ROUNDS:
            ran = [one for one in race.space.candidates if one.rung and not one.failed]
            best = min(ran, key=lambda one: (-one.rung, one.seconds), default=None)
            text = f"; best so far, in rung {best.rung}: {best.name} ({seconds(best.seconds)})" if best else ""
            raise Refused(f"stopped in rung {race.rung} after {race.jobs} jobs and {race.elapsed:.0f} s; no file is "
                          "written" + text, code) from None
    _conclude(race, name)
    return code


def main(argv: Sequence[str]) -> int:
    """Returns the exit code: 0 all well, 1 failed, 2 bad usage or input, 130 stopped."""
    known, stop = parser("tune"), Stop()
    known.add_argument("--write", default="tuned.options")
    known.add_argument("--budget", type=float, default=120.0)
    request = known.parse_args(argv)
    stop.catch(signal.SIGINT, signal.SIGTERM)
    checker = Checker(request.program)
    checker.writes = {"write": request.write, "results": request.results}
    space = Space(request.options, checker)
    space.launcher.command(space.configuration(space.candidates[0], 1))  # can the job be launched as given?
    check_output("write", request.write, *_KIND)
    check_writable("write", request.write)
    header = {"scree_sweep": record.FORMAT, "version": space.checker.version, "title": space.asked.title or "tune",
              "plan": space.asked.text, "words": {}, "started": now(), "steps": 0}
    writer = record.create(request.results, [header]) if request.results else None
    return _run(Race(space, request.budget, stop, writer, request.quiet), request.write)
