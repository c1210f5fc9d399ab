"""The forms of a table: for a terminal, CSV, LaTeX and Markdown."""

import csv
import io
import re
from typing import Dict, List, Optional, Sequence

from scree.study import facts, interval
from scree.study.cells import count_text, grid, number, range_text
from scree.study.record import WORKS, Record
from scree.study.table import Group, Table
from scree.study.texts import seconds
from scree.study.words import common_settings, name_of

# ---- the rows of a table ----


def caption(table: Table) -> List[str]:
    """Title, file and number of runs; common settings; where the runs were made."""
    results = table.results
    bad = sum(group.bad for group in table.groups)
    runs = f"{len(results.records)}" + (f" of {results.steps}" if results.steps else "")
    title = results.title + ", " if results.title else ""
    return [f"{title}{results.name}: {count_text(len(table.groups), 'configuration')}, {runs} runs"
            + (f", {bad} without a result" if bad else ""), f"common settings: {common_settings(table)}",
            f"where: {facts.caption(results.records)}"]


def metric_of(group: Group, path: str) -> Optional[float]:
    """The median of a number over the runs of a configuration; None: no run has it."""
    values = [facts.value(record, path) for record in group.records if record.status == "ok"]
    known = [value for value in values if value is not None]
    return interval.middle(known) if known else None


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
            lines += ["    " + line for line in facts.error_of(group.message, group.worst)]
    return lines


def terminal(table: Table, metrics: Sequence[str]) -> List[str]:
    """Caption, table and failures as lines."""
    return (caption(table) + grid([heading(table, metrics)] + [row(table, g, metrics) for g in table.groups])
            + failures(table))


# ---- for papers ----

_LATEX = {"\\": r"\textbackslash{}", "~": r"\textasciitilde{}", "^": r"\textasciicircum{}"}


def _latex(text: str) -> str:
    return re.sub(r"[\\~^]|[&%$#_{}]", lambda match: _LATEX.get(match.group(), "\\" + match.group()),
                  text).replace("..", "--")


def latex(table: Table, metrics: Sequence[str]) -> str:
    """A tabular, for booktabs."""
    names = heading(table, metrics)[1:]
    words = len(table.axes)
    lines = ["% " + line for line in caption(table)]
    lines += [r"\begin{tabular}{" + "l" * words + "r" * (len(names) - words - 1) + "l}", r"\toprule"]
    lines += [" & ".join(map(_latex, names)) + r" \\", r"\midrule"]
    for group in table.groups:
        cells = [_latex(cell) for cell in row(table, group, metrics)[1:]]
        if group is group.best:
            cells[words + 1] = r"\textbf{" + cells[words + 1] + "}"
        lines.append(" & ".join(cells) + r" \\")
    return "\n".join([*lines, r"\bottomrule", r"\end{tabular}", ""])


def _markdown(text: str) -> str:
    return re.sub(r"([\\`*_{}\[\]<>|])", r"\\\1", text)


def markdown(table: Table, metrics: Sequence[str]) -> str:
    """A table of Markdown."""
    names = heading(table, metrics)[1:]
    lines = ["| " + " | ".join(map(_markdown, names)) + " |", "|" + "---|" * len(names)]
    for group in table.groups:
        cells = [_markdown(cell) for cell in row(table, group, metrics)[1:]]
        if group is group.best:
            cells[len(table.axes) + 1] = f"**{cells[len(table.axes) + 1]}**"
        lines.append("| " + " | ".join(cells) + " |")
    return "\n".join([*lines, ""])


# ---- CSV ----


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
    return [*cells, *(_number_text(facts.value(record, path)) for path in metrics),
            _number_text(facts.value(record, "wall_seconds"))]


def comma_separated(tables: Sequence[Table], every: bool, metrics: Sequence[str]) -> str:
    """One line per record, including failures; controls and warm-ups only with `every`. An axis with values such as 64K
    has a second column, NAME_number, with 65536."""
    listed = [record for table in tables for record in table.results.records if every or record.role == "data"]
    axes: Dict[str, None] = {}
    for table in tables:
        for record in table.results.records:
            axes.update(dict.fromkeys(record.settings))
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
        cells += [_cell(facts.fact(record, name)) for name in ("host", "scree", "mpi_library", "thread_level")]
        writer.writerow([*cells, _cell(facts.set_options(record)), _cell(record.message)])
    return out.getvalue()
