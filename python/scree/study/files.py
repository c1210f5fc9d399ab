"""Writes files: results line by line, others whole or not at all.

In a folder that others may write, a name can be a link that another user has put there: what is written is a new
file, and links and pipes of other users are refused.
"""

import contextlib
import errno
import fcntl
import json
import os
import secrets
import stat
from typing import Any, Dict, Iterator, NoReturn, Optional, Sequence, Tuple

from scree.study.texts import Refused

_LINKS_MAX = 40  # the kernel's limit
_NO_NEW_FILES = (errno.EACCES, errno.EPERM, errno.EROFS, errno.ENAMETOOLONG)


def _refuse(code: int, name: str) -> OSError:
    return OSError(code, os.strerror(code), name)


def _examine(name: str) -> Tuple[os.stat_result, str]:
    """What has the name, which may be a link, and the text of a link: both of the same object."""
    fd = os.open(name, os.O_PATH | os.O_NOFOLLOW | os.O_CLOEXEC)
    try:
        found = os.fstat(fd)
        return found, os.readlink("", dir_fd=fd) if stat.S_ISLNK(found.st_mode) else ""
    finally:
        os.close(fd)


def _target_of(name: str) -> Tuple[str, Optional[os.stat_result]]:
    """Follows links of this user and of root; None: nothing has that name."""
    for _ in range(_LINKS_MAX):
        try:
            found, text = _examine(name)
        except FileNotFoundError:
            return name, None
        if not stat.S_ISLNK(found.st_mode) and not stat.S_ISFIFO(found.st_mode):
            return name, found
        if found.st_uid not in (0, os.geteuid()):
            raise _refuse(errno.EACCES, name)
        if stat.S_ISFIFO(found.st_mode):
            return name, found
        name = os.path.join(os.path.dirname(name), text)
    raise _refuse(errno.ELOOP, name)


def _write_text(fd: int, text: str, errors: str) -> None:
    with open(fd, "w", encoding="utf-8", errors=errors) as file:
        file.write(text)


def _in_place(name: str, found: Optional[os.stat_result]) -> int:
    """Only what was found is emptied."""
    if not found:
        return os.open(name, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC, 0o666)
    fd = os.open(name, os.O_WRONLY | os.O_NOCTTY | os.O_CLOEXEC)
    now = os.fstat(fd)
    if (now.st_dev, now.st_ino) != (found.st_dev, found.st_ino):
        os.close(fd)
        raise _refuse(errno.ESTALE, name)
    if stat.S_ISREG(now.st_mode):
        os.ftruncate(fd, 0)
    return fd


def write_whole(name: str, text: str, errors: str = "replace") -> None:
    """Writes the text under the name: a regular file whole or not at all, with the mode that this user's own file had;
    devices and pipes as they are. Raises OSError; EACCES: another user's link or pipe."""
    given = name
    name, found = _target_of(name)
    if not found and os.path.exists(given):  # what /dev/stdout is may have no name
        return _write_text(_in_place(given, os.stat(given)), text, errors)
    if found and not stat.S_ISREG(found.st_mode):
        return _write_text(_in_place(name, found), text, errors)
    if found and not os.access(name, os.W_OK):
        raise _refuse(errno.EACCES, name)
    mode = stat.S_IMODE(found.st_mode) & 0o777 if found else 0o666
    part = f"{name}.{secrets.token_hex(4)}.scree-part"
    try:
        fd = os.open(part, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC, mode)
    except OSError as error:
        if error.errno not in _NO_NEW_FILES:
            raise
        return _write_text(_in_place(name, found), text, errors)
    try:
        if found and found.st_uid == os.geteuid():
            os.fchmod(fd, mode)
        _write_text(fd, text, errors)
        os.replace(part, name)
    except OSError:
        with contextlib.suppress(FileNotFoundError):
            os.unlink(part)
        raise
    return None


def replaceable(name: str, begins: Sequence[str]) -> bool:
    """True if the name is free, empty, no regular file, or a file that begins so, as one that this program wrote."""
    try:
        if not stat.S_ISREG(os.stat(name).st_mode):
            return True
        with open(name, "rb") as file:
            start = file.read(64).lower()
    except OSError:
        return True
    return not start or start.startswith(tuple(begin.lower().encode() for begin in begins))


def why_not(error: OSError) -> str:
    """Why a file was not written, and what helps."""
    if error.errno in _FULL:
        return f"was not written in full: {error.strerror}; free space there, or name another file"
    return f"cannot be written: {error.strerror}; name a file in a writable directory"


_FULL = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG)
_NO_LOCKS = (errno.ENOSYS, errno.EOPNOTSUPP, errno.ENOLCK)


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
        text = json.dumps(record, ensure_ascii=False, separators=(",", ":")) + "\n"
        line = text.encode("utf-8", "replace")  # output of jobs and paths may contain any bytes
        try:
            written = os.pwrite(self._fd, line, self._end)
            if written < len(line):
                raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
            os.fsync(self._fd)
            self._end += written
        except OSError as error:
            with contextlib.suppress(OSError):  # --resume removes the rest
                os.ftruncate(self._fd, self._end)
            self._fail("a record could not be written", error)

    def close(self) -> None:
        """Releases the file."""
        os.close(self._fd)


@contextlib.contextmanager
def _new(name: str, lines: Sequence[Dict[str, Any]]) -> Iterator[Tuple[Writer, str]]:
    """A file with these lines, and its name until the caller has given it its own. It is locked before it has that."""
    part = f"{name}.{os.getpid()}.part"
    try:
        writer = Writer(name, os.open(part, os.O_RDWR | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o666))
        for line in lines:
            writer.add(line)
        yield writer, part
    finally:
        with contextlib.suppress(FileNotFoundError):
            os.unlink(part)


def create(name: str, header: Dict[str, Any]) -> Writer:
    """A new file with the header."""
    try:
        if os.path.lexists(name):
            raise FileExistsError
        with _new(name, [header]) as (writer, part):
            try:
                os.link(part, name)
            except FileExistsError:
                raise
            except OSError:  # a file system without links
                os.rename(part, name)
    except FileExistsError:
        raise Refused(f"results '{name}': the file exists; --resume continues it, --results FILE names "
                      "another") from None
    except OSError as error:
        raise Refused(f"results '{name}': cannot be created: {error.strerror}") from None
    return writer


def replace(name: str, lines: Sequence[Dict[str, Any]]) -> Writer:
    """The file with other lines, all of them or none."""
    try:
        with _new(name, lines) as (writer, part):
            os.rename(part, name)
    except OSError as error:
        raise Refused(f"results '{name}': cannot be replaced: {error.strerror}") from None
    return writer


def reopen(name: str) -> Writer:
    """A file that was read, without an incomplete last line."""
    try:
        writer = Writer(name, os.open(name, os.O_RDWR | os.O_CLOEXEC | os.O_NOFOLLOW))
    except OSError as error:
        raise Refused(f"results '{name}': cannot be opened: {error.strerror}") from None
    writer.cut()
    return writer
