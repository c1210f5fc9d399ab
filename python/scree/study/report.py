"""scree report: reads files of results, and prints or writes what they show.

The page is one file of HTML with figures as SVG, which loads nothing. Each figure has an address of its own,
`#x=AXIS&colour=AXIS&metric=NAME`, so that a link shows it.
"""

import argparse
import base64
import shlex
from dataclasses import replace
from html import escape
from pathlib import Path
from string import Template
from typing import List, NoReturn, Optional, Sequence, Tuple
from urllib.parse import quote

from scree.study import forms, plots, record, stats, words
from scree.study.plots import View, axes_of
from scree.study.stats import Table
from scree.study.texts import Refused, count_text, is_numeric, require, write_output
from scree.study.values import number


_FIGURES = 16  # at most: each takes a quarter of a second and about 40 KiB
_METRICS = ("seconds", "teps", "messages", "blocks", "bytes")


def _views(table: Table, view: View) -> List[Tuple[View, str]]:
    """The figures of a page: along each axis the metrics, then the times with other axes as colours."""
    made = plots.plan(table, view)
    first = replace(view, x=made.x.name, colour=made.colours[0] if made.colours else None)
    found = [(first, metric) for metric in view.metrics or _METRICS]
    names = [axis.name for axis in axes_of(table)]
    main = found[0][1]
    for x in [made.x.name, *(name for name in names if name != made.x.name)]:
        for colour in names:
            if colour != x and not set(view.panels) & {x, colour}:
                found.append((replace(view, x=x, colour=colour), main))
        if len(names) == 1:
            found.append((replace(view, x=x, colour=None), main))
    return list(dict.fromkeys(found))


def _address(view: View, metric: str, which: int) -> str:
    options = view.options(metric) + ([("file", str(which))] if which > 1 else [])
    return quote("&".join(f"{name}={value}" for name, value in options), safe="=&,/.:*")


def _figure(table: Table, view: View, metric: str, which: int, first: bool) -> Optional[str]:
    try:
        drawing = plots.svg(plots.figure(table, view, metric))
    except Refused:
        return None  # no run has the metric, or too many values for colours
    data = base64.b64encode(drawing.encode()).decode()
    command = ["scree", "report", table.results.name]
    command += [word for name, value in view.options(metric) for word in ("--" + name, value)]
    caption = f"median {metric} by {view.x}" + (f", colours: {view.colour}" if view.colour else "")
    return (f'<figure id="{escape(_address(view, metric, which))}"{" class=first" if first else ""}><img '
            f'alt="{escape(caption)}" src="data:image/svg+xml;base64,{data}">'
            f"<figcaption>{escape(caption)}. {escape(shlex.join([*command, '--plots', 'DIR']))}</figcaption></figure>")


def _figures(table: Table, view: View, which: int) -> str:
    if not axes_of(table):
        return ""
    shown: List[str] = []
    links: List[str] = []
    for one, metric in _views(table, view):
        made = _figure(table, one, metric, which, not shown) if len(shown) < _FIGURES else None
        if made:
            shown.append(made)
            colour = f", colours {one.colour}" if one.colour else ""
            address = escape(_address(one, metric, which))
            links.append(f'<li><a href="#{address}">{escape(f"{metric} by {one.x}{colour}")}</a></li>')
    if view.x and not shown:
        plots.figure(table, view, (view.metrics or _METRICS)[0])  # says why
    return (f'<section class="figures"><h2>Figures</h2>{"".join(shown)}'
            f'<nav aria-label="figures"><details><summary>{count_text(len(links), "figure")}: choose another</summary>'
            f'<ul>{"".join(links)}</ul></details></nav></section>')


def _table(table: Table, metrics: Sequence[str]) -> str:
    names, rows = forms.heading(table, metrics)[1:], [forms.row(table, one, metrics)[1:] for one in table.groups]
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
        name = escape(words.name_of(table, group))
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


def _file(table: Table, view: View, which: int, several: bool) -> str:
    parts = [f"<h2>{escape(table.results.name)}</h2>"] if several else []
    parts += [f'<p class="note">{escape(line)}</p>' for line in forms.caption(table)]
    if not several:
        parts.append("<h2>Conclusions</h2>")
        for title, sentences in words.conclusions(table):
            items = "".join(f'<li{" class=warning" if text.startswith("Warning") else ""}>{escape(text)}</li>'
                            for text in sentences)
            parts += [f"<h3>{escape(title)}</h3>" if title else "", f'<ul class="words">{items}</ul>' if items else ""]
    return "".join([*parts, _figures(table, view, which), _table(table, view.metrics), _runs(table)])


def page(tables: Sequence[Table], view: View) -> str:
    """The page of one file, or of several, which are compared with the first."""
    title = escape(" / ".join(dict.fromkeys(table.results.title or table.results.name for table in tables)))
    parts = []
    for other in tables[1:]:
        lines = escape("\n".join(forms.comparison(tables[0], other)))
        parts.append(f'<h2>Comparison</h2><pre class="changes">{lines}</pre>\n')
    parts += [_file(table, view, which, len(tables) > 1) + "\n" for which, table in enumerate(tables, 1)]
    text = Path(__file__).with_name("page.html").read_text("utf-8")
    return Template(text).substitute(title=title, body="".join(parts))


class _Parser(argparse.ArgumentParser):
    def error(self, message: str) -> NoReturn:
        raise Refused("report: " + message)


def _arguments(argv: Sequence[str]) -> argparse.Namespace:
    parser = _Parser(prog="scree report", allow_abbrev=False, add_help=False)
    parser.add_argument("results", nargs="*")
    for name in ("html", "plots", "csv", "latex", "markdown", "reference", "x", "colour", "panel", "size"):
        parser.add_argument("--" + name)
    parser.add_argument("--tolerance", default="5%")
    parser.add_argument("--metric", action="append", default=[])
    parser.add_argument("--where", action="append", default=[])
    for name in ("all-runs", "quiet"):
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
        text = forms.comma_separated(tables, asked.all_runs, asked.metric)
        write_output("csv", asked.csv, text, ("step,", "file,step,"), "is not the CSV of a report")
    for option, form, begin in (("latex", forms.latex, "% "), ("markdown", forms.markdown, "| ")):
        if getattr(asked, option):
            text = "\n".join(form(one, asked.metric) for one in tables)
            write_output(option, getattr(asked, option), text, (begin,), "is not a table of a report")
    if asked.html or asked.plots:
        view = plots.view_of(asked.x, asked.colour, asked.panel, asked.metric, asked.size, asked.where)
        if asked.html:
            text = page(tables, view)
            write_output("html", asked.html, text, ("<!doctype html>",), "is not an HTML page")
        if asked.plots:
            for i, one in enumerate(tables, 1):
                plots.write(asked.plots if len(tables) == 1 else f"{asked.plots}-{i}", one, view)


def _print(tables: Sequence[Table], metrics: Sequence[str]) -> None:
    """One file: its table and conclusions. Several: each is compared with the first; three and more have tables."""
    for i, one in enumerate(tables):
        print("\n" * bool(i), end="")
        print("\n".join(forms.caption(one) if len(tables) == 2 else forms.terminal(one, metrics)))
        if one.results.torn and len(tables) > 1:
            print(f"the last line of {one.results.name} is incomplete, as after a kill; that run is not included")
    print()
    for title, sentences in words.conclusions(tables[0]) if len(tables) == 1 else []:
        print("\n".join([title + ":"] * bool(title) + sentences))
    for i, one in enumerate(tables[1:]):
        print("\n" * bool(i) + "\n".join(forms.comparison(tables[0], one)))


def main(argv: Sequence[str]) -> int:
    """Returns the exit code: 0, 1 something got slower or standard output failed, 2 bad usage or input."""
    asked = _arguments(argv)
    if not asked.results:
        raise Refused("report: no result files given; name one or more files that scree sweep --results FILE wrote")
    to_output = [name for name in ("csv", "html", "latex", "markdown") if getattr(asked, name) == "-"]
    if len(to_output) > 1:
        raise Refused(f"options '--{to_output[0]}' and '--{to_output[1]}' both use standard output; give one of them a "
                      "file")
    if asked.html or asked.plots:
        require("matplotlib", f"option '--{'html' if asked.html else 'plots'}' needs")
    tolerance = forms.tolerance_of(asked.tolerance)
    tables = [stats.make_table(_selected(record.read_file(name), asked.where))
              for name in [*asked.results, *filter(None, [asked.reference])]]
    good = True
    if asked.reference:
        reference = tables.pop()
        for one in tables:
            well, lines = forms.judgement(reference, one, tolerance)
            good = good and well
            if not to_output:
                print("\n".join(lines))
    elif not asked.quiet and not to_output:
        _print(tables, asked.metric)
    _write_all(tables, asked)
    return 0 if good else 1
