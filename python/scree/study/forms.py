"""The forms of a table: for a terminal, CSV, LaTeX and Markdown; the comparison of two, and a judgement."""

import csv
import io
import re
from dataclasses import dataclass
from math import log, log1p, sqrt
from typing import Callable, Dict, List, Optional, Sequence, Set, Tuple

from scree.study import stats
from scree.study.record import (FACTS, MIXED, WORKS, Record, error_of, fact, number_in, options_of, set_options,
                                values_of, where_made)
from scree.study.stats import MIN_RUNS, Group, Interval, Table
from scree.study.texts import Refused, count_text, grid, seconds
from scree.study.values import number
from scree.study.words import common_settings, interval_text, name_of, of_runs, range_text, ratio_text


def caption(table: Table) -> List[str]:
    """Title, file and number of runs; common settings; where the runs were made."""
    results = table.results
    bad = sum(group.bad for group in table.groups)
    mixed = any(MIXED in record.settings for record in results.records)  # then each step has several
    runs = f"{len(results.records)}" + (f" of {results.steps}" if results.steps and not mixed else "")
    title = results.title + ", " if results.title else ""
    return [f"{title}{results.name}: {count_text(len(table.groups), 'configuration')}, {runs} runs"
            + (f", {bad} without a result" if bad else ""), f"common settings: {common_settings(table)}",
            f"where: {where_made(results.records)}"]


def metric_of(group: Group, path: str) -> Optional[float]:
    """The median of a number over the runs of a configuration; None: no run has it."""
    values = [number_in(record, path) for record in group.records if record.status == "ok"]
    known = [value for value in values if value is not None]
    return stats.middle(known) if known else None


def figure(value: Optional[float]) -> str:
    """A number with four significant digits, whole numbers in full; `-`: there is none."""
    if value is None:
        return "-"
    return f"{value:.0f}" if value == int(value) and abs(value) < 1e15 else f"{value:.4g}"


def answer_of(group: Group) -> str:
    """valid, unchecked, or why there is no result."""
    if group.worst == "invalid":
        return "INVALID"
    return group.worst if not group.ok else "valid" if group.validated else "unchecked"


def heading(table: Table, metrics: Sequence[str]) -> List[str]:
    """The names of the columns of `row`."""
    names = ["n", "time", "95 %", "MTEPS", "cost", "relaxations", "useful", "epochs", *metrics, "answer"]
    return [" ", *(axis.name for axis in table.axes), *names]


def row(table: Table, group: Group, metrics: Sequence[str]) -> List[str]:
    """The cells of a configuration."""
    cells = ["*" if group is group.best else " ", *(group.settings.get(axis.name, "-") for axis in table.axes)]
    cells.append(f"{group.ok}/{group.ok + group.bad}" if group.bad else str(group.ok))
    if not group.seconds:
        return [*cells, *["-"] * (7 + len(metrics)), answer_of(group)]
    relaxations, useful = group.work["messages"] + group.work["direct"], group.work["useful"]
    cells += [seconds(group.median), range_text(group.seconds), f"{1e-6 * group.teps:.2f}",
              f"{group.median / group.best.median:.2f}" if group.best else "-", f"{relaxations:.0f}",
              f"{100 * useful / relaxations:.0f} %" if useful > 0 and relaxations > 0 else "-",
              f"{group.work['epochs']:.0f}"]
    return [*cells, *(figure(metric_of(group, path)) for path in metrics), answer_of(group)]


def failures(table: Table) -> List[str]:
    """The configurations with runs without a result, and the errors."""
    lines = []
    for group in table.groups:
        if group.bad:
            lines.append(f"{name_of(table, group)}: {group.worst}, {group.bad} of {len(group.records)} runs without a "
                         "result")
            lines += ["    " + line for line in error_of(group.message, group.worst)]
    return lines


def terminal(table: Table, metrics: Sequence[str]) -> List[str]:
    """Caption, table and failures as lines."""
    return (caption(table) + grid([heading(table, metrics)] + [row(table, g, metrics) for g in table.groups])
            + failures(table))


_LATEX = {"\\": r"\textbackslash{}", "~": r"\textasciitilde{}", "^": r"\textasciicircum{}"}


def _escaped(table: Table, metrics: Sequence[str], escape: Callable[[str], str], bold: str) -> List[List[str]]:
    """Heading and rows without the mark of the best, whose time is bold instead."""
    rows = [[escape(name) for name in heading(table, metrics)[1:]]]
    for group in table.groups:
        rows.append([escape(cell) for cell in row(table, group, metrics)[1:]])
        if group is group.best:
            rows[-1][len(table.axes) + 1] = bold % rows[-1][len(table.axes) + 1]
    return rows


def latex(table: Table, metrics: Sequence[str]) -> str:
    """A tabular, for booktabs."""
    def escape(text: str) -> str:
        return re.sub(r"[\\~^&%$#_{}]", lambda found: _LATEX.get(found[0], "\\" + found[0]), text).replace("..", "--")

    rows = [" & ".join(cells) + r" \\" for cells in _escaped(table, metrics, escape, r"\textbf{%s}")]
    words = len(table.axes)
    columns = "l" * words + "r" * (len(heading(table, metrics)) - words - 2) + "l"
    return "\n".join([*("% " + line for line in caption(table)), r"\begin{tabular}{" + columns + "}", r"\toprule",
                      rows[0], r"\midrule", *rows[1:], r"\bottomrule", r"\end{tabular}", ""])


def markdown(table: Table, metrics: Sequence[str]) -> str:
    """A table of Markdown."""
    rows = _escaped(table, metrics, lambda text: re.sub(r"([\\`*_{}\[\]<>|])", r"\\\1", text), "**%s**")
    lines = ["| " + " | ".join(cells) + " |" for cells in rows]
    return "\n".join([lines[0], "|" + "---|" * len(rows[0]), *lines[1:], ""])


def _is_number(text: str) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return True


def _cell(text: str) -> str:
    """Spreadsheets compute a cell that begins as a formula does: such a text gets an apostrophe in front."""
    return "'" + text if text[:1] in tuple("=+-@\t") and not _is_number(text) else text


def _number_text(x: Optional[float]) -> str:
    return "" if x is None else f"{x:.12g}"


def _figures(record: Record, metrics: Sequence[str]) -> List[str]:
    ok = record.status == "ok"
    numbers = [record.seconds, record.teps, *(record.work.get(name, 0.0) for name in WORKS)]
    cells = [_number_text(x if ok else None) for x in numbers]
    return [*cells, *(_number_text(number_in(record, path)) for path in metrics),
            _number_text(number_in(record, "wall_seconds"))]


def comma_separated(tables: Sequence[Table], every: bool, metrics: Sequence[str]) -> str:
    """One line per record, including failures; controls and warm-ups only with `every`. An axis with values such as 64K
    has a second column, NAME_number, with 65536."""
    listed = [record for table in tables for record in table.results.records if every or record.role == "data"]
    axes = dict.fromkeys(name for table in tables for record in table.results.records for name in record.settings)
    units = {name for record in listed
             for name, value in record.settings.items() if number(value) is not None and not _is_number(value)}
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    names = [column for name in axes for column in ([name, name + "_number"] if name in units else [name])]
    heads = ["step", *map(_cell, names), "repetition", "role", "status", "seconds", "teps", *WORKS, *metrics]
    heads += ["wall_seconds", "started", "host", "scree_version", "mpi_library", "thread_level", "options", "message"]
    writer.writerow((["file"] if len(tables) > 1 else []) + heads)
    for record in listed:
        cells = [_cell(record.file)] if len(tables) > 1 else []
        cells.append(str(record.step))
        for name in axes:
            value = record.settings.get(name, "")
            cells += [_cell(value), _number_text(number(value))] if name in units else [_cell(value)]
        cells += [str(record.repetition), record.role, record.status, *_figures(record, metrics), _cell(record.started)]
        cells += [_cell(fact(record, name)) for name in ("host", "scree", "mpi_library", "thread_level")]
        writer.writerow([*cells, _cell(set_options(record)), _cell(record.message)])
    return out.getvalue()


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
        ratio = stats.ratio(twin.runs, group.runs)
        beyond = ratio.n >= MIN_RUNS and not ratio.low <= 1 <= ratio.high and abs(log(ratio.median)) > noise
        found.append(Change(group, twin, ratio, beyond))
    return sorted(found, key=lambda change: -abs(log(change.ratio.median)))


def _option_values(table: Table) -> Dict[str, Set[Tuple[str, str]]]:
    found: Dict[str, Set[Tuple[str, str]]] = {}
    for record in table.results.records:
        for name, option in options_of(record).items():
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


def _side(after: Table, found: Sequence[Change], slower: bool) -> List[str]:
    rows = [["configuration", "before", "after", "after / before"]]
    for change in found:
        old, new = change.before.seconds, change.after.seconds
        if change.beyond_noise and (change.ratio.median > 1) == slower and old and new:
            rows.append([name_of(after, change.after), interval_text(old), interval_text(new),
                         ratio_text(change.ratio)])
    return [f"{'slower' if slower else 'faster'}: {len(rows) - 1}"] + (grid(rows) if len(rows) > 1 else [])


def _controls(before: Table, after: Table, differ: bool) -> List[str]:
    if not before.control or not after.control:
        return ["One of them has no control runs, so that changes of the machine between the two are unknown."]
    ratio = stats.ratio(after.control, before.control)
    lines = [f"Control configuration: after / before is {ratio_text(ratio)}; its spread was {100 * before.spread:.0f} "
             f"% before and {100 * after.spread:.0f} % after."]
    if ratio.n > 1 and not ratio.low <= 1 <= ratio.high:
        lines.append("What differs between the files, above, or another state of the machine changed the control."
                     if differ else "No recorded fact differs between the files: the machine or what is not recorded "
                     "changed the control.")
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
    differ = differences(before, after)
    lines = [f"before: {before.results.name}", f"after:  {after.results.name}",
             "what differs:" + ("" if differ else " nothing that is recorded"), *("  " + text for text in differ)]
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
