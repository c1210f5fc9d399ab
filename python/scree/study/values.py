"""Values of plans: numbers with units, arithmetic on constants of the machine, ranges, lists.

`64..64K*4` multiplies (64, 256, 1K, ... 64K), `10..20+5` adds; `cores*2` is computed. A value is a text, or None for
the word `default`: the axis is absent.
"""

import math
import re
from dataclasses import dataclass
from functools import lru_cache
from operator import add, mul, sub, truediv
from typing import Dict, List, Mapping, NoReturn, Optional, Set, Union

from scree.study.texts import Refused, nearest

VALUES_MAX = 2000  # of an axis
RANGE_STEPS_MAX = 100000

_UNITS = {"": 1.0, "G": 2.0**30, "M": 2.0**20, "K": 2.0**10, "s": 1e9, "ms": 1e6, "us": 1e3, "ns": 1.0}
_KIND = {"": "", "G": "size", "M": "size", "K": "size", "s": "time", "ms": "time", "us": "time", "ns": "time"}
_NUMBER = re.compile(r"(\d+\.?\d*(?:[eE][+-]?\d+)?|\.\d+(?:[eE][+-]?\d+)?)(|G|M|K|s|ms|us|ns)", re.ASCII)
BLANKS = " \t\n\v\f\r"

Value = Optional[str]


@dataclass
class Operand:
    """A number of a plan."""

    value: float
    kind: str = ""  # "", size or time
    computed: bool = False  # from a constant of this machine


def plain_number(text: str) -> Optional[Operand]:
    """A number, optionally with a unit; None: it is none."""
    match = _NUMBER.fullmatch(text) if len(text) < 64 else None
    if not match:
        return None
    value = float(match[1]) * _UNITS[match[2]]
    return Operand(value, _KIND[match[2]]) if math.isfinite(value) else None


@lru_cache(maxsize=65536)
def number(text: Value) -> Optional[float]:
    """16K is 16384, 50us is 50000 (nanoseconds); None: the text is not a number, or none."""
    operand = plain_number(text or "")
    return operand.value if operand else None


def plain(value: float) -> float:
    """Whole numbers without a fraction, as JSON has them."""
    return int(value) if abs(value) < 1e15 and value == int(value) else value


def numbers_of(settings: Mapping[str, str]) -> Dict[str, float]:
    """The settings that are numbers, with units counted: 64K is 65536, 1ms is 1000000 (nanoseconds)."""
    numbers = {name: number(value) for name, value in settings.items()}
    return {name: plain(x) for name, x in numbers.items() if x is not None}


def rounded(value: float) -> float:
    """To the nearest whole number, halves up."""
    return float(math.floor(value + 0.5))


def print_number(value: float, kind: str = "") -> str:
    """As in values: 4K, 1500ns, 0.1."""
    unit = ""
    if kind and value != 0:
        fitting = [name for name in _UNITS if _KIND[name] == kind and math.fmod(value, _UNITS[name]) == 0]
        unit = fitting[0] if fitting else "ns" if kind == "time" else ""
    value /= _UNITS[unit]
    return (f"{value:.0f}" if value == rounded(value) and value < 1e15 else f"{value:.10g}") + unit


def key(value: Value) -> Union[Value, float]:
    """Equal for values that are the same text or the same number; `default` equals only itself."""
    found = number(value)
    return value if found is None else found


def same(a: Value, b: Value) -> bool:
    return a == b or key(a) == key(b)


def keyword(text: str, word: str) -> bool:
    """Does the text begin with the word, followed by a blank or the end?"""
    return text.startswith(word) and (len(text) == len(word) or text[len(word)] in BLANKS)


@lru_cache(maxsize=65536)
def as_written(value: Value) -> str:
    """The value as a sweep file has it: in quotes if it could be misread without."""
    if value is None:
        return "default"
    misread = re.search(r'[ \t\n\v\f\r,#|"*+=!<>]', value) or value in ("if", "and", "default")
    return f'"{value}"' if misread else value


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
        a, b = number(value), number(self.values[0])
        return a is not None and b is not None and {"<": a < b, "<=": a <= b, ">": a > b, ">=": a >= b}[self.operator]


class Condition(List[Comparison]):
    """Comparisons that all hold."""

    def holds(self, settings: Mapping[str, Value]) -> bool:
        return all(one.holds(settings) for one in self)

    def as_text(self) -> str:
        """" if AXIS = VALUES and ..." in canonical form."""
        texts = [f"{one.axis} {one.operator} {'|'.join(map(as_written, one.values))}" for one in self]
        return " if " + " and ".join(texts) if texts else ""


def _check_range(low: Operand, high: Operand, by: str, step: Operand) -> str:
    """What is wrong; "": nothing."""
    if len({one.kind for one in ((low, high) if by == "*" else (low, high, step)) if one.kind}) > 1:
        return " mixes sizes and times; give both ends K M G, or both ns us ms s"
    if low.value > high.value:
        return " is empty: its first end exceeds its last; give the lower one first"
    if by == "*" and (step.value <= 1 or step.kind):
        return ": the factor must be a number above 1, as in 64..64K*4 or 1K..2K*1.02"
    if by == "*" and low.value <= 0:
        return ": a factor cannot start at 0; begin above 0, or use LO..HI+STEP"
    return ": the step must be above 0, as in 10..20+5" if by == "+" and step.value <= 0 else ""


class Reader:
    """Reads lists of values, and conditions, from `text`. `constants`: numbers of this machine that values may name;
    `used`: those that were; `names`: the axes so far."""

    def __init__(self, constants: Mapping[str, int]) -> None:
        self.constants, self.text = constants, ""
        self.used: Set[str] = set()
        self.keys_of: Optional[List[Value]] = None  # the list to which a value was added last
        self.keys: Set[Union[Value, float]] = set()  # of its values
        self.names: List[str] = []

    def fail(self, text: str) -> NoReturn:
        raise Refused(text)

    def take(self, pattern: str) -> str:
        """Removes what begins the text, with the blanks after it; "": nothing matches."""
        found = re.match(pattern, self.text)
        taken = found[0] if found else ""
        self.text = self.text[len(taken):].lstrip(BLANKS)
        return taken

    def add(self, values: List[Value], value: Value) -> None:
        """Appends a value unless it is in the list."""
        if self.keys_of is not values:
            self.keys_of, self.keys = values, set(map(key, values))
        if key(value) in self.keys:
            return
        if len(values) == VALUES_MAX:
            self.fail(f"an axis has more than {VALUES_MAX} values, the maximum; give larger steps")
        values.append(value)
        self.keys.add(key(value))

    def _operand(self, text: str) -> Optional[Operand]:
        """A number, or a constant C as C, C*F, C/F, C+N or C-N."""
        plain = plain_number(text)
        match = re.fullmatch(r"([A-Za-z0-9_]+)(?:([*/+-])(.*))?", text, re.ASCII | re.DOTALL)
        if plain or not match or match[1] not in self.constants:
            return plain
        value = float(self.constants[match[1]])
        if match[2]:
            by = plain_number(match[3])
            if not by or (match[2] == "/" and by.value == 0):
                return None
            value = {"*": mul, "/": truediv, "+": add, "-": sub}[match[2]](value, by.value)
        self.used.add(match[1])
        return Operand(rounded(value) if value > 0 else 0.0, computed=True) if math.isfinite(value) else None

    def _word(self, text: str) -> Value:
        """A value without quotes that is not a range."""
        operand = self._operand(text)
        return None if text == "default" else print_number(operand.value) if operand and operand.computed else text

    def _add_range(self, text: str, low: Operand, values: List[Value]) -> None:
        rest = text.split("..", 1)[1]
        at = max(rest.rfind("*"), rest.rfind("+"))
        if at < 0:  # without a step: a single value, such as 1..100 of random-weights
            end = self._operand(rest)
            if low.computed or (end and end.computed):
                self.fail(f"range '{text}' has no step; give one, for example {text}*2 or {text}+1")
            self.add(values, text)
            return
        high, by, step = self._operand(rest[:at]), rest[at], self._operand(rest[at + 1:])
        if not high or not step:
            self.fail(f"range '{text}' is malformed; ranges are LO..HI*FACTOR and LO..HI+STEP, such as 64..64K*4; "
                      "put a value that is not a range in quotes")
        wrong = _check_range(low, high, by, step)
        if wrong:
            self.fail(f"range '{text}'{wrong}")
        whole = all(one.value == rounded(one.value) for one in ([low, high] if by == "*" else [low, high, step]))
        value, steps, kind = low.value, 0, low.kind or high.kind or step.kind
        while (one := rounded(value) if whole else value) <= high.value * (1 + 1e-9):
            if steps == RANGE_STEPS_MAX:
                self.fail(f"range '{text}' has more than {RANGE_STEPS_MAX} steps; give larger steps")
            self.add(values, print_number(high.value if abs(one - high.value) <= 1e-9 * high.value else one, kind))
            steps += 1
            value = value * step.value if by == "*" else low.value + steps * step.value

    def _quoted(self) -> str:
        """The value in quotes with which the text begins."""
        value, quote, rest = self.text[1:].partition('"')
        if not quote:
            self.fail(f"the quote before '{value}' is not closed; add a quote after the value")
        if not value:
            self.fail("a value is empty; leave the axis out where it does not apply")
        self.text = rest.lstrip(BLANKS)
        return value

    def read_list(self, values: List[Value]) -> None:
        """Appends the values up to the end of the text or the word `if`."""
        while True:
            if not self.text or self.text[0] == "," or keyword(self.text, "if"):
                self.fail("a value is missing; give values after '=', separated by commas, as in 1, 2")
            if self.text[0] == '"':
                self.add(values, self._quoted())
            else:
                word = self.take(r"[^, \t\n\v\f\r]*")
                if '"' in word:
                    self.fail(f"'{word}': a quote inside a value; put the whole value in quotes")
                low = self._operand(word.split("..", 1)[0]) if ".." in word else None
                if low:
                    self._add_range(word, low, values)
                else:
                    self.add(values, self._word(word))
            if not self.text or keyword(self.text, "if"):
                return
            if not self.take(","):
                self.fail(f"'{self.take('[^, ]*')}' follows a value; separate values by commas, or put a value with "
                          "blanks in quotes")

    def _check_axis(self, name: str, earlier: int) -> None:
        names = self.names
        if name in names[:earlier]:
            return
        if name in names and names[earlier] == name:
            self.fail(f"condition: '{name}' cannot depend on itself; use skip if")
        if name in names:
            self.fail(f"condition: '{name}' is defined too late; put all lines of '{names[earlier]}' after the first "
                      f"line of '{name}'")
        near = nearest(name, names[:earlier])
        hint = ("; put its line first" if earlier else ", and there are no others; put its line first")
        self.fail(f"condition: no earlier line defines the axis '{name}'" + (f"; the nearest is '{near}'" if near
                                                                             else hint))

    def _read_values(self, comparison: Comparison) -> None:
        while True:
            if self.text[:1] == '"':
                value: Value = self._quoted()
            elif not self.text or self.text[0] in "|=<>!" or keyword(self.text, "and"):
                self.fail(f"condition: a value is missing before '{self.text}'; write for example: algorithm = dc")
            else:
                value = self._word(self.take(r'[^|" \t\n\v\f\r]*'))
            self.add(comparison.values, value)
            if not self.take(r"\|"):
                break
        if comparison.operator in ("=", "!="):
            return
        if len(comparison.values) > 1:
            self.fail("condition: '|' is legal with = and != only; give one number")
        if number(value) is None:
            self.fail(f"condition: '{'default' if value is None else value}' is not a number, and < <= > >= compare "
                      "numbers; use = or !=")

    def read_condition(self, earlier: int, loose: bool = False) -> Condition:
        """Reads a condition to the end of the text; it may use the first `earlier` of the names. `loose`: `and` may be
        left out, as in control."""
        condition = Condition()
        while True:
            if not self.text:
                self.fail("a condition is missing at the end; write for example: algorithm = dc")
            name = self.take(r'[^=!<>|" \t\n\v\f\r]*')
            if not name:
                self.fail(f"condition: an axis is missing before '{self.text}'; write for example: algorithm = dc")
            self._check_axis(name, earlier)
            operator = self.take(r"!=|<=|>=|=|<|>")
            if not operator:
                self.fail(f"condition: '{self.text}' found where one of = != < <= > >= is expected, as in algorithm = "
                          "dc")
            condition.append(Comparison(name, operator, []))
            self._read_values(condition[-1])
            if not self.text:
                return condition
            if keyword(self.text, "and"):
                self.take("and")
            elif not loose:
                self.fail(f"condition: '{self.text}' found where 'and', '|' or the end is expected")
