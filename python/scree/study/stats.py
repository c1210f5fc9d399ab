"""Medians with their 95 % intervals; records grouped by configuration, axes that vary, the best of each problem; what
the values of an axis do to the time, between configurations that are equal in all else; the changes between two files.

The interval is that of the percentile bootstrap (Efron 1979): 2.5 % of the resamples, drawn with replacement, have a
smaller median and 2.5 % a larger one. The distribution of the median of a resample is known, so that it is computed
instead of drawn, and equal values always have equal intervals.
"""

import re
from dataclasses import dataclass, field
from functools import lru_cache, partial
from itertools import accumulate, takewhile
from math import exp, lgamma, log, log1p, sqrt
from operator import attrgetter
from typing import Callable, Dict, Iterable, List, Optional, Sequence, Set, Tuple

from scree.study.record import MIXED, WORKS, Record, Results, number_in
from scree.study.texts import Interval
from scree.study.values import number

_TAIL = 0.025
_RARE = 1e-9  # a median that is less likely has no influence on the interval


def middle(values: Sequence[float]) -> float:
    """The median; 0 of no values."""
    ordered, n = sorted(values), len(values)
    return (ordered[(n - 1) // 2] + ordered[n // 2]) / 2 if n else 0.0


def _binomial(n: int, k: int, p: float) -> float:
    """The probability of k of n draws with chance p each."""
    if p in (0.0, 1.0):
        return float(k == n * p)
    return exp(lgamma(n + 1) - lgamma(k + 1) - lgamma(n - k + 1) + k * log(p) + (n - k) * log1p(-p))


@lru_cache(maxsize=64)
def _chances(n: int) -> List[Tuple[int, int, float]]:
    """The pairs i <= j of places in n sorted values whose mean can be the median of a resample, and how likely that is.

    Each of n draws is one of the first i values with probability i/n. The median of an odd number is at most the i-th
    value if more than half of the draws are. Of an even number it is the mean of the two draws in the middle: one of
    them is i and the other is j > i if half of the draws are at most i, half at least j, and both occur."""
    half = (n + 1) // 2
    upto = [sum(_binomial(n, k, i / n) for k in range(half, n + 1)) for i in range(n + 1)]
    scale = exp((lgamma(n + 1) - 2 * lgamma(half + 1)) / 2)
    powers = [scale * (i / n) ** half for i in range(n + 1)]
    chances = []
    for i in range(n):
        same = upto[i + 1] - upto[i]
        for j in range(i + 1, n) if n % 2 == 0 else ():
            chance = (powers[i + 1] - powers[i]) * (powers[n - j] - powers[n - j - 1])
            same -= chance
            if chance > _RARE:
                chances.append((i, j, chance))
        if same > _RARE:
            chances.append((i, i, same))
    return chances


def _distribution(values: Sequence[float]) -> List[Tuple[float, float]]:
    """The medians that resamples of the values can have, and the probability of each."""
    x = sorted(values)
    return [((x[i] + x[j]) / 2, chance) for i, j, chance in _chances(len(values))]


def _tails(distribution: List[Tuple[float, float]]) -> Tuple[float, float]:
    """The values that 2.5 % are below and above."""
    distribution.sort()

    def end(ordered: List[Tuple[float, float]]) -> float:
        totals = accumulate(chance for _, chance in ordered)
        return next(value for (value, _), total in zip(ordered, totals) if total >= _TAIL)

    return end(distribution), end(distribution[::-1])


def median(values: Sequence[float]) -> Interval:
    """The median of at least one value, with its interval."""
    low, high = _tails(_distribution(values))
    return Interval(low, middle(values), high, len(values))


def ratio(over: Sequence[float], under: Sequence[float]) -> Interval:
    """median(over) / median(under), resampled from both."""
    bottom = _distribution(under)
    low, high = _tails([(x / y, p * q) for x, p in _distribution(over) for y, q in bottom])
    return Interval(low, middle(over) / middle(under), high, min(len(over), len(under)))


FLAT = 0.05  # what times may differ by to count as level
MIN_RUNS = 3  # of a configuration: from fewer nothing is concluded
# Axes that say what is computed rather than how. Configurations that differ in one are different problems.
PROBLEM = "kernel graph scale edgefactor seed random-weights weights-file columns source sources".split()
_TICK = 1e-9  # seconds: keeps ratios finite


class Group:
    """All repetitions of one configuration, without those of the control and the warm-up."""

    def __init__(self, key: str, records: List[Record]) -> None:
        self.key, self.records, self.settings = key, records, records[0].settings
        good = [record for record in records if record.status == "ok"]
        bad = sorted((record for record in records if record.status != "ok"), key=lambda one: one.status != "invalid")
        self.runs = [max(record.seconds, _TICK) for record in good]  # the seconds of each run with a correct answer
        self.seconds = median(self.runs) if good else None
        self.median = self.seconds.median if self.seconds else float("inf")
        self.teps = middle([record.teps for record in good])
        self.work = {name: middle([record.work.get(name, 0.0) for record in good]) for name in WORKS}  # medians
        self.worst = bad[0].status if bad else "ok"  # invalid if any run is, else of the first run without a result
        self.message = bad[0].message if bad else ""  # of that run
        self.ok, self.bad = len(good), len(bad)  # runs with and without a result
        right = self.worst != "invalid"
        self.usable = bool(good) and right  # it has a time and no wrong answer; others are not compared
        self.validated = right and any(record.validated for record in records)
        self.best: Optional[Group] = None  # of its problem

    def numbers(self, path: str) -> List[float]:
        """A number of the records, of those runs that have it."""
        found = [number_in(record, path) for record in self.records if record.status == "ok"]
        return [value for value in found if value is not None]


class Axis:
    """An axis with several values, absence counted as one. values: words in the order of the plan, then numbers."""

    def __init__(self, name: str, values: List[str]) -> None:
        self.name, self.values = name, values
        self.states_problem = name in PROBLEM  # it says what is computed rather than how


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
        return max((group for group in self.groups if group is group.best), key=time_of, default=None)

    @property
    def spread(self) -> float:
        """The range of the middle 80 % of the runs of the control over their median; of fewer than ten, of all."""
        x, cut = sorted(self.control), len(self.control) // 10
        return (x[len(x) - 1 - cut] - x[cut]) / middle(x) if len(x) > 1 else 0.0

    @property
    def drift(self) -> Optional[Interval]:
        """The ratio of the medians of the last and the first third of the runs of the control."""
        third = max(1, len(self.control) // 3)
        return ratio(self.control[-third:], self.control[:third]) if len(self.control) > 1 else None

    def axis(self, name: str) -> Optional[Axis]:
        """The axis of that name, if it varies."""
        return next((axis for axis in self.axes if axis.name == name), None)


time_of = attrgetter("median")  # the median time, as a key to sort by


def parted(groups: Iterable[Group], names: Sequence[str]) -> List[List[Group]]:
    """The groups in sets that agree in these axes."""
    found: Dict[Tuple[Optional[str], ...], List[Group]] = {}
    for group in groups:
        found.setdefault(tuple(group.settings.get(name) for name in names), []).append(group)
    return list(found.values())


def by_number(groups: Iterable[Group], axis: Axis) -> List[Group]:
    """The groups that have a number for the axis, in ascending order."""
    having = [group for group in groups if number(group.settings.get(axis.name)) is not None]
    return sorted(having, key=lambda group: number(group.settings[axis.name]) or 0)


def alike(a: Group, b: Group, names: Sequence[str]) -> bool:
    """True if two configurations agree in these axes."""
    return all(a.settings.get(name) == b.settings.get(name) for name in names)


def _planned(plan: str) -> Dict[str, List[str]]:
    """The axes of a plan in its order, and their values as far as it lists them."""
    axes: Dict[str, List[str]] = {}
    for line in plan.splitlines():
        name, equals, values = line.partition(" = ")
        if equals:
            axes.setdefault(name, []).extend(re.split(r",\s*", values.split(" if ")[0]))
    return axes


def _axes(groups: Sequence[Group], plan: Dict[str, List[str]]) -> List[Axis]:
    found: Dict[str, Set[str]] = {}
    for group in groups:
        for name, value in group.settings.items():
            found.setdefault(name, set()).add(value)
    order = list(plan)

    def place(name: str, value: str) -> Tuple[bool, float, int, str]:
        x, listed = number(value), plan.get(name, [])
        return x is not None, x or 0.0, listed.index(value) if value in listed else len(listed), value

    names = sorted(found, key=lambda name: (order.index(name) if name in order else len(order), name))
    axes = [Axis(name, sorted(found[name], key=partial(place, name))) for name in names]
    return [axis for axis in axes if len(axis.values) > 1 or any(axis.name not in group.settings for group in groups)]


def make_table(results: Results) -> Table:
    """The table of a file of results."""
    kept: Dict[str, List[Record]] = {}
    for record in results.records:
        if record.role == "data":
            kept.setdefault(record.key, []).append(record)
    groups = [Group(key, records) for key, records in kept.items()]
    for group in groups if any(MIXED in group.settings for group in groups) else ():
        group.settings = {MIXED: "of the first run", **group.settings}
    table = Table(results, _axes(groups, _planned(results.plan)), groups)

    def places(group: Group) -> Tuple[List[int], str]:
        values = [(axis.values, group.settings.get(axis.name)) for axis in table.axes]
        return [known.index(value) if value is not None else len(known) for known, value in values], group.key

    groups.sort(key=places)
    table.problems = parted(groups, [axis.name for axis in table.axes if axis.states_problem])
    for members in table.problems:
        usable = [group for group in members if group.usable]
        best = min([group for group in usable if not group.bad] or usable, key=time_of, default=None)
        for group in members:
            group.best = best
    table.control = [max(record.seconds, _TICK) for record in results.records if record.role == "control"
                     and record.status == "ok"]
    table.noise = middle([(g.seconds.high - g.seconds.low) / 2 / g.seconds.median for g in groups if g.seconds
                                   and g.seconds.n > 1])
    return table


def _having(groups: Sequence[Group], axis: str, value: Optional[str]) -> List[Group]:
    return [group for group in groups if group.settings.get(axis) == value]


def common_axes(table: Table, groups: Sequence[Group], axis: Axis, a: Optional[str], b: Optional[str]) -> List[str]:
    """The other axes in which configurations with the values a and b must agree to be compared.

    An axis that configurations with one of the values have, and none with the other has, is a parameter of that value,
    as the bucket width is of an algorithm; its default may be that it is absent."""
    sides = [_having(groups, axis.name, value) for value in (a, b)]

    def is_common(name: str) -> bool:
        return len({any(name in group.settings for group in side) for side in sides}) == 1

    return [other.name for other in table.axes if other is not axis and is_common(other.name)]


def pairs(table: Table, groups: Sequence[Group], axis: Axis, value: Optional[str],
          reference: Optional[str]) -> List[Tuple[Group, Group]]:
    """The pairs of usable configurations with both values that are equal in all else; each value has its parameters at
    their best. The fastest reference comes first."""
    usable = [group for group in groups if group.usable and group.settings.get(axis.name) in (value, reference)]
    found = []
    for members in parted(usable, common_axes(table, groups, axis, value, reference)):
        mine, theirs = (min(_having(members, axis.name, which), key=time_of, default=None)
                        for which in (value, reference))
        if mine and theirs:
            found.append((mine, theirs))
    return sorted(found, key=lambda pair: pair[1].median)


def always_differ(table: Table, groups: Sequence[Group], axis: Axis, a: Optional[str], b: Optional[str]) -> List[str]:
    """The axes in which no configuration with value a agrees with one with value b."""
    return [name for name in common_axes(table, groups, axis, a, b) if not
            any(alike(x, y, [name]) for x in _having(groups, axis.name, a) for y in _having(groups, axis.name, b))]


def reference_of(groups: Sequence[Group], axis: Axis) -> Optional[Group]:
    """The best configuration or, if that lacks the axis, the fastest that has it."""
    having = [group for group in groups if group.usable and axis.name in group.settings]
    best = groups[0].best
    return best if best in having else min(having, key=time_of) if having else None


def sets(table: Table, groups: Sequence[Group], axis: Axis) -> List[List[Group]]:
    """The usable configurations that have the axis, in sets that differ in nothing else, of two and more."""
    having = (group for group in groups if group.usable and axis.name in group.settings)
    found = parted(having, [other.name for other in table.axes if other is not axis])
    return [members for members in found if len(members) > 1]


@dataclass
class Weight:
    """What an axis does to the time over the sets of configurations that differ in nothing else: how many times as long
    the slowest value takes as the fastest (the median over the sets), and in how many sets that exceeds the noise."""

    axis: str
    factor: float
    sets: int
    beyond_noise: int


def weight(table: Table, groups: Sequence[Group], axis: Axis) -> Weight:
    ends = [(max(members, key=time_of), min(members, key=time_of)) for members in sets(table, groups, axis)]
    return Weight(axis.name, middle([slow.median / fast.median for slow, fast in ends]), len(ends),
                  sum(ratio(slow.runs, fast.runs).low > 1 for slow, fast in ends))


class Curve:
    """The configurations along an axis of numbers that are equal in all else, in ascending order; three or more."""

    def __init__(self, axis: Axis, line: List[Group], noise: float) -> None:
        self.axis, self.line, self.noise = axis, line, noise
        self.low = min(range(len(line)), key=lambda i: line[i].median)
        self.level = self._around(self._is_level)
        self.alike = self._around(lambda i: self._is_level(i) or not self.is_slower(i))

    def _is_level(self, i: int) -> bool:
        return self.line[i].median <= (1 + FLAT) * self.line[self.low].median

    def _around(self, holds: Callable[[int], bool]) -> List[int]:
        """The places next to each other, with that of the fastest, for all of which it holds."""
        below = takewhile(holds, range(self.low - 1, -1, -1))
        return sorted([*below, self.low, *takewhile(holds, range(self.low + 1, len(self.line)))])

    def value(self, i: int) -> str:
        return self.line[i].settings[self.axis.name]

    def cost(self, i: int) -> Interval:
        """Times relative to the fastest."""
        return ratio(self.line[i].runs, self.line[self.low].runs)

    def is_slower(self, i: int) -> bool:
        """True if slower than the fastest beyond the noise; of single runs, of unknown noise, by more than 5 %."""
        cost = self.cost(i)
        return cost.low > 1 and cost.median > 1 + (self.noise if cost.n > 1 else FLAT)


def curves(table: Table, groups: Sequence[Group], axis: Axis) -> List[Curve]:
    """All curves along the axis; words, such as auto, are not points of them. That of the fastest point comes first."""
    lines = [by_number(members, axis) for members in sets(table, groups, axis)]
    found = [Curve(axis, line, max(table.noise, table.spread / 2)) for line in lines if len(line) > 2]
    return sorted(found, key=lambda curve: curve.line[curve.low].median)


@dataclass
class Change:
    """The same configuration in two tables, and the ratio of its times after to those before."""

    before: Group
    after: Group
    ratio: Interval
    beyond_noise: bool


def _noise(a: Table, b: Table) -> float:
    """A difference of logarithms. Among many configurations some differ widely by chance: the largest of n normal
    errors is about sqrt(2 ln n) standard errors, and the sum of two half widths is at least about 2 standard errors."""
    count = sum(group.usable for group in a.groups)
    chance = (a.noise + b.noise) * max(1.0, sqrt(2 * log(count + 1)) / 2)
    return log1p(max(chance, max(a.spread, b.spread) / 2))


def changes(before: Table, after: Table) -> List[Change]:
    """All configurations that have a time in both, the largest change first."""
    twins, noise, found = {group.key: group for group in after.groups if group.usable}, _noise(before, after), []
    for group in before.groups:
        twin = twins.get(group.key)
        if not twin or not group.usable:
            continue
        change = ratio(twin.runs, group.runs)
        beyond = change.n >= MIN_RUNS and not change.low <= 1 <= change.high and abs(log(change.median)) > noise
        found.append(Change(group, twin, change, beyond))
    return sorted(found, key=lambda change: -abs(log(change.ratio.median)))


