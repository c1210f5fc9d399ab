"""The race of tune: successive halving (Jamieson & Talwalkar, AISTATS 2016).

Each rung keeps a third of the candidates and spends three times the work on each. The default takes part in every rung. No
job starts that would exceed the budget by the durations measured so far.
"""

import sys
import time
from dataclasses import dataclass, replace
from typing import Any, Dict, List, Optional, Tuple

from scree.study import interval, job
from scree.study.chance import Random
from scree.study.child import Stop
from scree.study.interval import Interval
from scree.study.space import Candidate, Space
from scree.study.texts import Refused, seconds
from scree.study.writer import Writer

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
        while most and self.race(most) > limit:
            most -= 1
        return most

    def lengthened(self, n: int, limit: float) -> "Cost":
        """With longer jobs, if n candidates leave much of the time."""
        best, longer = self, replace(self, first=self.first * 2)
        while longer.first <= longer.max and longer.race(n) <= limit:
            best, longer = longer, replace(longer, first=longer.first * 2)
        return best


def promoted(n: int) -> int:
    """The number of n candidates that the next rung keeps."""
    return -(-n // KEEP)


class Race:
    """One race."""

    def __init__(self, space: Space, budget: float, stop: Stop, writer: Optional[Writer], quiet: bool) -> None:
        self.space, self.budget, self.stop, self.writer, self.quiet = space, budget, stop, writer, quiet
        self.cost = Cost()
        self.terms = job.Terms(space.launcher, space.asked.timeout, stop)
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

    @property
    def default(self) -> Candidate:
        """No settings."""
        return self.space.candidates[0]

    def say(self, text: str) -> None:
        """Prints to standard error, unless --quiet."""
        if not self.quiet:
            print("scree: " + text, file=sys.stderr, flush=True)

    def amount(self, amount: int) -> str:
        """Of a job: "3 sources"."""
        word = "source" if self.space.resource == "sources" else "run"
        return f"{amount} {word}{'s' if amount > 1 else ''}"

    # ---- one job ----

    def _run(self, candidate: Candidate, sources: int, repetition: int, validate: bool) -> Dict[str, Any]:
        """repetition: of the record, the rung; 0: its time does not count."""
        limit, slow = self.space.asked.timeout, SLOW * self.cost.job(sources)
        if candidate is not self.default:
            limit = min(limit, max(slow, PATIENCE))
        self.terms.timeout = limit
        record = job.run(self.space.configuration(candidate, sources), self.terms, validate)
        if record is None or self.stop.requested:
            raise Stopped
        self.jobs += 1
        if self.writer:
            self.writer.add(job.add_role(record, self.step, repetition, False))
            self.step += 1
        return record

    def _fail(self, candidate: Candidate, message: str) -> None:
        """The default is never dropped; a failed job of it only yields no time."""
        if not self.failures:
            self.message = f"{candidate.name}: {message.splitlines()[0] if message else 'it failed'}"
        self.failures += 1
        candidate.failed = candidate is not self.default

    def _learn(self, wall: float, solve: float, sources: int) -> None:
        """The cost of a source includes everything that grows with the number of sources."""
        cost, rest = self.cost, wall - solve * sources
        each = (wall - cost.overhead) / sources
        if sources == cost.first and rest > 0:
            cost.overhead += (rest - cost.overhead) / 8
        cost.solve += (max(each, solve) - cost.solve) / 8

    def run_job(self, candidate: Candidate, sources: int, repetition: int, validate: bool = False) -> None:
        """Records its time if the repetition is not 0, or its failure."""
        record = self._run(candidate, sources, repetition, validate)
        status = job.status_of(record)
        if status != "ok":
            self._fail(candidate, record.get("message", ""))
            self.wrong += status == "invalid"
        elif repetition:
            if len(candidate.runs) < MAX_ROUNDS:
                candidate.runs.append(record["seconds"])
            self._learn(record["wall_seconds"], record["seconds"], sources)

    def first(self) -> float:
        """Runs the default alone: validated, then as all others. Returns the delta that it chose; 0: none."""
        self.started, delta = time.monotonic(), 0.0
        for validate in (True, False):
            record = self._run(self.default, 1, 0, validate)
            if job.status_of(record) != "ok":
                raise Refused(f"the job fails with default settings: {record.get('message', 'it failed')}", 1)
            wall, solve = record["wall_seconds"], record["seconds"]
            self.cost.solve, self.cost.overhead = solve, max(wall - solve, 0.0)
            if validate:
                self.cost.check = wall
            result = record["result"]
            vertices = result.get("graph", {}).get("vertices", 0) if self.space.resource == "sources" else 0
            self._choose_sources(float(vertices))
            delta = float(result.get("configuration", {}).get("delta", 0) or 0)
        return delta

    def _choose_sources(self, vertices: float) -> None:
        """Enough that the kernel takes a sufficient part of the job, but not more than the graph has."""
        few, most = self.cost.overhead / (4 * self.cost.solve), vertices / 16 if vertices > 0 else MAX_SOURCES
        self.cost.max = int(min(max(most, 1), MAX_SOURCES))
        self.cost.first = min(int(min(max(few, 1), MAX_SOURCES // 4)), self.cost.max)

    # ---- rungs ----

    def _fits(self, sources: int, reserve: float) -> bool:
        return self.elapsed + self.cost.job(sources) + reserve <= self.budget

    def _shuffle(self, candidates: List[Candidate], seed: int) -> None:
        random = Random(seed)
        for i in range(len(candidates), 1, -1):
            k = random.draw(i)
            candidates[k], candidates[i - 1] = candidates[i - 1], candidates[k]

    def _settle(self, candidates: List[Candidate]) -> None:
        for one in candidates:
            if one.runs:
                one.seconds, one.rung = interval.middle(one.runs), self.rung

    def _run_rung(self, candidates: List[Candidate]) -> None:
        """All candidates in shuffled rounds, as many as the rung requires."""
        sources = self.cost.sources(self.rung)
        reserve = self.cost.final(min(len(candidates) - 1, FINALISTS), ROUNDS, self.cost.first)
        for one in candidates:
            one.runs = []
        for turn in range(self.cost.jobs(self.rung)):
            self._shuffle(candidates, 100 * self.rung + turn)
            for one in candidates:
                if one.failed or self.cut:
                    continue
                self.cut = not self._fits(sources, reserve)
                if not self.cut:
                    self.run_job(one, sources, self.rung)
        self._settle(candidates)

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
            self._run_rung(candidates)
            rest = [one for one in candidates if one is not self.default and not one.failed and one.rung]
            rest.sort(key=lambda one: (-one.rung, one.seconds))
            candidates = [self.default] + rest
            count = min(len(rest), FINALISTS if self.cut else promoted(count))
            self._show(candidates, count)
            candidates = candidates[:count + 1]
        return candidates

    # ---- the last rung ----

    def _final_sources(self, n: int) -> int:
        """As many as the schedule gives, fewer if the budget requires it."""
        sources = self.cost.sources(self.rung)
        while sources > self.cost.first and \
                self.elapsed + self.cost.final(n - 1, GOOD_ROUNDS, sources) > self.budget:
            sources = max(sources // 2, self.cost.first)
        return sources

    def _run_final(self) -> None:
        n, sources = len(self.finalists), self.final_sources
        for one in self.finalists:
            one.runs = []
        for turn in range(MAX_ROUNDS if n > 1 else 0):
            if not self._fits(sources, (n - 1) * self.cost.job(sources)):
                break
            order = list(self.finalists)
            self._shuffle(order, 100 * self.rung + turn)
            for one in order:
                if not one.failed and self._fits(sources, 0):
                    self.run_job(one, sources, self.rung)

    def run(self) -> None:
        """The whole race. Raises Stopped; Refused, if all candidates failed."""
        candidates = self._halve()
        self.rung += 1
        for one in candidates[1:]:
            self.run_job(one, 1, 0, True)
        self.finalists = candidates[:1] + [one for one in candidates[1:] if not one.failed]
        self.final_sources = self._final_sources(len(self.finalists))
        self.say(f"rung {self.rung}, the last: {len(self.finalists) - 1} candidates and the default in turn, "
                 f"{self.amount(self.final_sources)} per job")
        try:
            self._run_final()
        finally:
            self._settle(self.finalists)
        ran = len(self.finalists) > 1 or any(one.rung for one in self.space.candidates[1:])
        if self.failures and not self.wrong and not ran:
            raise Refused(self.message, 1)

    def rounds(self) -> int:
        """Jobs of each finalist in the last rung."""
        return min((len(one.runs) for one in self.finalists if not one.failed), default=0)

    def kept(self) -> str:
        """Why the default is kept, if it is the winner."""
        if len(self.finalists) < 2 and self.wrong:
            return "no finalist gave a correct answer"
        if len(self.finalists) < 2 and not self.cut:
            return "all other candidates failed"
        if self.rounds() < ROUNDS:
            return "the budget left too few jobs to distinguish the settings (a longer --budget helps)"
        return "nothing is faster than the default beyond the noise"

    def winner(self) -> Tuple[Candidate, Optional[Interval]]:
        """The fastest finalist whose interval against the default is below 1, and that; else the default."""
        best, gain = self.default, None
        for one in self.finalists[1:]:
            if one.failed or len(one.runs) < ROUNDS or not self.default.runs:
                continue
            ratio = interval.ratio(one.runs, self.default.runs)
            if ratio.high < 1 and (best is self.default or one.seconds < best.seconds):
                best, gain = one, ratio
        return best, gain
