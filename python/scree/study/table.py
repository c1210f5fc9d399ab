"""Records grouped by configuration: medians, the axes that vary, the best of each problem, the control runs."""

import functools
import re
from dataclasses import dataclass, field
from typing import Dict, List, Optional, Sequence, Tuple

from scree.study import interval
from scree.study.cells import number
from scree.study.interval import Interval
from scree.study.record import WORKS, Record, Results

MIN_RUNS = 3  # of a configuration: from fewer nothing is concluded
# Axes that say what is computed rather than how. Configurations that differ in one are different problems.
PROBLEM = "kernel graph scale edgefactor seed random-weights weights-file columns source sources".split()
_TICK = 1e-9  # seconds: keeps ratios finite


@dataclass
class Group:
    """All repetitions of one configuration, without those of the control and the warm-up."""

    key: str
    settings: Dict[str, str]
    records: List[Record]
    runs: List[float]  # the seconds of each run with a correct answer
    seconds: Optional[Interval]  # None: there is no such run
    teps: float
    work: Dict[str, float]  # medians
    worst: str  # "invalid" if any run is, else the status of the first run without a result, else "ok"
    message: str  # of that run
    best: "Optional[Group]" = None  # of its problem

    @property
    def ok(self) -> int:
        """The number of runs with a result."""
        return len(self.runs)

    @property
    def bad(self) -> int:
        """The number of runs without one."""
        return len(self.records) - len(self.runs)

    @property
    def usable(self) -> bool:
        """True if it has a time and no wrong answer. Others take part in no comparison."""
        return bool(self.runs) and self.worst != "invalid"

    @property
    def validated(self) -> bool:
        """True if an answer was checked and none was wrong."""
        return self.worst != "invalid" and any(record.validated for record in self.records)

    @property
    def median(self) -> float:
        """The median time, of a usable group."""
        return self.seconds.median if self.seconds else float("inf")


@dataclass
class Axis:
    """An axis with several values, absence counted as one. values: words in the order of the plan, then numbers."""

    name: str
    values: List[str]

    @property
    def states_problem(self) -> bool:
        """True if it says what is computed rather than how."""
        return self.name in PROBLEM


@dataclass
class Table:
    """The groups of a file, in the order of the values of the axes; the last axis varies fastest, absence is last."""

    results: Results
    axes: List[Axis]
    groups: List[Group]
    problems: List[List[Group]] = field(default_factory=list)
    control: List[float] = field(default_factory=list)  # the seconds of its runs in their order
    noise: float = 0.0  # the typical half width of an interval over its median

    @property
    def choices(self) -> List[Axis]:
        """The axes that do not state the problem."""
        return [axis for axis in self.axes if not axis.states_problem]

    @property
    def best(self) -> Optional[Group]:
        """The best of the problem whose best takes longest."""
        bests = [group for group in self.groups if group is group.best]
        return max(bests, key=time_of) if bests else None

    @property
    def spread(self) -> float:
        """The range of the middle 80 % of the runs of the control over their median; of fewer than five, of all."""
        x, cut = sorted(self.control), len(self.control) // 10 if len(self.control) >= 5 else 0
        if len(x) >= 5:
            cut = max(cut, 1) if len(x) >= 10 else 0
        return (x[len(x) - 1 - cut] - x[cut]) / interval.middle(x) if len(x) > 1 else 0.0

    @property
    def drift(self) -> Optional[Interval]:
        """The ratio of the medians of the last and the first third of the runs of the control."""
        third = max(1, len(self.control) // 3)
        return interval.ratio(self.control[-third:], self.control[:third]) if len(self.control) > 1 else None

    def axis(self, name: str) -> Optional[Axis]:
        """The axis of that name, if it varies."""
        return next((axis for axis in self.axes if axis.name == name), None)


def time_of(group: Group) -> float:
    """The median time, as a key to sort by."""
    return group.median


def fastest(groups: Sequence[Group]) -> Optional[Group]:
    """The group with the smallest median; None of no groups."""
    return min(groups, key=time_of) if groups else None


def alike(a: Group, b: Group, names: Sequence[str]) -> bool:
    """True if two configurations agree in these axes."""
    return all(a.settings.get(name) == b.settings.get(name) for name in names)


def _group(key: str, records: List[Record]) -> Group:
    good = [record for record in records if record.status == "ok"]
    runs = [max(record.seconds, _TICK) for record in good]
    bad = [record for record in records if record.status != "ok"]
    bad.sort(key=lambda record: record.status != "invalid")
    return Group(key, records[0].settings, records, runs, interval.median(runs) if runs else None,
                 interval.middle([record.teps for record in good]),
                 {name: interval.middle([record.work.get(name, 0.0) for record in good]) for name in WORKS},
                 bad[0].status if bad else "ok", bad[0].message if bad else "")


def _planned(plan: str) -> Dict[str, List[str]]:
    """The axes of a plan in its order, and their values as far as it lists them."""
    axes: Dict[str, List[str]] = {}
    for line in plan.splitlines():
        name, equals, values = line.partition(" = ")
        if equals:
            axes.setdefault(name, []).extend(re.split(r",\s*", values.split(" if ")[0]))
    return axes


def _axes(groups: Sequence[Group], plan: Dict[str, List[str]]) -> List[Axis]:
    found: Dict[str, Dict[str, None]] = {}
    for group in groups:
        for name, value in group.settings.items():
            found.setdefault(name, {})[value] = None
    order = list(plan)

    def place(name: str, value: str) -> Tuple[bool, float, int, str]:
        x, listed = number(value), plan.get(name, [])
        return x is not None, x or 0.0, listed.index(value) if value in listed else len(listed), value

    names = sorted(found, key=lambda name: (order.index(name) if name in order else len(order), name))
    axes = [Axis(name, sorted(found[name], key=functools.partial(place, name))) for name in names]
    return [axis for axis in axes if len(axis.values) > 1 or any(axis.name not in group.settings for group in groups)]


def _find_best(groups: Sequence[Group]) -> Optional[Group]:
    usable = [group for group in groups if group.usable]
    careful = [group for group in usable if not group.bad]
    return fastest(careful or usable)


def make(results: Results) -> Table:
    """The table of a file of results."""
    kept: Dict[str, List[Record]] = {}
    for record in results.records:
        if record.role == "data":
            kept.setdefault(record.key, []).append(record)
    groups = [_group(key, records) for key, records in kept.items()]
    table = Table(results, _axes(groups, _planned(results.plan)), groups)

    def places(group: Group) -> Tuple[List[int], str]:
        values = [(axis.values, group.settings.get(axis.name)) for axis in table.axes]
        return [known.index(value) if value is not None else len(known) for known, value in values], group.key

    groups.sort(key=places)
    problems: Dict[Tuple[Optional[str], ...], List[Group]] = {}
    for group in groups:
        stated = tuple(group.settings.get(axis.name) for axis in table.axes if axis.states_problem)
        problems.setdefault(stated, []).append(group)
    table.problems = list(problems.values())
    for members in table.problems:
        best = _find_best(members)
        for group in members:
            group.best = best
    table.control = [max(record.seconds, _TICK) for record in results.records if record.role == "control"
                     and record.status == "ok"]
    table.noise = interval.middle([(g.seconds.high - g.seconds.low) / 2 / g.seconds.median for g in groups if g.seconds
                                   and g.seconds.n > 1])
    return table
