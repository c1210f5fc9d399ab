"""Two files, before and after: what they differ in besides their times, which configurations changed, and a judgement
against a reference."""

from dataclasses import dataclass
from math import log, log1p, sqrt
from typing import Dict, List, Optional, Sequence, Set, Tuple

from scree.study import interval
from scree.study.cells import count_text, grid, interval_text, ratio_text
from scree.study.facts import FACTS, options, values_of
from scree.study.interval import Interval
from scree.study.table import MIN_RUNS, Group, Table
from scree.study.texts import Refused
from scree.study.warn import of_runs
from scree.study.words import name_of


@dataclass
class Change:
    """The same configuration in two tables, and the ratio of its times after to those before."""

    before: Group
    after: Group
    ratio: Interval
    beyond_noise: bool


def _noise(a: Table, b: Table) -> float:
    """A difference of logarithms. Among many configurations some differ widely by chance: the largest of n normal
    errors is about sqrt(2 ln n) standard errors, and the sum of two half widths is at least about 2 standard errors."""
    count = sum(group.usable for group in a.groups)
    chance = (a.noise + b.noise) * max(1.0, sqrt(2 * log(count + 1)) / 2)
    return log1p(max(chance, max(a.spread, b.spread) / 2))


def changes(before: Table, after: Table) -> List[Change]:
    """All configurations that have a time in both, the largest change first."""
    twins = {group.key: group for group in after.groups if group.usable}
    noise, found = _noise(before, after), []
    for group in before.groups:
        twin = twins.get(group.key)
        if not twin or not group.usable:
            continue
        ratio = interval.ratio(twin.runs, group.runs)
        beyond = ratio.n >= MIN_RUNS and not ratio.low <= 1 <= ratio.high and abs(log(ratio.median)) > noise
        found.append(Change(group, twin, ratio, beyond))
    return sorted(found, key=lambda change: -abs(log(change.ratio.median)))


# ---- what differs ----


def _option_values(table: Table) -> Dict[str, Set[Tuple[str, str]]]:
    found: Dict[str, Set[Tuple[str, str]]] = {}
    for record in table.results.records:
        for name, option in options(record).items():
            found.setdefault(name, set()).add(option)
    return found


def _shown(values: Set[Tuple[str, str]]) -> str:
    return " or ".join(f"{value} ({source})" for value, source in sorted(values)) or "not recorded"


def differences(before: Table, after: Table) -> List[str]:
    """What two files differ in besides their times: build, MPI, machine, options and where these came from."""
    found = []
    for name in FACTS:
        a, b = (values_of(table.results.records, name) for table in (before, after))
        if set(a) != set(b) and a and b:
            found.append(f"{name}: {' or '.join(a)} before, {' or '.join(b)} after")
    old, new = _option_values(before), _option_values(after)
    for name in [*old, *(name for name in new if name not in old)]:
        a_values, b_values = old.get(name, set()), new.get(name, set())
        if old and new and a_values != b_values:
            found.append(f"option {name}: {_shown(a_values)} before, {_shown(b_values)} after")
    return found


# ---- text ----


def _side(after: Table, found: Sequence[Change], slower: bool) -> List[str]:
    rows = [["configuration", "before", "after", "after / before"]]
    for change in found:
        if (change.beyond_noise and (change.ratio.median > 1) == slower and change.before.seconds
            and change.after.seconds):
            texts = interval_text(change.before.seconds), interval_text(change.after.seconds), ratio_text(change.ratio)
            rows.append([name_of(after, change.after), *texts])
    return [f"{'slower' if slower else 'faster'}: {len(rows) - 1}"] + (grid(rows) if len(rows) > 1 else [])


def _controls(before: Table, after: Table, differ: bool) -> List[str]:
    if not before.control or not after.control:
        return ["One of them has no control runs, so that changes of the machine between the two are unknown."]
    ratio = interval.ratio(after.control, before.control)
    lines = [f"Control configuration: after / before is {ratio_text(ratio)}; its spread was {100 * before.spread:.0f} "
             f"% before and {100 * after.spread:.0f} % after."]
    if ratio.n > 1 and not ratio.low <= 1 <= ratio.high:
        if differ:
            lines.append("What differs between the files, above, or another state of the machine changed the control.")
        else:
            lines.append("No recorded fact differs between the files: the machine or what is not recorded changed the "
                         "control.")
    return lines


def _only(table: Table, other: Table, which: str) -> List[str]:
    """Configurations that the other lacks, or has without a time or with a wrong answer."""
    twins, lines = {group.key: group for group in other.groups}, []
    for group in table.groups:
        twin = twins.get(group.key)
        if twin and (twin.usable or not group.usable):
            continue
        lines.append("  " + name_of(table, group) + (f" (the other has: {twin.worst})" if twin else ""))
    return [f"only in {which}:", *lines] if lines else []


def comparison(before: Table, after: Table) -> List[str]:
    """The lines of a comparison."""
    lines = [f"before: {before.results.name}", f"after:  {after.results.name}"]
    differ = differences(before, after)
    lines += ["what differs: " + ("" if differ else "nothing that is recorded"), *("  " + text for text in differ)]
    lines[2] = lines[2].rstrip()
    lines += _controls(before, after, bool(differ))
    found = changes(before, after)
    if not found:
        lines.append("No configuration has a time in both.")
    else:
        few = sum(change.ratio.n < MIN_RUNS for change in found)
        beyond = sum(change.beyond_noise for change in found)
        lines += _side(after, found, False) + _side(after, found, True)
        lines.append(f"no difference beyond the noise: {len(found) - beyond - few}")
        if few:
            lines.append(f"too few runs (fewer than three) to compare: {few}")
    lines += _only(before, after, "before") + _only(after, before, "after")
    return lines + of_runs(before, "before, ") + of_runs(after, "after, ")


# ---- against a reference ----


def tolerance_of(text: str) -> float:
    """5% or 0.05."""
    try:
        value = float(text[:-1]) / 100 if text.endswith("%") else float(text)
    except ValueError:
        value = -1.0
    if not 0 <= value < 100:
        raise Refused(f"option '--tolerance': '{text}' is not legal; legal: a share such as 5% or 0.05")
    return value


def judgement(reference: Table, table: Table, tolerance: float) -> Tuple[bool, List[str]]:
    """False if a configuration is slower than in the reference by more than the tolerance, with its whole interval, or
    has no correct result any more; and the list."""
    found, worse = changes(reference, table), []
    twins: Dict[str, Optional[Group]] = {group.key: group for group in table.groups}
    for change in found:
        if change.ratio.n >= MIN_RUNS and change.ratio.low > 1 + tolerance:
            worse.append(f"slower: {name_of(table, change.after)}: {ratio_text(change.ratio)} times as long")
    for group in reference.groups:
        twin = twins.get(group.key)
        if group.usable and twin and not twin.usable:
            worse.append(f"without a correct result: {name_of(table, twin)}: {twin.worst}")
    if not found and not worse:
        raise Refused(f"option '--reference': '{reference.results.name}' and '{table.results.name}' have no "
                      "configuration in common")
    few = sum(change.ratio.n < MIN_RUNS for change in found)
    missing = sum(group.usable and group.key not in twins for group in reference.groups)
    lines = [f"{table.results.name} against {reference.results.name}, tolerance {100 * tolerance:.3g} %: "
             f"{count_text(len(worse), 'configuration')} worse of {len(found)} compared"]
    lines += ["  " + text for text in differences(reference, table)]
    lines += worse
    if few:
        lines.append(f"too few runs (fewer than three) to judge: {few}")
    if missing:
        lines.append(f"only in the reference: {missing}")
    return not worse, lines
