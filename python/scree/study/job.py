"""One run of a configuration: the job, what its exit, output and errors mean, and the record of it. Writes no file."""

import json
import signal
import time
from dataclasses import dataclass
from typing import Any, Callable, Dict, List, Mapping, Optional

from scree.study import child
from scree.study.launch import Command, Launcher
from scree.study.plan import Configuration
from scree.study.record import WORKS, role_of
from scree.study.texts import Refused
from scree.study.values import number

TAIL_MOST = 8 << 10  # bytes of standard error that a message keeps; after a timeout all, since it has the hang report
REFUSED = 2  # the exit code of a job that refuses its input or its options

Json = Dict[str, Any]


@dataclass
class Terms:
    """How jobs run."""

    launcher: Launcher
    timeout: float  # seconds
    stop: child.Stop
    tick: Optional[Callable[[], None]] = None


def now() -> str:
    """The current time in UTC: 2026-01-31T12:00:00Z."""
    return time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime())


# ---- what a job printed ----


def _no_number(name: str) -> float:
    raise ValueError(f"{name} is not a number of JSON")


def _result_of(out: str) -> Optional[Json]:
    """The JSON object in the output; launchers may print lines before and after it."""
    at = 0 if out.startswith("{") else out.find("\n{") + 1
    if not out.startswith("{", at):
        return None
    try:
        result, _ = json.JSONDecoder(parse_constant=_no_number).raw_decode(out, at)
    except (ValueError, RecursionError):
        return None
    return result if isinstance(result, dict) else None


def _runs_of(result: Optional[Json]) -> List[Json]:
    runs = result.get("runs") if result else None
    return [run for run in runs if isinstance(run, dict)] if isinstance(runs, list) else []


def _figure(of: Any, name: str) -> float:
    value = of.get(name) if isinstance(of, dict) else None
    return float(value) if isinstance(value, (int, float)) and not isinstance(value, bool) else 0.0


def _mean(runs: List[Json], name: str, group: str = "") -> float:
    return sum(_figure(run.get(group) if group else run, name) for run in runs) / len(runs) if runs else 0.0


def _harmonic_mean(runs: List[Json], name: str) -> float:
    rates = [rate for rate in (_figure(run, name) for run in runs) if rate > 0]
    return len(rates) / sum(1 / rate for rate in rates) if rates else 0.0


# ---- verdict ----


@dataclass
class _Verdict:
    status: str
    summary: str = ""
    errors: str = ""
    result: Optional[Json] = None


def error_line(text: str) -> str:
    """The most informative line of standard error: the first of scree itself that is no warning, else the first that is
    not a separator."""
    lines = text.split("\n")
    for line in lines:
        if line.startswith("scree: ") and not line.startswith("scree: warning: "):
            return line
    for line in lines:
        if line.strip("-=*# ") and not line.startswith("scree: warning: "):
            return line.lstrip("-=*# ")
    return lines[0]


def _failure(outcome: child.Outcome) -> str:
    if outcome.exit < 0:
        return outcome.err
    line = error_line(outcome.err)
    after = f": {line[:299]}" if line else ""
    if 128 < outcome.exit < 128 + 65:
        name = signal.strsignal(outcome.exit - 128) if outcome.exit - 128 < signal.NSIG else "unknown"
        return f"exit code {outcome.exit}, as of signal {outcome.exit - 128} ({name}){after}"
    return f"exit code {outcome.exit}{after}"


def _judge_result(verdict: _Verdict, outcome: child.Outcome, command: Command) -> None:
    assert verdict.result is not None
    runs = _runs_of(verdict.result)
    ranks = _figure(verdict.result.get("configuration"), "ranks")
    invalid = [i for i, run in enumerate(runs, 1) if run.get("valid") is False]
    if ranks > 0 and ranks != command.ranks:
        verdict.status = "ranks"
        verdict.summary = (f"the job had {ranks:.0f} rank{'s' if ranks > 1 else ''} instead of {command.ranks}; check "
                           "how the launcher gets the number of ranks")
    elif invalid:
        verdict.status = "invalid"
        verdict.summary = f"the answer of run {invalid[0]} is wrong (exit code {outcome.exit})"
    elif outcome.exit:
        verdict.status, verdict.summary = "failed", _failure(outcome)
    elif (command.scree and not ranks > 0) or not _mean(runs, "seconds") > 0:
        verdict.status = "failed"
        verdict.summary = "the JSON of the job lacks configuration.ranks or runs with seconds"


def _judge(outcome: child.Outcome, command: Command, timeout: float) -> _Verdict:
    verdict = _Verdict("ok", "", outcome.err, _result_of(outcome.out))
    # Texts of several jobs may be interleaved, but lines are intact.
    jobs = outcome.out.count('"configuration":')
    if outcome.timed_out:
        verdict.status, verdict.summary = "timeout", f"not finished after {timeout:g} s (option timeout)"
    elif jobs > 1:
        ranks = _figure((verdict.result or {}).get("configuration"), "ranks") or 1
        verdict.status = "ranks"
        verdict.summary = (f"the launcher started {jobs} separate jobs of {ranks:.0f} rank instead of one of "
                           f"{command.ranks}; the launcher and the MPI of the program do not match: srun needs "
                           "--mpi=pmix or --mpi=pmi2, mpirun and mpiexec must belong to the same MPI")
    elif verdict.result is not None:
        _judge_result(verdict, outcome, command)
    elif outcome.exit:
        verdict.status, verdict.summary = "failed", _failure(outcome)
    else:
        line = outcome.out.split("\n")[0]
        verdict.status = "failed"
        verdict.summary = f"exit code 0, but standard output has no JSON object: '{line}'"
    if outcome.exit < 0:
        verdict.errors = ""  # the summary has it
    return verdict


def _message(verdict: _Verdict) -> str:
    """The summary, followed by the last lines of standard error."""
    errors = verdict.errors
    if len(errors) > TAIL_MOST and verdict.status != "timeout":
        errors = errors[-TAIL_MOST:].partition("\n")[2]
    errors = errors.rstrip("\n")
    return verdict.summary + ("\n" + errors if errors else "")


# ---- record ----


def _peak_memory(result: Optional[Json], outcome: child.Outcome) -> int:
    """Bytes of the rank with most, as the job says, else of its largest process, as the system says."""
    return int(_figure((result or {}).get("peak_memory_bytes"), "max")) or outcome.peak_memory


def plain(value: float) -> float:
    """Whole numbers without a fraction, as JSON has them."""
    return int(value) if abs(value) < 1e15 and value == int(value) else value


def numbers_of(settings: Mapping[str, str]) -> Dict[str, float]:
    """The settings that are numbers, with units counted: 64K is 65536, 1ms is 1000000 (nanoseconds)."""
    numbers = {name: number(value) for name, value in settings.items()}
    return {name: plain(x) for name, x in numbers.items() if x is not None}


def _record(configuration: Configuration, command: Optional[Command], words: List[str], started: str,
            outcome: child.Outcome, verdict: _Verdict, identity: Json) -> Json:
    settings = configuration.settings
    record: Json = {"key": configuration.key, "configuration": settings, "numbers": numbers_of(settings),
                    "status": verdict.status}
    runs = _runs_of(verdict.result)
    if verdict.status == "ok":
        record["seconds"], record["teps"] = plain(_mean(runs, "seconds")), plain(_harmonic_mean(runs, "teps"))
        record["work"] = {name: plain(_mean(runs, name, "work")) for name in WORKS}
    record["validated"] = bool(runs) and all(isinstance(run.get("valid"), bool) for run in runs)
    record.update(started=started, wall_seconds=outcome.seconds, exit=outcome.exit, command=words,
                  environment=command.environment if command else {},
                  threads_exceed_cores=bool(command and command.too_many),
                  peak_memory_bytes=_peak_memory(verdict.result, outcome), identity=identity)
    if verdict.summary:
        record["message"] = _message(verdict)
    if verdict.result is not None:
        record["result"] = verdict.result
    return record


def identity_of(terms: Terms, configuration: Configuration, command: Optional[Command]) -> Json:
    """What runs it, besides its axes."""
    try:
        return terms.launcher.programs.identity(configuration.settings, command.program if command else "")
    except Refused:
        return {}


def run(configuration: Configuration, terms: Terms, validate: bool, command: Optional[Command] = None) -> Optional[Json]:
    """Runs the configuration. Returns a record without step, repetition and role, which the caller adds. A failed run is
    a record whose status is not ok. None: it was stopped."""
    started, outcome = now(), child.Outcome()
    if command is None:
        try:
            command = terms.launcher.command(configuration)
        except Refused as error:
            return _record(configuration, None, [], started, outcome, _Verdict("failed", str(error)), {})
    identity, words = identity_of(terms, configuration, command), command.full(validate)
    if command.cannot:
        outcome.exit = REFUSED
        verdict = _Verdict("failed", "cannot run: " + command.cannot)
        return _record(configuration, command, words, started, outcome, verdict, identity)
    outcome = child.run(words, command.environment, terms.timeout, terms.stop, terms.tick)
    if outcome.stopped:
        return None
    verdict = _judge(outcome, command, terms.timeout)
    if verdict.result:
        level = verdict.result.get("mpi")
        if isinstance(level, dict) and isinstance(level.get("thread_level"), str):
            identity = {**identity, "thread_level": level["thread_level"]}
    return _record(configuration, command, words, started, outcome, verdict, identity)


def add_role(record: Json, step: int, repetition: int, control: bool) -> Json:
    """The record with the step that it is."""
    record.update(step=step, repetition=repetition, control=control, role=role_of(repetition, control))
    return record


def status_of(record: Mapping[str, Any]) -> str:
    """ok, invalid, ..."""
    return str(record.get("status", "failed"))
