"""Runs one job in a process group of its own, with a time limit, and collects its output.

However this process ends, its end of a pipe to a guard process is closed, and the guard then ends the job with
everything in its group.
"""

import contextlib
import os
import select
import signal
import subprocess
import time
from dataclasses import dataclass, field
from enum import IntEnum
from typing import IO, Callable, Dict, List, Mapping, NoReturn, Optional, Sequence

from scree.study.perf import Counters

OUT_MOST = 16 << 20  # of standard output, its beginning
ERR_MOST = 64 << 10  # of standard error, its end
TICK = 0.1
REPORT_SECONDS = 3.0  # for the hang report, which SIGUSR1 asks for
TERM_SECONDS = 5.0  # after SIGTERM
DRAIN_SECONDS = 0.5  # for output that other processes hold open after the job has ended


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
                signal.signal(number, self._request)

    def _request(self, _number: int, _frame: object) -> None:
        self.requested = True


class _Stream:
    """Collects output up to a limit: the beginning, or with `tail` the end."""

    def __init__(self, pipe: IO[bytes], most: int, tail: bool) -> None:
        self.pipe, self.fd, self.open, self._most, self._tail = pipe, pipe.fileno(), True, most, tail
        self._bytes = bytearray()
        os.set_blocking(self.fd, False)

    def drain(self) -> None:
        """Reads what is there, but bounded, so that a job that writes endlessly cannot prevent the timeout."""
        for _ in range(256 if self.open else 0):
            try:
                part = os.read(self.fd, 65536)
            except BlockingIOError:
                return
            except OSError:
                part = b""
            if not part:
                self.open = False
                return
            if self._tail:
                self._bytes += part
                del self._bytes[:-self._most]
            elif len(self._bytes) < self._most:
                self._bytes += part[:self._most - len(self._bytes)]

    def text(self) -> str:
        """All that is kept."""
        return self._bytes.decode("utf-8", "surrogateescape")


def _guard(alive: int) -> NoReturn:
    """Waits for the end of the study, then ends its own process group, which the job is in."""
    try:
        signal.pthread_sigmask(signal.SIG_BLOCK, signal.valid_signals())
        os.setpgid(0, 0)
        os.dup2(alive, 0)
        os.closerange(1, 1024)  # neither the lock on the results nor a pipe that another process reads to its end
        pid = int.from_bytes(os.read(0, 8), "little")
        while os.read(0, 1):
            pass
        os.kill(0, signal.SIGTERM)
        poller = select.poll()
        if pid and hasattr(os, "pidfd_open"):
            with contextlib.suppress(OSError):  # it has ended, or the system is older: the whole time
                poller.register(os.pidfd_open(pid), select.POLLIN)
        poller.poll(TERM_SECONDS * 1000)
        os.kill(0, signal.SIGKILL)
    finally:
        os._exit(1)


def _start_guard() -> "tuple[int, int]":
    """Its process and the end of the pipe that keeps it waiting."""
    reads, writes = os.pipe()
    pid = os.fork()
    if pid == 0:
        os.close(writes)
        _guard(reads)
    os.close(reads)
    with contextlib.suppress(OSError):  # it has done so itself; here too, since the job may start before it does
        os.setpgid(pid, pid)
    return pid, writes


def _reset_signals() -> None:
    """A job inherits neither which signals this process ignores nor which it blocks."""
    for number in signal.valid_signals() - {signal.SIGKILL, signal.SIGSTOP}:
        with contextlib.suppress(OSError, ValueError):  # one that the C library keeps for itself
            signal.signal(number, signal.SIG_DFL)
    signal.pthread_sigmask(signal.SIG_SETMASK, [])


class _Phase(IntEnum):
    RUNS = 0
    REPORTS = 1
    ENDS = 2
    KILLED = 3
    GONE = 4


class _Job:
    """A job that runs."""

    def __init__(self, words: Sequence[str], environment: Mapping[str, str]) -> None:
        self.guard, self.alive = _start_guard()
        self.process: Optional[subprocess.Popen[bytes]] = None
        self.streams: List[_Stream] = []
        self.outcome = Outcome()
        self.phase, self.deadline = _Phase.RUNS, 0.0
        guard, self.counters = self.guard, Counters()

        def become() -> None:
            os.setpgid(0, guard)  # fails if the guard is gone: then the job must not run
            _reset_signals()

        try:
            self.process = subprocess.Popen(words, env={**os.environ, **environment}, stdin=subprocess.DEVNULL,
                                            stdout=subprocess.PIPE, stderr=subprocess.PIPE, preexec_fn=become)
        except (OSError, subprocess.SubprocessError) as error:
            reason = error.strerror if isinstance(error, OSError) else str(error)
            self.outcome.err = f"'{words[0]}' could not be started: {reason}"
            return
        os.write(self.alive, self.process.pid.to_bytes(8, "little"))
        assert self.process.stdout and self.process.stderr
        self.streams = [_Stream(self.process.stdout, OUT_MOST, False), _Stream(self.process.stderr, ERR_MOST, True)]

    def _enter(self, phase: _Phase, seconds: float) -> None:
        self.phase, self.deadline = phase, time.monotonic() + seconds
        if phase == _Phase.REPORTS and self.process:
            os.kill(self.process.pid, signal.SIGUSR1)  # launchers forward it to the ranks
        if phase in (_Phase.ENDS, _Phase.KILLED):
            os.killpg(self.guard, signal.SIGTERM if phase == _Phase.ENDS else signal.SIGKILL)

    def _next_phase(self) -> None:
        """The time of the phase is up."""
        if self.phase == _Phase.RUNS:
            self.outcome.timed_out = True
            self._enter(_Phase.REPORTS, REPORT_SECONDS)
        elif self.phase == _Phase.REPORTS:
            self._enter(_Phase.ENDS, TERM_SECONDS)
        else:  # a process in a system call may take a while to die
            self._enter(_Phase.KILLED, TERM_SECONDS)

    def _is_over(self) -> bool:
        closed = not any(stream.open for stream in self.streams)
        return self.phase == _Phase.GONE and (closed or time.monotonic() >= self.deadline)

    def _reap(self) -> None:
        assert self.process
        pid, status, usage = os.wait4(self.process.pid, os.WNOHANG)
        if not pid:
            return
        code = os.WTERMSIG(status) + 128 if os.WIFSIGNALED(status) else os.WEXITSTATUS(status)
        self.process.returncode = self.outcome.exit = code
        self.outcome.peak_memory = usage.ru_maxrss * 1024
        self._enter(_Phase.GONE, DRAIN_SECONDS)

    def _wait(self, pidfd: int) -> None:
        """For output, the end of the job, or the next tick."""
        poller = select.poll()
        watched = [pidfd] if pidfd >= 0 and self.phase != _Phase.GONE else []
        for fd in [stream.fd for stream in self.streams if stream.open] + watched:
            poller.register(fd, select.POLLIN | select.POLLHUP)
        left = (self.deadline - time.monotonic()) * 1000
        poller.poll(max(0, min(left + 1, TICK * 1000 if pidfd >= 0 else 20)))
        for stream in self.streams:
            stream.drain()
        if self.phase != _Phase.GONE:
            self._reap()

    def watch(self, timeout: float, stop: Stop, tick: Optional[Callable[[], None]]) -> None:
        """To its end."""
        assert self.process
        pidfd = os.pidfd_open(self.process.pid) if hasattr(os, "pidfd_open") else -1
        ticked = time.monotonic()
        self._enter(_Phase.RUNS, timeout)
        while not self._is_over():
            self._wait(pidfd)
            if stop.requested and self.phase < _Phase.ENDS:
                self.outcome.stopped = True
                self._enter(_Phase.ENDS, TERM_SECONDS)
            if self.phase != _Phase.GONE and time.monotonic() >= self.deadline:
                self._next_phase()
            if tick and time.monotonic() - ticked >= TICK:
                ticked = time.monotonic()
                tick()
        if pidfd >= 0:
            os.close(pidfd)

    def close(self) -> None:
        """Ends the rest of the group: the guard and processes that the job has not ended itself."""
        with contextlib.suppress(ProcessLookupError):
            os.killpg(self.guard, signal.SIGKILL)
        os.waitpid(self.guard, 0)
        self.outcome.perf = self.counters.close()
        os.close(self.alive)
        for stream in self.streams:
            stream.pipe.close()


def run(words: Sequence[str], environment: Mapping[str, str], timeout: float, stop: Optional[Stop] = None,
        tick: Optional[Callable[[], None]] = None) -> Outcome:
    """Runs the words, with these variables added to the environment and standard input from /dev/null, and waits.
    `tick` is called about ten times per second."""
    started = time.monotonic()
    job = _Job(words, environment)
    try:
        if job.process:
            job.watch(timeout, stop or Stop(), tick)
    finally:
        job.close()
    outcome = job.outcome
    outcome.seconds = time.monotonic() - started
    if job.streams:
        outcome.out, outcome.err = (stream.text() for stream in job.streams)
    return outcome
