"""What the values of an axis do to the time, between configurations that are equal in all else."""

from dataclasses import dataclass
from itertools import takewhile
from typing import Callable, List, Optional, Sequence, Tuple

from scree.study import stats
from scree.study.stats import Axis, Group, Interval, Table, alike, fastest, time_of


def _having(groups: Sequence[Group], axis: str, value: Optional[str]) -> List[Group]:
    return [group for group in groups if group.settings.get(axis) == value]


def common_axes(table: Table, groups: Sequence[Group], axis: Axis, a: Optional[str], b: Optional[str]) -> List[str]:
    """The other axes in which configurations with the values a and b must agree to be compared.

    An axis that no configuration with one of the values has, and each with the other has, is a parameter of that value,
    as the bucket width is of an algorithm."""
    sides = [_having(groups, axis.name, value) for value in (a, b)]
    return [other.name for other in table.axes if other is not axis and
            [{other.name in group.settings for group in side} for side in sides] not in ([{True}, {False}],
                                                                                         [{False}, {True}])]


def pairs(table: Table, groups: Sequence[Group], axis: Axis, value: Optional[str],
          reference: Optional[str]) -> List[Tuple[Group, Group]]:
    """The pairs of usable configurations with both values that are equal in all else; each value has its parameters at
    their best. The fastest reference comes first."""
    usable = [group for group in groups if group.usable and group.settings.get(axis.name) in (value, reference)]
    found = []
    for members in stats.parted(usable, common_axes(table, groups, axis, value, reference)):
        mine, theirs = (fastest(_having(members, axis.name, which)) for which in (value, reference))
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
    return best if best in having else fastest(having)


def sets(table: Table, groups: Sequence[Group], axis: Axis) -> List[List[Group]]:
    """The usable configurations that have the axis, in sets that differ in nothing else, of two and more."""
    having = (group for group in groups if group.usable and axis.name in group.settings)
    found = stats.parted(having, [other.name for other in table.axes if other is not axis])
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
        below = takewhile(holds, range(self.low - 1, -1, -1))
        return sorted([*below, self.low, *takewhile(holds, range(self.low + 1, len(self.line)))])

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
        line = stats.by_number(members, axis)
        if len(line) > 2:
            found.append(Curve(axis, line, max(table.noise, table.spread / 2)))
    return sorted(found, key=lambda curve: curve.line[curve.low].median)
