"""One job: its process, with a time limit, output and counters of the kernel; what its end means; its record.

A job is in a process group of its own. However this process ends, its end of a pipe to a guard process is closed, and
the guard then ends the job with everything in its group.
"""

import contextlib
import ctypes
import errno
import json
import os
import platform
import signal
import struct
import subprocess
import threading
import time
from dataclasses import dataclass, field
from statistics import fmean, harmonic_mean
from typing import IO, Dict, List, Mapping, Optional, Sequence, Tuple

from scree.study.plan import Configuration
from scree.study.record import REFUSED, WORKS, Json, as_list, as_number, as_object, no_number, role_of
from scree.study.values import numbers_of, plain

OUT_MOST = 16 << 20  # of standard output, its beginning
ERR_MOST = 64 << 10  # of standard error, its end
TICK = 0.1  # after which a stop is noticed at the latest
REPORT_SECONDS = 3.0  # for the hang report, which SIGUSR1 asks for
TERM_SECONDS = 5.0  # after SIGTERM, of the guard too
DRAIN_SECONDS = 0.5  # for output that other processes hold open after the job has ended
# Reads the process of the job, waits for the end of the study, then ends its own process group, which the job is in.
_GUARD = """trap "" HUP INT QUIT USR1 USR2 PIPE ALRM TERM TSTP TTIN TTOU; read -r pid; read -r _; kill -TERM 0
i=0; while kill -0 "$pid" && [ $i -lt 50 ]; do sleep 0.1; i=$((i + 1)); done; kill -KILL 0"""


@dataclass
class Outcome:
    """How a job ended."""

    exit: int = -1  # 128 + number if a signal ended it; -1: it could not be started, and err says why
    timed_out: bool = False  # it got SIGUSR1 to report, then SIGTERM, then SIGKILL
    stopped: bool = False  # the study was stopped, and the job with it
    seconds: float = 0.0
    out: str = ""
    err: str = ""
    peak_memory: int = 0  # bytes of its largest process
    perf: Dict[str, float] = field(default_factory=dict)  # counters of the kernel, those that it has


class Stop:
    """Set by signals that end the study."""

    def __init__(self) -> None:
        self.requested = False

    def catch(self, *numbers: signal.Signals) -> None:
        """Has these signals set it, unless they are ignored, as SIGHUP is under nohup."""
        for number in numbers:
            if signal.getsignal(number) != signal.SIG_IGN:
                signal.signal(number, lambda *_: setattr(self, "requested", True))


class Stopped(Exception):
    """A signal has ended the study."""


EVENTS = {"cycles": 0, "instructions": 1, "cache_misses": 3}  # of hardware
_CALLS = {"x86_64": 298, "aarch64": 241, "riscv64": 241, "ppc64le": 319}  # perf_event_open
_ENABLED_AND_RUNNING = 3  # each value is followed by the time that it was wanted, and the time that it was counted
_DISABLED, _INHERIT, _NO_KERNEL, _ON_EXEC = 1 << 0, 1 << 1, 1 << 5, 1 << 12
_CLOSE_ON_EXEC = 8


class Counters:
    """Counters of the hardware over a job and all processes that it starts here, outside the kernel. What the kernel
    does not count, or does not permit, is left out; `missing` says why. Opened before a job starts, and enabled by its
    exec."""

    def __init__(self) -> None:
        self.missing: Dict[str, str] = {}
        self._open: Dict[str, int] = {}
        library, call = ctypes.CDLL(None, use_errno=True), _CALLS.get(platform.machine(), -1)
        for name, number in EVENTS.items():
            attributes = struct.pack("IIQQQQQIIQ", 0, 64, number, 0, 0, _ENABLED_AND_RUNNING,
                                     _DISABLED | _INHERIT | _NO_KERNEL | _ON_EXEC, 0, 0, 0)
            descriptor = library.syscall(call, attributes, 0, -1, -1, _CLOSE_ON_EXEC)
            if descriptor < 0:
                error = ctypes.get_errno()
                self.missing[name] = "this machine has none" if error == errno.ENOENT else os.strerror(error)
            else:
                self._open[name] = descriptor

    def close(self) -> Dict[str, float]:
        """What was counted: of processes that have ended."""
        counts = {}
        for name, descriptor in self._open.items():
            count, wanted, counted = struct.unpack("QQQ", os.read(descriptor, 24))
            os.close(descriptor)
            if counted:  # else the kernel had no register for it
                counts[name] = count * wanted / counted
        return counts


def missing_counters() -> Dict[str, str]:
    """Of counters that records will lack, why."""
    counters = Counters()
    counters.close()
    return counters.missing


def _collect(pipe: IO[bytes], most: int, tail: bool, kept: bytearray) -> None:
    """Reads to the end of a pipe, and keeps the beginning, or with `tail` the end."""
    with pipe:
        while part := os.read(pipe.fileno(), 65536):
            kept += part if tail else part[:most - len(kept)]
            if tail:
                del kept[:-most]


class _Job:
    """A job that runs. Threads wait for its end and its output, so that this one can watch the time."""

    def __init__(self, process: "subprocess.Popen[bytes]", guard: int, stop: Stop) -> None:
        self.process, self.guard, self.stop = process, guard, stop
        self.outcome, self.ended, self.out, self.err = Outcome(), threading.Event(), bytearray(), bytearray()
        out, err = (process.stdout, OUT_MOST, False, self.out), (process.stderr, ERR_MOST, True, self.err)
        self.readers = [threading.Thread(target=self._reap, daemon=True),
                        threading.Thread(target=_collect, args=out, daemon=True),
                        threading.Thread(target=_collect, args=err, daemon=True)]
        for reader in self.readers:
            reader.start()

    def _reap(self) -> None:
        _, status, usage = os.wait4(self.process.pid, 0)
        code = os.WTERMSIG(status) + 128 if os.WIFSIGNALED(status) else os.WEXITSTATUS(status)
        self.process.returncode = self.outcome.exit = code
        self.outcome.peak_memory = usage.ru_maxrss * 1024
        self.outcome.perf = {"cpu_seconds": usage.ru_utime + usage.ru_stime,
                             "page_faults": usage.ru_minflt + usage.ru_majflt,
                             "context_switches": usage.ru_nvcsw + usage.ru_nivcsw}
        self.ended.set()

    def _wait(self, seconds: float, stops: bool) -> None:
        """Until the job has ended, the time is up, or, with `stops`, the study is stopped."""
        end = time.monotonic() + seconds
        while not self.ended.is_set() and (left := end - time.monotonic()) > 0 and not (stops and self.stop.requested):
            self.ended.wait(min(left, TICK))

    def watch(self, timeout: float) -> Outcome:
        """To its end. Past its time it is asked for a report, which launchers forward to the ranks."""
        self._wait(timeout, True)
        self.outcome.timed_out = not self.ended.is_set() and not self.stop.requested
        if self.outcome.timed_out:
            os.kill(self.process.pid, signal.SIGUSR1)
            self._wait(REPORT_SECONDS, True)
        self.outcome.stopped = not self.ended.is_set() and self.stop.requested
        if not self.ended.is_set():
            os.killpg(self.guard, signal.SIGTERM)
            self._wait(TERM_SECONDS, False)
        while not self.ended.is_set():  # a process in a system call may take a while to die
            os.killpg(self.guard, signal.SIGKILL)
            self._wait(TERM_SECONDS, False)
        for reader in self.readers:
            reader.join(DRAIN_SECONDS)
        self.outcome.out, self.outcome.err = (text.decode("utf-8", "surrogateescape") for text in (self.out, self.err))
        return self.outcome


def _reset_signals() -> None:
    """A job inherits neither which signals this process ignores nor which it blocks."""
    for number in signal.valid_signals() - {signal.SIGKILL, signal.SIGSTOP}:
        with contextlib.suppress(OSError, ValueError):  # one that the C library keeps for itself
            signal.signal(number, signal.SIG_DFL)
    signal.pthread_sigmask(signal.SIG_SETMASK, [])


def _processor_seconds() -> List[float]:
    """What all processes of this machine used since it started, and what its host gave to other machines; [] if the
    system does not say."""
    try:
        with open("/proc/stat", encoding="ascii") as file:
            user, nice, system, _, _, irq, soft, stolen, *_ = map(float, file.readline().split()[1:])
    except (OSError, ValueError):
        return []
    tick = os.sysconf("SC_CLK_TCK")
    return [(user + nice + system + irq + soft) / tick, stolen / tick]


def run(words: Sequence[str], environment: Mapping[str, str], timeout: float,
        stop: Optional[Stop] = None) -> Outcome:
    """Runs the words, with these variables added to the environment and standard input from /dev/null, and waits."""
    started, busy = time.monotonic(), _processor_seconds()
    guard = subprocess.Popen(["/bin/sh", "-c", _GUARD], bufsize=0, stdin=subprocess.PIPE, stdout=subprocess.DEVNULL,
                             stderr=subprocess.DEVNULL, preexec_fn=os.setpgrp)
    counters, pipe = Counters(), subprocess.PIPE
    assert guard.stdin

    def become() -> None:
        os.setpgid(0, guard.pid)  # fails if the guard is gone: then the job must not run
        _reset_signals()

    try:
        process = subprocess.Popen(words, env={**os.environ, **environment}, stdin=subprocess.DEVNULL, stdout=pipe,
                                   stderr=pipe, preexec_fn=become)
        guard.stdin.write(b"%d\n" % process.pid)
        outcome = _Job(process, guard.pid, stop or Stop()).watch(timeout)
    except (OSError, subprocess.SubprocessError) as error:
        reason = error.strerror if isinstance(error, OSError) else str(error)
        outcome = Outcome(err=f"'{words[0]}' could not be started: {reason}")
    finally:  # the rest of the group: the guard, and processes that the job has not ended itself
        with contextlib.suppress(ProcessLookupError):
            os.killpg(guard.pid, signal.SIGKILL)
        guard.wait()
        guard.stdin.close()
        counted = counters.close()
    outcome.perf, outcome.seconds = {**outcome.perf, **counted}, time.monotonic() - started
    used = [after - before for before, after in zip(busy, _processor_seconds())]
    if used and "cpu_seconds" in outcome.perf:
        outcome.perf["other_cpu_seconds"] = max(used[0] - outcome.perf["cpu_seconds"], 0.0)
        outcome.perf["stolen_cpu_seconds"] = max(used[1], 0.0)
    return outcome


TAIL_MOST = 8 << 10  # bytes of standard error that a message keeps; after a timeout all, since it has the hang report


@dataclass
class Command:
    """What is executed for a configuration."""

    words: List[str]
    environment: Dict[str, str]
    ranks: int
    validating: List[str] = field(default_factory=list)  # words that have the job check its answers
    plain: List[str] = field(default_factory=list)  # those where it does not
    program: str = ""  # the executable, where it is not scree
    too_many: bool = False  # more busy threads than cores; false with a template, which may start ranks elsewhere
    cannot: str = ""  # why the job would be refused
    defaults: List[str] = field(default_factory=list)  # axes whose values are the default
    identity: Json = field(default_factory=dict)  # what runs it, besides its axes: compared when a study is resumed

    def full(self, validate: bool) -> List[str]:
        checks = self.validating if validate else self.plain
        return self.words if self.program else [*self.words, *checks, "--json", "-"]


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
    return fmean(as_number(run.get(name)) for run in runs) if runs else 0.0


def _failure(outcome: Outcome) -> str:
    if outcome.exit < 0:
        return outcome.err
    # The most informative line: the first of scree itself that is not a warning, else the first that is no separator.
    lines = [line.lstrip("-=*# ") for line in outcome.err.split("\n") if not line.startswith("scree: warning: ")]
    own = (line for line in lines if line.startswith("scree: "))
    line, number = next(own, next(filter(None, lines), outcome.err.split("\n")[0])), outcome.exit - 128
    name = signal.strsignal(number) if 0 < number < signal.NSIG else None
    return (f"exit code {outcome.exit}" + (f", as of signal {number} ({name})" if name else "")
            + (f": {line[:299]}" if line else ""))


def _judge(outcome: Outcome, command: Command, timeout: float, result: Json) -> Tuple[str, str]:
    """Status and summary of a job that has ended and printed this result."""
    runs, ranks = _runs_of(result), as_number(as_object(result.get("configuration")).get("ranks"))
    jobs = outcome.out.count('"configuration":')  # texts of several jobs may be interleaved, but lines are intact
    invalid = [i for i, run in enumerate(runs, 1) if run.get("valid") is False]
    if outcome.timed_out:
        return "timeout", f"not finished after {timeout:g} s (option timeout)"
    if jobs > 1:
        return "ranks", (f"the launcher started {jobs} separate jobs of {ranks or 1:.0f} rank instead of one of "
                         f"{command.ranks}; the launcher and the MPI of the program do not match: srun needs "
                         "--mpi=pmix or --mpi=pmi2, mpirun and mpiexec must belong to the same MPI")
    if ranks > 0 and ranks != command.ranks:
        return "ranks", (f"the job had {ranks:.0f} rank{'s' if ranks > 1 else ''} instead of {command.ranks}; check "
                         "how the launcher gets the number of ranks")
    if invalid:
        return "invalid", f"the answer of run {invalid[0]} is wrong (exit code {outcome.exit})"
    if outcome.exit:
        return "failed", _failure(outcome)
    if not result:
        line = outcome.out.split("\n")[0]
        return "failed", f"exit code 0, but standard output has no JSON object: '{line}'"
    if (not command.program and not ranks > 0) or not _mean(runs, "seconds") > 0:
        return "failed", "the JSON of the job lacks configuration.ranks or runs with seconds"
    return "ok", ""


def _message(status: str, summary: str, outcome: Outcome) -> str:
    """The summary, followed by the last lines of standard error."""
    errors = outcome.err if outcome.exit >= 0 else ""  # else the summary has it
    if len(errors) > TAIL_MOST and status != "timeout":
        errors = errors[-TAIL_MOST:].partition("\n")[2]
    return (summary + "\n" + errors).rstrip("\n")


def _figures(runs: List[Json]) -> Json:
    """Of the runs of a job: the mean time, the harmonic mean of their rates, the means of their counters."""
    rates = [rate for rate in (as_number(run.get("teps")) for run in runs) if rate > 0]
    work = [as_object(run.get("work")) for run in runs]
    return {"seconds": plain(_mean(runs, "seconds")), "teps": plain(harmonic_mean(rates) if rates else 0.0),
            "work": {name: plain(_mean(work, name)) for name in WORKS}}


def measure(configuration: Configuration, command: Command, timeout: float, validate: bool, stop: Stop) -> Json:
    """Runs the configuration. Returns a record without step, repetition and role, which the caller adds. A failed run
    is a record whose status is not ok. Raises Stopped."""
    started, words = now(), command.full(validate)
    if command.cannot:
        outcome, result = Outcome(exit=REFUSED), {}  # type: Outcome, Json
        status, summary = "failed", "cannot run: " + command.cannot
    else:
        outcome = run(words, command.environment, timeout, stop)
        if outcome.stopped:
            raise Stopped
        result = _result_of(outcome.out)
        status, summary = _judge(outcome, command, timeout, result)
    runs, memory = _runs_of(result), as_object(result.get("peak_memory_bytes")).get("max")
    level = as_object(result.get("mpi")).get("thread_level")
    record: Json = {"key": configuration.key, "configuration": configuration.settings,
                    "numbers": numbers_of(configuration.settings), "status": status,
                    **(_figures(runs) if status == "ok" else {})}
    record["validated"] = bool(runs) and all(isinstance(run.get("valid"), bool) for run in runs)
    record.update(started=started, wall_seconds=outcome.seconds, exit=outcome.exit, command=words,
                  environment=command.environment, threads_exceed_cores=command.too_many,
                  peak_memory_bytes=int(as_number(memory)) or outcome.peak_memory,
                  identity={**command.identity, **({"thread_level": level} if isinstance(level, str) else {})})
    more = {"perf": {name: plain(count) for name, count in outcome.perf.items()},
            "message": _message(status, summary, outcome) if summary else "", "result": result}
    record.update({name: value for name, value in more.items() if value})
    return record


def add_role(record: Json, step: int, repetition: int, control: bool) -> Json:
    """The record with the step that it is."""
    return {**record, "step": step, "repetition": repetition, "control": control, "role": role_of(repetition, control)}
