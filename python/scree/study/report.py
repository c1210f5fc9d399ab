"""scree report: reads files of results, and prints or writes what they show."""

import argparse
import sys
from dataclasses import replace
from typing import NoReturn, Sequence

from scree.study import files, forms, record, stats, words
from scree.study.plots import view_of
from scree.study.stats import Table
from scree.study.texts import Refused, exit_code, require


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


def write(option: str, name: str, text: str, begins: Sequence[str], kind: str) -> None:
    """Writes a file of the report, or to standard output if its name is -. It replaces only its own kind."""
    if name == "-":
        sys.stdout.write(text)
        return
    if not files.replaceable(name, begins):
        raise Refused(f"option '--{option}': '{name}' exists and is not {kind}; it is not overwritten; give --{option} "
                      "another name")
    try:
        files.write_whole(name, text)
    except OSError as error:
        raise Refused(f"option '--{option}': '{name}' {files.why_not(error)}") from None


def _write_all(tables: Sequence[Table], asked: argparse.Namespace) -> None:
    if asked.csv:
        text = forms.comma_separated(tables, asked.all_runs, asked.metric)
        write("csv", asked.csv, text, ("step,", "file,step,"), "the CSV of a report")
    for option, form, begin in (("latex", forms.latex, "% "), ("markdown", forms.markdown, "| ")):
        if getattr(asked, option):
            text = "\n".join(form(one, asked.metric) for one in tables)
            write(option, getattr(asked, option), text, (begin,), "a table of a report")
    if asked.html or asked.plots:
        from scree.study import page, plots

        view = view_of(asked.x, asked.colour, asked.panel, asked.metric, asked.size, asked.where)
        if asked.html:
            text = page.page(tables, view)
            write("html", asked.html, text, ("<!doctype html>",), "an HTML page")
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


def _report(argv: Sequence[str]) -> int:
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


def main(argv: Sequence[str]) -> int:
    """Runs the subcommand on the words after its name; returns the exit code: 0, 1 something got slower or standard
    output failed, 2 bad usage or input."""
    return exit_code(_report, argv)
