"""What the cells of tables and the sentences of a report have in common: intervals, ratios, counts, aligned columns."""

import re
from typing import List, Optional, Sequence

from scree.study.interval import Interval
from scree.study.texts import decimals_of, seconds, unit_of

_NUMBER = re.compile(r"(\d+\.?\d*|\.\d+)(?:e[+-]?\d+)?(G|M|K|s|ms|us|ns|)")
_FACTORS = {"": 1, "G": 1 << 30, "M": 1 << 20, "K": 1 << 10, "s": 1e9, "ms": 1e6, "us": 1e3, "ns": 1}


def number(text: str) -> Optional[float]:
    """The number that a value of an axis is: 64K is 65536, 1ms is 1000000 (nanoseconds). None: it is a word."""
    match = _NUMBER.fullmatch(text)
    if not match:
        return None
    unit = match.group(2)
    return float(text[: len(text) - len(unit)]) * _FACTORS[unit]


def range_text(interval: Interval) -> str:
    """`22.8..24.0`, in the unit of the median; `-` if there was one run."""
    if interval.n < 2:
        return "-"
    factor, _ = unit_of(interval.median)
    decimals = decimals_of(interval.median * factor)
    return f"{interval.low * factor:.{decimals}f}..{interval.high * factor:.{decimals}f}"


def interval_text(interval: Interval) -> str:
    """`23.1 ms 22.8..24.0`; without the interval if there was one run."""
    text = seconds(interval.median)
    return text + " " + range_text(interval) if interval.n > 1 else text


def ratio_text(ratio: Interval) -> str:
    """`1.32 (1.25..1.40)`; without the interval if there was one run."""
    text = f"{ratio.median:.2f}"
    return text + f" ({ratio.low:.2f}..{ratio.high:.2f})" if ratio.n > 1 else text


def slowdown_text(ratio: Interval) -> str:
    """`2.66x slower (2.51..2.80)` of a ratio of times."""
    if ratio.median < 1:
        ratio, word = ratio.inverse(), "faster"
    else:
        word = "slower"
    text = f"{ratio.median:.2f}x {word}"
    return text + f" ({ratio.low:.2f}..{ratio.high:.2f})" if ratio.n > 1 else text


def count_text(count: int, noun: str) -> str:
    """`1 run`, `2 runs`."""
    return f"{count} {noun}" if count == 1 else f"{count} {noun}s"


def listed(words: Sequence[str], most: int = 8) -> str:
    """The words with commas; of more than `most` their number, the first and the last."""
    if len(words) > most:
        return f"{len(words)} values from {words[0]} to {words[-1]}"
    return ", ".join(words)


def is_numeric(cells: Sequence[str]) -> bool:
    """True if most cells of a column are numbers."""
    numbers = sum(cell[:1].isdigit() for cell in cells)
    return numbers > sum(cell != "-" for cell in cells) - numbers


def grid(rows: List[List[str]]) -> List[str]:
    """Rows, of which the first is the heading, as lines with aligned columns; columns of numbers are aligned right."""
    columns = list(zip(*rows))
    widths = [max(map(len, column)) for column in columns]
    right = [is_numeric(column[1:]) for column in columns]
    return ["  ".join(cell.rjust(w) if r else cell.ljust(w) for cell, w, r in zip(row, widths, right)).rstrip()
            for row in rows]
