"""The plan of a study: configurations and the order of their runs, from a sweep file, a preset or options.

docs/sweeps.md describes the language. Every statement of a sweep file except title, repeat, timeout, control and skip
is an axis. Several lines of one axis add up, each where its condition holds.
"""

import random
import re
from collections import Counter
from dataclasses import dataclass
from pathlib import Path
from typing import Callable, Dict, Iterable, Iterator, List, Mapping, NoReturn, Optional, Sequence, Set, Tuple, TypeVar, Union

from scree.study.texts import Refused, is_printable
from scree.study.values import BLANKS, Condition, Reader, Value, as_written, keyword, same

CONFIGURATIONS_MAX = 100000
REPEAT_MAX = 10000
RUNS_MAX = 10000000  # configurations times repeat
CHOICES_MAX = 1000000
CONTROL_EVERY = 8
_WINDOW = 100  # of the configurations that are left: so many are compared before each is drawn
_SETTINGS = ("title", "repeat", "timeout", "control")
_GRAPHS = {"graph", "scale"}
_Any = TypeVar("_Any")


@dataclass
class Configuration:
    """A value for each axis that applies, and all of them as one text, unique in a plan."""

    settings: Dict[str, str]

    def __post_init__(self) -> None:
        self.key = key_of(self.settings)


@dataclass
class Step:
    """One run: of a configuration, by its index; repetition from 1, also of controls; 0: the warm-up."""

    configuration: int
    repetition: int
    control: bool = False


@dataclass
class Plan:
    """What is run. `text` is canonical: equal texts mean equal plans."""

    title: str
    repeat: int
    timeout: float  # seconds of a run
    axes: Dict[str, List[str]]  # all values of each
    configurations: List[Configuration]
    control: int  # index of the configuration that is repeated between the others
    constants_used: List[str]
    text: str

    def _round(self, turn: int, seed: int) -> List[int]:
        """The order of a round. In as many rounds as there are configurations, each stands at each position once: the
        rounds shift places on a circle by different amounts, and both the places and their order are random."""
        count = len(self.configurations)
        cycle, shift = divmod(turn, count)
        start = f"{seed} {cycle}"
        places, order = (shuffled(range(count), f"{start} {what}") for what in ("places", "order"))
        by = shuffled(range(count), f"{start} shifts")[shift]
        at = [0] * count
        for index, place in enumerate(places):
            at[order[(place + by) % count]] = index
        return at

    def steps(self, seed: int = 0) -> List[Step]:
        """A warm-up of the control; rounds that run each configuration once; the control before the first run, before
        every eighth after that, and at the end. A plan of one configuration has no extra runs. The order depends on
        the plan and the seed alone."""
        alone = len(self.configurations) == 1
        steps, runs, controls = [Step(self.control, 0)], 0, 0
        for repetition in range(1, self.repeat + 1):
            for index in self._round(repetition - 1, seed):
                if not alone and runs % CONTROL_EVERY == 0:
                    controls += 1
                    steps.append(Step(self.control, controls, True))
                runs += 1
                steps.append(Step(index, repetition))
        if not alone:
            steps.append(Step(self.control, controls + 1, True))
        return steps


@dataclass
class _Line:
    axis: str
    values: List[Value]
    when: Condition


@dataclass
class _Statement:
    text: str
    option: Optional[str]
    line: int


class _Reader(Reader):
    """Reads statements of the file and of options; knows the position for messages."""

    def __init__(self, file: Optional[str], name: str, constants: Dict[str, int]) -> None:
        super().__init__(constants)
        self.file, self.name = file, name
        self.option: Optional[str] = None
        self.line = 0
        self.lines: List[_Line] = []
        self.skips: List[Condition] = []
        self.settings: Dict[str, _Statement] = {}
        self.options: List[Tuple[str, str]] = []  # axes and their values, until these are read
        self.replaced: Set[str] = set()  # axes whose lines options replace; graph and scale replace each other

    def fail(self, text: str) -> NoReturn:
        file = f"{self.name}:{self.line}" if self.line else self.name
        raise Refused((file if self.option is None else f"option '--{self.option}'") + ": " + text)

    def read(self, options: Sequence[str]) -> None:
        self._split_options(options)
        for self.line, text in enumerate((self.file or "").split("\n"), 1):
            found = re.match(r'(?:[^"#]|"[^"]*(?:"|$))*', text)  # without its comment
            content = found[0].rstrip(BLANKS) if found else ""
            self._check_text(content)
            if content.strip(BLANKS):
                self._read_statement(content.lstrip(BLANKS))
        self.line = 0
        self._read_options({name for name, _ in self.options})

    def _check_text(self, text: str) -> None:
        """The plan is stored in results, which must be text that can be printed."""
        bad = next((one for one in text if not is_printable(one)), None)
        if bad:
            byte = bad.encode("utf-8", "surrogateescape")[0]
            self.fail(f"byte {byte} is not text; a plan is text in UTF-8, without control characters")

    def _split(self, text: str) -> Tuple[str, str]:
        name = re.split(r"[= \t\n\v\f\r]", text, maxsplit=1)[0]
        rest = text[len(name):].lstrip(BLANKS)
        if not rest and self.option is None:
            rest = "= on"  # a flag alone on its line
        if not rest.startswith("="):
            self.fail(f"'{text}' is not a statement; statements are NAME = VALUES and skip if CONDITION")
        if not re.fullmatch(r"[A-Za-z][A-Za-z0-9._-]*", name):
            self.fail(f"'{text[:len(text) - len(rest)]}' is not a name; names begin with a letter and consist of "
                      "letters, digits, '-', '_' and '.'")
        return name, rest[1:].lstrip(BLANKS)

    def _read_axis(self, name: str, rest: str) -> None:
        if name not in self.names:
            self.names.append(name)
        values: List[Value] = []
        self.text = rest
        if name in ("launcher", "program") and "{" in rest and '"' not in rest:
            self.add(values, self.take(r"(?s).*").strip(BLANKS))  # a template is one value, whatever is in it
        else:
            self.read_list(values)
        when = self.read_condition(self.names.index(name)) if self.take("if") else Condition()
        self.lines.append(_Line(name, values, when))

    def _read_setting(self, name: str, text: str) -> None:
        """A statement other than an axis. Quotes around the whole text are removed."""
        old = self.settings.get(name)
        if old and self.option is None:
            if old.option is not None:
                return  # replaced
            self.fail(f"'{name}' is already given in line {old.line}; remove one of them")
        if len(text) >= 2 and text[0] == '"' and text.find('"', 1) == len(text) - 1:
            text = text[1:-1]
        if not text:
            self.fail(f"'{name}' has no value; give one, or remove the line")
        self.settings[name] = _Statement(text, self.option, self.line)

    def _read_statement(self, text: str) -> None:
        self.text = text[4:].lstrip(BLANKS)
        if keyword(text, "skip") and not self.text.startswith("="):
            if not keyword(self.text, "if"):
                self.fail(f"'skip {self.text}': a condition is missing; write for example: skip if algorithm = chaotic "
                          "and scale > 14")
            self.take("if")
            self.skips.append(self.read_condition(len(self.names)))
            return
        name, rest = self._split(text)
        if name in _SETTINGS:
            self._read_setting(name, rest)
        elif name in self.replaced:
            if name not in self.names:
                self.names.append(name)  # conditions may still use it
            self._read_options(_GRAPHS if name in _GRAPHS else {name})
        else:
            self._read_axis(name, rest)

    def _split_options(self, options: Sequence[str]) -> None:
        """Statements other than axes are read at once."""
        for text in options:
            self.option = "axis"
            self._check_text(text)
            name, rest = self._split(text)
            self.option = name
            if name == "skip":
                self.fail("skip is legal only in sweep files; write it into one")
            if name in _SETTINGS:
                self._read_setting(name, rest)
            else:
                self.options.append((name, rest))
                self.replaced |= _GRAPHS if name in _GRAPHS else {name}
        self.option = None

    def _read_options(self, names: Set[str]) -> None:
        """Those of these names that are left."""
        for name, rest in [one for one in self.options if one[0] in names]:
            self.options.remove((name, rest))
            self.option = name
            self._read_axis(name, rest)
        self.option = None


def shuffled(items: Iterable[_Any], seed: Union[int, str]) -> List[_Any]:
    """The items in an order that depends on the seed alone: random() has the same numbers in all releases of Python."""
    draw = random.Random(seed)
    return sorted(items, key=lambda _: draw.random())


def key_of(settings: Dict[str, str]) -> str:
    """ "algorithm=dc ranks=2" """
    return " ".join(f"{name}={as_written(value)}" for name, value in settings.items())


class _Cross:
    """The cross product of the axes where the conditions hold."""

    def __init__(self, reader: _Reader) -> None:
        self.fail, self.lines, self.names, self.choices = reader.fail, reader.lines, reader.names, 0
        self.all: Dict[str, List[Value]] = {name: [] for name in self.names}
        for line in self.lines:
            for value in line.values:
                reader.add(self.all[line.axis], value)
        self.skips = [(max((self.names.index(one.axis) for one in skip), default=0), skip)
                      for skip in reader.skips]
        self.found: List[Configuration] = []

    def _values(self, name: str, settings: Dict[str, Value]) -> List[Value]:
        """Those of all lines whose conditions hold, in the order of the axis; absent if none does."""
        lines = [line for line in self.lines if line.axis == name]
        held = [line.values for line in lines if line.when.holds(settings)]
        if len(held) == len(lines):
            return self.all[name] or [None]
        return [value for value in self.all[name]
                if any(same(value, one) for values in held for one in values)] or [None]

    def choose(self, axis: int, settings: Dict[str, Value]) -> None:
        """All choices of this axis and the following ones."""
        if axis == len(self.names):
            if len(self.found) == CONFIGURATIONS_MAX:
                self.fail(f"more than {CONFIGURATIONS_MAX} configurations; give fewer values, or split the plan")
            self.found.append(Configuration({name: value for name, value in settings.items() if value is not None}))
            return
        name = self.names[axis]
        for value in self._values(name, settings):
            self.choices += 1
            if self.choices > CHOICES_MAX:
                self.fail("the skip statements remove nearly all of too many configurations; give fewer values")
            chosen = {**settings, name: value}
            if not any(last == axis and skip.holds(chosen) for last, skip in self.skips):
                self.choose(axis + 1, chosen)


def _take(reader: _Reader, name: str) -> Optional[str]:
    """The text of a setting; messages then name its position."""
    statement = reader.settings.get(name)
    reader.option = statement.option if statement else None
    reader.line = statement.line if statement else 0
    return statement.text if statement else None


def _bad(reader: _Reader, name: str, text: str) -> NoReturn:
    reader.fail(text if reader.option is not None else f"{name}: {text}")


def _timeout(reader: _Reader) -> float:
    """In seconds."""
    text = _take(reader, "timeout")
    match = re.fullmatch(r"(\d+\.?\d*(?:[eE][+-]?\d+)?)(s|m|h|)", text or "300", re.ASCII)
    seconds = float(match[1]) * {"": 1, "s": 1, "m": 60, "h": 3600}[match[2]] if match else 0.0
    if not 1 <= seconds <= 7 * 24 * 3600:
        _bad(reader, "timeout", f"'{text}' is not legal; legal: a time from 1s to 168h, such as 300s or 5m")
    return seconds


def _control(reader: _Reader, configurations: List[Configuration]) -> int:
    """The index of the configuration. A complete key takes precedence over partial matches. What a file says of an axis
    that options replace need not hold."""
    text = _take(reader, "control")
    if text is None:
        return 0
    reader.text = text
    condition = reader.read_condition(len(reader.names), True)
    replaced = reader.replaced if reader.option is None else set()
    rest = Condition([one for one in condition if one.axis not in replaced])
    matching = [i for i, one in enumerate(configurations) if one.key == text]
    for which in (condition, rest):
        matching = matching or [i for i, one in enumerate(configurations) if which.holds(dict(one.settings))]
    if not matching:
        _bad(reader, "control", f"no configuration matches {text}; give values of an existing one, or leave it out")
    return matching[0]


def _repeat(reader: _Reader, count: int) -> int:
    text = _take(reader, "repeat")
    repeat = 5 if text is None else int(text) if re.fullmatch(r"[0-9]{1,18}", text) else 0
    if not 1 <= repeat <= REPEAT_MAX:
        _bad(reader, "repeat", f"'{text}' is not legal; legal: a whole number from 1 to {REPEAT_MAX}")
    if count * repeat > RUNS_MAX:
        _bad(reader, "repeat", f"{count} configurations, repeated {repeat} times, exceed {RUNS_MAX} runs; "
             "reduce repeat")
    return repeat


def _text_of(reader: _Reader, repeat: int, timeout: float, control: str) -> str:
    """Everything that affects the runs, as a sweep file that lists all values; this excludes the title."""
    text = "".join(f"{line.axis} = {', '.join(map(as_written, line.values))}{line.when.as_text()}\n"
                   for line in reader.lines)
    text += "".join(f"skip{skip.as_text()}\n" for skip in reader.skips)
    text += f"repeat = {repeat}\ntimeout = {timeout:.10g}s\n"
    return text + (f"control = {control}\n" if control else "")


def make(file: Optional[str], name: str, options: Sequence[str], constants: Dict[str, int]) -> Plan:
    """The plan of the text of a sweep file, if there is one, and of NAME=VALUES of options, which replace its lines.
    Raises Refused with `name` and line or option, what was found, what is legal."""
    reader = _Reader(file, name, constants)
    reader.read(options)
    if not reader.names:
        reader.fail("there is nothing to run; give at least one axis, as in kernel = sssp, bfs")
    cross = _Cross(reader)
    cross.choose(0, {})
    if not cross.found:
        reader.fail("every configuration is skipped; loosen a 'skip if'")
    timeout, control, repeat = _timeout(reader), _control(reader, cross.found), _repeat(reader, len(cross.found))
    axes = {name: [value for value in values if value is not None] for name, values in cross.all.items()}
    title = _take(reader, "title") or ""
    return Plan(title, repeat, timeout, {name: values for name, values in axes.items() if values}, cross.found, control,
                sorted(reader.used), _text_of(reader, repeat, timeout, cross.found[control].key))


def presets() -> Dict[str, str]:
    """The texts of the predefined sweeps, by name. The first line of each says what it is for."""
    return {file.stem: file.read_text("utf-8") for file in sorted(Path(__file__).with_name("presets").glob("*.sweep"))}


def with_constants(make_with: Callable[[Dict[str, int]], Plan], constants: Dict[str, int], known: Mapping[str, int],
                   measure_eager: Callable[[Mapping[str, str]], int]) -> Tuple[Plan, Dict[str, int]]:
    """A plan with these constants of a machine, or those that are known, and the constants. The eager limit is measured
    only where a value uses it, for the first configuration, so that a first plan is made with a typical limit."""
    constants = {name: known.get(name, value) for name, value in {**constants, "eager": 4096}.items()}
    plan = make_with(constants)
    if "eager" not in plan.constants_used:
        del constants["eager"]  # the header of results records known constants only
        return plan, constants
    if len({one.settings.get("mpi") for one in plan.configurations}) > 1:
        raise Refused("'eager' is the limit of one MPI, but the axis 'mpi' has several values; make one sweep for each")
    if "eager" not in known:
        constants["eager"] = measure_eager(plan.configurations[0].settings)
        plan = make_with(constants)
    return plan, constants


def covering(plan: Plan) -> Iterator[Dict[str, str]]:
    """The configurations in an order in which the values of each axis occur about equally often."""
    left = shuffled([one.settings for one in plan.configurations], 1)
    times: Dict[str, "Counter[str]"] = {axis: Counter() for axis in plan.axes}

    def staleness(settings: Dict[str, str]) -> float:
        """How often its values were drawn, relative to the draws in which their axis was present, so that an axis that
        rarely applies weighs as much as the others."""
        return sum(times[axis][value] * len(plan.axes[axis]) / sum(times[axis].values())
                   for axis, value in settings.items() if times[axis]) / max(len(settings), 1)

    while left:
        best = min(left[:_WINDOW], key=staleness)
        left.remove(best)
        for axis, value in best.items():
            times[axis][value] += 1
        yield best
