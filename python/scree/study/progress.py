"""Progress of a sweep: runs done, runs left, the estimated time, and its display."""

import os
import shutil
import sys
import time
from dataclasses import dataclass
from typing import Any, Dict, List, Mapping, Sequence, Tuple

from scree.study.job import status_of
from scree.study.plan import Plan, Step
from scree.study.texts import duration, printable, seconds

ROUGH_SECONDS = 1.5  # of a run, as long as none is measured
_BAR = 20


@dataclass
class _Tally:
    """Runs of one configuration. seconds: of ok runs that are neither warm-up nor control."""

    wall: float = 0.0
    walls: int = 0
    seconds: float = 0.0
    oks: int = 0
    left: int = 0


class Progress:
    """Of the steps of a plan. quiet: only runs that fail are displayed."""

    def __init__(self, plan: Plan, steps: Sequence[Step], quiet: bool) -> None:
        self.plan, self.steps, self.count, self.done, self.quiet = plan, steps, len(steps), 0, quiet
        self.of = [_Tally() for _ in plan.configurations]
        for step in steps:
            self.of[step.configuration].left += 1
        first = plan.configurations[0].settings
        self.varying = [name for name in plan.axes
                        if any(one.settings.get(name) != first.get(name) for one in plan.configurations)]
        self.terminal = not quiet and sys.stderr.isatty() and os.environ.get("TERM") != "dumb"
        self._started, self._left = 0.0, 0.0

    def drop(self, step: int) -> None:
        """The step is not run."""
        self.count -= 1
        self.of[self.steps[step].configuration].left -= 1

    def learn(self, step: int, record: Mapping[str, Any], done: bool) -> None:
        """Counts a completed run, or with done = False one that only contributes its duration to the estimate."""
        of = self.steps[step]
        tally = self.of[of.configuration]
        if isinstance(record.get("wall_seconds"), (int, float)):
            tally.wall += record["wall_seconds"]
            tally.walls += 1
        if not done:
            return
        self.done += 1
        tally.left -= 1
        if status_of(record) == "ok" and not of.control and of.repetition:
            tally.seconds += record["seconds"]
            tally.oks += 1

    # ---- the estimate ----

    def _like(self, index: int, measured: Sequence[int]) -> float:
        """The mean duration of the measured configurations that have most values in common with this one."""
        mine = set(self.plan.configurations[index].settings.items())
        common = {other: len(mine & set(self.plan.configurations[other].settings.items())) for other in measured}
        most = max(common.values())
        near = [self.of[other] for other in measured if common[other] == most]
        return sum(one.wall / one.walls for one in near) / len(near)

    def left(self) -> Tuple[float, int]:
        """The estimated seconds of the remaining runs, and the number of runs that it is based on; 0: it assumes
        ROUGH_SECONDS per run."""
        measured = [index for index, tally in enumerate(self.of) if tally.walls]
        total = 0.0
        for index, tally in enumerate(self.of):
            if tally.left and tally.walls:
                total += tally.left * tally.wall / tally.walls
            elif tally.left:
                total += tally.left * (self._like(index, measured) if measured else ROUGH_SECONDS)
        return total, sum(tally.walls for tally in self.of)

    # ---- lines ----

    def _name(self, index: int) -> str:
        """The settings of the axes that vary: "algorithm=dc ranks=2"."""
        one = self.plan.configurations[index]
        pairs = [f"{name}={one.settings[name]}" for name in self.varying if name in one.settings]
        return " ".join(pairs) or one.key

    def _best(self) -> str:
        """"; best so far ..." or "" without an ok run."""
        means = [(tally.seconds / tally.oks, index) for index, tally in enumerate(self.of) if tally.oks]
        if not means:
            return ""
        mean, index = min(means)
        return f"; best so far {self._name(index)}: {seconds(mean)}"

    def begin(self) -> None:
        """A run begins."""
        self._started, (self._left, _) = time.monotonic(), self.left() if self.terminal else (0.0, 0)
        self.tick()

    def tick(self) -> None:
        """Draws the line on a terminal."""
        if not self.terminal:
            return
        rest = max(0.0, self._left - (time.monotonic() - self._started))
        full = _BAR * self.done // max(self.count, 1)
        line = (f"[{'#' * full}{'.' * (_BAR - full)}] {self.done} of {self.count} runs, about {duration(rest)} left"
                f"{self._best()}")
        width = shutil.get_terminal_size((80, 24)).columns - 1
        print("\r\033[K" + printable(line)[:width], end="", file=sys.stderr, flush=True)

    def clear(self) -> None:
        """Clears the line of the terminal."""
        if self.terminal:
            print("\r\033[K", end="", file=sys.stderr, flush=True)

    def end(self, step: int, record: Mapping[str, Any]) -> None:
        """A run has ended. A terminal shows failed runs, other outputs every run."""
        self.learn(step, record, True)
        self.clear()
        failed = status_of(record) != "ok"
        if (self.terminal or self.quiet) and not failed:
            return
        of = self.steps[step]
        role = "warm-up" if of.repetition == 0 else f"{'control ' if of.control else ''}#{of.repetition}"
        message = str(record.get("message", "")).split("\n", 1)[0]
        what = f"{status_of(record)}: {message}" if failed else seconds(record["seconds"])
        print(printable(f"[{self.done}/{self.count}] {self._name(of.configuration)} {role}: {what}"), file=sys.stderr)


# ---- whether a sweep continues ----

_REFUSED, _ENOUGH = 2, 3  # the exit code; configurations


class _Input:
    """A graph of the plan."""

    def __init__(self) -> None:
        self.configurations, self.refused, self.reason, self.otherwise = 0, 0, "", False


class Refusals:
    """Counts runs that refuse their input, for each graph of a plan: further runs could not end otherwise. A
    configuration that is refused for its own values has a reason of its own."""

    def __init__(self, plan: Plan) -> None:
        inputs: Dict[Tuple[str, str], _Input] = {}
        self.of: List[_Input] = []
        for one in plan.configurations:
            key = (one.settings.get("graph", ""), one.settings.get("scale", ""))
            self.of.append(inputs.setdefault(key, _Input()))
            self.of[-1].configurations += 1
        self.inputs = list(inputs.values())
        self._refused = [False] * len(self.of)

    def count(self, configuration: int, record: Mapping[str, Any]) -> None:
        """Counts a run of the configuration."""
        one = self.of[configuration]
        first = str(record.get("message", "")).split("\n", 1)[0]
        reason = first.partition(": ")[2] if record.get("exit") == _REFUSED else ""
        if not reason or (one.reason and one.reason != reason):
            one.otherwise = True
        if not one.otherwise and not self._refused[configuration]:
            one.refused += 1
            self._refused[configuration] = True
        one.reason = one.reason or reason

    def reason(self) -> str:
        """The reason, if every graph is refused; else "". A graph is refused when three configurations on it, or all
        where there are fewer, were refused for the same reason, and no run on it ended otherwise."""
        if any(one.otherwise or one.refused < min(one.configurations, _ENOUGH) for one in self.inputs):
            return ""
        return self.inputs[0].reason
