"""The entry: `python3 __main__.py sweep|tune|report ARGUMENT...`, as the program scree starts it."""

import importlib
import io
import os
import select
import signal
import sys
from typing import Any, Sequence


class _Waiting(io.FileIO):
    """A standard stream. Where another program made it non-blocking, a write waits while it is full."""

    def write(self, data: Any) -> int:
        while (count := super().write(data)) is None:
            full = select.poll()
            full.register(self.fileno(), select.POLLOUT)
            full.poll()
        return count


def _waiting(fd: int, old: Any) -> io.TextIOWrapper:
    return io.TextIOWrapper(io.BufferedWriter(_Waiting(fd, "w", closefd=False)), old.encoding, old.errors,
                            line_buffering=old.line_buffering)


def _end_output() -> None:
    """Flushes both streams. If that fails, which `run` has reported, the rest goes nowhere: else the interpreter would
    try again, and end with a code of its own."""
    for stream in (sys.stdout, sys.stderr):
        try:
            stream.flush()
        except OSError:
            os.dup2(os.open(os.devnull, os.O_WRONLY | os.O_CLOEXEC), stream.fileno())


def run(command: str, argv: Sequence[str]) -> int:
    """Runs the subcommand on the words after its name, and says why where it is refused. Returns its exit code."""
    texts, module = (importlib.import_module("scree.study." + name) for name in ("texts", command))
    try:
        code = int(module.main(argv))
        sys.stdout.flush()
        return code
    except (texts.Refused, OSError) as error:
        why = f"standard output: {error.strerror}" if isinstance(error, OSError) else str(error)
        print("scree: " + texts.printable(why, lines=True), file=sys.stderr)
        return int(getattr(error, "code", 1))


def main() -> int:
    # The folder of this file is not searched: its modules would hide those of the standard library.
    sys.path[0] = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
    sys.dont_write_bytecode = True  # a full disk would leave truncated files, which no later start could read
    if len(sys.argv) < 2 or sys.argv[1] not in ("sweep", "tune", "report"):
        print("scree: this is executed by 'scree sweep', 'scree tune' and 'scree report'", file=sys.stderr)
        return 2
    if sys.version_info < (3, 9):
        print(f"scree: 'scree {sys.argv[1]}' needs Python 3.9 or later; python3 is {sys.version.split()[0]}",
              file=sys.stderr)
        return 2
    sys.stdout, sys.stderr = _waiting(1, sys.stdout), _waiting(2, sys.stderr)
    try:
        return run(sys.argv[1], sys.argv[2:])
    finally:
        _end_output()


if __name__ == "__main__":
    try:
        sys.exit(main())
    except KeyboardInterrupt:  # ends as other programs do, without a traceback
        signal.signal(signal.SIGINT, signal.SIG_DFL)
        os.kill(os.getpid(), signal.SIGINT)
