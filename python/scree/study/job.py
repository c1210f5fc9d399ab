"""One run of a configuration: the job, what its exit, output and errors mean, and the record of it. Writes no file."""

import json
import signal
import time
from dataclasses import dataclass
from typing import Any, Callable, Dict, List, Mapping, Optional

from scree.study import child
from scree.study.launch import Command, Launcher
from scree.study.plan import Configuration
from scree.study.record import WORKS, Json, as_list, as_number, as_object, no_number, role_of
from scree.study.texts import Refused
from scree.study.values import number

TAIL_MOST = 8 << 10  # bytes of standard error that a message keeps; after a timeout all, since it has the hang report
REFUSED = 2  # the exit code of a job that refuses its input or its options


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


def _result_of(out: str) -> Json:
    """The JSON object in the output; launchers may print lines before and after it. {}: there is none."""
    at = 0 if out.startswith("{") else out.find("\n{") + 1
    try:
        return as_object(json.JSONDecoder(parse_constant=no_number).raw_decode(out, at)[0])
    except (ValueError, RecursionError):
        return {}


def _runs_of(result: Json) -> List[Json]:
    return [run for run in as_list(result.get("runs")) if isinstance(run, dict)]


def _mean(runs: List[Json], name: str) -> float:
    return sum(as_number(run.get(name)) for run in runs) / len(runs) if runs else 0.0


@dataclass
class _Verdict:
    status: str
    summary: str
    result: Json


def _failure(outcome: child.Outcome) -> str:
    if outcome.exit < 0:
        return outcome.err
    # The most informative line: the first of scree itself that is not a warning, else the first that is no separator.
    lines = [line.lstrip("-=*# ") for line in outcome.err.split("\n") if not line.startswith("scree: warning: ")]
    own = (line for line in lines if line.startswith("scree: "))
    line, number = next(own, next(filter(None, lines), outcome.err.split("\n")[0])), outcome.exit - 128
    name = signal.strsignal(number) if 0 < number < signal.NSIG else None
    return (f"exit code {outcome.exit}" + (f", as of signal {number} ({name})" if name else "")
            + (f": {line[:299]}" if line else ""))


def _judge_result(result: Json, outcome: child.Outcome, command: Command) -> "tuple[str, str]":
    """Status and summary of a job that printed a result."""
    runs, ranks = _runs_of(result), as_number(as_object(result.get("configuration")).get("ranks"))
    invalid = [i for i, run in enumerate(runs, 1) if run.get("valid") is False]
    if ranks > 0 and ranks != command.ranks:
        return "ranks", (f"the job had {ranks:.0f} rank{'s' if ranks > 1 else ''} instead of {command.ranks}; check "
                         "how the launcher gets the number of ranks")
    if invalid:
        return "invalid", f"the answer of run {invalid[0]} is wrong (exit code {outcome.exit})"
    if outcome.exit:
        return "failed", _failure(outcome)
    if (not command.program and not ranks > 0) or not _mean(runs, "seconds") > 0:
        return "failed", "the JSON of the job lacks configuration.ranks or runs with seconds"
    return "ok", ""


def _judge(outcome: child.Outcome, command: Command, timeout: float) -> _Verdict:
    result = _result_of(outcome.out)
    jobs = outcome.out.count('"configuration":')  # texts of several jobs may be interleaved, but lines are intact
    if outcome.timed_out:
        return _Verdict("timeout", f"not finished after {timeout:g} s (option timeout)", result)
    if jobs > 1:
        ranks = as_number(as_object(result.get("configuration")).get("ranks")) or 1
        return _Verdict("ranks", f"the launcher started {jobs} separate jobs of {ranks:.0f} rank instead of one of "
                        f"{command.ranks}; the launcher and the MPI of the program do not match: srun needs --mpi=pmix "
                        "or --mpi=pmi2, mpirun and mpiexec must belong to the same MPI", result)
    if result:
        return _Verdict(*_judge_result(result, outcome, command), result)
    if outcome.exit:
        return _Verdict("failed", _failure(outcome), {})
    line = outcome.out.split("\n")[0]
    return _Verdict("failed", f"exit code 0, but standard output has no JSON object: '{line}'", {})


def _message(verdict: _Verdict, outcome: child.Outcome) -> str:
    """The summary, followed by the last lines of standard error."""
    errors = outcome.err if outcome.exit >= 0 else ""  # else the summary has it
    if len(errors) > TAIL_MOST and verdict.status != "timeout":
        errors = errors[-TAIL_MOST:].partition("\n")[2]
    return (verdict.summary + "\n" + errors).rstrip("\n")


def plain(value: float) -> float:
    """Whole numbers without a fraction, as JSON has them."""
    return int(value) if abs(value) < 1e15 and value == int(value) else value


def numbers_of(settings: Mapping[str, str]) -> Dict[str, float]:
    """The settings that are numbers, with units counted: 64K is 65536, 1ms is 1000000 (nanoseconds)."""
    numbers = {name: number(value) for name, value in settings.items()}
    return {name: plain(x) for name, x in numbers.items() if x is not None}


def _figures(runs: List[Json]) -> Json:
    """Of the runs of a job: the mean time, the harmonic mean of their rates, the means of their counters."""
    rates = [rate for rate in (as_number(run.get("teps")) for run in runs) if rate > 0]
    work = [as_object(run.get("work")) for run in runs]
    teps = len(rates) / sum(1 / rate for rate in rates) if rates else 0.0
    return {"seconds": plain(_mean(runs, "seconds")), "teps": plain(teps),
            "work": {name: plain(_mean(work, name)) for name in WORKS}}


def _record(configuration: Configuration, command: Optional[Command], words: List[str], started: str,
            outcome: child.Outcome, verdict: _Verdict, identity: Json) -> Json:
    runs, memory = _runs_of(verdict.result), as_object(verdict.result.get("peak_memory_bytes")).get("max")
    record: Json = {"key": configuration.key, "configuration": configuration.settings,
                    "numbers": numbers_of(configuration.settings), "status": verdict.status,
                    **(_figures(runs) if verdict.status == "ok" else {})}
    record["validated"] = bool(runs) and all(isinstance(run.get("valid"), bool) for run in runs)
    record.update(started=started, wall_seconds=outcome.seconds, exit=outcome.exit, command=words,
                  environment=command.environment if command else {},
                  threads_exceed_cores=bool(command and command.too_many),
                  peak_memory_bytes=int(as_number(memory)) or outcome.peak_memory, identity=identity)
    more = {"perf": {name: plain(count) for name, count in outcome.perf.items()},
            "message": _message(verdict, outcome) if verdict.summary else "", "result": verdict.result}
    record.update({name: value for name, value in more.items() if value})
    return record


def run(configuration: Configuration, terms: Terms, validate: bool,
        command: Optional[Command] = None) -> Optional[Json]:
    """Runs the configuration. Returns a record without step, repetition and role, which the caller adds. A failed run
    is a record whose status is not ok. None: it was stopped."""
    started, outcome = now(), child.Outcome()
    try:
        command = command or terms.launcher.command(configuration)
        identity = terms.launcher.programs.identity(configuration.settings, command.program)
    except Refused as error:
        return _record(configuration, None, [], started, outcome, _Verdict("failed", str(error), {}), {})
    words = command.full(validate)
    if command.cannot:
        outcome.exit, verdict = REFUSED, _Verdict("failed", "cannot run: " + command.cannot, {})
        return _record(configuration, command, words, started, outcome, verdict, identity)
    outcome = child.run(words, command.environment, terms.timeout, terms.stop, terms.tick)
    if outcome.stopped:
        return None
    verdict = _judge(outcome, command, terms.timeout)
    level = as_object(verdict.result.get("mpi")).get("thread_level")
    if isinstance(level, str):
        identity = {**identity, "thread_level": level}
    return _record(configuration, command, words, started, outcome, verdict, identity)


def add_role(record: Json, step: int, repetition: int, control: bool) -> Json:
    """The record with the step that it is."""
    record.update(step=step, repetition=repetition, control=control, role=role_of(repetition, control))
    return record
