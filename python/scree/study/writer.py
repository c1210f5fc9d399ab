"""Writes files of results.

A file receives its name only when its header is complete. Each line is one write; an incomplete line is cut off again.
"""

import errno
import fcntl
import json
import os
from typing import Any, Dict, NoReturn, Sequence

from scree.study.texts import Refused

_FULL = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG)
_NO_LOCKS = (errno.ENOSYS, errno.EOPNOTSUPP, errno.ENOLCK)


def _as_line(record: Dict[str, Any]) -> bytes:
    """JSON must be UTF-8, but output of jobs and paths may contain any bytes: those become '?'."""
    text = json.dumps(record, ensure_ascii=False, separators=(",", ":"))
    return text.encode("utf-8", "replace") + b"\n"


class Writer:
    """A file of results, locked."""

    def __init__(self, name: str, fd: int) -> None:
        self.name, self._fd = name, fd
        self._lock()
        self._end = os.fstat(fd).st_size

    def _fail(self, what: str, error: OSError) -> NoReturn:
        text = error.strerror
        if error.errno in _FULL:
            text = f"the disk is full ({text}); free some space, then continue with --resume"
        raise Refused(f"results '{self.name}': {what}: {text}")

    def _lock(self) -> None:
        """File systems without locks are used without one."""
        try:
            fcntl.flock(self._fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise Refused(f"results '{self.name}': another sweep is writing to this file; wait for its end, or name "
                          "another file with --results FILE") from None
        except OSError as error:
            if error.errno not in _NO_LOCKS:
                self._fail("cannot be locked", error)

    def cut(self) -> None:
        """Removes an incomplete last line."""
        try:
            while self._end:
                start = max(0, self._end - 65536)
                last = os.pread(self._fd, self._end - start, start).rfind(b"\n")
                self._end = start if last < 0 else start + last + 1
                if last >= 0:
                    break
            os.ftruncate(self._fd, self._end)
        except OSError as error:
            self._fail("its incomplete last line cannot be removed", error)

    def add(self, record: Dict[str, Any]) -> None:
        """Writes one line to the disk. Raises Refused; then the file ends before that line."""
        line = _as_line(record)
        try:
            written = os.pwrite(self._fd, line, self._end)
            if written < len(line):
                raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
            os.fsync(self._fd)
            self._end += written
        except OSError as error:
            try:
                os.ftruncate(self._fd, self._end)
            except OSError:
                pass  # --resume removes the rest
            self._fail("a record could not be written", error)

    def close(self) -> None:
        """Releases the file."""
        os.close(self._fd)


def _exists(name: str) -> NoReturn:
    raise Refused(f"results '{name}': the file exists; --resume continues it, --results FILE names another")


def create(name: str, header: Dict[str, Any]) -> Writer:
    """A new file with the header. It is locked before it has its name."""
    if os.path.lexists(name):
        _exists(name)
    part = f"{name}.{os.getpid()}.part"
    try:
        writer = Writer(name, os.open(part, os.O_RDWR | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o666))
    except OSError as error:
        raise Refused(f"results '{name}': cannot be created: {error.strerror}") from None
    try:
        writer.add(header)
        os.link(part, name)
    except FileExistsError:
        _exists(name)
    except OSError as error:  # a file system without links
        try:
            os.rename(part, name)
        except OSError:
            raise Refused(f"results '{name}': cannot be created: {error.strerror}") from None
    finally:
        if os.path.lexists(part):
            os.unlink(part)
    return writer


def reopen(name: str) -> Writer:
    """A file that was read, without an incomplete last line."""
    try:
        fd = os.open(name, os.O_RDWR | os.O_CLOEXEC | os.O_NOFOLLOW)
    except OSError as error:
        raise Refused(f"results '{name}': cannot be opened: {error.strerror}") from None
    writer = Writer(name, fd)
    writer.cut()
    return writer


def replace(name: str, lines: Sequence[Dict[str, Any]]) -> Writer:
    """The file with other lines, all of them or none."""
    part = f"{name}.{os.getpid()}.part"
    try:
        writer = Writer(name, os.open(part, os.O_RDWR | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o666))
        for line in lines:
            writer.add(line)
        os.rename(part, name)
    except OSError as error:
        raise Refused(f"results '{name}': cannot be replaced: {error.strerror}") from None
    finally:
        if os.path.lexists(part):
            os.unlink(part)
    return writer
