"""Texts: made printable, with units and intervals, in columns of tables; words of a template; files that are read and
written whole; the error that ends a subcommand.

In a folder that others may write, a name can be a link that another user has put there: what is written is a new
file, and links and pipes of other users are refused.
"""

import contextlib
import difflib
import errno
import importlib
import os
import re
import secrets
import shlex
import shutil
import signal
import stat
import sys
import threading
from typing import Iterator, List, Mapping, NamedTuple, Sequence, Tuple


class Refused(Exception):
    """What was asked for cannot be done; the text says why. `code` is the exit code: 2 for bad usage or input."""

    def __init__(self, text: str, code: int = 2) -> None:
        super().__init__(text)
        self.code = code


# Control characters other than the tab, those that reverse the text after them, and bytes that are not UTF-8 (read with
# errors="surrogateescape").
_UNPRINTABLE = re.compile("[\x00-\x08\x0a-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069\ud800-\udfff]")

_REDIRECTED = ("/dev/fd/", "/proc/self/fd/", "/dev/null", "/dev/stdin")


def read_bytes(name: str, what: str) -> bytes:
    """The contents of a regular file, or of what a shell has redirected. Raises Refused, which begins with `what`."""
    try:
        fd = os.open(name, os.O_RDONLY | os.O_CLOEXEC | os.O_NONBLOCK | os.O_NOCTTY)
        with open(fd, "rb") as file:
            mode = os.fstat(fd).st_mode
            if not stat.S_ISREG(mode) and not name.startswith(_REDIRECTED):
                kind = "a FIFO" if stat.S_ISFIFO(mode) else "a device"
                raise Refused(f"{what} '{name}': found {kind}, expected a regular file")
            os.set_blocking(fd, True)
            return file.read()
    except OSError as error:
        raise Refused(f"{what} '{name}': {error.strerror}") from None


FULL = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG)


@contextlib.contextmanager
def _cleaning_up() -> Iterator[None]:
    """In the body SIGTERM and SIGHUP end the process after its `finally`, if they would have ended it at once."""
    ended: List[int] = []

    def end(number: int, _: object) -> None:
        ended.append(number)
        raise SystemExit

    numbers = (signal.SIGTERM, signal.SIGHUP) if threading.current_thread() is threading.main_thread() else ()
    changed = [number for number in numbers if signal.getsignal(number) == signal.SIG_DFL]
    for number in changed:
        signal.signal(number, end)
    try:
        yield
    finally:
        for number in changed:
            signal.signal(number, signal.SIG_DFL)
        if ended:
            os.kill(os.getpid(), ended[0])


@contextlib.contextmanager
def beside(name: str, mode: int = 0o666) -> Iterator[Tuple[int, str]]:
    """A new file in the folder of a name, and its own name until the caller gives it the other."""
    part = f"{name}.{secrets.token_hex(4)}.scree-part"
    with _cleaning_up():
        fd = os.open(part, os.O_RDWR | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, mode)
        try:
            yield fd, part
        finally:
            with contextlib.suppress(FileNotFoundError):
                os.unlink(part)


def _write_whole(name: str, text: str, errors: str) -> None:
    """Writes the text under the name: a regular file whole or not at all, with the mode that this user's own file had;
    devices and pipes as they are. Raises OSError; EACCES: another user's link or pipe."""
    found = os.stat(name) if os.path.exists(name) else None
    leads = os.path.islink(name) or (found and stat.S_ISFIFO(found.st_mode))
    if (leads and os.lstat(name).st_uid not in (0, os.geteuid())) or (found and not os.access(name, os.W_OK)):
        raise PermissionError(errno.EACCES, os.strerror(errno.EACCES), name)
    if found and not stat.S_ISREG(found.st_mode):
        with open(name, "w", encoding="utf-8", errors=errors) as file:
            file.write(text)
        return
    name = os.path.realpath(name)
    with beside(name) as (fd, part), open(fd, "w", encoding="utf-8", errors=errors) as file:
        if found and found.st_uid == os.geteuid():
            os.fchmod(fd, found.st_mode & 0o777)
        file.write(text)
        file.flush()
        os.replace(part, name)


def check_output(option: str, name: str, begins: Sequence[str], kind: str) -> None:
    """Raises Refused, if a file of another kind would be lost: one that is not empty, and begins otherwise."""
    start = b""
    if os.path.isfile(name):
        with contextlib.suppress(OSError), open(name, "rb") as file:
            start = file.read(64).lower()
    if start and not start.startswith(tuple(begin.lower().encode() for begin in begins)):
        raise Refused(f"option '--{option}': '{name}' exists and {kind}; it is not overwritten; give --{option} "
                      "another name")


def check_writable(option: str, name: str) -> None:
    folder = os.path.dirname(name) or "."
    if not os.access(name if os.path.exists(name) else folder, os.W_OK):
        why = errno.EACCES if os.path.isdir(folder) else errno.ENOENT
        raise Refused(f"option '--{option}': cannot write '{name}': {os.strerror(why)}")


def write_output(option: str, name: str, text: str, begins: Sequence[str], kind: str, errors: str = "replace",
                 code: int = 2) -> None:
    """Writes a file that an option names, or to standard output if it is -; replaces only files of its kind, which
    begin so. Raises Refused."""
    check_output(option, name, begins, kind)
    if name == "-":
        sys.stdout.write(text)
        return
    try:
        _write_whole(name, text, errors)
    except OSError as error:
        why = (f"was not written in full: {error.strerror}; free space there, or name another file"
               if error.errno in FULL else f"cannot be written: {error.strerror}; name a file in a writable directory")
        raise Refused(f"option '--{option}': '{name}' {why}", code) from None


def is_printable(text: str) -> bool:
    """Has it neither control characters nor bytes that are not text?"""
    return not _UNPRINTABLE.search(text)


def printable(text: str, lines: bool = False) -> str:
    """The text with '?' for each character that is not printable; `lines` keeps the ends of lines."""
    if lines:
        return "\n".join(_UNPRINTABLE.sub("?", line) for line in text.split("\n"))
    return _UNPRINTABLE.sub("?", text)


def duration(seconds: float) -> str:
    """45 s, 3 min 20 s, 2 h 5 min."""
    whole = int(seconds + 0.5)
    if whole < 60:
        return f"{whole} s"
    minutes = whole // 60
    return f"{minutes} min {whole % 60} s" if minutes < 60 else f"{minutes // 60} h {minutes % 60} min"


def unit_of(value: float) -> "tuple[float, str]":
    """The factor and the name of the unit in which so many seconds are printed."""
    for factor, name in ((1e9, "ns"), (1e6, "us"), (1e3, "ms")):
        if value * factor < 999.5:
            return factor, name
    return 1.0, "s"


def decimals_of(value: float) -> int:
    """Decimals for three significant digits."""
    return 2 if value < 9.995 else 1 if value < 99.95 else 0


def seconds(value: float) -> str:
    """12.3 ms"""
    factor, name = unit_of(value)
    return f"{value:.3g} s" if value > 1e9 else f"{value * factor:.{decimals_of(value * factor)}f} {name}"


class Interval(NamedTuple):
    """A median and its interval; n: the number of values, of a ratio the smaller of both; level: the probability that
    the interval holds the median of the distribution."""

    low: float
    median: float
    high: float
    n: int
    level: float = 0.0

    def inverse(self) -> "Interval":
        """The interval of the inverse ratio."""
        return Interval(1 / self.high, 1 / self.median, 1 / self.low, self.n, self.level)


def range_text(interval: Interval) -> str:
    """`22.8..24.0`, in the unit of the median; `-` if there was one run."""
    if interval.n < 2:
        return "-"
    factor, _ = unit_of(interval.median)
    decimals = decimals_of(interval.median * factor)
    return f"{interval.low * factor:.{decimals}f}..{interval.high * factor:.{decimals}f}"


def interval_text(interval: Interval) -> str:
    """`23.1 ms 22.8..24.0`; without the interval if there was one run."""
    text = seconds(interval.median)
    return text + " " + range_text(interval) if interval.n > 1 else text


def _factor(factor: float) -> str:
    """Two decimals, or two digits where these would be less."""
    return f"{factor:.2f}" if factor >= 0.1 else f"{factor:.2g}"


def ratio_text(ratio: Interval, after: str = "") -> str:
    """`1.32 (1.25..1.40)`; without the interval if there was one run. `after`: what follows the ratio itself."""
    text = _factor(ratio.median) + after
    return text + f" ({_factor(ratio.low)}..{_factor(ratio.high)})" if ratio.n > 1 else text


def percent(level: float) -> str:
    """`93.8 %`, `95 %`."""
    return f"{100 * level:.1f}".removesuffix(".0") + " %"


def level_text(interval: Interval, before: str = "", after: str = " interval, ") -> str:
    """`93.8 % interval, ` with other texts around the level; "" if there was one value."""
    return before + percent(interval.level) + after if interval.n > 1 else ""


def nearest(name: str, known: Sequence[str]) -> str:
    """The known name that was probably meant: the only one that begins so, else the most similar; "": there is none."""
    begun = {one for one in known if name and one.startswith(name)}
    similar = list(begun) if len(begun) == 1 else difflib.get_close_matches(name, known, 1)
    return similar[0] if similar else ""


def count_text(count: int, noun: str) -> str:
    """`1 run`, `2 runs`."""
    return f"{count} {noun}" if count == 1 else f"{count} {noun}s"


def is_numeric(cells: Sequence[str]) -> bool:
    """True if most cells of a column are numbers."""
    numbers = sum(cell[:1].isdigit() for cell in cells)
    return numbers > sum(cell != "-" for cell in cells) - numbers


def grid(rows: List[List[str]]) -> List[str]:
    """Rows, of which the first is the heading, as lines with aligned columns; columns of numbers are aligned right."""
    columns = list(zip(*rows))
    widths = [max(map(len, column)) for column in columns]
    right = [is_numeric(column[1:]) for column in columns]
    return ["  ".join(cell.rjust(w) if r else cell.ljust(w) for cell, w, r in zip(row, widths, right)).rstrip()
            for row in rows]


def expand(text: str) -> List[str]:
    """The words: quotes, backslashes, $NAME, ${NAME} and ~ are as in a shell, but nothing starts a program or matches
    names of files. Raises ValueError."""
    def value_of(found: "re.Match[str]") -> str:
        if found[1] and found[1] not in os.environ:
            raise ValueError("it uses a variable that is not set")
        return os.environ[found[1]] if found[1] else found[0]

    expands = re.sub(r"'[^']*'|\\.", "", text)
    if re.search(r"`|\$\(", expands):
        raise ValueError("it contains a command substitution; use a script that ends with exec instead")
    if re.search("[|&;<>()]", re.sub('"[^"]*"', "", expands)):
        raise ValueError("it contains one of | & ; < > ( ) outside quotes; use a script that ends with exec instead")
    whole = re.sub(r"'[^']*'|\\.|\$\{?(\w+)\}?", value_of, text)
    try:
        return [os.path.expanduser(word) for word in shlex.split(whole)]
    except ValueError:
        raise ValueError("its quotes are unbalanced") from None


def filled(template: str, values: Mapping[str, str], what: str, missing: str) -> List[str]:
    """The words of a template, with the path of its program and the values of its {NAME}."""
    try:
        words = [re.sub(r"\{([A-Za-z][\w.-]*)\}", lambda found: values.get(str(found[1]), str(found[0])), word)
                 for word in expand(template)]
    except ValueError as error:
        raise Refused(f"{what}: {error}") from None
    path = shutil.which(words[0]) if words else None
    if not path:
        raise Refused(f"{what}: {missing.format(words[0] if words else template)}")
    return [path] + words[1:]


_SYSTEM = "/usr/bin/python3"  # sees the packages of the system, unlike another one before it on the path


def prefer(name: str) -> bool:
    """Returns true if the library can be imported. Else this command starts again with the Python of the system, or,
    if that is running already, returns false."""
    try:
        importlib.import_module(name)
        return True
    except ImportError:
        pass
    if os.path.realpath(sys.executable) != os.path.realpath(_SYSTEM) and os.access(_SYSTEM, os.X_OK):
        os.execv(_SYSTEM, [_SYSTEM, "-E", *sys.argv])
    return False


def require(name: str, what: str) -> None:
    """Returns if the library can be imported, as `prefer` tries it. Raises Refused."""
    if not prefer(name):
        raise Refused(f"{what} the Python library {name}, which is not installed; install it (Debian: python3-{name})")
