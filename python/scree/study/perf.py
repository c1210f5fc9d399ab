"""Counters of the kernel (perf_event_open) over a job and all processes that it starts here.

What the kernel does not count, or does not permit, is left out; `missing` says why."""

import ctypes
import errno
import os
import platform
import struct
from typing import Dict

_HARDWARE, _SOFTWARE = 0, 1
EVENTS = {  # what is counted: type and number of the event
    "cycles": (_HARDWARE, 0),
    "instructions": (_HARDWARE, 1),
    "cache_misses": (_HARDWARE, 3),
    "cpu_seconds": (_SOFTWARE, 1),
    "page_faults": (_SOFTWARE, 2),
    "context_switches": (_SOFTWARE, 3),
}
_CALLS = {"x86_64": 298, "aarch64": 241, "riscv64": 241, "ppc64le": 319}  # perf_event_open
_ENABLED_AND_RUNNING = 3  # each value is followed by the time that it was wanted, and the time that it was counted
_DISABLED, _INHERIT, _NO_KERNEL, _ON_EXEC = 1 << 0, 1 << 1, 1 << 5, 1 << 12
_CLOSE_ON_EXEC = 8


class Counters:
    """Opened before this process starts a job, and enabled by its exec: what forks without exec is not counted."""

    def __init__(self) -> None:
        self.missing: Dict[str, str] = {}
        self._open: Dict[str, int] = {}
        call = _CALLS.get(platform.machine())
        for name, (kind, number) in EVENTS.items():
            if call is None:
                self.missing[name] = f"the number of perf_event_open on {platform.machine()} is not known"
                continue
            # Without permission to count in the kernel: the user's part, which of switches is none.
            part = _NO_KERNEL if kind == _HARDWARE or name == "page_faults" else 0
            attributes = struct.pack("IIQQQQQIIQ", kind, 64, number, 0, 0, _ENABLED_AND_RUNNING,
                                     _DISABLED | _INHERIT | _ON_EXEC | part, 0, 0, 0)
            descriptor = ctypes.CDLL(None, use_errno=True).syscall(call, attributes, 0, -1, -1, _CLOSE_ON_EXEC)
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
                counts[name] = count * wanted / counted if name != "cpu_seconds" else count * 1e-9
        self._open = {}
        return counts


def reasons() -> Dict[str, str]:
    """Of counters that records will lack, why."""
    counters = Counters()
    counters.close()
    return counters.missing
