"""Files that are written whole or not at all. In a folder that others may write, a name can be a link that another user
has put there: what is written is a new file, and links and pipes of other users are refused."""

import contextlib
import errno
import os
import secrets
import stat
from typing import Optional, Tuple

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


def _write(fd: int, text: str, errors: str) -> None:
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


def replace(name: str, text: str, errors: str = "replace") -> None:
    """Writes the text under the name: a regular file whole or not at all, with the mode that this user's own file had;
    devices and pipes as they are. Raises OSError; EACCES: another user's link or pipe."""
    given = name
    name, found = _target_of(name)
    if not found and os.path.exists(given):  # what /dev/stdout is may have no name
        return _write(_in_place(given, os.stat(given)), text, errors)
    if found and not stat.S_ISREG(found.st_mode):
        return _write(_in_place(name, found), text, errors)
    if found and not os.access(name, os.W_OK):
        raise _refuse(errno.EACCES, name)
    mode = stat.S_IMODE(found.st_mode) & 0o777 if found else 0o666
    part = f"{name}.{secrets.token_hex(4)}.scree-part"
    try:
        fd = os.open(part, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC, mode)
    except OSError as error:
        if error.errno not in _NO_NEW_FILES:
            raise
        return _write(_in_place(name, found), text, errors)
    try:
        if found and found.st_uid == os.geteuid():
            os.fchmod(fd, mode)
        _write(fd, text, errors)
        os.replace(part, name)
    except OSError:
        with contextlib.suppress(FileNotFoundError):
            os.unlink(part)
        raise
    return None
