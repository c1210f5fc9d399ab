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
from typing import Any, Dict, Iterator, NoReturn, Sequence, Tuple

from scree.study.texts import Refused

_FULL = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG)
_NO_LOCKS = (errno.ENOSYS, errno.EOPNOTSUPP, errno.ENOLCK)


@contextlib.contextmanager
def _beside(name: str, mode: int = 0o666) -> Iterator[Tuple[int, str]]:
    """A new file in the folder of a name, and its own name until the caller gives it the other."""
    part = f"{name}.{secrets.token_hex(4)}.scree-part"
    fd = os.open(part, os.O_RDWR | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, mode)
    try:
        yield fd, part
    finally:
        with contextlib.suppress(FileNotFoundError):
            os.unlink(part)


def write_whole(name: str, text: str, errors: str = "replace") -> None:
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
    with _beside(name) as (fd, part), open(fd, "w", encoding="utf-8", errors=errors) as file:
        if found and found.st_uid == os.geteuid():
            os.fchmod(fd, found.st_mode & 0o777)
        file.write(text)
        file.flush()
        os.replace(part, name)


def replaceable(name: str, begins: Sequence[str]) -> bool:
    """True if the name is free, empty, no regular file, or a file that begins so, as one that this program wrote."""
    if not os.path.isfile(name):
        return True
    with contextlib.suppress(OSError), open(name, "rb") as file:
        start = file.read(64).lower()
        return not start or start.startswith(tuple(begin.lower().encode() for begin in begins))
    return True


def why_not(error: OSError) -> str:
    """Why a file was not written, and what helps."""
    if error.errno in _FULL:
        return f"was not written in full: {error.strerror}; free space there, or name another file"
    return f"cannot be written: {error.strerror}; name a file in a writable directory"


class Writer:
    """A file of results, locked."""

    def __init__(self, name: str, fd: int) -> None:
        self.name, self._fd = name, fd
        try:
            fcntl.flock(fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise Refused(f"results '{name}': another sweep is writing to this file; wait for its end, or name another "
                          "file with --results FILE") from None
        except OSError as error:
            if error.errno not in _NO_LOCKS:  # file systems without locks are used without one
                self._fail("cannot be locked", error)
        self._end = os.fstat(fd).st_size

    def _fail(self, what: str, error: OSError) -> NoReturn:
        text = error.strerror
        if error.errno in _FULL:
            text = f"the disk is full ({text}); free some space, then continue with --resume"
        raise Refused(f"results '{self.name}': {what}: {text}")

    def cut(self) -> None:
        """Removes an incomplete last line."""
        try:
            with open(self._fd, "rb", closefd=False) as file:
                for line in file:
                    self._end -= 0 if line.endswith(b"\n") else len(line)
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


def create(name: str, header: Dict[str, Any]) -> Writer:
    """A new file with the header. It is locked before it has its name."""
    try:
        if os.path.lexists(name):
            raise FileExistsError
        with _beside(name) as (fd, part):
            writer = Writer(name, fd)
            writer.add(header)
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
        with _beside(name) as (fd, part):
            writer = Writer(name, fd)
            for line in lines:
                writer.add(line)
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
