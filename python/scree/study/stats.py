"""Medians with their intervals and exact levels; records grouped by configuration, axes that vary, the best of each
problem; curves along an axis; the changes between two files.

The interval of a median is that of the sign test: from the k-th smallest to the k-th largest of n values. It holds the
median of any distribution with probability 1 - 2 P(fewer than k of n fair coins), which is the level that is printed; k
is chosen so that it is nearest to 95 %. That of the ratio of two samples is the one of Hodges and Lehmann.
"""

import calendar
import re
import time
from dataclasses import dataclass, field
from functools import lru_cache, partial
from itertools import accumulate, takewhile
from math import comb, log, sqrt
from operator import attrgetter
from statistics import NormalDist, fmean
from typing import Callable, Dict, Iterable, List, Optional, Sequence, Set, Tuple

from scree.study.record import MIXED, WORKS, Record, Results, as_list, as_object, number_in
from scree.study.texts import Interval
from scree.study.values import number

LEVEL = 0.95
_EXACT_MAX = 20  # values of each sample up to which the level of a ratio is exact, not normal
_THIN = 200  # values of a sample that a ratio uses, at most


def middle(values: Sequence[float]) -> float:
    """The median; 0 of no values."""
    ordered, n = sorted(values), len(values)
    return (ordered[(n - 1) // 2] + ordered[n // 2]) / 2 if n else 0.0


def _nearest(tails: Iterable[float]) -> Tuple[int, float]:
    """The place k >= 1 whose level is nearest to 95 %, and the level, of the probabilities of one tail."""
    places = [(abs(1 - 2 * tail - LEVEL), k, 1 - 2 * tail) for k, tail in enumerate(tails, 1)]
    return min(places)[1:]


@lru_cache(maxsize=4096)
def _sign_test(n: int) -> Tuple[int, float]:
    """The place k >= 1 from both ends, and the level, nearest to 95 %."""
    if n > 500:
        k = max(1, int(n / 2 - 1.96 * sqrt(n) / 2))
        return k, LEVEL
    tails = accumulate(comb(n, k) / 2**n for k in range((n + 1) // 2))
    return _nearest(tails)


def median(values: Sequence[float]) -> Interval:
    """The median of at least one value, with its interval."""
    x = sorted(values)
    k, level = _sign_test(len(x))
    return Interval(x[k - 1], middle(x), x[-k], len(x), level if len(x) > 1 else 0.0)


@lru_cache(maxsize=512)
def _rank_test(n: int, m: int, least: float) -> Tuple[int, float]:
    """The same for the n * m ratios of two samples, by the distribution of Mann and Whitney's statistic. `least`: the
    narrowest interval that has this level, or the widest one; 0: that whose level is nearest to 95 %."""
    if max(n, m) > _EXACT_MAX:
        z = NormalDist().inv_cdf((1 + (least or LEVEL)) / 2)
        return max(1, int(n * m / 2 - z * sqrt(n * m * (n + m + 1) / 12) + 0.5)), least or LEVEL
    counts = [1] + [0] * (n * m)  # the coefficients of the Gaussian binomial of n + m over n
    for i in range(1, n + 1):
        for j in range(n * m, m + i - 1, -1):
            counts[j] -= counts[j - m - i]
        for j in range(i, n * m + 1):
            counts[j] += counts[j - i]
    tails = list(accumulate(count / comb(n + m, n) for count in counts[:(n * m + 1) // 2]))
    if least:
        k = max(1, sum(1 - 2 * tail >= least for tail in tails))
        return k, 1 - 2 * tails[k - 1]
    return _nearest(tails)


def _thinned(values: Sequence[float]) -> List[float]:
    """At most _THIN of the values, evenly by rank."""
    x = sorted(values)
    return x if len(x) <= _THIN else [x[i * len(x) // _THIN] for i in range(_THIN)]


def ratio(over: Sequence[float], under: Sequence[float], least: float = 0.0) -> Interval:
    """How many times as large the values of one sample are as those of another that is not paired with it. `least`: the
    level that the interval has, if so few values allow it; 0: about 95 %."""
    tops, bottoms = _thinned(over), _thinned(under)
    k, level = _rank_test(len(tops), len(bottoms), least) if len(tops) * len(bottoms) > 1 else (1, 0.0)
    found = sorted(x / y for x in tops for y in bottoms)
    return Interval(found[k - 1], middle(found), found[-k], min(len(over), len(under)), level)


_MODE = 3  # runs of a mode, at least
_APART = 5.0  # standard deviations within modes that the gap between them exceeds
_FAR = 5.0  # robust standard deviations from the median, beyond which a run is an outlier


def modes(values: Sequence[float]) -> Tuple[float, ...]:
    """The medians of two modes: the values fall into two parts, each with a fifth of them and three at least, and the gap
    between is wider than five standard deviations within the parts, and their medians differ by a tenth. Else ()."""
    x = sorted(values)
    fewest = max(_MODE, -(-len(x) // 5))
    cut = max(range(fewest, len(x) - fewest + 1), key=lambda i: x[i] - x[i - 1], default=0)
    parts = (x[:cut], x[cut:]) if cut else ()
    squares = sum((one - fmean(part)) ** 2 for part in parts for one in part)
    if not parts or x[cut] - x[cut - 1] <= _APART * sqrt(squares / max(len(x) - 2, 1)):
        return ()
    low, high = map(middle, parts)
    return (low, high) if high - low > 0.1 * abs(low) else ()


def outliers(values: Sequence[float]) -> int:
    """The number of values far from the median, by the median of their distances from it."""
    centre = middle(values)
    scale = 1.4826 * middle([abs(one - centre) for one in values])
    return sum(abs(one - centre) > max(_FAR * scale, FLAT * abs(centre)) for one in values)


FLAT = 0.05  # what times may differ by to count as level
MIN_RUNS = 3  # of a configuration: from fewer nothing is concluded
# Axes that say what is computed rather than how. Configurations that differ in one are different problems.
PROBLEM = "kernel graph scale edgefactor seed random-weights weights-file columns source sources".split()
_TICK = 1e-9  # seconds: keeps ratios finite
_SAME_WORK = 0.02  # what the items of two configurations may differ by
_PAUSE = 120.0  # seconds between two runs, after which files without sessions begin another one

Block = Tuple[str, int]  # the session and the repetition of a run: runs of one block are compared with each other


class Group:
    """All repetitions of one configuration, without those of the control and the warm-up."""

    def __init__(self, key: str, records: List[Record]) -> None:
        self.key, self.records, self.settings = key, records, records[0].settings
        good = [record for record in records if record.status == "ok"]
        bad = sorted((record for record in records if record.status != "ok"), key=lambda one: one.status != "invalid")
        self.good = good  # the runs with a correct answer
        self.runs = [max(record.seconds, _TICK) for record in good]  # the seconds of each
        self.seconds = median(self.runs) if good else None
        self.median = self.seconds.median if self.seconds else float("inf")
        self.teps = middle([record.teps for record in good])
        self.items = middle([record.items for record in good])
        self.by_rate = False  # its problem has configurations of unequal work
        self.costs: Dict[Block, float] = {}  # of each block: seconds, or seconds per item
        self.cost = self.median  # the median of these
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
    cannot_compare: str = ""  # why runs are not compared; "": they are

    @property
    def choices(self) -> List[Axis]:
        """The axes that do not state the problem."""
        return [axis for axis in self.axes if not axis.states_problem]

    @property
    def best(self) -> Optional[Group]:
        """The best of the problem whose best takes longest."""
        return max((group for group in self.groups if group is group.best), key=attrgetter("median"), default=None)

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


cost_of = attrgetter("cost")  # the median cost, as a key to sort by


def is_parameter(other: Axis, axis: Axis, groups: Sequence[Group]) -> bool:
    """True if configurations with some value of an axis have the other axis, and none with another value has, as the
    bucket width of an algorithm."""
    known: Dict[Optional[str], bool] = {}
    for group in groups:
        value = group.settings.get(axis.name)
        known[value] = known.get(value, False) or other.name in group.settings
    return len(set(known.values())) == 2


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


def _time_of_day(text: str) -> float:
    """Seconds since 1970; 0 if the text is not a date."""
    try:
        return float(calendar.timegm(time.strptime(text, "%Y-%m-%dT%H:%M:%SZ")))
    except ValueError:
        return 0.0


def sessions_of(records: Sequence[Record]) -> Dict[int, str]:
    """The session of each record, by id(): the one that it names. Records of older releases name none: there a pause
    begins another session."""
    found, count, ended = {}, 1, 0.0
    for record in records:
        if record.session:
            found[id(record)] = record.session
            continue
        started = _time_of_day(record.started)
        if started and ended and not -_PAUSE < started - ended < _PAUSE:
            count += 1
        ended = started + record.wall if started else ended
        found[id(record)] = f"pause {count}"
    return found


def work_axes(table: Table, groups: Sequence[Group]) -> List[str]:
    """The axes that vary among the usable configurations of a problem and change their work, as the header of the file
    says of options of their kernels."""
    usable, options = [group for group in groups if group.usable], as_object(table.results.header.get("work_options"))
    kernels = {group.settings.get("kernel", next(iter(options), "")) for group in usable}
    changing = {str(name) for kernel in kernels for name in as_list(options.get(kernel))}
    return [axis.name for axis in table.axes if axis.name in changing
            and len({group.settings.get(axis.name) for group in usable}) > 1]


def followers(table: Table, groups: Sequence[Group], axis: Axis) -> List[str]:
    """The axes that change the work alone and have one value for each of another axis, as a smaller table has for smaller
    blocks. Rates are compared in spite of them."""
    usable = [group for group in groups if group.usable]

    def follows(name: str) -> bool:
        pairs = {(group.settings.get(axis.name), group.settings.get(name)) for group in usable}
        return len(pairs) == len({value for value, _ in pairs})

    return [name for name in work_axes(table, usable) if name != axis.name and usable[0].by_rate and follows(name)]


def _is_unequal(table: Table, groups: Sequence[Group]) -> bool:
    """True if usable configurations of a problem do unequal work, as their items or their options say."""
    items = [group.items for group in groups if group.usable]
    return bool(items) and (max(items) > (1 + _SAME_WORK) * min(items) or bool(work_axes(table, groups)))


def _measure_costs(table: Table, sessions: Dict[int, str]) -> None:
    """The costs of all runs: times, or times per item at problems with configurations of unequal work."""
    without = sum(not group.items > 0 for group in table.groups if group.usable)
    if without:
        table.cannot_compare = (f"the records of {without} of {len(table.groups)} configurations have no items of work "
                                "(a field teps above 0), so whether their work is equal is unknown")
    for members in table.problems:
        unequal = not without and _is_unequal(table, members)
        for group in members:
            group.by_rate = unequal
            for record in group.good:
                cost = max(record.seconds, _TICK) / (record.items if unequal else 1)
                group.costs[sessions[id(record)], record.repetition] = cost
            group.cost = middle(list(group.costs.values())) if group.good else float("inf")


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
    _measure_costs(table, sessions_of(results.records))
    for members in table.problems:
        usable = [group for group in members if group.usable]
        best = min([group for group in usable if not group.bad] or usable, key=cost_of, default=None)
        for group in members:
            group.best = best
    table.control = [max(record.seconds, _TICK) for record in results.records if record.role == "control"
                     and record.status == "ok"]
    table.noise = middle([(g.seconds.high - g.seconds.low) / 2 / g.seconds.median for g in groups if g.seconds
                                   and g.seconds.n > 1])
    return table


def _having(groups: Sequence[Group], axis: str, value: Optional[str]) -> List[Group]:
    return [group for group in groups if group.settings.get(axis) == value]


def paired(mine: Group, theirs: Group) -> Optional[Interval]:
    """How many times the cost of the other a configuration has: the median of the ratios in the blocks that have both.
    None if there is no such block."""
    found = [cost / theirs.costs[block] for block, cost in mine.costs.items() if block in theirs.costs]
    return median(found) if found else None


def paired_times(mine: Group, theirs: Group) -> Optional[Interval]:
    """The same of times, whether or not the costs are rates; configurations of different problems may be compared."""
    a, b = ({block: cost * (group.items if group.by_rate else 1) for block, cost in group.costs.items()}
            for group in (mine, theirs))
    found = [cost / b[block] for block, cost in a.items() if block in b]
    return median(found) if found else None


def always_differ(groups: Sequence[Group], axis: Axis, others: Sequence[Axis]) -> List[str]:
    """The axes in which no two configurations with different values of an axis agree."""
    parts = parted((group for group in groups if group.usable and axis.name in group.settings), [axis.name])

    def differs(name: str) -> bool:
        known = [{group.settings.get(name) for group in part} for part in parts]
        return all(not a & b for i, a in enumerate(known) for b in known[:i])

    return [other.name for other in others if other is not axis and len(parts) > 1 and differs(other.name)]


def sets(table: Table, groups: Sequence[Group], axis: Axis) -> List[List[Group]]:
    """The usable configurations that have the axis, in sets that differ in nothing else, of two and more."""
    having = (group for group in groups if group.usable and axis.name in group.settings)
    found = parted(having, [other.name for other in table.axes if other is not axis])
    return [members for members in found if len(members) > 1]


class Curve:
    """The configurations along an axis of numbers that are equal in all else, in ascending order; three or more."""

    def __init__(self, axis: Axis, line: List[Group]) -> None:
        self.axis, self.line = axis, line
        self.low = min(range(len(line)), key=lambda i: line[i].cost)
        self.level = self._around(self._is_level)
        self.alike = self._around(lambda i: self._is_level(i) or not self.is_slower(i))

    def _is_level(self, i: int) -> bool:
        return self.line[i].cost <= (1 + FLAT) * self.line[self.low].cost

    def _around(self, holds: Callable[[int], bool]) -> List[int]:
        """The places next to each other, with that of the fastest, for all of which it holds."""
        below = takewhile(holds, range(self.low - 1, -1, -1))
        return sorted([*below, self.low, *takewhile(holds, range(self.low + 1, len(self.line)))])

    def value(self, i: int) -> str:
        return self.line[i].settings[self.axis.name]

    def cost(self, i: int) -> Optional[Interval]:
        """Costs relative to the fastest."""
        return paired(self.line[i], self.line[self.low])

    def is_slower(self, i: int) -> bool:
        """True if slower than the fastest beyond the noise."""
        cost = self.cost(i)
        return cost is not None and cost.n >= MIN_RUNS and cost.low > 1


def curves(table: Table, groups: Sequence[Group], axis: Axis) -> List[Curve]:
    """All curves along the axis; words, such as auto, are not points of them. That of the fastest point comes first."""
    lines = [by_number(members, axis) for members in sets(table, groups, axis)]
    found = [Curve(axis, line) for line in lines if len(line) > 2]
    return sorted(found, key=lambda curve: curve.line[curve.low].cost)


@dataclass
class Change:
    """The same configuration in two tables, and the ratio of its costs after to those before, divided by the ratio of
    the controls where both tables have them."""

    before: Group
    after: Group
    ratio: Interval
    error: float = 0.0  # standard error of the logarithm of the ratio
    freedom: float = 0.0


def controls_ratio(before: Table, after: Table) -> Optional[float]:
    """How many times as long the control takes after; None if a table has none, or another one."""
    same = {key_of_control(before), key_of_control(after)}
    return middle(after.control) / middle(before.control) if len(same) == 1 and before.control and after.control else None


def key_of_control(table: Table) -> str:
    """The configuration of the control, or ""."""
    return next((record.key for record in table.results.records if record.role == "control"), "")


def changes(before: Table, after: Table) -> List[Change]:
    """All configurations that have a time in both, the largest change first."""
    twins, found = {group.key: group for group in after.groups if group.usable}, []
    scale = controls_ratio(before, after) or 1.0
    for group in before.groups:
        twin = twins.get(group.key)
        if twin and group.usable:
            low, mid, high, n, level = ratio(twin.runs, group.runs)
            found.append(Change(group, twin, Interval(low / scale, mid / scale, high / scale, n, level)))
    return sorted(found, key=lambda change: -abs(log(change.ratio.median)))
