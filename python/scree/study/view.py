"""What a figure shows: which axis is x, which gives the colours, which become panels, and which are averaged."""

import re
from dataclasses import dataclass, field, replace
from typing import List, Optional, Sequence, Tuple

from scree.study.cells import number
from scree.study.table import Axis, Group, Table
from scree.study.texts import Refused

PANELS = 12  # at most, unless more are asked for
SERIES = 16  # at most: eight colours, with full and with dashed lines
_COLOURS = 8


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
        """The options that ask for this view of a metric."""
        size = f"{self.size[0]:g}x{self.size[1]:g}" if self.size else ""
        named = [("x", self.x or ""), ("colour", self.colour or ""), ("panel", ",".join(self.panels))]
        named += [("metric", metric), *(("where", one) for one in self.where), ("size", size)]
        return [(name, value) for name, value in named if value]


def view_of(x: Optional[str], colour: Optional[str], panel: Optional[str], metrics: Sequence[str], size: Optional[str],
            where: Sequence[str] = ()) -> View:
    """The view that options ask for."""
    inches = None
    if size:
        match = re.fullmatch(r"(\d+(?:\.\d*)?)x(\d+(?:\.\d*)?)", size)
        inches = (float(match.group(1)), float(match.group(2))) if match else None
        if not inches or not all(1 <= side <= 50 for side in inches):
            raise Refused(f"option '--size': '{size}' is not legal; legal: WIDTHxHEIGHT in inches, from 1x1 to 50x50")
    return View(x, colour, tuple(panel.split(",")) if panel else (), tuple(metrics), inches, tuple(where))


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


def default_x(table: Table) -> Optional[Axis]:
    """The axis of numbers with most values, else the first of words."""
    choices = axes_of(table)
    numeric = [axis for axis in choices if sum(number(value) is not None for value in axis.values) > 1]
    return max(numeric, key=lambda axis: len(axis.values), default=choices[0] if choices else None)


def _named(table: Table, option: str, name: str) -> str:
    if not table.axis(name):
        known = ", ".join(axis.name for axis in table.axes) or "none"
        raise Refused(f"option '--{option}': '{name}' is not an axis that varies in '{table.results.name}'; these are: "
                      f"{known}")
    return name


def _parameters(groups: Sequence[Group], colour: Axis, others: Sequence[Axis]) -> List[str]:
    """The axes that all configurations with one value of an axis lack, as the bucket width of an algorithm."""
    found = []
    for other in others:
        having = [any(other.name in group.settings for group in groups if group.settings.get(colour.name) == value)
                  for value in colour.values if any(group.settings.get(colour.name) == value for group in groups)]
        if True in having and False in having:
            found.append(other.name)
    return found


def plan(table: Table, view: View) -> Plan:
    """Gives each axis that varies a role."""
    groups = [group for group in table.groups if group.usable]
    x = table.axis(_named(table, "x", view.x)) if view.x else default_x(table)
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
    for axis in left:
        fits = len(combinations(groups, [*panels, axis.name])) <= PANELS
        (panels if fits else averaged).append(axis.name)
    order = [axis.name for axis in table.axes]
    return Plan(x, colours, panels if view.panels else sorted(panels, key=order.index), averaged)


def _default_colour(free: Sequence[Axis]) -> Optional[Axis]:
    few = [axis for axis in free if len(axis.values) <= _COLOURS]
    if not few:
        return None
    return max(few, key=lambda axis: (axis.name == "algorithm", not axis.states_problem, len(axis.values)))


def views(table: Table, view: View) -> List[Tuple[View, str]]:
    """What is drawn: along each axis or that which was asked for, times and messages or the metrics asked for."""
    names = [view.x] if view.x else [axis.name for axis in axes_of(table)]
    metrics = view.metrics or ("seconds", "messages")
    return [(replace(view, x=name), metric) for name in names for metric in metrics]
