"""scree report: reads files of results, and prints or writes what they show.

The page is one file of HTML with figures as SVG, which loads nothing. Each figure has an address of its own,
`#x=AXIS&colour=AXIS&metric=NAME`, so that a link shows it.
"""

import argparse
import base64
import csv
import io
import json
import re
import shlex
from dataclasses import replace
from html import escape
from pathlib import Path
from string import Template
from typing import Callable, List, Mapping, Optional, Sequence, Tuple

from scree.study import plots, record, stats, words
from scree.study.plots import View, axes_of
from scree.study.record import MIXED, WORKS, Record, error_of, fact, number_in, set_options, where_made
from scree.study.stats import MIN_RUNS, Table
from scree.study.texts import (Refused, count_text, grid, is_numeric, percent, prefer, range_text, ratio_text, require,
                               seconds, write_output)
from scree.study.values import number
from scree.study.words import comparison, name_of


def caption(table: Table) -> List[str]:
    """Title, file and number of runs; common settings; where the runs were made."""
    results = table.results
    bad = sum(group.bad for group in table.groups)
    mixed = any(MIXED in record.settings for record in results.records)  # then each step has several
    runs = f"{len(results.records)}" + (f" of {results.planned}" if results.steps and not mixed else "")
    title = results.title + ", " if results.title else ""
    return [f"{title}{results.name}: {count_text(len(table.groups), 'configuration')}, {runs} runs"
            + (f", {bad} without a result" if bad else ""), f"common settings: {words.common_settings(table)}",
            f"where: {where_made(results.records)}"]


def figure(numbers: Sequence[float]) -> str:
    """The median with four significant digits, or in full if it is whole; `-` of no numbers."""
    value = stats.middle(numbers)
    return "-" if not numbers else f"{value:.0f}" if value == int(value) and abs(value) < 1e15 else f"{value:.4g}"


def _level(table: Table) -> str:
    """The heading of the intervals: their level, if it is the same for all configurations."""
    levels = {percent(group.seconds.level) for group in table.groups if group.seconds and group.seconds.n > 1}
    return levels.pop() if len(levels) == 1 else "interval"


def rows_of(table: Table, metrics: Sequence[str]) -> List[List[str]]:
    """The heading and the cells of each configuration; the first column marks the best."""
    names = ["n", "time", _level(table), "MTEPS", "cost", "relaxations", "useful", "epochs", *metrics, "answer"]
    rows = [[" ", *(axis.name for axis in table.axes), *names]]
    for group in table.groups:
        cells = ["*" if group is group.best else " ", *(group.settings.get(axis.name, "-") for axis in table.axes)]
        cells.append(f"{group.ok}/{group.ok + group.bad}" if group.bad else str(group.ok))
        relaxations, useful = group.work["messages"] + group.work["direct"], group.work["useful"]
        if group.seconds:
            cells += [seconds(group.median), range_text(group.seconds), f"{1e-6 * group.teps:.2f}",
                      f"{group.cost / group.best.cost:.2f}" if group.best else "-", f"{relaxations:.0f}",
                      f"{100 * useful / relaxations:.0f} %" if useful > 0 and relaxations > 0 else "-",
                      f"{group.work['epochs']:.0f}", *(figure(group.numbers(path)) for path in metrics)]
        answer = group.worst if not group.ok else "valid" if group.validated else "unchecked"
        rows.append([*cells, *["-"] * (len(rows[0]) - 1 - len(cells)),
                     "INVALID" if group.worst == "invalid" else answer])
    return rows


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
    return caption(table) + grid(rows_of(table, metrics)) + failures(table)


_LATEX = {"\\": r"\textbackslash{}", "~": r"\textasciitilde{}", "^": r"\textasciicircum{}"}


def _escaped(table: Table, metrics: Sequence[str], escaped: Callable[[str], str], bold: str) -> List[List[str]]:
    """Heading and rows without the mark of the best, whose time is bold instead."""
    rows, time = [[escaped(cell) for cell in row[1:]] for row in rows_of(table, metrics)], len(table.axes) + 1
    for row, group in zip(rows[1:], table.groups):
        row[time] = bold % row[time] if group is group.best else row[time]
    return rows


def latex(table: Table, metrics: Sequence[str]) -> str:
    """A tabular, for booktabs."""
    def escaped(text: str) -> str:
        return re.sub(r"[\\~^&%$#_{}]", lambda found: _LATEX.get(found[0], "\\" + found[0]), text).replace("..", "--")

    cells = _escaped(table, metrics, escaped, r"\textbf{%s}")
    rows = [" & ".join(row) + r" \\" for row in cells]
    columns = "l" * len(table.axes) + "r" * (len(cells[0]) - len(table.axes) - 1) + "l"
    return "\n".join([*("% " + line for line in caption(table)), r"\begin{tabular}{" + columns + "}", r"\toprule",
                      rows[0], r"\midrule", *rows[1:], r"\bottomrule", r"\end{tabular}", ""])


def markdown(table: Table, metrics: Sequence[str]) -> str:
    """A table of Markdown."""
    rows = _escaped(table, metrics, lambda text: re.sub(r"([\\`*_{}\[\]<>|])", r"\\\1", text), "**%s**")
    lines = ["| " + " | ".join(cells) + " |" for cells in rows]
    return "\n".join([lines[0], "|" + "---|" * len(rows[0]), *lines[1:], ""])


def _cell(text: str) -> str:
    """Spreadsheets compute a cell that begins as a formula does: such a text gets an apostrophe in front."""
    return "'" + text if re.match(r"[=@\t]|[+-](?![\d.]+([eE][+-]?\d+)?$)", text) else text


def _number_text(x: Optional[float]) -> str:
    return "" if x is None else f"{x:.12g}"


def _columns(one: Record, axes: Mapping[str, bool], metrics: Sequence[str]) -> List[Tuple[str, str]]:
    """Names and cells of a line. `axes`: has it values such as 64K? Then a second column, NAME_number, has 65536."""
    columns = [("step", str(one.step))]
    for name, has_units in axes.items():
        value = one.settings.get(name, "")
        columns += [(_cell(name), _cell(value))]
        columns += [(_cell(name + "_number"), _number_text(number(value)))] if has_units else []
    columns += [("repetition", str(one.repetition)), ("role", one.role), ("status", one.status)]
    measured = {"seconds": one.seconds, "teps": one.teps, **{name: one.work.get(name, 0.0) for name in WORKS}}
    columns += [(name, _number_text(x if one.status == "ok" else None)) for name, x in measured.items()]
    columns += [(path, _number_text(number_in(one, path))) for path in (*metrics, "wall_seconds")]
    texts = {"started": one.started, "host": fact(one, "host"), "scree_version": fact(one, "scree"),
             "mpi_library": fact(one, "mpi_library"), "thread_level": fact(one, "thread_level"),
             "options": set_options(one), "message": one.message}
    return columns + [(name, _cell(text)) for name, text in texts.items()]


def comma_separated(tables: Sequence[Table], every: bool, metrics: Sequence[str]) -> str:
    """One line per record, including failures; controls and warm-ups only with `every`."""
    records = [one for table in tables for one in table.results.records]
    listed = [one for one in records if every or one.role == "data"]
    units = {name for one in listed
             for name, value in one.settings.items() if number(value) is not None and value[-1].isalpha()}
    axes = {name: name in units for one in records for name in one.settings}
    out, several = io.StringIO(), len(tables) > 1
    writer = csv.writer(out, lineterminator="\n")
    any_run = Record({"key": "", "configuration": {}, "step": 0, "repetition": 0, "status": "failed"}, "")
    heads = _columns(any_run, axes, metrics)
    writer.writerow(["file"] * several + [name for name, _ in heads])
    for one in listed:
        writer.writerow([_cell(one.file)] * several + [cell for _, cell in _columns(one, axes, metrics)])
    return out.getvalue()


def _figure(table: Table, view: View, metric: str, which: int, first: bool) -> Optional[str]:
    try:
        drawing = plots.svg(plots.figure(table, view, metric))
    except Refused:
        return None  # no run has the metric, or too many values for colours
    data = base64.b64encode(drawing.encode()).decode()
    command = ["scree", "report", table.results.name]
    command += [word for name, value in view.options(metric) for word in ("--" + name, value)]
    caption = f"median {metric} by {view.x}" + (f", colours: {view.colour}" if view.colour else "")
    return (f'<figure id="{escape(plots.address(view, metric, which))}"{" class=first" if first else ""}><div tabindex="0"><img '
            f'alt="{escape(caption)}" src="data:image/svg+xml;base64,{data}"></div>'
            f"<figcaption>{escape(caption)}. {escape(shlex.join([*command, '--plots', 'DIR']))}</figcaption></figure>")


def _figures(table: Table, view: View, which: int) -> str:
    if not axes_of(table):
        return ""
    shown: List[str] = []
    links: List[str] = []
    for one, metric in plots.views(table, view):
        made = _figure(table, one, metric, which, not shown) if len(shown) < plots.FIGURES else None
        if made:
            shown.append(made)
            colour = f", colours {one.colour}" if one.colour else ""
            address = escape(plots.address(one, metric, which))
            links.append(f'<li><a href="#{address}">{escape(f"{metric} by {one.x}{colour}")}</a></li>')
    if view.x and not shown:
        plots.figure(table, view, (view.metrics or plots.METRICS)[0])  # says why
    return (f'<section class="figures"><h2>Figures</h2>{"".join(shown)}'
            f'<nav aria-label="figures"><details><summary>{count_text(len(links), "figure")}: choose another</summary>'
            f'<ul>{"".join(links)}</ul></details></nav></section>')


def _table(table: Table, metrics: Sequence[str]) -> str:
    names, *rows = (row[1:] for row in rows_of(table, metrics))
    kinds = [" class=number" if is_numeric(column) else "" for column in zip(*rows)]
    heads = [f'<th scope="col"{kind}><button>{escape(name)}</button></th>' for name, kind in zip(names, kinds)]
    body = []
    for group, row in zip(table.groups, rows):
        values = [group.median if name == "time" else number(text) if table.axis(name) else None
                  for name, text in zip(names, row)]
        cells = [f"<td{kind}" + (f' data-sort="{value!r}"' if value is not None else "") + f">{escape(text)}</td>"
                 for kind, value, text in zip(kinds, values, row)]
        body.append(f'<tr{" class=best" if group is group.best else ""}>{"".join(cells)}</tr>')
    return ('<h2>Configurations</h2><div class="scroll" tabindex="0"><table class="sortable"><thead><tr>'
            f'{"".join(heads)}</tr></thead><tbody>{"".join(body)}</tbody></table></div>')


def _runs(table: Table) -> str:
    """Messages of failed runs, and the command line of each configuration."""
    failed, commands = [], []
    for group in table.groups:
        name = escape(name_of(table, group))
        if group.bad:
            summary = f"{name}: {group.worst}, {count_text(group.bad, 'run')}"
            failed.append(f"<details><summary>{summary}</summary><pre>{escape(group.message)}</pre></details>")
        json = group.records[0].json
        environment = json.get("environment")
        line = [f"{shlex.quote(key)}={shlex.quote(str(value))}" for key, value in (environment or {}).items()]
        if isinstance(json.get("command"), list):
            line.append(shlex.join(map(str, json["command"])))
            commands.append(f"<dt>{name}</dt><dd><code>{escape(' '.join(line))}</code></dd>")
    text = f'<section class="failures"><h2>Runs without a result</h2>{"".join(failed)}</section>' if failed else ""
    return text + (f"<details><summary>Command lines</summary><dl>{''.join(commands)}</dl></details>" if commands
                   else "")


def _file(table: Table, view: View, which: int, several: bool, force: bool) -> str:
    parts = [f"<h2>{escape(table.results.name)}</h2>"] if several else []
    parts += [f'<p class="note">{escape(line)}</p>' for line in caption(table)]
    if not several:
        parts.append("<h2>Conclusions</h2>")
        for title, sentences in words.conclusions(table, force):
            items = "".join(f'<li{" class=warning" if text.startswith("Warning") else ""}>{escape(text)}</li>'
                            for text in sentences)
            parts += [f"<h3>{escape(title)}</h3>" if title else "", f'<ul class="words">{items}</ul>' if items else ""]
    return "".join([*parts, _figures(table, view, which), _table(table, view.metrics), _runs(table)])


def page(tables: Sequence[Table], view: View, force: bool = False) -> str:
    """The page of one file, or of several, which are compared with the first."""
    title = escape(" / ".join(dict.fromkeys(table.results.title or table.results.name for table in tables)))
    parts = []
    for other in tables[1:]:
        lines = escape("\n".join(comparison(tables[0], other)))
        parts.append(f'<h2>Comparison</h2><pre class="changes">{lines}</pre>\n')
    parts += [_file(table, view, which, len(tables) > 1, force) + "\n" for which, table in enumerate(tables, 1)]
    text = Path(__file__).with_name("page.html").read_text("utf-8")
    return Template(text).substitute(title=title, body="".join(parts))


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
    """False if a configuration is slower than in the reference by more than the tolerance, as tested with a correction
    for the number of configurations, or has no correct result any more; and the list. Times are divided by the
    control's."""
    from scree.study import claims

    found, worse = claims.compare(reference, table, tolerance), []
    twins = {group.key: group for group in table.groups}
    for change in found:
        if change.slower:
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
    scale = stats.controls_ratio(reference, table)
    lines.append("without controls in common, so that the machine counts too" if scale is None else
                 f"the control takes {scale:.2f} times as long as in the reference; ratios are divided by that")
    lines += ["  " + text for text in record.differences(reference.results.records, table.results.records)] + worse
    if few:
        lines.append(f"too few runs (fewer than three) to judge: {few}")
    if missing:
        lines.append(f"only in the reference: {missing}")
    return not worse, lines


def _arguments(argv: Sequence[str]) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="scree report", allow_abbrev=False, add_help=False)
    parser.add_argument("results", nargs="*")
    for name in ("html", "plots", "csv", "json", "latex", "markdown", "reference", "x", "colour"):
        parser.add_argument("--" + name)
    parser.add_argument("--panel", type=lambda text: tuple(text.split(",")), default=())
    parser.add_argument("--size", type=plots.size_of)
    parser.add_argument("--tolerance", type=tolerance_of, default="5%")
    parser.add_argument("--metric", action="append", default=[])
    parser.add_argument("--where", action="append", default=[])
    for name in ("all-runs", "force", "quiet"):
        parser.add_argument("--" + name, action="store_true")
    end = list(argv).index("--") if "--" in argv else len(argv)
    asked = parser.parse_intermixed_args(argv[:end])
    asked.results += argv[end + 1 :]
    return asked


def _selected(results: record.Results, conditions: Sequence[str]) -> record.Results:
    """The results with the runs that meet all conditions AXIS=VALUE[,VALUE...]; control runs stay."""
    wanted = []
    for text in conditions:
        name, equals, values = text.partition("=")
        known = {one.settings[name] for one in results.records if name in one.settings}
        if not equals or not known:
            raise Refused(f"option '--where': '{text}' is not legal; legal: AXIS=VALUE[,VALUE...] of an axis of the "
                          "results")
        missing = [value for value in values.split(",") if value not in known]
        if missing:
            raise Refused(f"option '--where': no run of '{results.name}' has {name}={missing[0]}; it has "
                          f"{', '.join(sorted(known))}")
        wanted.append((name, values.split(",")))
    kept = [one for one in results.records if one.role != "data"
            or all(one.settings.get(name) in values for name, values in wanted)]
    return replace(results, records=kept)


def _write_all(tables: Sequence[Table], asked: argparse.Namespace) -> None:
    if asked.csv:
        text = comma_separated(tables, asked.all_runs, asked.metric)
        write_output("csv", asked.csv, text, ("step,", "file,step,"), "is not the CSV of a report")
    if asked.json:
        text = json.dumps({"scree_report": 1, "files": [words.data(one, asked.force) for one in tables]}, indent=1)
        write_output("json", asked.json, text + "\n", ('{\n "scree_report"',), "is not the JSON of a report")
    for option, form, begin in (("latex", latex, "% "), ("markdown", markdown, "| ")):
        if getattr(asked, option):
            text = "\n".join(form(one, asked.metric) for one in tables)
            write_output(option, getattr(asked, option), text, (begin,), "is not a table of a report")
    if asked.html or asked.plots:
        view = View(asked.x, asked.colour, asked.panel, tuple(asked.metric), asked.size, tuple(asked.where))
        if asked.html:
            text = page(tables, view, asked.force)
            write_output("html", asked.html, text, ("<!doctype html>",), "is not an HTML page")
        if asked.plots:
            for i, one in enumerate(tables, 1):
                plots.write(asked.plots if len(tables) == 1 else f"{asked.plots}-{i}", one, view)


def _print(tables: Sequence[Table], metrics: Sequence[str], force: bool) -> None:
    """One file: its table and conclusions. Several: each is compared with the first; three and more have tables."""
    for i, one in enumerate(tables):
        print("\n" * bool(i), end="")
        print("\n".join(caption(one) if len(tables) == 2 else terminal(one, metrics)))
        if one.results.torn and len(tables) > 1:
            print(f"the last line of {one.results.name} is incomplete, as after a kill; that run is not included")
    print()
    for title, sentences in words.conclusions(tables[0], force) if len(tables) == 1 else []:
        print("\n".join([title + ":"] * bool(title) + sentences))
    for i, one in enumerate(tables[1:]):
        print("\n" * bool(i) + "\n".join(comparison(tables[0], one)))


def main(argv: Sequence[str]) -> int:
    """Returns the exit code: 0, 1 something got slower or standard output failed, 2 bad usage or input."""
    asked = _arguments(argv)
    if not asked.results:
        raise Refused("report: no result files given; name one or more files that scree sweep --results FILE wrote")
    to_output = [name for name in ("csv", "html", "json", "latex", "markdown") if getattr(asked, name) == "-"]
    if len(to_output) > 1:
        raise Refused(f"options '--{to_output[0]}' and '--{to_output[1]}' both use standard output; give one of them a "
                      "file")
    if asked.html or asked.plots:
        require("matplotlib", f"option '--{'html' if asked.html else 'plots'}' needs")
    prefer("scipy")
    if asked.reference:
        require("scipy", "option '--reference' needs")
    tables = [stats.make_table(_selected(record.read_file(name), asked.where))
              for name in [*asked.results, *filter(None, [asked.reference])]]
    good = True
    if asked.reference:
        reference = tables.pop()
        for one in tables:
            well, lines = judgement(reference, one, asked.tolerance)
            good = good and well
            if not to_output:
                print("\n".join(lines))
    elif not asked.quiet and not to_output:
        _print(tables, asked.metric, asked.force)
    _write_all(tables, asked)
    return 0 if good else 1
