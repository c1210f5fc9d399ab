"""Claims of a report, each tested: which axes change the cost, which values are slower, and by how much.

The cost of a run is its time or, between runs of unequal work, its time per item. The model is additive in the logarithm
of the cost, and each round (repetition) of each session is a block of its own: the median of the block is subtracted, so
that drift and sessions cancel. An axis is tested by permutation of its values within each block, among configurations
that differ in nothing else. Values are tested pair by pair within a block. Holm's method (1979) corrects both.

This module needs numpy and scipy.
"""

import warnings
from dataclasses import dataclass, field
from math import exp, lgamma, log
from typing import Any, Dict, List, Optional, Sequence, Tuple

import numpy as np
from scipy.stats import f as f_distribution
from scipy.stats import t as t_distribution

from scree.study import stats
from scree.study.stats import Axis, Group, Table
from scree.study.texts import Interval

ALPHA = 0.05  # the chance that a report of data without any effect names something
TOGETHER = 0.01  # the corrected p below which an axis is named although none of its values is slower everywhere
POWER = 0.9  # the chance at which the smallest visible factor would have been seen
_CLIP = 3.0  # robust standard deviations beyond which a run counts as that many
_PRIOR = 10  # degrees of freedom of the common variance in the test of a pair
_MIN_DRAWS, _MAX_DRAWS = 2000, 20000  # permutations
_CHUNK = 1 << 20  # numbers that are permuted at once
_FEW = 5000  # distinct permutations: below, the F test decides

Array = Any  # numpy.ndarray; the annotations of Debian's numpy differ from release to release


@dataclass
class Claim:
    """What was tested: an axis, or one of its values against `reference`."""

    axis: str
    problem: str
    value: Optional[str] = None  # None: the axis is absent
    reference: Optional[str] = None
    whole: bool = False  # about the axis as a whole, not a value
    rate: bool = False  # the factor is of the time per item
    factor: Interval = Interval(1.0, 1.0, 1.0, 0)
    sets: int = 0
    test: str = ""  # permutation, F or t
    p: float = 1.0
    corrected: float = 1.0
    named: bool = False


@dataclass
class Family:
    """The claims on one axis at one problem, and the cells that they are about."""

    axis: Axis
    groups: List[Group]
    cells: Array  # log cost: sets x values x blocks; not a number where nothing was run
    values: List[Optional[str]]
    whole: Claim
    pairs: List[Claim] = field(default_factory=list)
    clean: Array = None  # the cells without outliers
    variance: float = 0.0  # of a run around its block and its configuration
    freedom: int = 0

    @property
    def reference(self) -> Optional[str]:
        """The value that all others are compared with."""
        return self.pairs[0].reference if self.pairs else None

    def factors(self, claim: Claim) -> List[float]:
        """The factor of a value in each set that has it and the reference, in ascending order."""
        of = (self.cells[:, self.values.index(value)] for value in (claim.value, claim.reference))
        logs = np.subtract(*of)
        return sorted(exp(float(np.nanmedian(row))) for row in logs if not np.isnan(row).all())


@dataclass
class Findings:
    """All claims of a table, axes first, and what could have been seen."""

    families: List[Family]
    reason: str = ""  # why nothing was tested
    spread: float = 0.0  # the middle 80 % of runs of one configuration, relative to the median
    variance: float = 0.0  # the median over the families
    visible: float = 0.0  # the smallest factor that would have been seen; 0: unknown

    @property
    def claims(self) -> List[Claim]:
        return [claim for family in self.families for claim in (family.whole, *family.pairs)]

    @property
    def named(self) -> bool:
        return any(claim.named for claim in self.claims)

    def ties(self, groups: Sequence[Group]) -> List[Group]:
        """The configurations of a problem that cannot be told from its best, the fastest first."""
        best, others = groups[0].best, [group for group in groups if group.usable and group is not groups[0].best]
        if not best:
            return []
        chances = holm([_chance(self.variance, group, best) for group in others])
        tied = [group for group, chance in zip(others, chances) if chance > ALPHA]
        return sorted(tied, key=stats.cost_of)


def _moderated(logs: Array, variance: float, prior: int) -> float:
    """The p of differences whose mean is 0 in truth, by a t test whose variance is moderated by `variance` with so many
    degrees of freedom."""
    free, mean = len(logs) - 1, float(np.mean(logs))
    if free + prior < 2:
        return 1.0
    spread = ((free * float(np.var(logs, ddof=1)) if free else 0.0) + prior * variance) / (free + prior)
    return float(2 * t_distribution.sf(abs(mean) / (spread / len(logs)) ** 0.5, free + prior)) if spread > 0 else (
        float(mean == 0))


def _chance(variance: float, mine: Group, theirs: Group) -> float:
    """The p of a difference between two configurations, from the blocks that have both."""
    logs = [log(cost / theirs.costs[block]) for block, cost in mine.costs.items() if block in theirs.costs]
    return _moderated(np.array(logs), 2 * variance, _PRIOR) if len(logs) > 1 else 1.0


def holm(chances: Sequence[float], count: int = 0) -> List[float]:
    """Corrected p of each, out of `count` tests (by default of these)."""
    count, top, corrected = max(count, len(chances)), 0.0, [1.0] * len(chances)
    for place, index in enumerate(sorted(range(len(chances)), key=chances.__getitem__)):
        top = max(top, min(1.0, (count - place) * chances[index]))
        corrected[index] = top
    return corrected


class _Costs:
    """Log costs of the runs of configurations by block, of which the median is subtracted."""

    def __init__(self, groups: Sequence[Group]) -> None:
        blocks = sorted({block for group in groups for block in group.costs})
        place = {block: i for i, block in enumerate(blocks)}
        self.blocks = len(blocks)
        table = np.full((len(groups), len(blocks)), np.nan)
        for row, group in enumerate(groups):
            for block, cost in group.costs.items():
                table[row, place[block]] = log(cost)
        if len(blocks):
            table -= np.nanmedian(table, axis=0)
        self.row = {id(group): table[i] for i, group in enumerate(groups)}

    def best(self, groups: Sequence[Group]) -> Array:
        """The costs of one value. Of several parameters, each block gets the one that is fastest in all other blocks, so
        that the choice does not favour the value."""
        if len(groups) == 1:
            return self.row[id(groups[0])]
        rows = np.array([self.row[id(group)] for group in groups])
        chosen = np.full(self.blocks, np.nan)
        for block in range(self.blocks):
            medians = np.nanmedian(np.delete(rows, block, axis=1), axis=1)
            chosen[block] = rows[int(np.argmin(np.where(np.isnan(medians), np.inf, medians))), block]
        return chosen


def _cells(table: Table, groups: Sequence[Group], axis: Axis,
           costs: _Costs) -> Tuple[Array, List[Optional[str]]]:
    """Sets of configurations that differ in nothing but the axis and parameters of single values: at least two values
    each."""
    values: List[Optional[str]] = [*axis.values, None]
    along = stats.followers(table, groups, axis)
    names = [other.name for other in table.axes if other is not axis and other.name not in along
             and not stats.is_parameter(other, axis, groups)]
    made = []
    for members in stats.parted(groups, names):
        by_value = stats.parted(members, [axis.name])
        if len(by_value) > 1:
            block = np.full((len(values), costs.blocks), np.nan)
            for same in by_value:
                block[values.index(same[0].settings.get(axis.name))] = costs.best(same)
            made.append(block)
    cells = np.array(made) if made else np.empty((0, len(values), costs.blocks))
    alone = (~np.isnan(cells)).sum(axis=1, keepdims=True) < 2  # nothing to compare in this block
    cells = np.where(alone, np.nan, cells)
    there = ~np.isnan(cells)
    sets, rows = there.any(axis=(1, 2)), there.any(axis=(0, 2))
    return cells[sets][:, rows], [value for value, row in zip(values, rows) if row]


def _scores(cells: Array) -> Array:
    """What the permutation test compares: deviations from the median of the values of a set in a block, clipped at one
    robust standard deviation, so that a burst weighs as little as any run. Permutations change neither the medians nor
    the scale."""
    centred = cells - np.nanmedian(cells, axis=1, keepdims=True)
    scale = 1.4826 * np.nanmedian(np.abs(centred))
    clipped = np.clip(centred, -scale, scale) if scale > 0 else centred
    return clipped - np.nanmean(clipped, axis=1, keepdims=True)


def _cleaned(family: Family) -> Array:
    """The cells relative to their set and block, with outliers moved to _CLIP robust standard deviations from the median
    of their configuration. Sets the variance of a run, and its degrees of freedom."""
    relative = family.cells - np.nanmedian(family.cells, axis=1, keepdims=True)
    medians = np.nanmedian(relative, axis=2, keepdims=True)
    rest = relative - medians
    runs = (~np.isnan(rest)).sum(axis=2)
    family.freedom = max(int(runs.sum() - (runs > 0).sum() - (runs.max(axis=1) - 1).sum()), 0)
    spread = float(np.nanstd(rest))
    scale = min(1.4826 * float(np.nanmedian(np.abs(rest[rest != 0]))) if (rest != 0).any() else 0.0, spread)
    rest = np.clip(rest, -_CLIP * scale, _CLIP * scale)
    family.variance = float(np.nansum(rest**2)) / max(family.freedom, 1)
    return medians + rest


def _statistic(x: Array, weight: Array) -> Array:
    """Mean squares of the values over all sets plus those of their differences between sets. x: ... x sets x values x
    blocks, 0 where nothing was run; weight: runs of each set and value."""
    sums = x.sum(axis=-1)
    total = sums.sum(axis=-2)
    every = weight.sum(axis=0)
    main = (total**2 / np.maximum(every, 1)).sum(axis=-1)
    of_sets = (sums**2 / np.maximum(weight, 1)).sum(axis=(-1, -2))
    values, sets = (every > 0).sum(), x.shape[-3]
    free = max((weight > 0).sum() - sets - (values - 1), 0)
    return main / max(values - 1, 1) + ((of_sets - main) / free if free else 0)


def _permuted(x: Array, there: Array, draws: int, random: Any) -> Array:
    """Copies of x, sets x blocks x values, in which the values of each block are permuted among those that were run."""
    keys = random.random((draws, *x.shape), dtype=np.float32)
    keys[:, ~there] = np.inf
    mixed = np.take_along_axis(np.broadcast_to(x, keys.shape), np.argsort(keys, axis=-1), axis=-1)
    if there.all():
        return mixed
    places = np.broadcast_to(np.argsort(~there, axis=-1, kind="stable"), keys.shape)
    out = np.empty_like(mixed)
    np.put_along_axis(out, places, mixed, axis=-1)
    return out


def _permutation(x: Array, there: Array, draws: int) -> float:
    """The share of permutations whose statistic is at least that of the data. It stops early when that is large."""
    weight = there.sum(axis=-1)
    seen = _statistic(x, weight) * (1 - 1e-9)
    random, turned, known = np.random.default_rng(1), x.swapaxes(1, 2), there.swapaxes(1, 2)
    chunk, done, above = max(1, min(draws, _CHUNK // max(x.size, 1))), 0, 0
    while done < draws and above < 100:
        now = min(chunk, draws - done)
        above += int((_statistic(_permuted(turned, known, now, random).swapaxes(-1, -2), weight) >= seen).sum())
        done += now
    return (above + 1) / (done + 1)


def _arrangements(there: Array) -> float:
    """The logarithm of the number of distinct permutations."""
    return sum(lgamma(int(count) + 1) for count in there.sum(axis=1).ravel())


def _test_axis(family: Family, tests: int) -> None:
    there = ~np.isnan(family.cells)
    x = np.where(there, _scores(family.cells), 0.0)
    family.clean = _cleaned(family)
    claim = family.whole
    if family.freedom < 2:
        return
    if _arrangements(there) >= log(_FEW):
        claim.test = "permutation"
        claim.p = _permutation(x, there, min(max(_MIN_DRAWS, int(40 * tests / ALPHA)), _MAX_DRAWS))
    else:
        claim.test = "F"
        weight, x = there.sum(axis=2), np.where(there, family.clean, 0.0)
        x = np.where(there, x - x.sum(axis=1, keepdims=True) / np.maximum(there.sum(axis=1, keepdims=True), 1), 0.0)
        degrees = int((weight > 0).sum() - len(x))
        between = float((x.sum(axis=2) ** 2 / np.maximum(weight, 1)).sum())
        claim.p = (float(f_distribution.sf(between / degrees / family.variance, degrees, family.freedom))
                   if family.variance > 0 else float(between == 0))


def interval(logs: Sequence[float]) -> Interval:
    """The ratio of which these are the logarithms, from pairs: their median with its interval."""
    return stats.median([exp(one) for one in logs])


def _crossed(cells: Array) -> List[float]:
    """The logs of how many times as long the slowest value of each set takes as the fastest: in each block, of the two
    values that are extreme in all other blocks. Their mean is 0 where there is no effect."""
    found: List[float] = []
    for block in range(cells.shape[2]):
        now, medians = cells[:, :, block], np.nanmedian(np.delete(cells, block, axis=2), axis=2)
        able = ~np.isnan(now) & ~np.isnan(medians)
        sets = np.flatnonzero(able.sum(axis=1) > 1)
        slow = np.where(able, medians, -np.inf).argmax(axis=1)[sets]
        fast = np.where(able, medians, np.inf).argmin(axis=1)[sets]
        found += list(map(float, now[sets, slow] - now[sets, fast]))
    return found


def _test_pairs(family: Family, reference: Optional[str]) -> None:
    """Each value against the reference, with a variance that is moderated by the one of all."""
    x, base = family.clean, family.values.index(reference)
    for place, value in enumerate(family.values):
        both = family.cells[:, place] - family.cells[:, base]
        logs = both[~np.isnan(both)]
        if place == base or not logs.size:
            continue
        claim = Claim(family.axis.name, family.whole.problem, value, reference, rate=family.whole.rate, test="t",
                      factor=interval(list(logs)), sets=int((~np.isnan(both)).any(axis=1).sum()))
        differences = (x[:, place] - x[:, base])[~np.isnan(both)]
        claim.p = _moderated(differences, 2 * family.variance, min(_PRIOR, family.freedom)) if family.freedom > 1 else 1.0
        family.pairs.append(claim)


def _reference(family: Family) -> Optional[str]:
    """The value of the best configuration or, if that takes no part, the one with the lowest mean cost."""
    best = family.groups[0].best
    if best and best.settings.get(family.axis.name) in family.values:
        return best.settings.get(family.axis.name)
    means = [float(np.nanmean(row)) for row in family.cells.swapaxes(0, 1)]
    return family.values[means.index(min(means))]


def _visible(families: Sequence[Family]) -> float:
    """The smallest factor between two values that would have been seen on every axis."""
    worst = 0.0
    for family in families:
        if family.freedom < 2:
            return 0.0
        runs = (~np.isnan(family.cells)).sum() / max(len(family.values), 1)
        pairs = max(len(family.values) * (len(family.values) - 1) / 2, 1) * len(families)
        t = t_distribution.isf(ALPHA / pairs / 2, family.freedom) + t_distribution.isf(1 - POWER, family.freedom)
        worst = max(worst, float(t) * (2 * family.variance / max(runs, 1)) ** 0.5)
    return exp(worst) if families else 0.0


def _families(table: Table, problem_of: Any) -> List[Family]:
    found = []
    for groups in table.problems:
        usable = [group for group in groups if group.usable]
        costs = _Costs(usable)
        for axis in table.choices if len(usable) > 1 else ():
            cells, values = _cells(table, usable, axis, costs)
            if len(cells) and len(values) > 1 and not np.isnan(cells).all():
                whole = Claim(axis.name, problem_of(table, groups[0]), whole=True, rate=usable[0].by_rate,
                              sets=len(cells))
                found.append(Family(axis, groups, cells, values, whole))
    return found


def _decide(families: Sequence[Family]) -> None:
    """Holm's correction over the axes, then over all pairs of values; which are named. A value whose interval holds 1 is
    not, whatever its test says."""
    for family, corrected in zip(families, holm([one.whole.p for one in families])):
        family.whole.corrected = corrected
        _test_pairs(family, _reference(family))
    values = [claim for family in families for claim in family.pairs]
    pairs = sum(len(family.values) * (len(family.values) - 1) // 2 for family in families)
    for claim, corrected in zip(values, holm([one.p for one in values], pairs)):
        claim.corrected = corrected
    for family in families:
        whole = family.whole
        for claim in family.pairs:
            level = claim.factor.low <= 1 <= claim.factor.high
            claim.named = whole.corrected <= ALPHA and claim.corrected <= ALPHA and not level
        whole.named = whole.corrected <= (ALPHA if any(one.named for one in family.pairs) else TOGETHER)
        logs = _crossed(family.cells)
        whole.factor = interval(logs) if logs else whole.factor


def find(table: Table, problem_of: Any) -> Findings:
    """Tests everything that a report of the table could say. problem_of(table, group) names a problem."""
    findings = Findings([], table.cannot_compare)
    if findings.reason:
        return findings
    with np.errstate(all="ignore"), warnings.catch_warnings():
        warnings.simplefilter("ignore", RuntimeWarning)  # numpy's median of a value that was not run
        families = findings.families = _families(table, problem_of)
        for family in families:
            _test_axis(family, len(families))
        _decide(families)
        if families:
            findings.variance = float(np.median([one.variance for one in families]))
            findings.spread = 2.563 * findings.variance**0.5
            findings.visible = _visible(families)
    return findings


@dataclass
class Change(stats.Change):
    """A change between two tables, tested."""

    slower: bool = False
    faster: bool = False


def compare(before: Table, after: Table, tolerance: float = 0.0) -> List[Change]:
    """The changes between two tables, by Welch's test of the logarithms of times, divided by the controls. Holm's method
    corrects for the number of configurations. A change counts if it exceeds the tolerance."""
    found = [Change(one.before, one.after, one.ratio) for one in stats.changes(before, after)]
    able = [one for one in found if one.ratio.n >= stats.MIN_RUNS]
    usual = float(np.median([np.var(np.log(group.runs), ddof=1) for one in able for group in (one.before, one.after)]
                            or [0.0]))
    extra = sum(_control_error(table) for table in (before, after)) if stats.controls_ratio(before, after) else 0.0
    chances = []
    for one in able:
        variances = [(_moderate(group.runs, usual), len(group.runs)) for group in (one.before, one.after)]
        error = (sum(variance / count for variance, count in variances) + extra) ** 0.5
        freedom = min(count for _, count in variances) - 1 + _PRIOR
        beyond = abs(log(one.ratio.median)) - log(1 + tolerance)
        chances.append(float(2 * t_distribution.sf(beyond / error, freedom)) if error > 0 else float(beyond <= 0))
    for one, chance in zip(able, holm(chances)):
        one.slower, one.faster = (chance <= ALPHA and (one.ratio.median > 1) == up for up in (True, False))
    return found


def _moderate(runs: Sequence[float], usual: float) -> float:
    """The variance of log times, moderated by the usual one of all configurations."""
    own = float(np.var(np.log(runs), ddof=1))
    return ((len(runs) - 1) * own + _PRIOR * usual) / (len(runs) - 1 + _PRIOR)


def _control_error(table: Table) -> float:
    """The variance of the logarithm of the median of the control."""
    logs = np.log(table.control)
    scale = 1.4826 * float(np.median(np.abs(logs - np.median(logs))))
    return 1.57 * scale**2 / len(logs)
