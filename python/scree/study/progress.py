"""What of a plan is done and what is left: an existing file of results, the estimated time, when a sweep ends; the
estimated time of a race of tune."""

import sys
from collections import Counter
from dataclasses import dataclass, field, replace
from statistics import fmean
from typing import Any, Dict, List, Mapping, Optional, Sequence, Set, Tuple

from scree.study.child import Command
from scree.study.plan import Configuration, Plan, Step, key_of
from scree.study.record import MIXED, REFUSED, Record, Results
from scree.study.texts import Refused, duration, printable, seconds
from scree.study.values import numbers_of, same

ROUGH_SECONDS = 1.5  # of a run, as long as none is measured


class Progress:
    """Of the steps of a plan. quiet: only runs that fail are displayed."""

    def __init__(self, plan: Plan, steps: Sequence[Step], quiet: bool) -> None:
        self.plan, self.steps, self.count, self.done, self.quiet = plan, steps, len(steps), 0, quiet
        self._runs_left = Counter(step.configuration for step in steps)
        self._durations: Dict[Any, List[float]] = {}  # of a configuration, of a problem, of all (None)
        first = plan.configurations[0].settings
        self.varying = [name for name in plan.axes
                        if any(one.settings.get(name) != first.get(name) for one in plan.configurations)]

    def _kinds(self, index: int) -> Tuple[Any, ...]:
        """The runs whose durations tell that of a configuration, first those that tell most."""
        settings = self.plan.configurations[index].settings
        return index, tuple(settings.get(axis) for axis in ("kernel", "graph", "scale")), None

    def drop(self, step: int) -> None:
        self.count -= 1
        self._runs_left[self.steps[step].configuration] -= 1

    def learn(self, step: int, record: Mapping[str, Any], done: bool) -> None:
        """Counts a completed run, or with done = False one that only contributes its duration to the estimate."""
        index = self.steps[step].configuration
        for kind in self._kinds(index) if isinstance(record.get("wall_seconds"), (int, float)) else ():
            self._durations.setdefault(kind, []).append(record["wall_seconds"])
        self.done += done
        self._runs_left[index] -= done

    def left(self) -> Tuple[float, int]:
        """The estimated seconds of the remaining runs, and the number of runs that it is based on; 0: it assumes
        ROUGH_SECONDS per run."""
        def mean(index: int) -> float:
            known = (self._durations[kind] for kind in self._kinds(index) if kind in self._durations)
            return fmean(next(known, [ROUGH_SECONDS]))

        return (sum(count * mean(index) for index, count in self._runs_left.items() if count),
                len(self._durations.get(None, ())))

    def end(self, step: int, record: Mapping[str, Any]) -> None:
        """A run has ended."""
        self.learn(step, record, True)
        failed, of = record["status"] != "ok", self.steps[step]
        if self.quiet and not failed:
            return
        one = self.plan.configurations[of.configuration]
        name = " ".join(f"{name}={one.settings[name]}" for name in self.varying if name in one.settings) or one.key
        role = "warm-up" if of.repetition == 0 else f"{'control ' if of.control else ''}#{of.repetition}"
        message = str(record.get("message", "")).split("\n", 1)[0]
        what = f"{record['status']}: {message}" if failed else seconds(record["seconds"])
        print(printable(f"[{self.done}/{self.count}, {duration(self.left()[0])} left] {name} {role}: {what}"),
              file=sys.stderr)


_ENOUGH = 3  # configurations


def refusal(plan: Plan, ran: Sequence[Tuple[int, str]]) -> str:
    """Why every graph of a plan is refused, so that further runs could not end otherwise; "": not every one is. `ran`:
    the configuration of each run, and why it was refused, or "". A graph is refused when three configurations on it, or
    all where there are fewer, were refused for the same reason, and no run on it ended otherwise: a configuration that
    is refused for its own values has a reason of its own."""
    graphs = [(one.settings.get("graph"), one.settings.get("scale")) for one in plan.configurations]
    for graph in set(graphs):
        here = [one for one in ran if graphs[one[0]] == graph]
        enough = min(graphs.count(graph), _ENOUGH)
        if len({why for _, why in here}) != 1 or not here[0][1] or len({index for index, _ in here}) < enough:
            return ""
    return ran[-1][1]


_COMPARED = ("version", "hash", "mpi", "mpi_library", "host")


def difference(a: Mapping[str, Any], b: Mapping[str, Any]) -> List[Tuple[str, str, str]]:
    """In what two identities differ: name, value of a, value of b."""
    pairs = [(name, str(a.get(name, "")), str(b.get(name, ""))) for name in _COMPARED]
    options = [{name: str(one.get("value", "")) for name, one in of.get("options", {}).items()} for of in (a, b)]
    for name in sorted(set(options[0]) | set(options[1])):
        pairs.append((f"option {name} of the environment", options[0].get(name, "unset"),
                      options[1].get(name, "unset")))
    return [pair for pair in pairs if pair[1] != pair[2]]


def marked(configuration: Configuration, value: str) -> Configuration:
    """The configuration with that axis, or itself for ""."""
    return Configuration({**configuration.settings, MIXED: value}) if value else configuration


@dataclass
class Done:
    """What a file has of a plan."""

    results: Results
    found: List[Tuple[Record, int, int]] = field(default_factory=list)  # of each record its configuration and its step
    steps: Dict[int, Record] = field(default_factory=dict)  # by index
    refused: Set[int] = field(default_factory=set)  # configurations that are not tried again
    retried: int = 0  # runs without a result that are left out


def _index_of(record: Record, plan: Plan, commands: Sequence[Command], by_key: Mapping[str, int]) -> Optional[int]:
    """Of the configuration that a record is of: equal, but for axes that the record lacks and whose value is the
    default, which is what was run. None: it is not of the plan."""
    settings = {name: value for name, value in record.settings.items() if name != MIXED}

    def is_of(index: int) -> bool:
        mine, defaults = plan.configurations[index].settings, commands[index].defaults
        return (all(name in mine and same(value, mine[name]) for name, value in settings.items())
                and all(name in settings or name in defaults for name in mine))

    index = by_key.get(key_of(settings))
    return next((i for i in range(len(commands)) if is_of(i)), None) if index is None else index


def examine(results: Results, plan: Plan, steps: Sequence[Step], commands: Sequence[Command],
            mixed: Mapping[int, str], retry: bool = False) -> Optional[Done]:
    """What the file has of the plan; None: it belongs to another one. `mixed`: of each configuration, the value of the
    axis that runs of now would have. `retry`: runs without a result do not count, and are left out."""
    another = results.plan != plan.text
    done = Done(results)
    if another and len({line for text in (results.plan, plan.text) for line in text.split("\n")
                        if line.startswith("timeout = ")}) > 1:
        return None
    by_key = {one.key: index for index, one in enumerate(plan.configurations)}
    places = {(step.configuration, step.repetition, step.control): at for at, step in enumerate(steps)}
    for record in results.records:
        if retry and record.status != "ok":
            done.retried += 1
            continue
        index = _index_of(record, plan, commands, by_key)
        at = places.get((index, record.repetition, record.control)) if index is not None else None
        if index is None or at is None:
            if another:
                return None
            raise Refused(f"results '{results.name}': the plan has no step {record.step} of '{record.key}'; the file "
                          "was modified")
        done.found.append((record, index, at))
        if record.settings.get(MIXED, "") == mixed.get(index, ""):
            done.steps.setdefault(at, record)
            done.refused |= {index} if record.json.get("exit") == REFUSED else set()
    return done


def other_plan(results: Results, plan: Plan, name: str) -> Refused:
    """The file belongs to another plan; the first line in which it differs is named."""
    pairs = list(zip(results.plan.split("\n"), plan.text.split("\n")))
    there, here = next((pair for pair in pairs if pair[0] != pair[1]), pairs[-1])
    return Refused(f"results '{name}' belong to another plan ('{there}' there, '{here}' here); --results FILE names "
                   "another file for this one")


def check_identity(done: Done, commands: Sequence[Command], name: str) -> None:
    """Raises Refused if a run was made by another program, MPI or machine, or with other options of the environment,
    than would be now."""
    for record, index, _ in done.found:
        parts = [f"{what} {there or 'unknown'} there, {here or 'unknown'} here"
                 for what, there, here in difference(record.identity, commands[index].identity)]
        if parts and record.identity and not record.settings.get(MIXED):
            raise Refused(f"results '{name}': run {record.step} was made under other conditions: {'; '.join(parts)}; "
                          "--results FILE names another file, --mix adds to this one and keeps both apart")


def lines_of(done: Done, plan: Plan) -> List[Dict[str, Any]]:
    """The records of the file as if the plan had been this one from the beginning."""
    lines = []
    for record, index, at in done.found:
        one = marked(plan.configurations[index], record.settings.get(MIXED, ""))
        lines.append({**record.json, "key": one.key, "configuration": one.settings,
                      "numbers": numbers_of(one.settings), "step": at})
    return lines


KEEP = 3  # a rung keeps one in so many candidates, with so many times the work
FINALISTS = 3  # candidates in the last rung, besides the default
ROUNDS = 5  # of the last rung, at least: with fewer no interval of four finalists has its level
MAX_SOURCES = 256  # of a job


@dataclass
class Cost:
    """Estimates for a race of tune, in seconds."""

    overhead: float = 0.0  # of a job without its sources
    solve: float = 0.0  # of one source
    check: float = 0.0  # of a validated job with one source
    first: int = 1  # sources of a job in the first rung
    max: int = 1  # in any rung

    def begin(self, wall: float, solve: float, validated: bool, vertices: float) -> None:
        """From a job with one source. Enough sources that the kernel takes a sufficient part of a job, but not more
        than the graph has; vertices: 0 where that is not the limit."""
        self.solve, self.overhead = solve, max(wall - solve, 0.0)
        self.check = wall if validated else self.check
        few, most = self.overhead / (4 * solve), vertices / 16 if vertices > 0 else MAX_SOURCES
        self.max = int(min(max(most, 1), MAX_SOURCES))
        self.first = min(int(min(max(few, 1), MAX_SOURCES // 4)), self.max)

    def learn(self, wall: float, solve: float, sources: int) -> None:
        """From another job. The cost of a source includes everything that grows with the number of sources."""
        rest, each = wall - solve * sources, (wall - self.overhead) / sources
        self.overhead += (rest - self.overhead) / 8 if sources == self.first and rest > 0 else 0
        self.solve += (max(each, solve) - self.solve) / 8

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
