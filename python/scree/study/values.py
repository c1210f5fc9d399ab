"""Values of plans: numbers with units, arithmetic on constants of the machine, ranges, lists.

`64..64K*4` multiplies (64, 256, 1K, ... 64K), `10..20+5` adds; `cores*2` is computed. A value is a text, or None for the
word `default`: the axis is absent.
"""

import math
import operator
import re
from dataclasses import dataclass
from functools import lru_cache
from typing import Callable, Dict, List, Mapping, NoReturn, Optional, Sequence, Set

from scree.study.texts import nearest

VALUES_MAX = 2000  # of an axis
RANGE_STEPS_MAX = 100000

_UNITS = {"": 1.0, "G": 2.0**30, "M": 2.0**20, "K": 2.0**10, "s": 1e9, "ms": 1e6, "us": 1e3, "ns": 1.0}
_KIND = {"": "", "G": "size", "M": "size", "K": "size", "s": "time", "ms": "time", "us": "time", "ns": "time"}
_NUMBER = re.compile(r"(\d+\.?\d*(?:[eE][+-]?\d+)?|\.\d+(?:[eE][+-]?\d+)?)(|G|M|K|s|ms|us|ns)", re.ASCII)
_BLANKS = " \t\n\v\f\r"

Value = Optional[str]


@dataclass
class Operand:
    """A number of a plan."""

    value: float
    kind: str = ""  # "", size or time
    computed: bool = False  # from a constant of this machine


@dataclass
class Constants:
    """Numbers of this machine that values may name, and those that were."""

    values: Dict[str, int]
    used: Set[str]


Fail = Callable[[str], NoReturn]  # raises the error with its position


def plain_number(text: str) -> Optional[Operand]:
    """A number, optionally with a unit; None: it is none."""
    match = _NUMBER.fullmatch(text) if len(text) < 64 else None
    if not match:
        return None
    value = float(match[1]) * _UNITS[match[2]]
    return Operand(value, _KIND[match[2]]) if math.isfinite(value) else None


@lru_cache(maxsize=65536)
def number(text: str) -> Optional[float]:
    """16K is 16384, 50us is 50000 (nanoseconds); None: the text is no number."""
    operand = plain_number(text)
    return operand.value if operand else None


def rounded(value: float) -> float:
    """To the nearest whole number, halves up."""
    return float(math.floor(value + 0.5))


def operand_of(text: str, constants: Constants) -> Optional[Operand]:
    """A number, or a constant C as C, C*F, C/F, C+N or C-N."""
    plain = plain_number(text)
    if plain:
        return plain
    match = re.fullmatch(r"([A-Za-z0-9_]+)(?:([*/+-])(.*))?", text, re.ASCII | re.DOTALL)
    if not match or match[1] not in constants.values:
        return None
    value = float(constants.values[match[1]])
    if match[2]:
        by = plain_number(match[3])
        if not by or (match[2] == "/" and by.value == 0):
            return None
        value = {"*": operator.mul, "/": operator.truediv, "+": operator.add,
                 "-": operator.sub}[match[2]](value, by.value)
    constants.used.add(match[1])
    return Operand(rounded(value) if value > 0 else 0.0, computed=True) if math.isfinite(value) else None


def print_number(value: float, kind: str = "") -> str:
    """As in values: 4K, 1500ns, 0.1."""
    unit = ""
    if kind and value != 0:
        fitting = [name for name in _UNITS if _KIND[name] == kind and math.fmod(value, _UNITS[name]) == 0]
        unit = fitting[0] if fitting else "ns" if kind == "time" else ""
    value /= _UNITS[unit]
    return (f"{value:.0f}" if value == rounded(value) and value < 1e15 else f"{value:.10g}") + unit


def same(a: Value, b: Value) -> bool:
    """The same text or the same number; `default` equals only itself."""
    if a is None or b is None or a == b:
        return a == b
    x, y = number(a), number(b)
    return x is not None and x == y


def add(values: List[Value], value: Value, fail: Fail) -> None:
    """Appends a value unless it is in the list."""
    if value in values or any(same(value, one) for one in values):
        return
    if len(values) == VALUES_MAX:
        fail(f"an axis has more than {VALUES_MAX} values, the maximum; give larger steps")
    values.append(value)


def keyword(text: str, word: str) -> bool:
    """Does the text begin with the word, followed by a blank or the end?"""
    return text.startswith(word) and (len(text) == len(word) or text[len(word)] in _BLANKS)


def as_written(value: Value) -> str:
    """The value as a sweep file has it: in quotes if it could be misread without."""
    if value is None:
        return "default"
    misread = re.search(r'[ \t\n\v\f\r,#|"*+=!<>]', value) or value in ("if", "and", "default")
    return f'"{value}"' if misread else value


# ---- ranges ----


def _expand(low: Operand, high: Operand, by: str, step: Operand, kind: str, text: str, values: List[Value],
            fail: Fail) -> None:
    ends = low.value == rounded(low.value) and high.value == rounded(high.value)
    whole = ends and (by == "*" or step.value == rounded(step.value))
    value, steps = low.value, 0
    while True:
        one = rounded(value) if whole else value
        if one > high.value * (1 + 1e-9):
            return
        if abs(one - high.value) <= 1e-9 * high.value:
            one = high.value
        if steps == RANGE_STEPS_MAX:
            fail(f"range '{text}' has more than {RANGE_STEPS_MAX} steps; give larger steps")
        add(values, print_number(one, kind), fail)
        steps += 1
        value = value * step.value if by == "*" else low.value + steps * step.value


def _check_range(low: Operand, high: Operand, by: str, step: Operand, text: str, fail: Fail) -> str:
    """The kind of the values."""
    kinds = {one.kind for one in ([low, high] if by == "*" else [low, high, step]) if one.kind}
    if len(kinds) > 1:
        fail(f"range '{text}' mixes sizes and times; give both ends K M G, or both ns us ms s")
    if low.value > high.value:
        fail(f"range '{text}' is empty: its first end exceeds its last; give the lower one first")
    if by == "*" and (step.value <= 1 or step.kind):
        fail(f"range '{text}': the factor must be a number above 1, as in 64..64K*4 or 1K..2K*1.02")
    if by == "*" and low.value <= 0:
        fail(f"range '{text}': a factor cannot start at 0; begin above 0, or use LO..HI+STEP")
    if by == "+" and step.value <= 0:
        fail(f"range '{text}': the step must be above 0, as in 10..20+5")
    return kinds.pop() if kinds else ""


def _add_range(text: str, low: Operand, constants: Constants, values: List[Value], fail: Fail) -> None:
    rest = text.split("..", 1)[1]
    at = max(rest.rfind("*"), rest.rfind("+"))
    if at < 0:  # without a step: a single value, such as 1..100 of random-weights
        end = operand_of(rest, constants)
        if low.computed or (end and end.computed):
            fail(f"range '{text}' has no step; give one, for example {text}*2 or {text}+1")
        add(values, text, fail)
        return
    high, step = operand_of(rest[:at], constants), operand_of(rest[at + 1:], constants)
    if not high or not step:
        fail(f"range '{text}' is malformed; ranges are LO..HI*FACTOR and LO..HI+STEP, such as 64..64K*4; "
             "put a value that is not a range in quotes")
    kind = _check_range(low, high, rest[at], step, text, fail)
    _expand(low, high, rest[at], step, kind, text, values, fail)


# ---- lists ----


def _add_bare(text: str, constants: Constants, values: List[Value], fail: Fail) -> None:
    if '"' in text:
        fail(f"'{text}': a quote inside a value; put the whole value in quotes")
    low = operand_of(text.split("..", 1)[0], constants) if ".." in text else None
    if low:
        _add_range(text, low, constants, values, fail)
        return
    operand = operand_of(text, constants)
    if text == "default":
        add(values, None, fail)
    elif operand and operand.computed:
        add(values, print_number(operand.value), fail)
    else:
        add(values, text, fail)


def quoted_value(text: str, fail: Fail) -> "tuple[str, str]":
    """The value in quotes with which the text begins, and what follows."""
    value, quote, rest = text[1:].partition('"')
    if not quote:
        fail(f"the quote before '{text[1:]}' is not closed; add a quote after the value")
    if not value:
        fail("a value is empty; leave the axis out where it does not apply")
    return value, rest


def read_list(text: str, constants: Constants, values: List[Value], fail: Fail) -> str:
    """Appends the values to the end of the text or to the word `if`; returns the rest."""
    while True:
        text = text.lstrip(_BLANKS)
        if not text or text[0] == "," or keyword(text, "if"):
            fail("a value is missing; give values after '=', separated by commas, as in 1, 2")
        if text[0] == '"':
            value, text = quoted_value(text, fail)
            add(values, value, fail)
        else:
            word = re.split(r"[, \t\n\v\f\r]", text, maxsplit=1)[0]
            text = text[len(word):]
            _add_bare(word, constants, values, fail)
        text = text.lstrip(_BLANKS)
        if not text or keyword(text, "if"):
            return text
        if text[0] != ",":
            word = re.split(r"[, \t]", text, maxsplit=1)[0]
            fail(f"'{word}' follows a value; separate values by commas, or put a value with blanks in quotes")
        text = text[1:]


# ---- conditions ----


@dataclass
class Comparison:
    """AXIS = VALUE | VALUE, or AXIS < NUMBER."""

    axis: str
    operator: str  # = != < <= > >=
    values: List[Value]

    def holds(self, settings: Mapping[str, Value]) -> bool:
        """Does it hold for these values of axes? An absent axis equals `default` alone."""
        value = settings.get(self.axis)
        if self.operator in ("=", "!="):
            return any(same(value, one) for one in self.values) == (self.operator == "=")
        a = number(value) if value is not None else None
        b = number(self.values[0]) if self.values[0] is not None else None
        if a is None or b is None:
            return False
        return {"<": a < b, "<=": a <= b, ">": a > b, ">=": a >= b}[self.operator]


@dataclass
class Condition:
    """Comparisons that all hold."""

    comparisons: List[Comparison]

    def holds(self, settings: Mapping[str, Value]) -> bool:
        """Do all hold?"""
        return all(one.holds(settings) for one in self.comparisons)

    def as_text(self) -> str:
        """" if AXIS = VALUES and ..." in canonical form."""
        text = ""
        for one in self.comparisons:
            text += f"{' and' if text else ' if'} {one.axis} {one.operator} {'|'.join(map(as_written, one.values))}"
        return text


def _check_axis(name: str, names: Sequence[str], earlier: int, fail: Fail) -> None:
    if name in names[:earlier]:
        return
    if name in names:
        if names[earlier] == name:
            fail(f"condition: '{name}' cannot depend on itself; use skip if")
        fail(f"condition: '{name}' is defined too late; put all lines of '{names[earlier]}' after the first line of "
             f"'{name}'")
    if not earlier:
        fail(f"condition: no earlier line defines the axis '{name}', and there are no others; put its line first")
    near = nearest(name, names[:earlier])
    hint = f"; the nearest is '{near}'" if near else "; put its line first"
    fail(f"condition: no earlier line defines the axis '{name}'{hint}")


def _read_value(text: str, constants: Constants, values: List[Value], fail: Fail) -> str:
    text = text.lstrip(_BLANKS)
    if text.startswith('"'):
        value, text = quoted_value(text, fail)
        add(values, value, fail)
        return text
    word = re.split(r'[|" \t\n\v\f\r]', text, maxsplit=1)[0]
    operand = operand_of(word, constants)
    if word == "default":
        add(values, None, fail)
    elif not word or word[0] in "=<>!" or keyword(text, "and"):
        fail(f"condition: a value is missing before '{text}'; write for example: algorithm = dc")
    else:
        add(values, print_number(operand.value) if operand and operand.computed else word, fail)
    return text[len(word):]


def _read_values(text: str, comparison: Comparison, constants: Constants, fail: Fail) -> str:
    while True:
        text = _read_value(text, constants, comparison.values, fail).lstrip(_BLANKS)
        if not text.startswith("|"):
            break
        text = text[1:]
    if comparison.operator in ("=", "!="):
        return text
    if len(comparison.values) > 1:
        fail("condition: '|' is legal with = and != only; give one number")
    value = comparison.values[0]
    if value is None or number(value) is None:
        fail(f"condition: '{'default' if value is None else value}' is not a number, and < <= > >= compare numbers; "
             "use = or !=")
    return text


def read_condition(text: str, names: Sequence[str], earlier: int, loose: bool, constants: Constants,
                   fail: Fail) -> Condition:
    """Reads a condition to the end of the text; it may use the first `earlier` of the names. `loose`: `and` may be
    left out, as in control."""
    condition = Condition([])
    while True:
        text = text.lstrip(_BLANKS)
        if not text:
            fail("a condition is missing at the end; write for example: algorithm = dc")
        name = re.split(r'[=!<>|" \t\n\v\f\r]', text, maxsplit=1)[0]
        if not name:
            fail(f"condition: an axis is missing before '{text}'; write for example: algorithm = dc")
        _check_axis(name, names, earlier, fail)
        rest = text[len(name):].lstrip(_BLANKS)
        operator = re.match(r"!=|<=|>=|=|<|>", rest)
        if not operator:
            fail(f"condition: '{rest}' found where one of = != < <= > >= is expected, as in algorithm = dc")
        comparison = Comparison(name, operator[0], [])
        text = _read_values(rest[len(operator[0]):], comparison, constants, fail).lstrip(_BLANKS)
        condition.comparisons.append(comparison)
        if not text:
            return condition
        if keyword(text, "and"):
            text = text[3:]
        elif not loose:
            fail(f"condition: '{text}' found where 'and', '|' or the end is expected")
