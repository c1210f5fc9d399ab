"""Medians and ratios of medians with their 95 % confidence intervals.

The interval is that of the percentile bootstrap (Efron 1979): 2.5 % of the resamples, drawn with replacement, have a
smaller median and 2.5 % a larger one. The distribution of the median of a resample is known, so that it is computed
instead of drawn, and equal values always have equal intervals.
"""

from functools import lru_cache
from math import exp, lgamma, log, log1p
from typing import List, NamedTuple, Sequence, Tuple

_TAIL = 0.025
_RARE = 1e-9  # a median that is less likely has no influence on the interval


class Interval(NamedTuple):
    """A median and its 95 % interval; n: the number of values, of a ratio the smaller of both."""

    low: float
    median: float
    high: float
    n: int

    def inverse(self) -> "Interval":
        """The interval of the inverse ratio."""
        return Interval(1 / self.high, 1 / self.median, 1 / self.low, self.n)


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
    ends = []
    for ordered in (distribution, distribution[::-1]):
        total = 0.0
        for value, chance in ordered:
            total += chance
            if total >= _TAIL:
                ends.append(value)
                break
    return ends[0], ends[1]


def median(values: Sequence[float]) -> Interval:
    """The median of at least one value, with its interval."""
    low, high = _tails(_distribution(values))
    return Interval(low, middle(values), high, len(values))


def ratio(over: Sequence[float], under: Sequence[float]) -> Interval:
    """median(over) / median(under), resampled from both."""
    bottom = _distribution(under)
    low, high = _tails([(x / y, p * q) for x, p in _distribution(over) for y, q in bottom])
    return Interval(low, middle(over) / middle(under), high, min(len(over), len(under)))
