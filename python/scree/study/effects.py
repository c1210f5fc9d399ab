"""What the values of an axis do to the time, between configurations that are equal in all else."""

from dataclasses import dataclass
from typing import Callable, Dict, List, Optional, Sequence, Tuple

from scree.study import stats
from scree.study.stats import Axis, Group, Interval, Table, alike, fastest, time_of
from scree.study.values import number

Context = Tuple[Optional[str], ...]


@dataclass
class Pair:
    """Two configurations that differ in the value of one axis, and the ratio of their times."""

    group: Group
    reference: Group

    @property
    def ratio(self) -> Interval:
        """The ratio with its interval."""
        return stats.ratio(self.group.runs, self.reference.runs)

    @property
    def quotient(self) -> float:
        """The ratio alone."""
        return self.group.median / self.reference.median


def _having(groups: Sequence[Group], axis: str, value: Optional[str]) -> List[Group]:
    return [group for group in groups if group.settings.get(axis) == value]


def common_axes(table: Table, groups: Sequence[Group], axis: Axis, a: Optional[str], b: Optional[str]) -> List[str]:
    """The other axes in which configurations with the values a and b must agree to be compared.

    An axis that no configuration with one of the values has, and each with the other has, is a parameter of that value,
    as the bucket width is of an algorithm."""
    names = []
    for other in table.axes:
        if other is axis:
            continue
        having = [{other.name in group.settings for group in _having(groups, axis.name, value)} for value in (a, b)]
        if having not in ([{True}, {False}], [{False}, {True}]):
            names.append(other.name)
    return names


def pairs(table: Table, groups: Sequence[Group], axis: Axis, value: Optional[str],
          reference: Optional[str]) -> List[Pair]:
    """The pairs of usable configurations with both values that are equal in all else; each value has its parameters at
    their best. The fastest reference comes first."""
    names = common_axes(table, groups, axis, value, reference)
    found: Dict[Context, Dict[Optional[str], Group]] = {}
    for group in groups:
        which = group.settings.get(axis.name)
        if not group.usable or which not in (value, reference):
            continue
        members = found.setdefault(tuple(group.settings.get(name) for name in names), {})
        if which not in members or group.median < members[which].median:
            members[which] = group
    both = [Pair(members[value], members[reference]) for members in found.values() if len(members) == 2]
    return sorted(both, key=lambda pair: pair.reference.median)


def always_differ(table: Table, groups: Sequence[Group], axis: Axis, a: Optional[str], b: Optional[str]) -> List[str]:
    """The axes in which no configuration with value a agrees with one with value b."""
    return [name for name in common_axes(table, groups, axis, a, b) if not
            any(alike(x, y, [name]) for x in _having(groups, axis.name, a) for y in _having(groups, axis.name, b))]


def reference_of(groups: Sequence[Group], axis: Axis) -> Optional[Group]:
    """The best configuration or, if that lacks the axis, the fastest that has it."""
    having = [group for group in groups if group.usable and axis.name in group.settings]
    best = groups[0].best
    return best if best in having else fastest(having)


def sets(table: Table, groups: Sequence[Group], axis: Axis) -> List[List[Group]]:
    """The usable configurations that have the axis, in sets that differ in nothing else, of two and more."""
    found: Dict[Context, List[Group]] = {}
    for group in groups:
        if group.usable and axis.name in group.settings:
            others = tuple(group.settings.get(other.name) for other in table.axes if other is not axis)
            found.setdefault(others, []).append(group)
    return [members for members in found.values() if len(members) > 1]


@dataclass
class Weight:
    """What an axis does to the time over the sets of configurations that differ in nothing else: how many times as long
    the slowest value takes as the fastest (the median over the sets), and in how many sets that exceeds the noise."""

    axis: str
    factor: float
    sets: int
    beyond_noise: int


def weight(table: Table, groups: Sequence[Group], axis: Axis) -> Weight:
    """The weight of an axis."""
    factors, beyond = [], 0
    for members in sets(table, groups, axis):
        slow, fast = max(members, key=time_of), min(members, key=time_of)
        factors.append(slow.median / fast.median)
        beyond += stats.ratio(slow.runs, fast.runs).low > 1
    return Weight(axis.name, stats.middle(factors), len(factors), beyond)


FLAT = 0.05


@dataclass
class Curve:
    """The configurations along an axis of numbers that are equal in all else, in ascending order; three or more."""

    axis: Axis
    line: List[Group]
    noise: float

    def __post_init__(self) -> None:
        self.low = min(range(len(self.line)), key=lambda i: self.line[i].median)
        self.level = self._around(self._is_level)
        self.alike = self._around(lambda i: self._is_level(i) or not self.is_slower(i))

    def _is_level(self, i: int) -> bool:
        return self.line[i].median <= (1 + FLAT) * self.line[self.low].median

    def _around(self, holds: Callable[[int], bool]) -> List[int]:
        """The places next to each other, with that of the fastest, for all of which it holds."""
        first = last = self.low
        while first > 0 and holds(first - 1):
            first -= 1
        while last + 1 < len(self.line) and holds(last + 1):
            last += 1
        return list(range(first, last + 1))

    def value(self, i: int) -> str:
        """The value of the axis."""
        return self.line[i].settings[self.axis.name]

    def cost(self, i: int) -> Interval:
        """Times relative to the fastest."""
        return stats.ratio(self.line[i].runs, self.line[self.low].runs)

    def is_slower(self, i: int) -> bool:
        """True if slower than the fastest beyond the noise; of single runs, of unknown noise, by more than 5 %."""
        cost = self.cost(i)
        return cost.low > 1 and cost.median > 1 + (self.noise if cost.n > 1 else FLAT)


def curves(table: Table, groups: Sequence[Group], axis: Axis) -> List[Curve]:
    """All curves along the axis; words, such as auto, are not points of them. That of the fastest point comes first."""
    found = []
    for members in sets(table, groups, axis):
        points = [(number(group.settings[axis.name]), group) for group in members]
        line = [group for x, group in sorted((p for p in points if p[0] is not None), key=lambda p: p[0] or 0)]
        if len(line) > 2:
            found.append(Curve(axis, line, max(table.noise, table.spread / 2)))
    return sorted(found, key=lambda curve: curve.line[curve.low].median)
