"""Figures by matplotlib: a number of the records along an axis.

One axis is x, one gives the colours (with its parameters, such as the bucket width of an algorithm), and the axes that
are left become panels. Where these were too many, axes are averaged and named so: no two series look alike.
"""

import io
import itertools
import logging
import os
import re
from dataclasses import dataclass, field, replace
from math import log
from statistics import fmean, geometric_mean
from textwrap import fill, shorten, wrap
from typing import Any, Callable, Dict, List, Optional, Sequence, Tuple
from urllib.parse import quote

from scree.study import stats
from scree.study.stats import Axis, Group, Table
from scree.study.texts import Interval, Refused, count_text, printable, seconds, unit_of
from scree.study.values import number
from scree.study.words import common_settings, name_of

PANELS = 12  # at most, unless more are asked for
SERIES = 16  # at most: eight colours, with full and with dashed lines
_FEW = 8


@dataclass(frozen=True)
class View:
    """What is drawn; None and (): chosen by the number of values."""

    x: Optional[str] = None
    colour: Optional[str] = None
    panels: Tuple[str, ...] = ()
    metrics: Tuple[str, ...] = ()
    size: Optional[Tuple[float, float]] = None  # inches
    where: Tuple[str, ...] = ()  # the runs that were selected

    def options(self, metric: str) -> List[Tuple[str, str]]:
        size = f"{self.size[0]:g}x{self.size[1]:g}" if self.size else ""
        named = [("x", self.x or ""), ("colour", self.colour or ""), ("panel", ",".join(self.panels))]
        named += [("metric", metric), *(("where", one) for one in self.where), ("size", size)]
        return [(name, value) for name, value in named if value]


def size_of(text: str) -> Tuple[float, float]:
    """Inches of WIDTHxHEIGHT."""
    match = re.fullmatch(r"(\d+(?:\.\d*)?)x(\d+(?:\.\d*)?)", text)
    if not match or not all(1 <= float(side) <= 50 for side in match.groups()):
        raise Refused(f"option '--size': '{text}' is not legal; legal: WIDTHxHEIGHT in inches, from 1x1 to 50x50")
    return float(match[1]), float(match[2])


@dataclass
class Plan:
    """The roles of the axes in a figure."""

    x: Axis
    colours: List[str]  # the axis, and its parameters
    panels: List[str]
    averaged: List[str] = field(default_factory=list)


def combinations(groups: Sequence[Group], names: Sequence[str]) -> List[Tuple[Optional[str], ...]]:
    return list(dict.fromkeys(tuple(group.settings.get(name) for name in names) for group in groups))


def axes_of(table: Table) -> List[Axis]:
    """The axes along which something can be drawn: configurations with a time have two values of them."""
    usable = [group for group in table.groups if group.usable]
    return [axis for axis in table.axes if len({group.settings.get(axis.name) for group in usable} - {None}) > 1]


def _named(table: Table, option: str, name: str) -> str:
    if not table.axis(name):
        known = ", ".join(axis.name for axis in table.axes) or "none"
        raise Refused(f"option '--{option}': '{name}' is not an axis that varies in '{table.results.name}'; these are: "
                      f"{known}")
    return name


def _parameters(groups: Sequence[Group], colour: Axis, others: Sequence[Axis]) -> List[str]:
    """The axes that all configurations with one value of an axis lack, as the bucket width of an algorithm."""
    sets = stats.parted((group for group in groups if colour.name in group.settings), [colour.name])
    having = {other.name: {any(other.name in group.settings for group in members) for members in sets}
              for other in others}
    return [name for name, known in having.items() if len(known) == 2]


def plan(table: Table, view: View) -> Plan:
    """Gives each axis that varies a role: x is the axis of numbers with most values, else the first of words."""
    groups, choices = [group for group in table.groups if group.usable], axes_of(table)
    numeric = [axis for axis in choices if sum(number(value) is not None for value in axis.values) > 1]
    longest = max(numeric or choices[:1], key=lambda axis: len(axis.values)) if choices else None
    x = table.axis(_named(table, "x", view.x)) if view.x else longest
    if x is None:
        raise Refused(f"'{table.results.name}' has no axis with several values to draw")
    drawn = [axis for axis in table.axes if axis is not x and len(combinations(groups, [axis.name])) > 1]
    panels = [_named(table, "panel", name) for name in view.panels]
    free = [axis for axis in drawn if axis.name not in panels]
    colour = table.axis(_named(table, "colour", view.colour)) if view.colour else _default_colour(free)
    colours = [colour.name] if colour else []
    if colour:
        others = [axis for axis in free if axis is not colour]
        joined = colours + _parameters(groups, colour, others)
        colours = joined if len(combinations(groups, joined)) <= SERIES else colours
    left = sorted((axis for axis in free if axis.name not in colours),
                  key=lambda axis: (not axis.states_problem, len(axis.values)))
    averaged: List[str] = []
    for name in (axis.name for axis in left):
        (panels if len(combinations(groups, [*panels, name])) <= PANELS else averaged).append(name)
    in_order = [axis.name for axis in table.axes if axis.name in panels]
    return Plan(x, colours, panels if view.panels else in_order, averaged)


def _default_colour(free: Sequence[Axis]) -> Optional[Axis]:
    def rank(axis: Axis) -> Tuple[bool, bool, int]:
        return axis.name == "algorithm", not axis.states_problem, len(axis.values)

    few = sorted((axis for axis in free if len(axis.values) <= _FEW), key=rank, reverse=True)
    return few[0] if few else None


FIGURES = 16  # of a page, at most: each takes a quarter of a second and about 40 KiB
METRICS = ("seconds", "teps", "messages", "blocks", "bytes")


def views(table: Table, view: View) -> List[Tuple[View, str]]:
    """The figures of a page: along each axis the metrics, then the times with other axes as colours."""
    made = plan(table, view)
    first = replace(view, x=made.x.name, colour=made.colours[0] if made.colours else None)
    found = [(first, metric) for metric in view.metrics or METRICS]
    names = [axis.name for axis in axes_of(table)]
    main = found[0][1]
    for x in [made.x.name, *(name for name in names if name != made.x.name)]:
        for colour in names:
            if colour != x and not set(view.panels) & {x, colour}:
                found.append((replace(view, x=x, colour=colour), main))
        if len(names) == 1:
            found.append((replace(view, x=x, colour=None), main))
    return list(dict.fromkeys(found))


def address(view: View, metric: str, which: int) -> str:
    options = view.options(metric) + ([("file", str(which))] if which > 1 else [])
    return quote("&".join(f"{name}={value}" for name, value in options), safe="=&,/.:*")


# The colours of Okabe and Ito, which colour-blind readers tell apart. Grey replaces yellow, which is faint on white paper.
_COLOURS = ("#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9", "#000000", "#7f7f7f")
_MARKS = "osD^vP*X"
_LOOK = {"svg.fonttype": "none", "svg.hashsalt": "scree", "font.size": 9, "axes.titlesize": 9, "figure.titlesize": 9,
         "figure.labelsize": 9, "legend.fontsize": 8, "legend.frameon": False, "axes.spines.top": False,
         "axes.spines.right": False, "axes.grid": True, "axes.grid.axis": "y", "grid.linewidth": 0.4,
         "errorbar.capsize": 2, "lines.linewidth": 1.3, "lines.markersize": 5}
_WIDE = 20.0  # ratio of the extremes above which a scale is logarithmic
_WORD = 0.1  # the distance of words on an axis of numbers
_MODES = 3  # configurations with two modes that are named
_POINTS = 3000  # runs of a figure, at most, that are drawn one by one
_DODGE = 0.3  # series at a number stand within so much of the distance to the next one
_LINE = 0.14  # inches that a label takes when it is turned


def _interval_of(groups: Sequence[Group], metric: str) -> Optional[Interval]:
    """The median of a configuration with its interval; of several that of the geometric means of their rounds."""
    found = [stats.median(numbers) for numbers in (group.numbers(metric) for group in groups) if numbers]
    if len(found) < 2:
        return found[0] if found else None
    rounds = list(zip(*(numbers for numbers in (group.numbers(metric) for group in groups) if numbers)))
    return stats.median([geometric_mean(one) if min(one) > 0 else fmean(one) for one in rounds])


def _text(text: str) -> str:
    """matplotlib shows text between two dollars as mathematics."""
    return printable(text).replace("$", r"\$")


def _label(names: Sequence[str], values: Sequence[Optional[str]], short: bool) -> str:
    shown = [(name, value) for name, value in zip(names, values) if value is not None]
    texts = [value if short and name == names[0] else f"{name}={value}" for name, value in shown]
    return _text(" ".join(texts)) or "-"


def _places(values: Sequence[Optional[str]], nearest: float = 0.0) -> List[float]:
    """Where the values of an axis stand: numbers from 0 to 1 by their size, of a wide range by its logarithm, words to
    the left of them. With fewer than two numbers all are words, at 0, 1, ... Numbers that would be nearer to each other
    than `nearest`, so that their labels overlap, are spaced evenly."""
    numbers = [number(value) for value in values]
    known = sorted(one for one in numbers if one is not None)
    if len(known) < 2:
        return [float(i) for i in range(len(values))]
    scale: Callable[[float], float] = float
    if known[0] > 0 and known[-1] / known[0] >= _WIDE:
        scale = log
    low, high = scale(known[0]), scale(known[-1])
    words = [i for i, one in enumerate(numbers) if one is None]
    distinct = sorted(set(known))
    if any(scale(b) - scale(a) < nearest * (high - low) for a, b in zip(distinct, distinct[1:])):
        scale, low, high = distinct.index, 0.0, float(len(distinct) - 1)
    return [-_WORD * (len(words) - words.index(i)) if one is None else (scale(one) - low) / (high - low)
            for i, one in enumerate(numbers)]


class _Scales:
    """Places on the axes, and the unit of the metric."""

    def __init__(self, x: Axis, groups: Sequence[Group], metric: str, inches: float) -> None:
        self.values: List[Optional[str]] = [v for v in x.values if any(g.settings.get(x.name) == v for g in groups)]
        if any(x.name not in group.settings for group in groups):
            self.values.append(None)
        self.numeric = sum(number(value) is not None for value in self.values) > 1
        self.places = dict(zip(self.values, _places(self.values, _LINE / inches)))
        self.even = self.numeric and list(self.places.values()) != _places(self.values)
        apart = sorted(self.places.values())
        self.gap = min((b - a for a, b in zip(apart, apart[1:]) if b > a), default=1.0)
        known = [one.median for one in (_interval_of([g], metric) for g in groups) if one]
        self.log_y = bool(known) and min(known) > 0 and max(known) / min(known) >= _WIDE
        self.factor, self.unit = 1.0, ""
        count = sum(len(group.numbers(metric)) for group in groups)
        self.runs = count if count <= _POINTS else 0  # of a configuration, up to which each run is drawn
        if metric.endswith("seconds") and "/" not in metric and known:
            self.factor, self.unit = unit_of(stats.middle(known))

    def place(self, value: Optional[str], shift: float) -> float:
        """Of a series at a value; series stand side by side at words."""
        return self.places[value] + shift * (2 * _DODGE * self.gap if self.numeric else 1)

    def ticks(self) -> List[Tuple[float, str]]:
        """The places and their labels: every value has one."""
        return sorted((place, "-" if value is None else _text(value)) for value, place in self.places.items())

    def turned(self, inches: float) -> bool:
        """Have the labels space only if they are turned?"""
        places = self.ticks()
        width = max(places[-1][0] - places[0][0], 1e-9)
        return any((b[0] - a[0]) / width * inches < 0.045 * (len(a[1]) + len(b[1])) + 0.05
                   for a, b in zip(places, places[1:]))


def _style(i: int) -> Dict[str, Any]:
    """Of series i; no two look alike, in grey neither."""
    colour = _COLOURS[i % len(_COLOURS)]
    return {"color": colour, "linestyle": "-" if i < len(_COLOURS) else "--", "marker": _MARKS[i % len(_MARKS)],
            "markerfacecolor": colour if i < len(_COLOURS) else "white"}


def _draw_series(axes: Any, groups: Sequence[Group], made: Plan, scales: _Scales, metric: str, which: int,
                 shift: float) -> None:
    found = [(value, _interval_of([group for group in groups if group.settings.get(made.x.name) == value], metric))
             for value in scales.values]
    points = [(value, scales.place(value, shift), *(scales.factor * one for one in interval[:3]))
              for value, interval in found if interval]
    style, joined = _style(which), [one for one in points if number(one[0]) is not None]
    if len(joined) > 1:
        axes.plot([one[1] for one in joined], [one[3] for one in joined], **{**style, "marker": ""})
    _, places, lows, medians, highs = zip(*points)
    errors = [[b - a for a, b in zip(lows, medians)], [b - a for a, b in zip(medians, highs)]]
    axes.errorbar(places, medians, yerr=errors, elinewidth=1, **{**style, "linestyle": "none"})
    raw: List[Tuple[float, float]] = []  # beside the medians, in the order of the runs
    step = 0.1 * _DODGE * scales.gap if scales.numeric else 0.04
    for value in scales.values:
        of = [group for group in groups if group.settings.get(made.x.name) == value]
        numbers = of[0].numbers(metric) if len(of) == 1 else []
        if 1 < len(numbers) <= scales.runs:
            raw += [(scales.place(value, shift) + step * (1 + i / len(numbers)), scales.factor * one)
                    for i, one in enumerate(numbers)]
    if raw:
        axes.scatter(*zip(*raw), s=6, color=style["color"], alpha=0.5, linewidths=0, zorder=1)


def _dress(axes: Any, made: Plan, scales: _Scales, panel: Sequence[Optional[str]]) -> None:
    if scales.log_y:
        axes.set_yscale("log")
    else:
        axes.set_ylim(bottom=0)
    axes.yaxis.set_major_formatter("{x:g}")
    places = sorted(scales.places.values())
    axes.set_xticks(*zip(*scales.ticks()))
    inches = axes.figure.get_figwidth() / max(axes.get_subplotspec().get_gridspec().ncols, 1) * 0.8
    axes.tick_params("x", rotation=90 if scales.turned(inches) else 0)
    margin = 0.05 * (places[-1] - places[0]) if scales.numeric else 0.5
    axes.set_xlim(places[0] - margin, places[-1] + margin)
    if made.panels:
        inches = axes.get_position().width * axes.figure.get_figwidth()
        axes.set_title(fill(_label(made.panels, panel, short=False), int(13 * inches), break_on_hyphens=False))


def _series_of(groups: Sequence[Group], table: Table, made: Plan) -> List[Tuple[Optional[str], ...]]:
    series = combinations(groups, made.colours)
    if len(series) > SERIES:
        raise Refused(f"option '--colour': {made.colours[0]} has {len(series)} values, more than the {SERIES} that "
                      "look different; name another axis, or select by --where")
    order = [axis.values for name in made.colours for axis in table.axes if axis.name == name]
    return sorted(series,
                  key=lambda one: [known.index(value) if value else len(known) for known, value in zip(order, one)])


def _panels_of(groups: Sequence[Group], made: Plan) -> "Tuple[List[Tuple[Optional[str], ...]], int]":
    """The panels, and how many stand side by side: the values of the last axis, if these are few."""
    panels = combinations(groups, made.panels)
    if len(panels) > 4 * PANELS:
        raise Refused(f"option '--panel': {len(panels)} panels are too many to read; select by --where")
    last = len({panel[-1] for panel in panels}) if made.panels else 1
    return panels, last if 2 <= last <= 4 and len(panels) % last == 0 else min(len(panels), 3)


def figure(table: Table, view: View, metric: str) -> Any:
    """A figure of one metric; Refused if no run has it."""
    import matplotlib
    from matplotlib.figure import Figure

    matplotlib.rcParams.update(_LOOK)
    logging.getLogger("matplotlib").setLevel(logging.ERROR)
    made = plan(table, view)
    groups = [group for group in table.groups if group.usable and _interval_of([group], metric)]
    if not groups:
        raise Refused(f"option '--metric': no run of '{table.results.name}' has a number '{metric}'; docs/sweeps.md "
                      "lists the fields")
    series = _series_of(groups, table, made)
    panels, across = _panels_of(groups, made)
    down = -(-len(panels) // across)
    values = len({group.settings.get(made.x.name) for group in groups})
    wide = max(3.2 * max(across, 1.4), 1.25 * _LINE * values * across)
    drawing = Figure(figsize=view.size or (2.4 + wide, 1.4 + 2.6 * down), layout="constrained")
    grid = list(drawing.subplots(down, across, sharey=True, squeeze=False).flat)
    scales = _Scales(made.x, groups, metric, 0.8 * (view.size[0] if view.size else wide) / across)
    for axes, panel in zip(grid, panels):
        for i, one in enumerate(series):
            members = [group for group in groups if tuple(group.settings.get(name) for name in made.panels) == panel
                       and tuple(group.settings.get(name) for name in made.colours) == one]
            if members:
                _draw_series(axes, members, made, scales, metric, i, 0.5 * (i - (len(series) - 1) / 2) / len(series))
    for axes, panel in zip(grid, panels):  # the scale of times, which all share, follows what is drawn up to here
        _dress(axes, made, scales, panel)
    for axes in grid[len(panels):]:
        axes.set_visible(False)
    _write_texts(drawing, table, made, metric, scales.unit, scales.even)
    if made.colours and len(series) > 1:
        labels = [_label(made.colours, one, short=i > 0) for i, one in enumerate(series)]
        grid[across - 1].legend([matplotlib.lines.Line2D([], [], **_style(i)) for i in range(len(series))], labels,
                                loc="upper left", bbox_to_anchor=(1, 1))
    drawing.draw_without_rendering()  # which places the panels, once; then it is known how many labels have space
    drawing.set_layout_engine("none")
    return drawing


def notes(groups: Sequence[Group], metric: str, named: Callable[[Group], str]) -> List[str]:
    """What medians hide: configurations whose runs have two modes, and the number of outliers."""
    found = [(group, group.numbers(metric)) for group in groups if group.usable]
    far, count = sum(stats.outliers(one) for _, one in found), sum(len(one) for _, one in found)
    double = [(group, stats.modes(numbers)) for group, numbers in found]
    shown = [f"two modes: {named(group)}, {_amount(two[0], metric)} and {_amount(two[1], metric)}"
             for group, two in double if two]
    more = [f"and {len(shown) - _MODES} more with two modes"] if len(shown) > _MODES else []
    return shown[:_MODES] + more + ([f"{far} of {count_text(count, 'run')} far from the median of its configuration"]
                                    if far else [])


def _amount(value: float, metric: str) -> str:
    return seconds(value) if metric.endswith("seconds") and "/" not in metric else f"{value:.3g}"


def _write_texts(drawing: Any, table: Table, made: Plan, metric: str, unit: str, even: bool) -> None:
    title = " ".join(filter(None, (table.results.title, common_settings(table))))
    lost = sum(not group.usable for group in table.groups)
    below = made.x.name + (" (bytes)" if "bytes" in made.x.name else "")
    below += ", evenly spaced" if even else ""
    below += f"; not drawn: {count_text(lost, 'configuration')} without a correct result" if lost else ""
    over = f", geometric mean over {', '.join(made.averaged)}, interval" if made.averaged else ", interval"
    text = "; ".join(notes(table.groups, metric, lambda group: name_of(table, group)))
    lines = [below, *wrap(text, int(drawing.get_figwidth() * 13))]
    drawing.suptitle(_text(shorten(title, int(drawing.get_figwidth() * 14), placeholder="...")))
    drawing.supxlabel("\n".join(map(_text, lines)))
    drawing.supylabel(_text(f"median {'time' if metric == 'seconds' else metric}{', ' + unit if unit else ''}{over}"))


def svg(drawing: Any) -> str:
    out = io.StringIO()
    drawing.savefig(out, format="svg", metadata={"Date": None, "Creator": None})
    return out.getvalue()


def _check_directory(name: str) -> None:
    """Makes the directory if it is missing. Whoever else may write to it could have links there."""
    try:
        os.makedirs(name, 0o755, exist_ok=True)
    except OSError as error:
        raise Refused(f"option '--plots': directory '{name}' cannot be created: {error.strerror}") from None
    owner, mode = os.stat(name).st_uid, os.stat(name).st_mode & 0o777
    if owner != os.geteuid():
        raise Refused(f"option '--plots': directory '{name}' belongs to another user ({owner}); name one of your own, "
                      "or a new one")
    if mode & 0o022:
        raise Refused(f"option '--plots': others may write to directory '{name}' (mode {mode:03o}); name a new one, or "
                      "run chmod go-w on it")


def write(directory: str, table: Table, view: View) -> None:
    """Writes figures as SVG, PNG and PDF: along each axis or that which was asked for, times and messages or the
    metrics asked for."""
    _check_directory(directory)
    axes = [view.x] if view.x else [axis.name for axis in axes_of(table)]
    for x, metric in itertools.product(axes, view.metrics or ("seconds", "messages")):
        drawing = figure(table, replace(view, x=x), metric)
        name = re.sub(r"[^A-Za-z0-9_.-]", "_", x + ("" if metric == "seconds" else "-" + metric)).lstrip(".-") or "_"
        for kind, metadata in (("svg", {"Date": None}), ("png", {}), ("pdf", {"CreationDate": None})):
            path = os.path.join(directory, f"{name}.{kind}")
            try:
                drawing.savefig(path, format=kind, dpi=150, metadata=metadata)
            except OSError as error:
                raise Refused(f"option '--plots': '{path}' cannot be written: {error.strerror}") from None
