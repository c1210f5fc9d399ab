"""scree sweep: executes a plan one job at a time, with one record for each run, and prints the table."""

import argparse
import os
import secrets
import shlex
import signal
import sys
from collections import Counter
from typing import Any, Dict, List, Optional, Sequence, Set, Tuple

from scree.study import child, machine, progress, report, stats
from scree.study.child import Stop, Stopped, add_role, now
from scree.study.launch import Checker, Launcher, check, default_launcher
from scree.study.plan import Plan, Step, make, presets, with_constants
from scree.study.progress import ROUGH_SECONDS, Progress
from scree.study.record import FORMAT, REFUSED, Record, Results, Writer, create, is_empty, read_file, reopen
from scree.study.texts import Refused, count_text, duration, nearest, printable, read_bytes


_PRECISE_RUNS = 6  # of each configuration, at least, before --precision ends a sweep


def parser(command: str) -> argparse.ArgumentParser:
    """Of what the program scree passes on to a subcommand that runs jobs. `options`: axes and statements such as
    repeat."""
    made = argparse.ArgumentParser(prog="scree " + command, allow_abbrev=False)
    made.add_argument("--program", required=True, help="the scree program, which checks configurations")
    made.add_argument("--axis", dest="options", action="append", default=[], metavar="NAME=VALUES")
    made.add_argument("--results", default="")
    made.add_argument("--quiet", action="store_true")
    made.add_argument("operands", nargs="*")
    return made


def _text_of(request: argparse.Namespace) -> Optional[str]:
    """Of the file or preset; None: options alone make the plan."""
    if request.from_record and request.operands:
        raise Refused(f"a sweep takes one plan: '{request.operands[0]}' is given besides --from-record; leave one out")
    if request.from_record:
        return read_file(request.from_record).plan
    if len(request.operands) > 1:
        raise Refused(f"a sweep takes one plan: '{request.operands[1]}' follows '{request.operands[0]}'")
    if not request.operands:
        if not request.options:
            raise Refused("no plan given: use scree sweep FILE, PRESET or --NAME VALUES; 'scree sweep --help' explains "
                          "them")
        return None
    name, known = request.operands[0], presets()
    if os.path.exists(name) and not os.path.isdir(name):
        text = read_bytes(name, "sweep file")
        if b"\0" in text:
            raise Refused(f"sweep file '{name}': it contains zero bytes, so it is not text")
        return text.decode("utf-8", "surrogateescape").removeprefix("\ufeff")  # a byte order mark
    if name in known:
        return known[name]
    near = nearest(name, list(known))
    hint = f"the nearest preset is '{near}'; " if near else ""
    raise Refused(f"'{name}' is neither a sweep file nor a preset; {hint}presets: {', '.join(known)}")


def _results_name(request: argparse.Namespace) -> str:
    """The base name of the file or preset, with the suffix .jsonl."""
    base = os.path.basename(request.operands[0]) if request.operands else "sweep"
    if request.from_record:
        base = os.path.basename(os.path.splitext(request.from_record)[0]) + "-again"
    return request.results or printable(os.path.splitext(base)[0]) + ".jsonl"


class Sweep:
    """A sweep that is ready to run. Every error that can be detected before the first run is detected here."""

    def __init__(self, request: argparse.Namespace) -> None:
        self.request, self.name, self.text = request, _results_name(request), _text_of(request)
        self.continues = bool(request.resume or request.mix or request.retry_failed)
        self.seed = secrets.randbelow(1 << 31)  # of the order of this session
        found = self._read_results()
        self.machine, self.variables = machine.facts(), machine.environment()
        self.checker = Checker(request.program)
        self.checker.writes = {"results": self.name}
        self.launcher = Launcher(self.checker)
        self.mixed: Dict[int, str] = {}  # of configurations, the value of the axis of runs of another program
        self._prepare(found)
        self.done = self._examine(found)
        if found and not self.done:  # the constants that it recorded are of another plan
            self._prepare(None)
        self.ran: List[Tuple[int, str]] = []  # the configuration of each run, and why it was refused, or ""
        self._count()

    def _prepare(self, found: Optional[Results]) -> None:
        """Plan, commands and steps. A control that cannot run is replaced by the first configuration that can."""
        self.plan = self._plan(found)
        self.launcher.default = default_launcher(self.plan, self.checker)
        self.commands = check(self.plan, self.launcher)
        able = [one.key for one, command in zip(self.plan.configurations, self.commands) if not command.cannot]
        if self.commands[self.plan.control].cannot and able:
            self.plan = self._make(self.constants, f"control={able[0]}")
        self.steps: List[Step] = self.plan.steps(self.seed)

    def _read_results(self) -> Optional[Results]:
        if not os.path.lexists(self.name) or is_empty(self.name) or not (self.continues or self.request.dry_run):
            return None
        try:
            return read_file(self.name)
        except Refused:
            if self.continues:
                raise
            return None

    def _plan(self, found: Optional[Results]) -> Plan:
        """Constants that the results recorded are taken, so that a new measurement does not change the plan."""
        words = found.header.get("words", {}) if found else {}
        known = {name: int(value) for name, value in words.items() if isinstance(value, (int, float)) and value >= 0}
        plan, self.constants = with_constants(self._make, self.checker.constants, known, self.launcher.measure_eager)
        return plan

    def _make(self, constants: Dict[str, int], *more: str) -> Plan:
        name = self.request.operands[0] if self.request.operands else self.request.from_record or "command line"
        return make(self.text, name, [*self.request.options, *more], constants)

    def _examine(self, found: Optional[Results]) -> Optional[progress.Done]:
        """Results of another plan are an error with --resume, else they are ignored."""
        if not found:
            return None
        if self.request.mix:
            known = [one for one in found.records if one.identity]
            for index, one in enumerate(self.plan.configurations):
                mpi = one.settings.get("mpi")
                of = next((record.identity for record in known if record.settings.get("mpi") == mpi),
                          known[0].identity if known else {})
                # as in "host b, version 0.4.0"
                differ = progress.difference(of, self.commands[index].identity) if of else []
                self.mixed[index] = ", ".join(f"{name} {value.split(',')[0]}" for name, _, value in differ)
        done = progress.examine(found, self.plan, self.steps, self.commands, self.mixed,
                                bool(self.request.retry_failed))
        if not done and self.continues:
            raise progress.other_plan(found, self.plan, self.name)
        if done and self.continues and not self.request.mix:
            progress.check_identity(done, self.commands, self.name)
        return done

    def _count(self) -> None:
        """Marks what the results have."""
        self.progress = Progress(self.plan, self.steps, self.request.quiet)
        self.skipped: Set[int] = set()  # configurations whose further steps are not run
        found = self.done.steps if self.done else {}
        self.have = dict(found) if self.continues else {}  # steps that are not run again
        self.times: Dict[int, List[float]] = {}  # of each configuration, for --precision
        for at, record in found.items():
            self.progress.learn(at, record.json, self.continues)
            self.learn(self.steps[at], record)
        for index in self.done.refused if self.done and self.continues else ():
            self.skip(index)

    def learn(self, step: Step, record: Record) -> None:
        """Keeps the time of a run whose precision counts."""
        if self.request.precision and step.repetition and not step.control and record.status == "ok":
            self.times.setdefault(step.configuration, []).append(record.seconds)

    def reached(self) -> float:
        """The precision so far: the largest half width of an interval over its median. Infinite below six runs, whose
        intervals have no level of 95 %."""
        if not self.times or min(map(len, self.times.values())) < _PRECISE_RUNS:
            return float("inf")
        found = [stats.median(times) for times in self.times.values()]
        return max((one.high - one.low) / 2 / one.median for one in found)

    def skip(self, index: int) -> None:
        """The configuration is not tried again."""
        for at, step in enumerate(self.steps):
            if step.configuration == index and at not in self.have and index not in self.skipped:
                self.progress.drop(at)
        self.skipped.add(index)

    def header(self) -> Dict[str, Any]:
        wanted = {"precision": self.request.precision} if self.request.precision else {}
        kernels = {one.settings.get("kernel", next(iter(self.checker.kernels))) for one in self.plan.configurations}
        work = {name: self.checker.kernels[name]["work"] for name in sorted(kernels & set(self.checker.kernels))}
        return {"scree_sweep": FORMAT, **wanted, "work_options": work, "version": self.checker.version,
                "title": self.plan.title, "plan": self.plan.text, "words": self.constants, "started": now(), "steps": len(self.steps)}

    def open(self) -> Writer:
        """The file. An existing one is read again under its lock, since another sweep may have added to it, and written
        as if its plan had been this one from the beginning; the lock of the old one is kept to the end."""
        if not self.done:
            return create(self.name, [self.header()])
        self.old_file = reopen(self.name)
        self.done = self._examine(read_file(self.name))
        assert self.done
        header = {**self.header(), "started": self.done.results.header.get("started", now())}
        file = create(self.name, [header, *progress.lines_of(self.done, self.plan)], over=True)
        self._count()
        return file


def _warn(sweep: Sweep, to: Any) -> None:
    too_many = sum(command.too_many for command in sweep.commands)
    if too_many:
        print(f"scree: warning: in {too_many} of {len(sweep.commands)} configurations there are more threads than the "
              f"{sweep.checker.slots} cores that jobs may use; their times are not meaningful", file=to)
    for reason, count in Counter(command.cannot for command in sweep.commands if command.cannot).items():
        print(f"scree: warning: {count} of {len(sweep.commands)} configurations cannot run: {reason}", file=to)


def _print_cost(sweep: Sweep) -> None:
    done, (left, measured) = len(sweep.have), sweep.progress.left()
    text = f"Runs: {len(sweep.steps)}" + (f", of which '{sweep.name}' already has {done}" if done else "")
    basis = f"from the {measured} runs in '{sweep.name}'" if measured else ""
    print(f"{text}. Estimated time: {duration(left)}, "
          f"{basis or f'assuming {ROUGH_SECONDS:g} s per run including startup'}.")
    missing = child.missing_counters()
    print(f"Counters of hardware: {', '.join(name for name in child.EVENTS if name not in missing) or 'none'}"
          + "".join(f"; not {name}: {reason}" for name, reason in missing.items()) + ".")


def print_plan(sweep: Sweep) -> None:
    """Axes, number of runs, estimated time and every command."""
    plan, count = sweep.plan, len(sweep.plan.configurations)
    if plan.title:
        print(plan.title)
    print(f"{count_text(count, 'configuration')}, each run {count_text(plan.repeat, 'time')} in rounds over all "
          f"configurations; time limit of a run: {plan.timeout:g} s.")
    wide = max(map(len, plan.axes), default=0)
    for name, values in plan.axes.items():
        print(f"  {name:{wide}}  {', '.join(values)}")
    _print_cost(sweep)
    there = os.path.exists(sweep.name) and not is_empty(sweep.name) and not sweep.request.resume
    print(f"Results: '{sweep.name}'"
          + (", which exists: --resume continues it, --results FILE names another." if there else "."))
    _warn(sweep, sys.stdout)
    print()
    for index, (one, command) in enumerate(zip(plan.configurations, sweep.commands)):
        print(one.key + ("  (the control)" if index == plan.control else "")
              + ("  (threads exceed cores)" if command.too_many else ""))
        environment = [f"{name}={value}" for name, value in command.environment.items()]
        print("  " + shlex.join(environment + command.full(False)))
        if command.cannot:
            print(f"  cannot run: {command.cannot}")


def _run_step(sweep: Sweep, at: int, file: Writer, stop: Stop) -> None:
    step = sweep.steps[at]
    if stop.requested:
        raise Stopped
    configuration = progress.marked(sweep.plan.configurations[step.configuration],
                                    sweep.mixed.get(step.configuration, ""))
    command = sweep.commands[step.configuration]
    record = child.measure(configuration, command, sweep.plan.timeout, step.repetition <= 1, stop)
    record.update(session=str(sweep.seed), machine=sweep.machine, mpi_environment=sweep.variables)
    file.add(add_role(record, at, step.repetition, step.control))
    sweep.progress.end(at, record)
    sweep.have[at] = Record(add_role(record, at, step.repetition, step.control), sweep.name)
    sweep.learn(step, sweep.have[at])
    refused = record["exit"] == REFUSED
    sweep.ran.append((step.configuration, record.get("message", "").split("\n")[0].partition(": ")[2] * refused))
    if refused:
        sweep.skip(step.configuration)
        reason = progress.refusal(sweep.plan, sweep.ran)
        if reason:
            raise Refused(reason, REFUSED)


def _print_end(sweep: Sweep, end: Refused, count: int) -> None:
    """The sweep ended before its last step: a signal (130), every graph was refused (2), a record was lost (1)."""
    total, name = len(sweep.steps), sweep.name
    if str(end):
        print(printable("scree: " + str(end).removeprefix("scree: ")), file=sys.stderr)
    if end.code == REFUSED:
        print(f"scree: no run of this plan can succeed, so the sweep ended after {count} of {total}; correct the "
              "input, then start again with another --results FILE", file=sys.stderr)
    else:
        print(f"scree: the sweep {'was stopped' if end.code == 130 else 'ended'} after {count} of {total} runs, "
              f"which are in '{name}'; to continue, repeat the command with --resume", file=sys.stderr)


def _print_precision(sweep: Sweep, precise: bool) -> None:
    """What --precision asked for, and what was reached."""
    wanted, reached = sweep.request.precision, sweep.reached()
    if not wanted or sweep.request.quiet:
        return
    rounds = max(map(len, sweep.times.values()), default=0)
    known = f"{100 * reached:.1f} %" if reached < float("inf") else f"unknown below {_PRECISE_RUNS} runs"
    print(f"scree: precision {100 * wanted:.3g} % was {'reached' if precise or reached <= wanted else 'not reached'}: "
          f"{known} after {count_text(rounds, 'round')}", file=sys.stderr)


def _run(sweep: Sweep) -> int:
    stop = Stop()
    stop.catch(signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
    signal.signal(signal.SIGXFSZ, signal.SIG_IGN)  # a limit of file sizes shows as a write error
    file = sweep.open()
    count, done = len(sweep.plan.configurations), len(sweep.have)
    if not sweep.request.quiet:
        print(f"scree: {len(sweep.steps)} runs of {count_text(count, 'configuration')}; each adds a record to "
              f"'{sweep.name}'" + (f", which already has {done}" if done else ""), file=sys.stderr)
        if sweep.request.retry_failed and sweep.done:
            print(f"scree: {count_text(sweep.done.retried, 'run')} without a result in '{sweep.name}'"
                  f"{' will be run again' if sweep.done.retried else ', so no run is repeated'}", file=sys.stderr)
    _warn(sweep, sys.stderr)
    end, precise = None, False
    try:
        for at, step in enumerate(sweep.steps):
            begins = not step.control and step.repetition > 1 and step.repetition != sweep.steps[at - 1].repetition
            precise = precise or (begins and sweep.reached() <= sweep.request.precision)
            if at not in sweep.have and step.configuration not in sweep.skipped and not precise:
                _run_step(sweep, at, file, stop)
    except Refused as error:
        end = error
    except Stopped:
        end = Refused("", 130)
    file.close()
    sweep.checker.close()
    _print_precision(sweep, precise)
    results = read_file(sweep.name)
    if results.records and not sweep.request.quiet:
        print("\n".join(report.terminal(stats.make_table(results), [])))
    if not end and not sweep.request.quiet:
        print(f"\nResults: {sweep.name}; 'scree report {sweep.name}' analyses them.")
    sys.stdout.flush()
    if end:
        _print_end(sweep, end, len(results.records))
    return end.code if end else int(any(record.status != "ok" for record in results.records))


def _precision_of(text: str) -> float:
    """5% or 0.05."""
    try:
        value = float(text[:-1]) / 100 if text.endswith("%") else float(text)
    except ValueError:
        value = -1.0
    if not 0 < value < 1:
        raise Refused(f"option '--precision': '{text}' is not legal; legal: a share such as 5% or 0.05")
    return value


def main(argv: Sequence[str]) -> int:
    """Returns the exit code: 0 all well, 1 a run failed, 2 bad usage or input, 130 stopped."""
    known = parser("sweep")
    for name in ("resume", "mix", "dry-run", "retry-failed"):
        known.add_argument("--" + name, action="store_true")
    known.add_argument("--from-record", default="")
    known.add_argument("--precision", type=_precision_of, default=0.0)
    sweep = Sweep(known.parse_args(argv))
    if not sweep.request.dry_run:
        return _run(sweep)
    signal.signal(signal.SIGPIPE, signal.SIG_DFL)  # a reader such as head ends the list
    print_plan(sweep)
    return 0
