"""Conditions of plans: `if algorithm = dc | delta and scale > 14`."""

import re
from dataclasses import dataclass
from typing import List, Mapping, Sequence

from scree.study.texts import nearest
from scree.study.values import (Constants, Fail, Value, add, as_written, keyword, number, operand_of, print_number,
                                quoted_value, same)

_BLANKS = " \t\n\v\f\r"


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
