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


class _Job:
    """A job that runs."""

    def __init__(self, words: Sequence[str], environment: Mapping[str, str], stop: Stop,
                 tick: Optional[Callable[[], None]]) -> None:
        self.stop, self.tick, self.ticked = stop, tick, time.monotonic()
        self.guard, self.alive = _start_guard()
        self.process: Optional[subprocess.Popen[bytes]] = None
        self.streams: List[_Stream] = []
        self.outcome, self.pidfd, self.ended = Outcome(), -1, False
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
        self.pidfd = os.pidfd_open(self.process.pid) if hasattr(os, "pidfd_open") else -1

    def _reap(self) -> None:
        assert self.process
        pid, status, usage = os.wait4(self.process.pid, os.WNOHANG)
        if pid:
            code = os.WTERMSIG(status) + 128 if os.WIFSIGNALED(status) else os.WEXITSTATUS(status)
            self.process.returncode = self.outcome.exit = code
            self.outcome.peak_memory, self.ended = usage.ru_maxrss * 1024, True

    def _wait(self, seconds: float, stops: bool) -> None:
        """Collects output until the job has ended (then until its output is closed), the time is up, or, with `stops`,
        the study is stopped."""
        end, ended = time.monotonic() + seconds, self.ended
        while (left := end - time.monotonic()) > 0 and self.ended == ended and not (stops and self.stop.requested):
            fds = [stream.fd for stream in self.streams if stream.open]
            if ended and not fds:
                break
            poller = select.poll()
            for fd in fds + ([self.pidfd] if self.pidfd >= 0 and not ended else []):
                poller.register(fd, select.POLLIN | select.POLLHUP)
            poller.poll(min(left * 1000 + 1, TICK * 1000 if self.pidfd >= 0 else 20))
            for stream in self.streams:
                stream.drain()
            if not ended:
                self._reap()
            if self.tick and time.monotonic() - self.ticked >= TICK:
                self.ticked = time.monotonic()
                self.tick()

    def watch(self, timeout: float) -> None:
        """To its end. Past its time it is asked for a report, which launchers forward to the ranks."""
        assert self.process
        self._wait(timeout, True)
        self.outcome.timed_out = not self.ended and not self.stop.requested
        if self.outcome.timed_out:
            os.kill(self.process.pid, signal.SIGUSR1)
            self._wait(REPORT_SECONDS, True)
        self.outcome.stopped = not self.ended and self.stop.requested
        if not self.ended:
            os.killpg(self.guard, signal.SIGTERM)
            self._wait(TERM_SECONDS, False)
        while not self.ended:  # a process in a system call may take a while to die
            os.killpg(self.guard, signal.SIGKILL)
            self._wait(TERM_SECONDS, False)
        self._wait(DRAIN_SECONDS, False)

    def close(self) -> None:
        """Ends the rest of the group: the guard and processes that the job has not ended itself."""
        with contextlib.suppress(ProcessLookupError):
            os.killpg(self.guard, signal.SIGKILL)
        os.waitpid(self.guard, 0)
        self.outcome.perf = self.counters.close()
        for fd in [self.alive, self.pidfd] if self.pidfd >= 0 else [self.alive]:
            os.close(fd)
        for stream in self.streams:
            stream.pipe.close()


def run(words: Sequence[str], environment: Mapping[str, str], timeout: float, stop: Optional[Stop] = None,
        tick: Optional[Callable[[], None]] = None) -> Outcome:
    """Runs the words, with these variables added to the environment and standard input from /dev/null, and waits.
    `tick` is called about ten times per second."""
    started = time.monotonic()
    job = _Job(words, environment, stop or Stop(), tick)
    try:
        if job.process:
            job.watch(timeout)
    finally:
        job.close()
    outcome = job.outcome
    outcome.seconds = time.monotonic() - started
    if job.streams:
        outcome.out, outcome.err = (stream.text() for stream in job.streams)
    return outcome
